package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/learn"
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
	Class      classJSON       `json:"class"`
	Hypothesis []attributeJSON `json:"hypothesis"`
	Schema     *table.Schema   `json:"schema"`
}

type mechanismJSON struct {
	Name   string   `json:"name"`
	Loss   lossJSON `json:"loss"`
	Rate   string   `json:"rate,omitempty"` // exact, "1/4"
	Noise  string   `json:"noise,omitempty"`
	Grid   int64    `json:"grid,omitempty"`
	Shift  int64    `json:"shift,omitempty"`
	Oracle string   `json:"oracle,omitempty"`
}

type lossJSON struct {
	FalsePositive int64 `json:"false_positive"`
	FalseNegative int64 `json:"false_negative"`
}

type classJSON struct {
	Name      string         `json:"name"`
	Points    []int          `json:"points"` // least and greatest
	Threshold int            `json:"threshold"`
	Penalty   int64          `json:"penalty"`
	Most      int            `json:"most_attributes"` // 0 for no limit
	Monotone  []monotoneJSON `json:"monotone"`
}

type monotoneJSON struct {
	Attribute string `json:"attribute"`
	Direction string `json:"direction"` // "up" or "down"
}

type attributeJSON struct {
	Attribute string `json:"attribute"`
	Points    []int  `json:"points"`
}

// className is the only class that models have so far.
const className = "scorecard"

// Write writes the model, which must be valid.
func (m *Model) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	d := document{
		Format: Format, Guarantee: m.Guarantee, NotPrivate: m.Void, Schema: m.Schema,
		Mechanism: mechanismJSON{Name: m.Mechanism.Name, Loss: lossJSON(m.Mechanism.Loss)},
		Class: classJSON{
			Name: className, Points: []int{m.Class.Points.Least, m.Class.Points.Most},
			Threshold: m.Class.Threshold, Penalty: m.Class.Penalty, Most: m.Class.Most,
			Monotone: []monotoneJSON{},
		},
	}
	if m.Mechanism.Rate != nil {
		d.Mechanism.Rate = m.Mechanism.Rate.RatString()
	}
	if m.Mechanism.Name == RSPM {
		d.Mechanism.Noise = m.Mechanism.Noise.String()
		d.Mechanism.Grid, d.Mechanism.Shift = m.Mechanism.Grid, m.Mechanism.Shift
		d.Mechanism.Oracle = m.Mechanism.Oracle
	}
	for _, o := range m.Class.Monotone {
		direction := "up"
		if o.Down {
			direction = "down"
		}
		d.Class.Monotone = append(d.Class.Monotone, monotoneJSON{o.Attribute, direction})
	}
	for j := range m.Schema.Attributes {
		d.Hypothesis = append(d.Hypothesis, attributeJSON{m.Schema.Attributes[j].Name, m.Card.Points[j]})
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return err
	}
	_, err := w.Write(laidOut(text.Bytes()))
	return err
}

// Read reads a model that Write wrote, or returns an error that says in one
// sentence what is wrong with it.
func Read(r io.Reader) (*Model, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var start struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &start); err != nil {
		return nil, fmt.Errorf("this is no model: %w", plain(err))
	}
	if start.Format != Format {
		return nil, fmt.Errorf("this is no model that can be read: its format is %.40q, not %q", start.Format, Format)
	}
	var d document
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("the model is malformed: %w", plain(err))
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

// plain takes the decoder's name off an error.
func plain(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// model returns the document's model, which may be invalid.
func (d *document) model() (*Model, error) {
	if d.Schema == nil {
		return nil, errors.New("the model has no schema")
	}
	if d.Class.Name != className {
		return nil, fmt.Errorf("the class %.40q is unknown; models have the class %q", d.Class.Name, className)
	}
	if len(d.Class.Points) != 2 {
		return nil, errors.New("the class's points must be two numbers, the least and the greatest")
	}
	m := &Model{
		Schema: d.Schema, Guarantee: d.Guarantee, Void: d.NotPrivate,
		Class: Scorecard{
			Points:    Points{d.Class.Points[0], d.Class.Points[1]},
			Threshold: d.Class.Threshold, Penalty: d.Class.Penalty, Most: d.Class.Most,
		},
	}
	for _, o := range d.Class.Monotone {
		if o.Direction != "up" && o.Direction != "down" {
			return nil, fmt.Errorf(`the direction of attribute %.60q is %.40q, not "up" or "down"`, o.Attribute, o.Direction)
		}
		m.Class.Monotone = append(m.Class.Monotone, Monotone{o.Attribute, o.Direction == "down"})
	}
	var err error
	if m.Card, err = d.card(); err != nil {
		return nil, err
	}
	m.Mechanism, err = d.Mechanism.mechanism()
	return m, err
}

func (d *document) card() (scorecard.Card, error) {
	var h scorecard.Card
	if len(d.Hypothesis) != len(d.Schema.Attributes) {
		return h, fmt.Errorf("the hypothesis has points for %d attributes, the schema has %d", len(d.Hypothesis), len(d.Schema.Attributes))
	}
	for j, a := range d.Hypothesis {
		of := &d.Schema.Attributes[j]
		if a.Attribute != of.Name {
			return h, fmt.Errorf("attribute %d of the hypothesis is %.60q, that of the schema %q", j+1, a.Attribute, of.Name)
		}
		if len(a.Points) != of.Len() {
			return h, fmt.Errorf("attribute %q has points for %d categories, the schema has %d", of.Name, len(a.Points), of.Len())
		}
		h.Points = append(h.Points, a.Points)
	}
	return h, nil
}

// mostDigits bounds the text of a rate.
const mostDigits = 1000

func (j mechanismJSON) mechanism() (Mechanism, error) {
	m := Mechanism{Name: j.Name, Loss: learn.Loss(j.Loss), Grid: j.Grid, Shift: j.Shift, Oracle: j.Oracle}
	if j.Rate != "" {
		digits := strings.Replace(j.Rate, "/", "", 1)
		rate, ok := new(big.Rat), len(digits) <= mostDigits && strings.Trim(digits, "0123456789") == ""
		if ok {
			rate, ok = rate.SetString(j.Rate)
		}
		if !ok {
			return m, fmt.Errorf("the mechanism's rate %.40q is not an exact fraction such as 1/4", j.Rate)
		}
		m.Rate = rate
	}
	if j.Name == RSPM {
		var err error
		if m.Noise, err = learn.ParseNoise(j.Noise); err != nil {
			return m, err
		}
	}
	return m, nil
}
