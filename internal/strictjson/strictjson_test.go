package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

type inner struct {
	Whole int64   `json:"whole"`
	Float float64 `json:"float"`
}

type embedded struct {
	Truth bool `json:"truth"`
}

// upper implements encoding.TextUnmarshaler.
type upper string

func (u *upper) UnmarshalText(text []byte) error {
	*u = upper(strings.ToUpper(string(text)))
	return nil
}

type outer struct {
	embedded
	Text  string          `json:"text"`
	Items []inner         `json:"items"`
	Maybe *inner          `json:"maybe"`
	Extra *inner          `json:"extra,omitempty"`
	Raw   json.RawMessage `json:"raw"`
	Upper upper           `json:"upper"`
	Small int             `json:"small,omitempty"`
}

// refused holds texts that encoding/json accepts, or may accept, with the expected errors.
var refused = []struct{ text, says string }{
	{``, "it ends too early; append the missing end"},
	{`{`, "it ends too early"},
	{`{"items": [`, "it ends too early"},
	{`{}{}`, "text follows the end of the JSON value; remove it"},
	{`{} x`, "text follows the end of the JSON value"},
	{`[]`, "the value must be an object, but is a list"},
	{`null`, "the value must be an object, but is null"},
	{`7`, "the value must be an object, but is a number"},
	{`{"text": "a", "text": "b"}`, `key "text" is given twice`},
	{`{"text": "a", "\u0074ext": "b"}`, `key "text" is given twice`},
	{`{"Text": "a"}`, `unknown key "Text"; remove it, or write one of extra, items, maybe, raw, small, text, truth, upper`},
	{`{"teXt": "a", "text": "b"}`, `unknown key "teXt"`},
	{`{"ſmall": 1}`, `unknown key "ſmall"`}, // equal to "small" if case is ignored
	{`{"\u017fmall": 1}`, `unknown key "ſmall"`},
	{`{"": 1}`, `unknown key ""`},
	{`{"a\nb": 1}`, `unknown key "a\nb"`},
	{`{"` + strings.Repeat("long", 1000) + `": 1}`, `…`},
	{`{"embedded": {}}`, `unknown key "embedded"`},
	{`{"items": [{"whole": 1}, {"Whole": 1}]}`, `unknown key "Whole" in items.2`},
	{`{"items": [{"whole": 1}, {"whole": 1, "whole": 1}]}`, `key "whole" is given twice in items.2; remove one of the two`},
	{`{"items": null}`, "the value at items must be a list, but is null"},
	{`{"items": [null]}`, "the value at items.1 must be an object, but is null"},
	{`{"items": {}}`, "the value at items must be a list, but is an object"},
	{`{"items": [{"whole": null}]}`, "the value at items.1.whole must be a number, but is null"},
	{`{"items": [{"whole": "1"}]}`, "the value at items.1.whole must be a number, but is a string"},
	{`{"items": [{"whole": 1.0}]}`, "the value at items.1.whole must be an integer of at most 64 bits, without a fraction or an exponent"},
	{`{"items": [{"whole": 1e1}]}`, "the value at items.1.whole must be an integer of at most 64 bits, without a fraction or an exponent"},
	{`{"items": [{"whole": -0}]}`, "the value at items.1.whole must be an integer of at most 64 bits, without a fraction or an exponent"},
	{`{"items": [{"whole": 9223372036854775808}]}`, "the value at items.1.whole must be an integer of at most 64 bits, without a fraction or an exponent"},
	{`{"items": [{"whole": 01}]}`, "invalid character '1'"},
	{`{"items": [{"whole": +1}]}`, "the text after byte 21 is not valid JSON: invalid character '+' looking for beginning of value; correct it"},
	{`{"items": [{"whole": 0x1}]}`, "invalid character 'x'"},
	{`{"items": [{"whole": NaN}]}`, "invalid character 'N'"},
	{`{"items": [{"whole": 1,}]}`, "invalid character '}'"},
	{`{"items": [{"whole": 1},]}`, "invalid character ']'"},
	{`{'text': "a"}`, `invalid character '\''`},
	{`{"text": "a" /* more */}`, "invalid character '/'"},
	{`{"items": [{"float": 1e400}]}`, "the value at items.1.float must be a number between -1.8e308 and 1.8e308"},
	{`{"items": [{"float": true}]}`, "the value at items.1.float must be a number, but is a boolean"},
	{`{"truth": null}`, "the value at truth must be a boolean, but is null"},
	{`{"truth": 1}`, "the value at truth must be a boolean, but is a number"},
	{`{"text": null}`, "the value at text must be a string, but is null"},
	{`{"upper": null}`, "the value at upper must not be null; write a value, or remove the key"},
	{`{"upper": 1}`, "the value at upper must be a string, but is a number"},
	{`{"extra": null}`, "the value at extra must be an object, but is null"},
	{`{"raw": {"a": {"b": 1, "b": 2}}}`, `key "b" is given twice in raw.a`},
	{"{\"text\": \"\xff\"}", "byte 11 is not UTF-8 text; write the text in UTF-8"},
	{"{\"text\": \"\xed\xa0\x80\"}", "byte 11 is not UTF-8 text"},
	{`{"text": "\ud800"}`, "byte 11 starts half of a surrogate pair; write both halves, or remove the escape"},
	{`{"text": "\udc00\ud800"}`, "byte 11 starts half of a surrogate pair"},
	{`{"text": "\ud800\ud800"}`, "byte 11 starts half of a surrogate pair"},
	{`{"text": "\ud800\n"}`, "byte 11 starts half of a surrogate pair"},
	{`{"text": "\ud800`, "byte 11 starts half of a surrogate pair"},
	{`{"text": "` + "\x01" + `"}`, "invalid character"},
	{"\ufeff{}", "it begins with a byte order mark; remove this character"},
	{`{"raw": ` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, "the values are nested more than 64 levels deep; remove the deeper ones"},
	{strings.Repeat("[", 1<<20), "the value must be an object, but is a list"},
	{`{"raw": ` + strings.Repeat(`{"a":`, 1<<20), "the values are nested more than 64 levels deep"},
}

func TestRefused(t *testing.T) {
	for _, r := range refused {
		err := Decode([]byte(r.text), new(outer))
		if err == nil || !strings.Contains(err.Error(), r.says) || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 300 {
			t.Errorf("%.100q: %v, want %s", r.text, err, r.says)
		}
	}
}

func TestTaken(t *testing.T) {
	var got outer
	text := `{"text": "\\ud800 \ud83d\ude42 \"\\", "truth": true, "items": [{"whole": -7, "float": 1.50}, {}], "maybe": null,
		"raw": {"Any": [null, 1e400, -0, {"any": {}}]}, "upper": "abc", "small": 3}`
	if err := Decode([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Text != "\\ud800 🙂 \"\\" || !got.Truth || len(got.Items) != 2 || got.Items[0] != (inner{-7, 1.5}) || got.Upper != "ABC" || got.Small != 3 {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{`{"raw": null}`, `{"extra": {"whole": 1}}`, `{"maybe": {"whole": 1}}`, `{}`, ` {} `} {
		if err := Decode([]byte(text), new(outer)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	if err := Check([]byte(deep)); err != nil {
		t.Errorf("64 deep: %v", err)
	}
}

func TestTooMany(t *testing.T) {
	for most, says := range map[int]string{3: "", 2: "there are more than 8388608 values; use a smaller text"} {
		s := &scanner{tokens: json.NewDecoder(strings.NewReader("[1, 2]")), values: mostValues - most}
		if err := s.value(nil, false); (err == nil) != (says == "") || err != nil && err.Error() != says {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// FuzzCheck checks that every accepted text is valid JSON, and that a decoder that uses the first
// of two equal keys and one that uses the last decode it equally.
func FuzzCheck(f *testing.F) {
	for _, r := range refused {
		if len(r.text) < 100 {
			f.Add(r.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := Check([]byte(text))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("%q", err)
			}
			if Decode([]byte(text), new(outer)) == nil {
				t.Errorf("%q is decoded, but fails: %v", text, err)
			}
			return
		}
		var value any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&value); err != nil || !json.Valid([]byte(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := json.Marshal(value)
		if err == nil && strings.Contains(string(again), "\ufffd") && !strings.Contains(text, "\ufffd") && !strings.Contains(strings.ToLower(text), `\ufffd`) {
			t.Errorf("%q loses text", text)
		}
	})
}
