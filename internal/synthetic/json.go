package synthetic

import (
	"bytes"
	"context"
	encoding "encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Format is the name and version of the format of a model file. There are two earlier formats, in which numbers are
// independent within intervals (Model.Independent). In the first of these, the file contained a fitted log-linear
// model instead of records.
const (
	Format       = "sibyl-synthetic/3"
	secondFormat = "sibyl-synthetic/2"
	firstFormat  = "sibyl-synthetic/1"
)

type modelJSON struct {
	Format     string             `json:"format"`
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
	Rows       *int64             `json:"rows"`
	Schema     *table.Schema      `json:"schema"`
	Measured   json.RawMessage    `json:"measured"`
	Records    *recordsJSON       `json:"records,omitempty"`

	Fitted *fittedJSON `json:"fitted,omitempty"` // in the first format
}

type recordsJSON struct {
	Number int    `json:"number"`
	Codes  base64 `json:"codes"`
}

// fittedJSON is the log-linear model in a file of the first format. Only the field Total is still used.
type fittedJSON struct {
	Sizes   json.RawMessage `json:"sizes"`
	Total   float64         `json:"total"`
	Factors json.RawMessage `json:"factors"`
}

// base64 holds bytes that are encoded in base64 (RFC 4648), without line breaks.
type base64 []byte

func (b base64) MarshalText() ([]byte, error) {
	return encoding.StdEncoding.AppendEncode(nil, b), nil
}

func (b *base64) UnmarshalText(text []byte) error {
	var err error
	if *b, err = encoding.StdEncoding.Strict().AppendDecode(nil, text); err != nil || bytes.ContainsAny(text, "\r\n") {
		return errors.New("the codes are not valid base64")
	}
	return nil
}

// Text returns the model as JSON, the content of a model file. It fails if the model is invalid.
func (m *Model) Text() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := m.fit(context.Background(), Drawing{}); err != nil {
		return nil, err
	}
	measured, err := m.Measured.MarshalJSON()
	if err != nil {
		return nil, err
	}
	codes, err := m.Records.pack()
	if err != nil {
		return nil, err
	}
	format := Format
	if m.Independent {
		format = secondFormat
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err = e.Encode(modelJSON{
		Format: format, Guarantee: m.Guarantee, NotPrivate: m.Void, Rows: &m.Rows,
		Schema: m.Layout.Schema, Measured: measured, Records: &recordsJSON{m.Records.n, codes},
	})
	return text.Bytes(), err
}

// Is reports whether a text is a file of synthetic data: JSON that states the format of a Model.
func Is(text []byte) bool {
	var start struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(text, &start) == nil && slices.Contains([]string{Format, secondFormat, firstFormat}, start.Format)
}

// Read reads a model file, of at most table.MostBytes bytes. It fails if the model is invalid, or if the stated
// guarantee does not follow from the measurements. The text of its error is one sentence.
func Read(r io.Reader) (*Model, error) {
	text, err := table.ReadDocument(r)
	if err != nil {
		return nil, fmt.Errorf("the model cannot be read: %w", err)
	}
	return Parse(text)
}

// Parse reads a model from the content of a model file. It fails in the same cases as Read.
func Parse(text []byte) (*Model, error) {
	if err := strictjson.Check(text); err != nil {
		return nil, fmt.Errorf("this is not a model of synthetic data: %w", err)
	}
	if !Is(text) {
		return nil, fmt.Errorf("this is not a model of synthetic data: its format must be %s; name a model that sibyl synth wrote", quote.Word(Format))
	}
	var d modelJSON
	if err := strictjson.Decode(text, &d); err != nil {
		return nil, fmt.Errorf("the model is malformed: %w", err)
	}
	if d.Schema == nil {
		return nil, errors.New("the model has no schema")
	}
	if d.Rows == nil {
		return nil, errors.New("the model does not state the number of rows")
	}
	m := &Model{Guarantee: d.Guarantee, Void: d.NotPrivate, Rows: *d.Rows, Measured: &synth.Measured{}, Independent: d.Format != Format}
	if g := m.Guarantee; g != nil && g.Assumes == nil {
		g.Assumes = []privacy.Assumption{} // which is not null in JSON
	}
	var err error
	if m.Layout, err = NewLayout(d.Schema); err != nil {
		return nil, err
	}
	if len(d.Measured) == 0 {
		return nil, errors.New("the model has no measurements")
	}
	if err := m.Measured.UnmarshalJSON(d.Measured); err != nil {
		return nil, fmt.Errorf("the model is malformed: %s", model.Reason(err))
	}
	if first := d.Format == firstFormat; first != (d.Records == nil) || first != (d.Fitted != nil) {
		return nil, errors.New("the model has no records, or it has a key that its format does not define; release the model again")
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if d.Fitted != nil {
		if total := m.Measured.Total(); math.Abs(d.Fitted.Total-total) > 1e-6*(1+total) {
			return nil, errors.New("the model's total differs from the total of its measurements")
		}
		return m, nil
	}
	if want := m.Layout.Domain.Records(m.Rows); d.Records.Number != want {
		return nil, fmt.Errorf("the model of synthetic data has %d records, but for %d rows it must have %d", d.Records.Number, m.Rows, want)
	}
	if m.Records, err = unpack(m.Layout.Domain, d.Records.Number, d.Records.Codes); err != nil {
		return nil, err
	}
	return m, m.checkRecords()
}
