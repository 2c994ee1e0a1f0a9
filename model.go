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

// A Model is a released hypothesis with its schema, class and guarantee, and its risks if they were released. It
// contains nothing else that depends on the data. Its methods may be called concurrently.
//
// Some methods have an argument row. It is one of the following:
//   - a map[string]string with a value for each of the schema's columns except the label's, where an empty string is
//     a missing value,
//   - a struct with the tags of SchemaOf,
//   - a pointer to such a struct.
//
// If a value is outside the schema's domain, the method returns an error.
//
// The zero value holds no model: methods that return an error return one, and the others return a zero value.
type Model struct {
	model   *model.Model
	predict func(table.Record) int          // returns the number of a class of the label
	risk    func(table.Record) []risk.Share // nil if the model has no risks
	texts   []*table.Coder                  // by attribute, for values in the format of the schema's [file]
	plain   []*table.Coder                  // by attribute, for plain decimals
	heading report.Heading
}

var errNoModel = errors.New("the model is missing; use Learn, ReadModel or DecodeModel")

func newModel(m *model.Model) (*Model, error) {
	predict, err := m.Outcome()
	if err != nil {
		return nil, err
	}
	out := &Model{model: m, predict: predict, risk: m.Risk(), heading: report.NewHeading(m.Schema)}
	for j := range m.Schema.Attributes {
		a := &m.Schema.Attributes[j]
		out.texts, out.plain = append(out.texts, a.Coder(&m.Schema.File)), append(out.plain, a.Coder(nil))
	}
	return out, nil
}

// ReadModel reads a model file that Save or the command sibyl wrote. It verifies the file: it
// returns an error if the hypothesis is not in its class, or if the guarantee does not follow from
// the parameters of the mechanism.
func ReadModel(path string) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return DecodeModel(file)
}

// DecodeModel is like ReadModel, but reads the model from r instead of a file.
func DecodeModel(r io.Reader) (*Model, error) {
	m, err := mechanism.Read(r)
	if err != nil {
		return nil, err
	}
	return newModel(m)
}

// Save writes the model to a new file. The file is created atomically: on an error it does not
// exist. An existing file is an error.
func (m *Model) Save(path string) error { return save(path, m.Encode) }

// Encode writes the model as JSON.
func (m *Model) Encode(w io.Writer) error {
	if m.model == nil {
		return errNoModel
	}
	return m.model.Write(w)
}

// Guarantee returns the guarantee of the release, or nil if it has none, as with
// Settings.InsecureSeed.
func (m *Model) Guarantee() *privacy.Statement {
	if m.model == nil {
		return nil
	}
	return m.model.Guarantee
}

// Schema returns the schema of the model's input rows.
func (m *Model) Schema() *Schema {
	if m.model == nil {
		return &Schema{}
	}
	return &Schema{m.model.Schema}
}

// String returns a readable description of the model and its guarantee.
func (m *Model) String() string {
	if m.model == nil {
		return ""
	}
	var b strings.Builder
	sheet := m.model.Sheet()
	if err := sheet.Write(&b); err != nil {
		return err.Error()
	}
	return b.String() + "\n" + report.Guarantee(sheet.Thing(), m.model.Guarantee, m.model.Void.Text(), m.model.Schema)
}

// WriteHTML writes a printable HTML page of the model and its guarantee. The page refers to no other
// files.
func (m *Model) WriteHTML(w io.Writer) error {
	if m.model == nil {
		return errNoModel
	}
	return m.model.Sheet().WriteHTML(w, m.model.Guarantee, m.model.Void.Text(), report.Imprint{})
}

// Predict predicts whether the label of a row is positive. It returns an error if the label has more
// than two classes; use Outcome then.
func (m *Model) Predict(row any) (positive bool, err error) {
	record, err := m.Codes(row)
	if err != nil {
		return false, err
	}
	if n := m.model.Schema.Outcomes(); n > 2 {
		return false, fmt.Errorf("the label has %d outcomes, and Predict needs exactly two; call Outcome", n)
	}
	return m.predict(record) == 1, nil
}

// Outcome predicts the class of a row's label. It returns the name of the class and its number,
// from 0. If there are two classes, number 1 is the positive one.
func (m *Model) Outcome(row any) (name string, number int, err error) {
	record, err := m.Codes(row)
	if err != nil {
		return "", 0, err
	}
	number = m.predict(record)
	return m.heading.Outcome(number), number, nil
}

// OutcomeOfCodes is like Outcome for a record in the schema's codes (see Codes), and returns only
// the number. It does not check the codes.
func (m *Model) OutcomeOfCodes(record []uint16) int {
	if m.model == nil {
		return 0
	}
	return m.predict(record)
}

// Risks returns the risk of each class for a row, indexed by the number of the class. Consider the rows of the
// private table that have the same total, leaf or rule as the given row. The risk of a class is its share among these
// rows. All intervals of a model hold simultaneously with probability at least 0.95.
//
// Risks returns an error if the model has no risks (see Settings.Risk).
func (m *Model) Risks(row any) ([]Interval, error) {
	record, err := m.Codes(row)
	if err != nil {
		return nil, err
	}
	if m.risk == nil {
		return nil, errors.New("the model has no risks; learn it with a Risk above 0")
	}
	var all []Interval
	for _, s := range m.risk(record) {
		if s.Value == nil {
			return nil, errors.New("the risk of this row is unknown: no rows with the same total, leaf or rule were counted")
		}
		all = append(all, interval(s))
	}
	if len(all) == 1 { // the risk of the positive class only
		r := all[0]
		all = []Interval{{1 - r.Value, 1 - r.Most, 1 - r.Least}, r}
	}
	return all, nil
}

// Total returns the number on which the prediction for a row depends, and the name of its kind, such as "total":
//
//   - for models with points, the total of the row's points;
//   - for decision lists, the number of the rule that makes the prediction, or 0 if no rule applies;
//   - for trees, the number of the leaf.
//
// For other models, the name is empty.
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

// Assessment estimates the quality of the model on the rows from which it was learned. It computes this from the
// model's released risks, and returns nil if the model has none.
func (m *Model) Assessment() *Assessment {
	if m.model == nil {
		return nil
	}
	return newAssessment(m.model.Assessment(), m.heading)
}

// Codes returns the code of the row's category for each attribute: the number of the category, from 0.
func (m *Model) Codes(row any) ([]uint16, error) {
	if m.model == nil {
		return nil, errNoModel
	}
	if texts, ok := row.(map[string]string); ok {
		return m.code(texts, m.texts)
	}
	v := reflect.ValueOf(row)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, errors.New("the row is nil; it must be a map[string]string or a struct")
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

// code returns the codes of a row, where values maps column names to values.
func (m *Model) code(row map[string]string, coders []*table.Coder) ([]uint16, error) {
	record := make([]uint16, len(coders))
	for j, c := range coders {
		a := &m.model.Schema.Attributes[j]
		value, there := row[a.Column]
		if !there {
			return nil, fmt.Errorf("the row has no value for column %q; add one, or an empty string if the value is missing", a.Column)
		}
		code, ok := c.Code([]byte(value))
		if !ok {
			return nil, fmt.Errorf("the value in column %q is outside the domain of attribute %q", a.Column, a.Name)
		}
		record[j] = uint16(code)
	}
	return record, nil
}
