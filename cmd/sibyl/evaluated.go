package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/report"
)

// An evaluation as it is printed, in JSON and for people: both forms, exact and private,
// have the same numbers, and the private one adds intervals.

// evaluated is what evaluate --json prints. What depends on a number of rows that is
// private, or is a share of no rows, is null.
type evaluated struct {
	Rows        *big.Int  `json:"rows"`    // null under add-remove
	Inside      *big.Int  `json:"inside"`  // rows inside the schema's domain
	Outside     *big.Int  `json:"outside"` // the others
	Errors      *big.Int  `json:"errors"`
	Cost        *big.Int  `json:"cost,omitempty"` // where errors do not all cost 1
	Accuracy    *float64  `json:"accuracy"`       // 1 - errors/inside
	Sensitivity *float64  `json:"sensitivity"`
	Specificity *float64  `json:"specificity"`
	Confusion   confusion `json:"confusion"`
	Always      string    `json:"always,omitempty"` // what the model predicts for everyone
	Advice      string    `json:"advice,omitempty"`

	assessment
	heading report.Heading
}

type confusion struct {
	TruePositive  *big.Int `json:"true_positive"`
	FalseNegative *big.Int `json:"false_negative"`
	FalsePositive *big.Int `json:"false_positive"`
	TrueNegative  *big.Int `json:"true_negative"`
}

func newEvaluated(m *model.Model, a assessment, private bool) *evaluated {
	value := func(o learn.Outcome) *big.Int { return a.outcomes[o].value }
	sheet := m.Sheet()
	e := &evaluated{
		Rows: a.rows, Inside: a.inside.value, Outside: value(learn.Outside), Errors: a.errors.value,
		Accuracy: toFloat(a.accuracy.value), Sensitivity: toFloat(a.sensitivity.value), Specificity: toFloat(a.specificity.value),
		Confusion: confusion{value(learn.TruePositive), value(learn.FalseNegative), value(learn.FalsePositive), value(learn.TrueNegative)},
		Always:    sheet.Always, Advice: adviceOn(m, sheet, a, private),
		assessment: a, heading: sheet.Heading,
	}
	if a.cost != nil {
		e.Cost = a.cost.value
	}
	return e
}

// toFloat returns the float nearest to r, nil for nil.
func toFloat(r *big.Rat) *float64 {
	if r == nil {
		return nil
	}
	f, _ := r.Float64()
	return &f
}

// line is a number of an evaluation by its name: a count or a share.
type line struct {
	name  string
	count *count
	share *share
}

func (e *evaluated) lines() []line {
	lines := []line{
		{"outside the schema's domain", &e.outcomes[learn.Outside], nil},
		{"inside", &e.inside, nil},
		{"errors", &e.errors, nil},
	}
	if e.cost != nil {
		lines = append(lines, line{"cost of the errors", e.cost, nil})
	}
	return append(lines, line{"accuracy", nil, &e.accuracy}, line{"sensitivity", nil, &e.sensitivity}, line{"specificity", nil, &e.specificity})
}

// write writes the exact numbers.
func (e *evaluated) write(w io.Writer) error {
	rows := [][]string{{"rows", e.rows.String()}}
	for _, l := range e.lines() {
		if l.count != nil {
			rows = append(rows, []string{"  " + l.name, l.count.value.String()})
		} else {
			rows = append(rows, []string{"  " + l.name, percentage(l.share.value, 0)})
		}
	}
	if err := report.WriteList(w, rows); err != nil {
		return err
	}
	return e.writeMatrix(w, func(c count) string { return c.value.String() })
}

// writeMatrix writes the confusion matrix, and the advice.
func (e *evaluated) writeMatrix(w io.Writer, cell func(count) string) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	label, positive, negative := quote.Clean(e.heading.Label), quote.Clean(e.heading.Positive), quote.Clean(e.heading.Negative)
	err := report.WriteTable(w, [][]string{
		{label, "predicted " + positive, "predicted " + negative},
		{positive, cell(e.outcomes[learn.TruePositive]), cell(e.outcomes[learn.FalseNegative])},
		{negative, cell(e.outcomes[learn.FalsePositive]), cell(e.outcomes[learn.TrueNegative])},
	}, "lrr")
	if err == nil && e.Advice != "" {
		_, err = fmt.Fprintf(w, "\n%s\n", quote.Clean(e.Advice))
	}
	return err
}

// estimated is what evaluate --epsilon --json prints.
type estimated struct {
	*evaluated
	Intervals  intervals          `json:"intervals"`
	Confidence float64            `json:"confidence"` // that all intervals hold
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`

	ofModel bool // the relation is that of the model
}

// intervals are where the numbers lie, at least and at most, rounded outward.
type intervals struct {
	Inside        [2]*big.Int  `json:"inside"`
	Outside       [2]*big.Int  `json:"outside"`
	Errors        [2]*big.Int  `json:"errors"`
	Cost          *[2]*big.Int `json:"cost,omitempty"`
	Accuracy      [2]float64   `json:"accuracy"`
	Sensitivity   [2]float64   `json:"sensitivity"`
	Specificity   [2]float64   `json:"specificity"`
	TruePositive  [2]*big.Int  `json:"true_positive"`
	FalseNegative [2]*big.Int  `json:"false_negative"`
	FalsePositive [2]*big.Int  `json:"false_positive"`
	TrueNegative  [2]*big.Int  `json:"true_negative"`
}

func newIntervals(a assessment) intervals {
	counts := func(c count) [2]*big.Int { return [2]*big.Int{c.least, c.most} }
	shares := func(s share) [2]float64 { return [2]float64{below(s.least), above(s.most)} }
	i := intervals{
		counts(a.inside), counts(a.outcomes[learn.Outside]), counts(a.errors), nil,
		shares(a.accuracy), shares(a.sensitivity), shares(a.specificity),
		counts(a.outcomes[learn.TruePositive]), counts(a.outcomes[learn.FalseNegative]),
		counts(a.outcomes[learn.FalsePositive]), counts(a.outcomes[learn.TrueNegative]),
	}
	if a.cost != nil {
		cost := counts(*a.cost)
		i.Cost = &cost
	}
	return i
}

// write writes the numbers with their intervals, and what they promise.
func (e *estimated) write(w io.Writer) error {
	rows := [][]string{{"rows", "about", "at least", "at most"}}
	for _, l := range e.lines() {
		if c := l.count; c != nil {
			rows = append(rows, []string{l.name, c.value.String(), c.least.String(), c.most.String()})
		} else {
			rows = append(rows, []string{l.name, percentage(l.share.value, 0), percentage(l.share.least, -1), percentage(l.share.most, 1)})
		}
	}
	if e.rows != nil {
		if _, err := fmt.Fprintf(w, "%v rows.\n\n", e.rows); err != nil {
			return err
		}
	}
	if err := report.WriteTable(w, rows, "lrrr"); err != nil {
		return err
	}
	err := e.writeMatrix(w, func(c count) string { return fmt.Sprintf("%v (%v to %v)", c.value, c.least, c.most) })
	if err != nil {
		return err
	}
	relation := ""
	if e.ofModel {
		relation = "The relation is that of the model's guarantee.\n"
	}
	_, err = fmt.Fprintf(w, "\nAll intervals hold at once with a probability of %.0f %%; they are for the noise alone.\n%s%s",
		100*e.Confidence, report.Guarantee("estimate", e.Guarantee, e.NotPrivate.Text()), relation)
	return err
}

// percentage writes a share in hundredths of a per cent, rounded down for a negative
// direction, up for a positive one, else to the nearest; of no rows it is a dash.
func percentage(r *big.Rat, direction int) string {
	if r == nil {
		return "–"
	}
	n, d := new(big.Int).Mul(r.Num(), big.NewInt(20000)), new(big.Int).Lsh(r.Denom(), 1)
	switch {
	case direction > 0:
		n.Add(n, d).Sub(n, big.NewInt(1))
	case direction == 0:
		n.Add(n, r.Denom())
	}
	n.Div(n, d)
	whole, part := new(big.Int).DivMod(n, big.NewInt(100), new(big.Int))
	return fmt.Sprintf("%v.%02d %%", whole, part)
}
