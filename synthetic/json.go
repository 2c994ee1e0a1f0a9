package synthetic

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/strictjson"
	"github.com/sibyl-dp/sibyl/synth"
	"github.com/sibyl-dp/sibyl/synth/loglinear"
	"github.com/sibyl-dp/sibyl/table"
)

// Format is the name and version of the format of a Model.
const Format = "sibyl-synthetic/1"

type modelJSON struct {
	Format     string             `json:"format"`
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
	Rows       int64              `json:"rows"`
	Schema     *table.Schema      `json:"schema"`
	Measured   json.RawMessage    `json:"measured"`
	Fitted     fittedJSON         `json:"fitted"`
}

type fittedJSON struct {
	Sizes   []int        `json:"sizes"`
	Total   float64      `json:"total"`
	Factors []factorJSON `json:"factors"`
}

type factorJSON struct {
	Axes  []axisJSON `json:"axes"`
	Theta floats     `json:"theta"`

	Expected floats `json:"expected"`
}

type axisJSON struct {
	Column int   `json:"column"`
	Cells  []int `json:"cells,omitempty"`
	Size   int   `json:"size"`
}

func newAxisJSON(a table.Axis) axisJSON {
	j := axisJSON{Column: a.Column, Size: a.Size}
	for _, c := range a.Cells {
		j.Cells = append(j.Cells, int(c))
	}
	return j
}

// axis returns the axis, unless it has a cell that it has not.
func (j axisJSON) axis() (table.Axis, error) {
	a := table.Axis{Column: j.Column, Size: j.Size}
	for _, c := range j.Cells {
		if c < 0 || c >= j.Size || c > math.MaxUint16 {
			return a, errors.New("what was fitted has a cell beyond its axis")
		}
		a.Cells = append(a.Cells, uint16(c))
	}
	return a, nil
}

// floats are numbers of single precision: their bits, the low byte first, in base 64.
type floats []float32

func (f floats) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 4*len(f))
	for _, x := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return []byte(base64.StdEncoding.EncodeToString(b)), nil
}

func (f *floats) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.Strict().DecodeString(string(text))
	if err != nil || len(b)%4 != 0 {
		return errors.New("they are not base 64 of numbers of single precision")
	}
	*f = make([]float32, len(b)/4)
	for i := range *f {
		x := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if x != x || math.IsInf(float64(x), 0) {
			return errors.New("one is no number")
		}
		(*f)[i] = x
	}
	return nil
}

// Text returns the model as JSON; the model must be valid.
func (m *Model) Text() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	measured, err := m.Measured.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := modelJSON{
		Format: Format, Guarantee: m.Guarantee, NotPrivate: m.Void, Rows: m.Rows,
		Schema: m.Layout.Schema, Measured: measured,
		Fitted: fittedJSON{Sizes: m.Fitted.Sizes, Total: m.Fitted.Total},
	}
	for _, f := range m.Fitted.Factors {
		j := factorJSON{Theta: f.Theta, Expected: f.Expected}
		for _, a := range f.Axes {
			j.Axes = append(j.Axes, newAxisJSON(a))
		}
		d.Fitted.Factors = append(d.Fitted.Factors, j)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err = e.Encode(d)
	return text.Bytes(), err
}

// Is tells whether a text claims to be a model of synthetic data.
func Is(text []byte) bool {
	var start struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(text, &start) == nil && start.Format == Format
}

// Read reads what Text returns, of at most table.MostBytes, or returns an error that says in
// one sentence what is wrong with it. It trusts nothing: a guarantee that what was measured
// does not give is refused.
func Read(r io.Reader) (*Model, error) {
	text, err := table.ReadDocument(r)
	if err != nil {
		return nil, fmt.Errorf("the model cannot be read: %w", err)
	}
	return Parse(text)
}

// Parse is Read from a text.
func Parse(text []byte) (*Model, error) {
	if err := strictjson.Check(text); err != nil {
		return nil, fmt.Errorf("this is no model of synthetic data: %w", err)
	}
	if !Is(text) {
		return nil, fmt.Errorf("this is no model of synthetic data that can be read: its format is not %s", quote.Word(Format))
	}
	var d modelJSON
	if err := strictjson.Decode(text, &d); err != nil {
		return nil, fmt.Errorf("the model is malformed: %w", err)
	}
	if d.Schema == nil {
		return nil, errors.New("the model has no schema")
	}
	m := &Model{Guarantee: d.Guarantee, Void: d.NotPrivate, Rows: d.Rows, Measured: &synth.Measured{}, Fitted: &loglinear.Model{Sizes: d.Fitted.Sizes, Total: d.Fitted.Total}}
	if g := m.Guarantee; g != nil && g.Assumes == nil {
		g.Assumes = []privacy.Assumption{} // which is not null in JSON
	}
	var err error
	if m.Layout, err = Lay(d.Schema); err != nil {
		return nil, err
	}
	if len(d.Measured) == 0 {
		return nil, errors.New("the model does not say what was measured")
	}
	if err := m.Measured.UnmarshalJSON(d.Measured); err != nil {
		return nil, fmt.Errorf("the model is malformed: %s", model.Reason(err))
	}
	for _, j := range d.Fitted.Factors {
		f := loglinear.Factor{Theta: j.Theta, Expected: j.Expected}
		for _, a := range j.Axes {
			axis, err := a.axis()
			if err != nil {
				return nil, err
			}
			f.Axes = append(f.Axes, axis)
		}
		m.Fitted.Factors = append(m.Fitted.Factors, f)
	}
	m.Fitted.Rules, m.Fitted.Witness = synth.PooledRules(m.Layout.Rules, m.Layout.Witness, m.Measured.Pools())
	if t := m.Fitted.Total; !(t >= 0) || math.IsInf(t, 0) {
		return nil, errors.New("the model's total is no number of rows")
	}
	return m, m.Validate()
}
