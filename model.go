package sibyl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Model is what was released: a hypothesis with its schema, its class and what it
// promises. It holds nothing else of the data.
type Model struct {
	model   *model.Model
	predict func(table.Record) int          // the number of an outcome
	risk    func(table.Record) []risk.Share // nil for none
	coders  []*table.Coder
	heading report.Heading
}

func newModel(m *model.Model) (*Model, error) {
	predict, err := m.Outcome()
	if err != nil {
		return nil, err
	}
	out := &Model{model: m, predict: predict, risk: m.Risk(), heading: report.NewHeading(m.Schema)}
	for j := range m.Schema.Attributes {
		out.coders = append(out.coders, m.Schema.Attributes[j].Coder(m.Schema.File.Decimal))
	}
	return out, nil
}

// ReadModel reads the model that Save or the command wrote. It trusts nothing in the file:
// a hypothesis outside its class, or a guarantee that the mechanism's parameters do not
// give, is refused in one sentence.
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

// Guarantee returns what the release promises; nil where nothing is promised.
func (m *Model) Guarantee() *privacy.Statement { return m.model.Guarantee }

// Schema returns the schema of the records that the model predicts.
func (m *Model) Schema() *Schema { return m.model.Schema }

// String lays the model out for people, with its guarantee in plain words.
func (m *Model) String() string {
	var b strings.Builder
	sheet := m.model.Sheet()
	if err := sheet.Write(&b); err != nil {
		return err.Error()
	}
	return b.String() + "\n" + report.Guarantee(sheet.Thing(), m.model.Guarantee, m.model.Void.Text())
}

// WriteHTML lays the model out as a page to print, which is complete in itself.
func (m *Model) WriteHTML(w io.Writer) error {
	sheet := m.model.Sheet()
	return sheet.WriteHTML(w, report.Guarantee(sheet.Thing(), m.model.Guarantee, m.model.Void.Text()))
}

// Predict predicts the label of a row, given by its values in the schema's columns; an
// empty one is missing. It fails where a column is not there or a value is outside the
// schema's domain: then there is no prediction. A label of more than two outcomes is for
// Outcome.
func (m *Model) Predict(row map[string]string) (positive bool, err error) {
	if n := m.Schema().Outcomes(); n > 2 {
		return false, fmt.Errorf("the label has %d outcomes, of which none is positive; ask for the Outcome", n)
	}
	record, err := m.record(row)
	return err == nil && m.predict(record) == 1, err
}

// Outcome predicts the outcome of a row, given as for Predict: its name in words, as the
// model is laid out for people, and its number, from 0, which of two is 1 for the positive
// one. It fails where the row has no prediction.
func (m *Model) Outcome(row map[string]string) (name string, number int, err error) {
	record, err := m.record(row)
	if err != nil {
		return "", 0, err
	}
	number = m.predict(record)
	return m.heading.Outcome(number), number, nil
}

// Risk tells the risk of a row, given as for Predict: the share with a positive label among
// the rows of its grade that the model was learned from, and where that lies with all other
// risks of the model, with risk.Confidence. It fails where Predict does, and where the
// model has no risks; they are learned with the option Risk.
func (m *Model) Risk(row map[string]string) (share, least, most float64, err error) {
	if n := m.Schema().Outcomes(); n > 2 {
		return 0, 0, 0, fmt.Errorf("the label has %d outcomes, each with a risk; ask for the OutcomeRisks", n)
	}
	all, err := m.OutcomeRisks(row)
	if err != nil {
		return 0, 0, 0, err
	}
	s := all[1]
	return *s.Value, s.Least, s.Most, nil
}

// OutcomeRisks tells the risk of each outcome of a row, given as for Predict, by the number
// of the outcome: its share among the rows of the leaf that the model was learned from, as
// Risk does. The values sum to 1. It fails where Risk does.
func (m *Model) OutcomeRisks(row map[string]string) ([]risk.Share, error) {
	if m.risk == nil {
		return nil, errors.New("the model has no risks; learn it with a share of ε for them, as scorecards and trees have unless it is 0")
	}
	record, err := m.record(row)
	if err != nil {
		return nil, err
	}
	all := m.risk(record)
	if all[0].Value == nil {
		return nil, errors.New("the model knows of no rows by which to tell a risk")
	}
	if len(all) == 1 { // of the positive outcome
		v := 1 - *all[0].Value
		all = []risk.Share{{Value: &v, Least: 1 - all[0].Most, Most: 1 - all[0].Least}, all[0]}
	}
	return all, nil
}

// Assessment returns all that follows from the risks of the model, with intervals for the
// rows that it was learned from: characteristic, area, and the best threshold for given
// costs; nil where the model has none, or where its label has more than two outcomes.
func (m *Model) Assessment() *risk.Assessment { return m.model.Assessment() }

// Comparison is Assessment for a label of more than two outcomes.
func (m *Model) Comparison() *risk.Comparison { return m.model.Comparison() }

// record returns the codes of a row.
func (m *Model) record(row map[string]string) (table.Record, error) {
	record := make(table.Record, len(m.coders))
	for j, c := range m.coders {
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

// PredictCodes predicts the label of a record in the schema's codes: a category's number
// for each attribute. It tells whether the outcome is number 1, which of two is the positive
// one.
func (m *Model) PredictCodes(record []uint16) bool { return m.predict(record) == 1 }

// OutcomeOfCodes predicts the number of the outcome of a record in the schema's codes.
func (m *Model) OutcomeOfCodes(record []uint16) int { return m.predict(record) }

// Total returns the total of a record's points, for models that have points, as the card
// shows it; and for decision lists the number of the rule that decides, 0 for none. The
// name says which, and is empty where there is no such number.
func (m *Model) Total(record []uint16) (name string, total int) {
	name, grade := m.model.Grader()
	if grade == nil {
		return "", 0
	}
	return name, grade(record)
}
