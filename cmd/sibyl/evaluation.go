package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An evaluation is the output of the command evaluate. The exact and the private form have the same
// numbers; the private one adds intervals and the guarantee. Labels of two classes and of more have
// different measures, and JSON keys.
type evaluation struct {
	rows       *big.Int // nil if the number of rows is private
	assessment *risk.Assessment
	stated     *risk.Assessment // the assessment that the model states; nil for none
	cost       *risk.Count      // nil if every error costs 1
	heading    report.Heading
	outcomes   []string // the names of more than two classes
	always     string   // the constant prediction of the model, or empty
	advice     string

	*estimate // nil for the exact form
}

// An estimate holds the properties of the private form.
type estimate struct {
	population *risk.Assessment // of the population that the rows are a random sample of
	guarantee  *privacy.Statement
	void       model.Void
	ofModel    bool // the relation is that of the model
	schema     *table.Schema
}

// evaluate returns the exact form for exact counts.
func evaluate(m *model.Model, c *risk.Counts) *evaluation {
	sheet, a := m.Sheet(), c.Assess(risk.Rows, nil)
	e := &evaluation{rows: c.Rows, assessment: a, stated: m.Assessment(), heading: sheet.Heading, outcomes: m.Schema.Label.Outcomes(), always: sheet.Always}
	if a.Outcomes() > 2 {
		if e.always != "" {
			e.advice = fmt.Sprintf("It predicts %s for everyone.", e.always)
		}
		return e
	}
	e.advice = adviceOn(m, sheet, a, c.Released())
	if loss := mechanism.Costs(m); loss != learn.ZeroOne && loss.Validate() == nil {
		cost := a.Cost(loss)
		e.cost = &cost
	}
	return e
}

// evaluatePrivately returns the private form for released counts.
func evaluatePrivately(m *model.Model, c *risk.Counts, p *release.PreparedEvaluation) *evaluation {
	e := evaluate(m, c)
	e.estimate = &estimate{c.Assess(risk.Population, nil), p.Guarantee, p.Void, m.Guarantee != nil, m.Schema}
	return e
}

// A line is a number of an evaluation with its name: a count, or a share and its format.
type line struct {
	name  string
	count *risk.Count
	share *risk.Share
	write func(v *float64, direction int) string
}

func (e *evaluation) lines() []line {
	a := e.assessment
	lines := []line{
		{"outside the schema's domain", &a.Outside, nil, nil},
		{"inside", &a.Inside, nil, nil},
		{"errors", &a.Errors, nil, nil},
	}
	if e.cost != nil {
		lines = append(lines, line{"cost of the errors", e.cost, nil, nil})
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

// write writes the numbers as text.
func (e *evaluation) write(w io.Writer) error {
	if e.estimate != nil {
		return e.writeEstimate(w)
	}
	rows := [][]string{{e.assessment.Counted(), e.rows.String()}}
	for _, l := range e.lines() {
		if l.count != nil {
			rows = append(rows, []string{"  " + l.name, l.count.Value.String()})
		} else {
			rows = append(rows, []string{"  " + l.name, l.write(l.share.Value, 0)})
		}
	}
	if err := report.WriteList(w, rows); err != nil {
		return err
	}
	return e.writeTables(w, func(c risk.Count) string { return c.Value.String() }, func(s risk.Share) string { return report.Percent(s.Value, 0) })
}

// writeEstimate writes the numbers with their intervals and the guarantee.
func (e *evaluation) writeEstimate(w io.Writer) error {
	a := e.assessment
	rows := [][]string{{a.Counted(), "about", "at least", "at most"}}
	for _, l := range e.lines() {
		if c := l.count; c != nil {
			rows = append(rows, []string{l.name, c.Value.String(), c.Least.String(), c.Most.String()})
		} else {
			rows = append(rows, []string{l.name, l.write(report.Told(*l.share), 0), l.write(&l.share.Least, -1), l.write(&l.share.Most, 1)})
		}
	}
	if e.rows != nil {
		if _, err := fmt.Fprintf(w, "%v %s.\n\n", e.rows, a.Counted()); err != nil {
			return err
		}
	}
	if err := report.WriteTable(w, rows, "lrrr"); err != nil {
		return err
	}
	err := e.writeTables(w, func(c risk.Count) string { return fmt.Sprintf("%v (%v to %v)", c.Value, c.Least, c.Most) }, func(s risk.Share) string {
		return fmt.Sprintf("%s (%s to %s)", report.Percent(report.Told(s), 0), report.Percent(&s.Least, -1), report.Percent(&s.Most, 1))
	})
	if err != nil {
		return err
	}
	others := fmt.Sprintf("accuracy is %s to %s", report.Percent(&e.population.Accuracy.Least, -1), report.Percent(&e.population.Accuracy.Most, 1))
	if auc := e.population.AUC; auc != nil {
		others += fmt.Sprintf(", AUC %s to %s", report.Decimal(&auc.Least, -1), report.Decimal(&auc.Most, 1))
	}
	relation := ""
	if e.ofModel {
		relation = "The relation is that of the model's guarantee.\n"
	}
	_, err = fmt.Fprintf(w, "\nAll intervals hold at once with a probability of %.0f %%; they are for the noise alone.\nWhere these %s are a random sample of people, and the model was not learned from them,\n%s among these people.\n%s%s",
		100*risk.Confidence, a.Counted(), others, report.Guarantee("estimate", e.guarantee, e.void.Text(), e.schema), relation)
	return err
}

// A section is a table with the alignment of its columns and an optional heading.
type section struct {
	head  string
	rows  [][]string
	align string
}

// writeTables writes the confusion matrix, the risks, the measures of each class or threshold, and
// the advice.
func (e *evaluation) writeTables(w io.Writer, cell func(risk.Count) string, share func(risk.Share) string) error {
	a := e.assessment
	tables := []section{e.matrix(cell)}
	risks, align := report.RiskTable(a, e.stated, e.heading)
	if a.Outcomes() > 2 {
		each := [][]string{{e.heading.Label, "sensitivity", "precision"}}
		for o, word := range e.heading.Outcomes {
			each = append(each, []string{word, share(a.Sensitivity[o]), share(a.Precision[o])})
		}
		tables = append(tables, section{"", each, "lrr"}, section{"", risks, align})
	} else if a.Kind != risk.Prediction || e.stated != nil {
		positive := quote.Clean(e.heading.Positive)
		head := fmt.Sprintf("The risk of %s that was found:", positive)
		if e.stated != nil {
			head = fmt.Sprintf("The risk of %s that the model states, and that was found:", positive)
		}
		order := ""
		if a.Kind == risk.Leaf {
			order = ", from the leaf of the least risk"
		}
		tables = append(tables, section{head, risks, align},
			section{fmt.Sprintf("What predicting %s from another %s on does%s:", positive, a.Kind, order), report.ThresholdRows(a), report.RiskAlign})
	}
	for _, t := range tables {
		if t.rows == nil {
			continue
		}
		if t.head != "" {
			t.head += "\n\n"
		}
		if _, err := fmt.Fprintf(w, "\n%s", t.head); err != nil {
			return err
		}
		if err := report.WriteTable(w, t.rows, t.align); err != nil {
			return err
		}
	}
	if e.advice == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s\n", quote.Clean(e.advice))
	return err
}

// matrix returns the confusion matrix: classes in rows, predictions in columns. Of two classes, the
// positive one comes first.
func (e *evaluation) matrix(cell func(risk.Count) string) section {
	a := e.assessment
	s := section{rows: [][]string{{quote.Clean(e.heading.Label)}}, align: "l"}
	order := make([]int, a.Outcomes())
	for i := range order {
		if order[i] = i; len(order) == 2 {
			order[i] = 1 - i
		}
	}
	for _, o := range order {
		word := quote.Clean(e.heading.Outcome(o))
		s.rows[0], s.align = append(s.rows[0], "predicted "+word), s.align+"r"
		row := []string{word}
		for _, p := range order {
			row = append(row, cell(a.Confusion[o][p]))
		}
		s.rows = append(s.rows, row)
	}
	return s
}
