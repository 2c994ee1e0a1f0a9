package sibyl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Model is what was released: a hypothesis with its schema, its class and its guarantee. It
// holds nothing else of the data. Its methods may be called at the same time.
//
// Where a method takes a row, that is a map[string]string with a value for each of the schema's
// columns but the label's, or a struct, or a pointer to one, with the tags of SchemaOf. An empty
// text is a missing value. A row with a value outside the schema's domain has no prediction, and
// the method returns an error.
type Model struct {
	model   *model.Model
	predict func(table.Record) int          // the number of an outcome
	risk    func(table.Record) []risk.Share // nil for none
	texts   []*table.Coder                  // of values as the schema's [file] writes them
	plain   []*table.Coder                  // of values with a decimal point
	heading report.Heading
}

func newModel(m *model.Model) (*Model, error) {
	predict, err := m.Outcome()
	if err != nil {
		return nil, err
	}
	out := &Model{model: m, predict: predict, risk: m.Risk(), heading: report.NewHeading(m.Schema)}
	for j := range m.Schema.Attributes {
		a := &m.Schema.Attributes[j]
		out.texts, out.plain = append(out.texts, a.Coder(m.Schema.File.Decimal)), append(out.plain, a.Coder('.'))
	}
	return out, nil
}

// ReadModel reads the model that Save or the command wrote. It trusts nothing in the file: a
// hypothesis outside its class, or a guarantee that does not follow from the mechanism's
// parameters, is refused in one sentence.
func ReadModel(path string) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return DecodeModel(file)
}

// DecodeModel is ReadModel from a stream.
func DecodeModel(r io.Reader) (*Model, error) {
	m, err := mechanism.Read(r)
	if err != nil {
		return nil, err
	}
	return newModel(m)
}

// Save writes the model to a new file, which appears whole or not at all.
func (m *Model) Save(path string) error { return save(path, m.Encode) }

// Encode writes the model as JSON.
func (m *Model) Encode(w io.Writer) error { return m.model.Write(w) }

// Guarantee returns the guarantee of the release, or nil where nothing is promised.
func (m *Model) Guarantee() *privacy.Statement { return m.model.Guarantee }

// Schema returns the schema of the rows that the model predicts.
func (m *Model) Schema() *Schema { return &Schema{m.model.Schema} }

// String returns the model as text for people, with its guarantee in plain words.
func (m *Model) String() string {
	var b strings.Builder
	sheet := m.model.Sheet()
	if err := sheet.Write(&b); err != nil {
		return err.Error()
	}
	return b.String() + "\n" + report.Guarantee(sheet.Thing(), m.model.Guarantee, m.model.Void.Text())
}

// WriteHTML writes the model as a page to print, which is complete in itself.
func (m *Model) WriteHTML(w io.Writer) error {
	sheet := m.model.Sheet()
	return sheet.WriteHTML(w, report.Guarantee(sheet.Thing(), m.model.Guarantee, m.model.Void.Text()))
}

// Predict predicts whether the label of a row is positive. A label of more than two outcomes is
// for Outcome.
func (m *Model) Predict(row any) (positive bool, err error) {
	if n := m.model.Schema.Outcomes(); n > 2 {
		return false, fmt.Errorf("the label has %d outcomes, and none of them is positive; call Outcome", n)
	}
	record, err := m.Codes(row)
	return err == nil && m.predict(record) == 1, err
}

// Outcome predicts the outcome of a row: its name, and its number, from 0, which of two is 1 for
// the positive one.
func (m *Model) Outcome(row any) (name string, number int, err error) {
	record, err := m.Codes(row)
	if err != nil {
		return "", 0, err
	}
	number = m.predict(record)
	return m.heading.Outcome(number), number, nil
}

// OutcomeOfCodes predicts the number of the outcome of a record in the schema's codes. It does
// not check the codes.
func (m *Model) OutcomeOfCodes(record []uint16) int { return m.predict(record) }

// Risks returns the risk of each outcome of a row, by the number of the outcome: its share among
// the rows of the same total, leaf or rule that the model was learned from. All intervals of a
// model hold together with a probability of 0.95. It fails where the model has no risks, which
// Settings.Risk decides.
func (m *Model) Risks(row any) ([]Interval, error) {
	if m.risk == nil {
		return nil, errors.New("the model has no risks; learn it with a Risk above 0")
	}
	record, err := m.Codes(row)
	if err != nil {
		return nil, err
	}
	var all []Interval
	for _, s := range m.risk(record) {
		if s.Value == nil {
			return nil, errors.New("the model knows no rows from which a risk follows")
		}
		all = append(all, interval(s))
	}
	if len(all) == 1 { // of the positive outcome
		r := all[0]
		all = []Interval{{1 - r.Value, 1 - r.Most, 1 - r.Least}, r}
	}
	return all, nil
}

// Total returns the total of a row's points, for models that have points, as the card shows it;
// for decision lists the number of the rule that decides, 0 for none, and for trees that of the
// leaf. The name says which, and is empty for other models.
func (m *Model) Total(row any) (name string, total int, err error) {
	record, err := m.Codes(row)
	if err != nil {
		return "", 0, err
	}
	name, grade := m.model.Grader()
	if grade == nil {
		return "", 0, nil
	}
	return name, grade(record), nil
}

// Assessment returns what follows from the risks of the model for the rows that it was learned
// from, or nil where it has none.
func (m *Model) Assessment() *Assessment {
	if c := m.model.Comparison(); c != nil {
		return compared(c, m.heading)
	}
	return assessed(m.model.Assessment())
}

// Codes returns the number of the category of each attribute of a row.
func (m *Model) Codes(row any) ([]uint16, error) {
	if texts, ok := row.(map[string]string); ok {
		return m.code(texts, m.texts)
	}
	v := reflect.ValueOf(row)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, errors.New("the row is nil; it may be a map[string]string or a struct")
	}
	columns, err := columnsOf(v.Type())
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(columns))
	for _, c := range columns {
		texts[c.name] = c.text(v)
	}
	return m.code(texts, m.plain)
}

// code returns the codes of a row of texts.
func (m *Model) code(row map[string]string, coders []*table.Coder) ([]uint16, error) {
	record := make([]uint16, len(coders))
	for j, c := range coders {
		a := &m.model.Schema.Attributes[j]
		value, there := row[a.Column]
		if !there {
			return nil, fmt.Errorf("the row has no column %q", a.Column)
		}
		code, ok := c.Code([]byte(value))
		if !ok {
			return nil, fmt.Errorf("the value in column %q is outside the domain of attribute %q", a.Column, a.Name)
		}
		record[j] = uint16(code)
	}
	return record, nil
}
