package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The output of an evaluation with more than two classes. The exact and the private form print the
// same numbers; the private one adds intervals.

// compared is the output of evaluate --json for more than two classes. Values that depend on a
// private number of rows, or are shares of zero rows, are null.
type compared struct {
	Rows        *big.Int     `json:"rows"`
	Inside      *big.Int     `json:"inside"`
	Outside     *big.Int     `json:"outside"`
	Errors      *big.Int     `json:"errors"`
	Accuracy    *float64     `json:"accuracy"`
	Outcomes    []string     `json:"outcomes"`
	Matrix      [][]*big.Int `json:"matrix"` // of rows with an outcome, by what is predicted
	Sensitivity []*float64   `json:"sensitivity"`
	Precision   []*float64   `json:"precision"`
	Kind        risk.Kind    `json:"kind"` // of the grades
	Always      string       `json:"always,omitempty"`

	// Risks are those found at leaves, and Stated what the model says of them.
	Risks  []risk.OutcomeRisks `json:"risks,omitempty"`
	Stated []risk.OutcomeRisks `json:"stated,omitempty"`

	comparison *risk.Comparison
	stated     *risk.Comparison // nil for none
	heading    report.Heading
	counted    string // rows, or persons
}

func newCompared(m *model.Model, of *risk.Counts) *compared {
	sheet, c := m.Sheet(), of.Compare(risk.Rows)
	out := &compared{
		Rows: of.Rows, Inside: c.Inside.Value, Outside: c.Outside.Value, Errors: c.Errors.Value, Accuracy: c.Accuracy.Value,
		Outcomes: m.Schema.Label.Outcomes(), Kind: c.Kind, Always: sheet.Always, Risks: c.Risks, comparison: c, stated: m.Comparison(), heading: sheet.Heading, counted: of.Counted(),
	}
	if out.stated != nil {
		out.Stated = out.stated.Risks
	}
	for o, row := range c.Matrix {
		var counts []*big.Int
		for _, n := range row {
			counts = append(counts, n.Value)
		}
		out.Matrix = append(out.Matrix, counts)
		out.Sensitivity = append(out.Sensitivity, c.Sensitivity[o].Value)
		out.Precision = append(out.Precision, c.Precision[o].Value)
	}
	return out
}

// write writes the exact numbers.
func (c *compared) write(w io.Writer) error {
	err := report.WriteList(w, [][]string{
		{"rows", c.Rows.String()}, {"  outside the schema's domain", c.Outside.String()}, {"  inside", c.Inside.String()},
		{"  errors", c.Errors.String()}, {"  accuracy", report.Percent(c.Accuracy, 0)},
	})
	if err != nil {
		return err
	}
	return c.writeTables(w, func(n risk.Count) string { return n.Value.String() }, func(s risk.Share) string { return report.Percent(s.Value, 0) })
}

// aligned holds the rows of a table and the alignment of its columns.
type aligned struct {
	rows  [][]string
	align string
}

// writeTables writes the confusion matrix, the measures of each class, and the risks.
func (c *compared) writeTables(w io.Writer, cell func(risk.Count) string, share func(risk.Share) string) error {
	matrix := [][]string{{c.heading.Label}}
	each := [][]string{{c.heading.Label, "sensitivity", "precision"}}
	align := "l"
	for o, word := range c.heading.Outcomes {
		matrix[0] = append(matrix[0], "predicted "+word)
		row := []string{word}
		for _, n := range c.comparison.Matrix[o] {
			row = append(row, cell(n))
		}
		matrix = append(matrix, row)
		each = append(each, []string{word, share(c.comparison.Sensitivity[o]), share(c.comparison.Precision[o])})
		align += "r"
	}
	tables := []aligned{{matrix, align}, {each, "lrr"}}
	if risks := report.OutcomeRows(c.comparison, c.stated, c.heading); risks != nil {
		tables = append(tables, aligned{risks, report.OutcomeAlign})
	}
	for _, t := range tables {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := report.WriteTable(w, t.rows, t.align); err != nil {
			return err
		}
	}
	if c.Always == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nIt predicts %s for everyone.\n", quote.Clean(c.Always))
	return err
}

// comparedPrivately is the output of evaluate --epsilon --json for more than two classes.
type comparedPrivately struct {
	*compared
	Intervals  *risk.Comparison   `json:"intervals"`  // for the noise alone
	Population *risk.Comparison   `json:"population"` // for those whom the rows are a random sample of
	Confidence float64            `json:"confidence"` // that all intervals hold
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`

	ofModel bool // the relation is that of the model
}

func newComparedPrivately(m *model.Model, of *risk.Counts, p *release.PreparedEvaluation) *comparedPrivately {
	c := newCompared(m, of)
	return &comparedPrivately{
		compared: c, Intervals: c.comparison, Population: of.Compare(risk.Population), Confidence: risk.Confidence,
		Guarantee: p.Guarantee, NotPrivate: p.Void, ofModel: m.Guarantee != nil,
	}
}

// write writes the numbers with their intervals and the guarantee.
func (c *comparedPrivately) write(w io.Writer) error {
	a := c.comparison
	rows := [][]string{{c.counted, "about", "at least", "at most"}}
	for _, l := range []struct {
		name  string
		count risk.Count
	}{{"outside the schema's domain", a.Outside}, {"inside", a.Inside}, {"errors", a.Errors}} {
		rows = append(rows, []string{l.name, l.count.Value.String(), l.count.Least.String(), l.count.Most.String()})
	}
	rows = append(rows, []string{"accuracy", report.Percent(report.Told(a.Accuracy), 0), report.Percent(&a.Accuracy.Least, -1), report.Percent(&a.Accuracy.Most, 1)})
	if c.Rows != nil {
		if _, err := fmt.Fprintf(w, "%v %s.\n\n", c.Rows, c.counted); err != nil {
			return err
		}
	}
	if err := report.WriteTable(w, rows, "lrrr"); err != nil {
		return err
	}
	between := func(s risk.Share) string {
		return fmt.Sprintf("%s (%s to %s)", report.Percent(report.Told(s), 0), report.Percent(&s.Least, -1), report.Percent(&s.Most, 1))
	}
	err := c.writeTables(w, func(n risk.Count) string { return fmt.Sprintf("%v (%v to %v)", n.Value, n.Least, n.Most) }, between)
	if err != nil {
		return err
	}
	return writePromise(w, c.counted, fmt.Sprintf("accuracy is %s to %s", report.Percent(&c.Population.Accuracy.Least, -1), report.Percent(&c.Population.Accuracy.Most, 1)), c.Guarantee, c.NotPrivate, c.ofModel)
}
