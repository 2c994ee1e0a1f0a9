// Package strictjson decodes JSON texts, and rejects texts that programs might interpret in different ways.
//
// Package encoding/json uses the last of two equal keys, ignores the case of keys, accepts null for any value, and
// replaces invalid Unicode. Another program may use the first of two equal keys. Then two programs would read
// different privacy guarantees from the same file. So this package rejects every ambiguous text.
//
// Errors are one sentence, which names the position of the defect and its remedy. They quote no part of the text except
// a key.
package strictjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

const (
	mostDepth  = 64      // maximum nesting depth of lists and objects
	mostValues = 1 << 23 // maximum number of values; decoding this number takes up to a gigabyte of memory
)

// Check returns an error unless the text is a single JSON value in UTF-8 that satisfies these rules:
//   - No object contains the same key twice.
//   - No escape is half of a surrogate pair without the other half.
//   - Values are nested at most 64 levels deep.
//   - There are at most 8,388,608 values.
func Check(text []byte) error { return check(text, nil) }

// Decode decodes a JSON text into the variable that the parameter to points to, by the json tags of its type. The text
// must satisfy the rules of Check and the following:
//   - Every key of an object is exactly the name in a json tag.
//   - The value null is allowed only for a json.RawMessage, and for a pointer whose tag has no options such as
//     omitempty.
//   - Integers are written in digits, without a fraction or exponent.
//
// Within a json.RawMessage, and within a value whose type implements json.Unmarshaler, only the rules of Check apply. A
// value whose type implements encoding.TextUnmarshaler must be a string.
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
		return fmt.Errorf("byte %d is not UTF-8 text; write the text in UTF-8", i+1)
	}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return errors.New("it begins with a byte order mark; remove this character")
	}
	if i := loneSurrogate(text); i >= 0 {
		return fmt.Errorf("byte %d starts half of a surrogate pair; write both halves, or remove the escape", i+1)
	}
	s := &scanner{tokens: json.NewDecoder(bytes.NewReader(text))}
	s.tokens.UseNumber()
	if err := s.value(t, false); err != nil {
		return err
	}
	if _, err := s.tokens.Token(); err != io.EOF {
		return errors.New("text follows the end of the JSON value; remove it")
	}
	return nil
}

// loneSurrogate returns the position of an escape \uXXXX that is half of a surrogate pair without the other half, or -1
// if there is none. It needs no parser, because in JSON a backslash occurs only in strings.
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
			i = min(i+2, len(text)) // another escape, possibly of a backslash
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

// escaped returns the code of the escape \uXXXX at the beginning of the text. The boolean result is false if the text
// does not begin with \u and four hexadecimal digits.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(r), err == nil
}

// A scanner reads the tokens of a JSON text, and compares each value with the Go type into which it will be decoded.
type scanner struct {
	tokens *json.Decoder
	path   []string // the keys and item numbers that lead to the token; items are numbered from 1
	values int
}

// in returns the end of an error message, which states where the current token is, such as " in class.points". It is ""
// at the top level.
func (s *scanner) in() string {
	if len(s.path) == 0 {
		return ""
	}
	return " in " + strings.Join(s.path, ".")
}

// place returns the subject of an error message about the current value, such as "the value at class.points".
func (s *scanner) place() string {
	if len(s.path) == 0 {
		return "the value"
	}
	return "the value at " + strings.Join(s.path, ".")
}

// value reads a JSON value and checks that it can be decoded into the type t. If t is nil, any value is valid. If
// nullable is false, null is invalid, unless t is nil or json.RawMessage.
func (s *scanner) value(t reflect.Type, nullable bool) error {
	token, err := s.tokens.Token()
	if err != nil {
		return s.malformed(err)
	}
	if s.values++; s.values > mostValues {
		return fmt.Errorf("there are more than %d values; use a smaller text", mostValues)
	}
	if len(s.path) > mostDepth {
		return fmt.Errorf("the values are nested more than %d levels deep; remove the deeper ones", mostDepth)
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
			return fmt.Errorf("%s must not be null; write a value, or remove the key", s.place())
		}
	}
	if token == nil && (nullable || t == nil) {
		return nil
	}
	if want := wants(t); want != "" && want != is(token) {
		return fmt.Errorf("%s must be %s, but is %s", s.place(), want, is(token))
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

// is returns the kind of the JSON value that begins with the token, such as "a list", for error messages.
func is(token json.Token) string {
	switch token := token.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	case json.Delim:
		if token == '[' {
			return "a list"
		}
		return "an object"
	}
	return "null"
}

// wants returns the kind of JSON value that the Go type t requires, such as "a list", for error messages. It returns ""
// if any value is allowed.
func wants(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	}
	panic("strictjson: no rule for " + t.String())
}

// number checks that a number can be decoded into the type t. An integer must be in the range of t, and written without
// a fraction or exponent. A floating-point number must not be too large.
func (s *scanner) number(text string, t reflect.Type) error {
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Float64:
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("%s must be a number between -1.8e308 and 1.8e308", s.place())
		}
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, t.Bits()); err != nil || strconv.FormatInt(n, 10) != text {
		return fmt.Errorf("%s must be an integer of at most %d bits, without a fraction or an exponent", s.place(), t.Bits())
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
			return s.malformed(err)
		}
		key := token.(string)
		if seen[key] {
			return fmt.Errorf("key %s is given twice%s; remove one of the two", quote.Word(key), s.in())
		}
		seen[key] = true
		m, found := known[key]
		if known != nil && !found {
			return fmt.Errorf("unknown key %s%s; remove it, or write one of %s", quote.Word(key), s.in(), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		s.path = append(s.path, word(key))
		if err := s.value(m.t, m.nullable); err != nil {
			return err
		}
	}
	s.path = append(s.path[:at], "")
	return s.close()
}

// close reads the token that ends a list or an object.
func (s *scanner) close() error {
	s.path = s.path[:len(s.path)-1]
	if _, err := s.tokens.Token(); err != nil {
		return s.malformed(err)
	}
	return nil
}

// word returns a key for error messages. The key is unchanged if it is short and consists of lower-case letters, digits
// and underscores; otherwise it is quoted.
func word(key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && len(key) < 40 {
		return key
	}
	return quote.Word(key)
}

// malformed returns the error for a text that ends too early or is not JSON.
func (s *scanner) malformed(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends too early; append the missing end")
	}
	at := s.tokens.InputOffset()
	if at == 0 {
		return errors.New("it is not JSON; use a JSON text")
	}
	return fmt.Errorf("the text after byte %d is not valid JSON: %s; correct it", at, quote.Line(err.Error()))
}

// A member describes the valid values of an object's key: their Go type, and whether null is allowed.
type member struct {
	t        reflect.Type
	nullable bool
}

// members adds the valid keys for the struct type t to the map, including those of embedded structs. Fields that are
// not exported have no key.
func members(t reflect.Type, to map[string]member) {
	for f := range t.Fields() {
		if !f.IsExported() && !f.Anonymous {
			continue
		}
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
