package evaluation

import (
	"fmt"
	"io"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// Write writes the evaluation as plain text.
func (e *Evaluation) Write(w io.Writer) error {
	if e.Estimate != nil {
		return e.writeEstimate(w)
	}
	rows := [][]string{{e.Assessment.Counted(), e.Rows.String()}}
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
	return e.writeSections(w)
}

// writeEstimate writes a private evaluation as plain text: its numbers with their intervals, and its guarantee.
func (e *Evaluation) writeEstimate(w io.Writer) error {
	a := e.Assessment
	if e.Rows != nil {
		if _, err := fmt.Fprintf(w, "%v %s.\n\n", e.Rows, a.Counted()); err != nil {
			return err
		}
	}
	if err := report.WriteTable(w, e.estimates(), "lrrr"); err != nil {
		return err
	}
	if err := e.writeSections(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n%s", e.validity(), e.formal())
	return err
}

// formal returns the exact statement of the evaluation's guarantee. It also states the guarantee of the evaluated
// model, because these are guarantees of two releases, neither of which includes the privacy loss of the other.
func (e *Evaluation) formal() string {
	text := report.Guarantee(estimateNoun, e.Guarantee, e.Void.Text(), e.Schema)
	if e.model != nil {
		text += fmt.Sprintf("The model is another release: ε = %s, δ = %s, under the same relation.\nIf it was learned from the same people, its ε and δ add to those of the evaluation.\n", e.model.Epsilon, e.model.Delta)
	}
	return text
}

// estimateNoun is the noun for the released evaluation in the text of its guarantee.
const estimateNoun = "estimate"

// validity returns two statements: the probability with which all intervals hold, and the intervals for the
// population, which hold if the rows are a random sample of the population.
func (e *Evaluation) validity() string {
	others := fmt.Sprintf("accuracy is %s to %s", report.Percent(&e.Population.Accuracy.Least, -1), report.Percent(&e.Population.Accuracy.Most, 1))
	if auc := e.Population.AUC; auc != nil {
		others += fmt.Sprintf(", AUC %s to %s", report.Decimal(&auc.Least, -1), report.Decimal(&auc.Most, 1))
	}
	return fmt.Sprintf("All intervals hold at once with a probability of %.0f %%; they are for the noise alone.\nWhere these %s are a random sample of people, and the model was not learned from them,\n%s among these people.",
		100*risk.Confidence, e.Assessment.Counted(), others)
}

// writeSections writes the tables of the evaluation, and then its advice about the model.
func (e *Evaluation) writeSections(w io.Writer) error {
	for _, t := range e.sections() {
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
	if e.Advice == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s\n", quote.Clean(e.Advice))
	return err
}
