package table

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/strictjson"
)

// MarshalJSON returns the schema in JSON, with the same keys as in TOML. It preserves the order of groups.
func (s *Schema) MarshalJSON() ([]byte, error) {
	type label struct {
		Column   string   `json:"column"`
		Positive []string `json:"positive,omitempty"`
		Negative []string `json:"negative,omitempty"`
		AtLeast  Decimal  `json:"at_least,omitempty"`

		Values []string      `json:"values,omitempty"`
		Groups orderedGroups `json:"groups,omitempty"`
		Cuts   []json.Number `json:"cuts,omitempty"`
		spelling
		writing
	}
	type file struct {
		Header    bool     `json:"header"`
		Delimiter string   `json:"delimiter"`
		Decimal   string   `json:"decimal,omitempty"` // a point if it is missing
		Encoding  string   `json:"encoding,omitempty"`
		Trim      bool     `json:"trim"`
		Comment   string   `json:"comment,omitempty"`
		Sheet     string   `json:"sheet,omitempty"`
		Columns   []string `json:"columns,omitempty"`
	}
	type person struct {
		Column string `json:"column"`
		Most   int    `json:"most"`
	}
	type attribute struct {
		Name   string        `json:"name"`
		Column string        `json:"column"`
		Values []string      `json:"values,omitempty"`
		Groups orderedGroups `json:"groups,omitempty"`
		Cuts   any           `json:"cuts,omitempty"` // a list of numbers, or of dates as strings
		Other  string        `json:"other,omitempty"`
		Format string        `json:"format,omitempty"`
		Part   string        `json:"part,omitempty"`
		AgeAt  string        `json:"age_at,omitempty"`

		Ordered *bool `json:"ordered,omitempty"`
		spelling
		writing
	}
	decimal := ""
	if s.File.Decimal != '.' {
		decimal = string(rune(s.File.Decimal))
	}
	document := struct {
		Name       string        `json:"name,omitempty"`
		File       file          `json:"file"`
		Label      *label        `json:"label,omitempty"`
		Person     *person       `json:"person,omitempty"`
		Attributes []attribute   `json:"attribute"`
		Rules      []Rule        `json:"rule,omitempty"`
		Profiles   []profileJSON `json:"profile,omitempty"`
	}{
		Name:  s.Name,
		File:  file{!s.File.Headerless, string(rune(s.File.Delimiter)), decimal, s.File.Encoding, s.File.Trim, s.File.Comment, s.File.Sheet, s.File.Columns},
		Rules: s.Rules, Profiles: profilesJSON(s.Profiles),
	}
	if l := s.Label; l != nil {
		document.Label = &label{l.Column, l.Positive, l.Negative, l.AtLeast, l.Values, l.Groups, numbers(l.Cuts), l.Spelling.json(), l.Writing.json(l.Missing)}
	}
	if s.Person != nil {
		document.Person = &person{s.Person.Column, s.Person.Most}
	}
	for _, a := range s.Attributes {
		document.Attributes = append(document.Attributes, attribute{a.Name, a.Column, a.Values, a.Groups, a.cutsJSON(), a.Other, a.Format, a.Part, a.AgeAt, a.Ordered, a.Spelling.json(), a.writingJSON()})
	}
	return plainJSON(document)
}

// cutsJSON returns the JSON form of the cuts, or nil if the attribute has no cuts.
func (a *Attribute) cutsJSON() any {
	switch {
	case len(a.Cuts) == 0:
		return nil
	case a.whole():
		return a.CutTexts()
	}
	return numbers(a.Cuts)
}

// writingJSON returns the JSON form of the attribute's Writing. If the range is one of dates, its limits are
// written as dates.
func (a *Attribute) writingJSON() writing {
	out := a.Writing.json(a.Missing)
	if a.Draw == drawDay {
		out.Least, out.Most = a.RangeTexts()
	}
	return out
}

// spelling is the JSON form of a Spelling, the format of numbers in delimited text.
type spelling struct {
	Decimal   string   `json:"decimal,omitempty"`
	Thousands string   `json:"thousands,omitempty"`
	Units     []string `json:"unit,omitempty"`
}

func (s *Spelling) json() spelling {
	out := spelling{"", s.Thousands, s.Units}
	if s.Decimal != 0 {
		out.Decimal = string(rune(s.Decimal))
	}
	return out
}

// writing is the JSON form of a Writing, which defines the values of synthetic rows.
type writing struct {
	Draw    any `json:"draw,omitempty"` // a string or a list of numbers
	Places  int `json:"places,omitempty"`
	Least   any `json:"least,omitempty"` // a number, or a date as a string
	Most    any `json:"most,omitempty"`
	Missing any `json:"missing,omitempty"` // a string or a list of strings
}

// json returns the JSON form of a Writing. The result includes the given texts that mean a missing value.
func (w *Writing) json(missing []string) writing {
	out := writing{Places: w.Places}
	if w.Least != "" {
		out.Least = json.Number(w.Least)
	}
	if w.Most != "" {
		out.Most = json.Number(w.Most)
	}
	switch len(missing) {
	case 0:
	case 1:
		out.Missing = missing[0]
	default:
		out.Missing = missing
	}
	switch {
	case w.Draw != "":
		out.Draw = w.Draw
	case len(w.Listed) > 0:
		out.Draw = numbers(w.Listed)
	}
	return out
}

func numbers(cuts []Decimal) (all []json.Number) {
	for _, cut := range cuts {
		all = append(all, json.Number(cut))
	}
	return all
}

// plainJSON is like json.Marshal, but does not escape the characters <, > and &.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// orderedGroups is a list of groups that is written as a JSON object, with one key for each group in the
// order of the list.
type orderedGroups []Group

func (g orderedGroups) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, group := range g {
		name, err := plainJSON(group.Name)
		if err != nil {
			return nil, err
		}
		values, err := plainJSON(group.Values)
		if err != nil {
			return nil, err
		}
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		b.WriteByte(separator)
		b.Write(name)
		b.WriteByte(':')
		b.Write(values)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads the JSON form that MarshalJSON writes, and checks the schema like ParseSchema.
func (s *Schema) UnmarshalJSON(text []byte) error {
	root, err := parseJSON(text)
	if err != nil {
		return fmt.Errorf("the schema is not JSON: %w", err)
	}
	schema, f, _ := decode(root, decoder{})
	if f != nil {
		return fmt.Errorf("the schema is malformed: %w", f)
	}
	*s = *schema
	return nil
}

func parseJSON(text []byte) (*node, error) {
	if err := strictjson.Check(text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return jsonValue(d)
}

func jsonValue(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case string:
		return &node{kind: textKind, text: token}, nil
	case json.Number:
		return &node{kind: numberKind, text: token.String()}, nil
	case bool:
		return &node{kind: boolKind, text: fmt.Sprint(token), on: token}, nil
	case json.Delim:
		if token == '[' {
			return jsonList(d)
		}
		return jsonMap(d)
	}
	return &node{kind: otherKind}, nil
}

func jsonList(d *json.Decoder) (*node, error) {
	n := &node{kind: listKind}
	for d.More() {
		item, err := jsonValue(d)
		if err != nil {
			return nil, err
		}
		n.list = append(n.list, item)
	}
	_, err := d.Token()
	return n, err
}

func jsonMap(d *json.Decoder) (*node, error) {
	n := &node{kind: mapKind}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := jsonValue(d)
		if err != nil {
			return nil, err
		}
		n.set(token.(string), value)
	}
	_, err := d.Token()
	return n, err
}
