package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/strictjson"
	"github.com/sibyl-dp/sibyl/table"
)

// Format is the name and version of the format.
const Format = "sibyl-model/1"

// document is a model as it stands in JSON.
type document struct {
	Format     string          `json:"format"`
	Guarantee  *Guarantee      `json:"guarantee"`
	NotPrivate Void            `json:"not_private,omitempty"`
	Mechanism  mechanismJSON   `json:"mechanism"`
	Class      json.RawMessage `json:"class"`
	Hypothesis json.RawMessage `json:"hypothesis"`
	Schema     *table.Schema   `json:"schema"`
}

// Write writes the model, which must be valid.
func (m *Model) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	d := document{
		Format: Format, Guarantee: m.Guarantee, NotPrivate: m.Void, Schema: m.Schema,
		Mechanism: m.Mechanism.document(),
	}
	var err error
	if d.Class, err = compact(m.Form.parameters()); err != nil {
		return err
	}
	if d.Hypothesis, err = compact(m.Form.write(m.Schema, m.Hypothesis)); err != nil {
		return err
	}
	text, err := compact(d)
	if err != nil {
		return err
	}
	_, err = w.Write(laidOut(text))
	return err
}

// compact returns v as JSON without spaces.
func compact(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return text.Bytes(), err
}

// Read reads a model that Write wrote, of at most table.MostBytes, or returns an
// error that says in one sentence what is wrong with it.
func Read(r io.Reader) (*Model, error) {
	text, err := table.ReadDocument(r)
	if err != nil {
		return nil, fmt.Errorf("the model cannot be read: %w", err)
	}
	if err := strictjson.Check(text); err != nil {
		return nil, fmt.Errorf("this is no model: %w", err)
	}
	var start struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(text, &start) != nil {
		return nil, errors.New("this is no model: it is JSON, but no object with a format")
	}
	if start.Format != Format {
		return nil, fmt.Errorf("this is no model that can be read: its format is %s, not %q", quote.Word(start.Format), Format)
	}
	var d document
	if err := strict(text, &d); err != nil {
		return nil, fmt.Errorf("the model is malformed: %w", err)
	}
	m, err := d.model()
	if err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// strict decodes what is there.
func strict(text []byte, to any) error {
	if len(text) == 0 || string(text) == "null" {
		return errors.New("there is none")
	}
	return strictjson.Decode(text, to)
}

// model returns the document's model, which may be invalid.
func (d *document) model() (*Model, error) {
	if d.Schema == nil {
		return nil, errors.New("the model has no schema")
	}
	m := &Model{Schema: d.Schema, Guarantee: d.Guarantee, Void: d.NotPrivate}
	var err error
	if m.Form, err = readForm(d.Class); err != nil {
		return nil, err
	}
	if m.Hypothesis, err = m.Form.read(m.Schema, d.Hypothesis); err != nil {
		return nil, err
	}
	m.Mechanism, err = d.Mechanism.mechanism()
	return m, err
}
