package evaluation

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// A section is a table of an evaluation, with the alignment of its columns and an optional heading.
type section struct {
	head  string
	rows  [][]string
	align string
}

// cell formats a count, with its interval if it is an estimate.
func (e *Evaluation) cell(c risk.Count) string {
	if e.Estimate == nil {
		return c.Value.String()
	}
	return fmt.Sprintf("%v (%v to %v)", c.Value, c.Least, c.Most)
}

// share formats a share, with its interval if it is an estimate.
func (e *Evaluation) share(s risk.Share) string {
	if e.Estimate == nil {
		return report.Percent(s.Value, 0)
	}
	return fmt.Sprintf("%s (%s to %s)", report.Percent(report.Reliable(s), 0), report.Percent(&s.Least, -1), report.Percent(&s.Most, 1))
}

// estimates returns a table of the numbers of the evaluation, with their intervals. The first row contains the
// headings.
func (e *Evaluation) estimates() [][]string {
	rows := [][]string{{e.Assessment.Counted(), "about", "at least", "at most"}}
	for _, l := range e.lines() {
		if c := l.count; c != nil {
			rows = append(rows, []string{l.name, c.Value.String(), c.Least.String(), c.Most.String()})
		} else {
			rows = append(rows, []string{l.name, l.write(report.Reliable(*l.share), 0), l.write(&l.share.Least, -1), l.write(&l.share.Most, 1)})
		}
	}
	return rows
}

// sections returns the tables of the evaluation: the confusion matrix, the risks, and the measures of each
// class or threshold.
func (e *Evaluation) sections() []section {
	a := e.Assessment
	tables := []section{e.matrix()}
	risks, align := report.RiskTable(a, e.Stated, e.Heading)
	if a.Outcomes() > 2 {
		each := [][]string{{e.Heading.Label, "sensitivity", "precision"}}
		for o, word := range e.Heading.Outcomes {
			each = append(each, []string{word, e.share(a.Sensitivity[o]), e.share(a.Precision[o])})
		}
		tables = append(tables, section{"", each, "lrr"}, section{"", risks, align})
	} else if a.Kind != risk.Prediction || e.Stated != nil {
		positive := quote.Clean(e.Heading.Positive)
		head := fmt.Sprintf("The risk of %s that was found:", positive)
		if e.Stated != nil {
			head = fmt.Sprintf("The risk of %s that the model states, and that was found:", positive)
		}
		order := ""
		if a.Kind == risk.Leaf {
			order = ", from the leaf of the least risk"
		}
		tables = append(tables, section{head, risks, align},
			section{fmt.Sprintf("The effect of predicting %s from another %s on%s:", positive, a.Kind, order), report.ThresholdRows(a), report.RiskAlign})
	}
	return tables
}

// matrix returns the confusion matrix, with the true classes in rows and the predicted ones in columns. If
// there are two classes, the positive class comes first.
func (e *Evaluation) matrix() section {
	a := e.Assessment
	s := section{rows: [][]string{{quote.Clean(e.Heading.Label)}}, align: "l"}
	order := make([]int, a.Outcomes())
	for i := range order {
		if order[i] = i; len(order) == 2 {
			order[i] = 1 - i
		}
	}
	for _, o := range order {
		word := quote.Clean(e.Heading.Outcome(o))
		s.rows[0], s.align = append(s.rows[0], "predicted "+word), s.align+"r"
		row := []string{word}
		for _, p := range order {
			row = append(row, e.cell(a.Confusion[o][p]))
		}
		s.rows = append(s.rows, row)
	}
	return s
}
