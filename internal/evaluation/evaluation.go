package evaluation

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An Evaluation compares the predictions of a model with the labels of a table. The exact form is for the curator
// only. The private form is a differentially private release: its numbers are estimates with intervals, and it has a
// guarantee. The measures depend on whether the label has two classes or more.
type Evaluation struct {
	Rows       *big.Int // nil if the number of rows is private
	Assessment *risk.Assessment
	Stated     *risk.Assessment // the assessment that the model states; nil for none
	Cost       *risk.Count      // nil if every error costs 1
	Heading    report.Heading
	Outcomes   []string // the names of more than two classes
	Always     string   // the constant prediction of the model, or empty
	Advice     string   // advice about the model, printed as the last line; or empty

	*Estimate // nil for the exact form
}

// An Estimate holds the fields of an evaluation that exist only in its private form, in which the counts were released
// with noise.
type Estimate struct {
	Population *risk.Assessment // estimates for the population from which the rows are assumed to be a random sample
	Guarantee  *privacy.Statement
	Void       model.Void // the reason if there is no guarantee
	Schema     *table.Schema

	model *privacy.Statement // the guarantee of the model, which determines the relation; nil for none
	thing string             // what is evaluated, such as scorecard
}

// New returns the evaluation of a valid model m from the counts c of its predictions and labels. If the counts are
// noisy, g is their guarantee. For noisy counts without a guarantee, g is nil and void is the reason.
func New(m *model.Model, c *risk.Counts, g *privacy.Statement, void model.Void) *Evaluation {
	sheet, a := m.Sheet(), c.Assess(risk.Rows, nil)
	e := &Evaluation{Rows: c.Rows, Assessment: a, Stated: m.Assessment(), Heading: sheet.Heading, Outcomes: m.Schema.Label.Outcomes(), Always: sheet.Always}
	if loss := mechanism.Costs(m); a.Outcomes() == 2 && loss != learn.ZeroOne && loss.Validate() == nil {
		cost := a.Cost(loss)
		e.Cost = &cost
	}
	if c.Released() {
		e.Estimate = &Estimate{c.Assess(risk.Population, nil), g, void, m.Schema, m.Guarantee, sheet.Thing()}
	}
	return e
}

// A line is a number of an evaluation, either a count or a share, with its name. The function write formats a share.
type line struct {
	name  string
	count *risk.Count
	share *risk.Share
	write func(v *float64, direction int) string
}

func (e *Evaluation) lines() []line {
	a := e.Assessment
	lines := []line{
		{"outside the schema's domain", &a.Outside, nil, nil},
		{"inside", &a.Inside, nil, nil},
		{"errors", &a.Errors, nil, nil},
	}
	if e.Cost != nil {
		lines = append(lines, line{"cost of the errors", e.Cost, nil, nil})
	}
	lines = append(lines, line{"accuracy", nil, &a.Accuracy, report.Percent})
	if a.Outcomes() == 2 {
		lines = append(lines, line{"sensitivity", nil, &a.Sensitivity[1], report.Percent}, line{"specificity", nil, &a.Sensitivity[0], report.Percent})
	}
	if a.AUC != nil {
		lines = append(lines, line{"AUC", nil, a.AUC, report.Decimal})
	}
	return lines
}
