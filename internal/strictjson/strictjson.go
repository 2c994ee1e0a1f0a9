// Package strictjson decodes JSON of which every reader must see the same.
//
// Package encoding/json uses the last of two equal keys, ignores the case of keys, accepts null for
// any value, and replaces invalid Unicode. Another reader may use the first key, so the guarantee
// stated in a file would depend on the reader. This package refuses every ambiguous text, with an
// error of one sentence that names the place and quotes at most a key.
package strictjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

const (
	mostDepth  = 64      // of lists and objects in each other
	mostValues = 1 << 23 // which take up to a gigabyte when they are read
)

// Check reports a text that is not one JSON value in UTF-8: with an object that
// has a key twice, at any depth, with half of a surrogate pair, with values
// nested more than 64 deep, or with more than 8,388,608 of them.
func Check(text []byte) error { return check(text, nil) }

// Decode decodes a text that passes Check, by the json tags of the value that
// to points at. Every key must be one of them, letter by letter; null stands
// only for a pointer whose tag has no omitempty, or for a json.RawMessage; whole
// numbers are in digits. A json.RawMessage, and what decodes itself, is as deep
// as it goes held to no more than Check.
func Decode(text []byte, to any) error {
	if err := check(text, reflect.TypeOf(to).Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func check(text []byte, t reflect.Type) error {
	if i := quote.Invalid(text); i >= 0 {
		return fmt.Errorf("byte %d is not UTF-8 text", i+1)
	}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return errors.New("it begins with a byte order mark")
	}
	if i := loneSurrogate(text); i >= 0 {
		return fmt.Errorf("byte %d starts half of a surrogate pair", i+1)
	}
	s := &scanner{tokens: json.NewDecoder(bytes.NewReader(text))}
	s.tokens.UseNumber()
	if err := s.value(t, false); err != nil {
		return err
	}
	if _, err := s.tokens.Token(); err != io.EOF {
		return errors.New("text follows the end of the JSON value")
	}
	return nil
}

// loneSurrogate returns the position of an escape for half of a surrogate pair, or -1. In JSON a
// backslash occurs in strings only.
func loneSurrogate(text []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\\')
		if n < 0 {
			return -1
		}
		i += n
		first, ok := escaped(text[i:])
		switch {
		case !ok:
			i = min(i+2, len(text)) // an escape of another kind, maybe of a backslash
		case !utf16.IsSurrogate(first):
			i += 6
		default:
			second, ok := escaped(text[i+6:])
			if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
				return i
			}
			i += 12
		}
	}
}

// escaped returns the rune of a text that begins with \u and four digits.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(r), err == nil
}

// A scanner visits the tokens of a text together with the type that each must have.
type scanner struct {
	tokens *json.Decoder
	path   []string // keys above the token, and numbers of items from 1
	values int
}

// in names the place of the token, or nothing at the top.
func (s *scanner) in() string {
	if len(s.path) == 0 {
		return ""
	}
	return " in " + strings.Join(s.path, ".")
}

// value reads a value for the type, nil for any. Null is for some only.
func (s *scanner) value(t reflect.Type, nullable bool) error {
	token, err := s.tokens.Token()
	if err != nil {
		return malformed(err)
	}
	if s.values++; s.values > mostValues {
		return fmt.Errorf("there are more than %d values", mostValues)
	}
	if len(s.path) > mostDepth {
		return fmt.Errorf("the values are nested more than %d levels deep", mostDepth)
	}
	for t != nil && t.Kind() == reflect.Pointer && !decodesItself(t) {
		t = t.Elem()
	}
	if t != nil && decodesItself(t) {
		nullable = nullable || t == rawMessage
		if text := reflect.PointerTo(t).Implements(textUnmarshaler); text {
			t = reflect.TypeFor[string]()
		} else {
			t = nil
		}
		if token == nil && !nullable {
			return fmt.Errorf("null is used as a value%s", s.in())
		}
	}
	if token == nil && (nullable || t == nil) {
		return nil
	}
	if want := wants(t); want != "" && want != is(token) {
		return fmt.Errorf("%s is used instead of %s%s", is(token), want, s.in())
	}
	switch token := token.(type) {
	case json.Number:
		return s.number(string(token), t)
	case json.Delim:
		if token == '[' {
			return s.list(t)
		}
		return s.object(t)
	}
	return nil
}

var (
	rawMessage      = reflect.TypeFor[json.RawMessage]()
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshaler) || p.Implements(textUnmarshaler)
}

// is describes a token, or the value that begins with it, for messages.
func is(token json.Token) string {
	switch token := token.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case json.Delim:
		if token == '[' {
			return "a list"
		}
		return "an object"
	}
	return "null"
}

// wants describes the JSON value that the type requires, or returns "" if any value is allowed.
func wants(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	}
	panic("strictjson: no rule for " + t.String())
}

// number holds whole numbers to digits, in the type's range.
func (s *scanner) number(text string, t reflect.Type) error {
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Float64:
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("a number is too large%s", s.in())
		}
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, t.Bits()); err != nil || strconv.FormatInt(n, 10) != text {
		return fmt.Errorf("a number is not whole, or too large%s", s.in())
	}
	return nil
}

func (s *scanner) list(t reflect.Type) error {
	if t != nil {
		t = t.Elem()
	}
	at := len(s.path)
	s.path = append(s.path, "")
	for i := 1; s.tokens.More(); i++ {
		s.path[at] = strconv.Itoa(i)
		if err := s.value(t, false); err != nil {
			return err
		}
	}
	return s.close()
}

func (s *scanner) object(t reflect.Type) error {
	var known map[string]member
	if t != nil {
		known = map[string]member{}
		members(t, known)
	}
	at := len(s.path)
	s.path = append(s.path, "")
	seen := map[string]bool{}
	for s.tokens.More() {
		s.path = s.path[:at]
		token, err := s.tokens.Token()
		if err != nil {
			return malformed(err)
		}
		key := token.(string)
		if seen[key] {
			return fmt.Errorf("key %s is given twice%s", quote.Word(key), s.in())
		}
		seen[key] = true
		m, found := known[key]
		if known != nil && !found {
			return fmt.Errorf("unknown key %s%s", quote.Word(key), s.in())
		}
		s.path = append(s.path, word(key))
		if err := s.value(m.t, m.nullable); err != nil {
			return err
		}
	}
	s.path = append(s.path[:at], "")
	return s.close()
}

// close reads the end of a list or object.
func (s *scanner) close() error {
	s.path = s.path[:len(s.path)-1]
	if _, err := s.tokens.Token(); err != nil {
		return malformed(err)
	}
	return nil
}

// word writes a key plainly if it is one.
func word(key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && len(key) < 40 {
		return key
	}
	return quote.Word(key)
}

func malformed(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends too early")
	}
	return errors.New(quote.Line(err.Error()))
}

// A member is the expected value of a key.
type member struct {
	t        reflect.Type
	nullable bool
}

// members enters the keys of a struct, and those of structs that it embeds.
func members(t reflect.Type, to map[string]member) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			members(f.Type, to)
			continue
		}
		if name == "" {
			panic("strictjson: no tag on " + t.String() + "." + f.Name)
		}
		to[name] = member{f.Type, f.Type.Kind() == reflect.Pointer && options == ""}
	}
}
