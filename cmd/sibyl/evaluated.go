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
	"github.com/sibyl-dp/sibyl/privacy"
)

// The output of an evaluation, in JSON and as text. The exact and the private form have the same
// numbers; the private one adds intervals.

// evaluated is the output of evaluate --json. Values that depend on a private number of rows, or
// are shares of zero rows, are null.
type evaluated struct {
	Rows        *big.Int           `json:"rows"`    // null under add-remove
	Inside      *big.Int           `json:"inside"`  // rows inside the schema's domain
	Outside     *big.Int           `json:"outside"` // the others
	Errors      *big.Int           `json:"errors"`
	Cost        *big.Int           `json:"cost,omitempty"` // where errors do not all cost 1
	Accuracy    *float64           `json:"accuracy"`
	AUC         *float64           `json:"auc"` // null where grades have no order, too
	Sensitivity *float64           `json:"sensitivity"`
	Specificity *float64           `json:"specificity"`
	Confusion   confusion          `json:"confusion"`
	Kind        risk.Kind          `json:"kind"` // of the grades
	Risks       []risk.Risk        `json:"risks"`
	Order       []int              `json:"order,omitempty"` // of leaves, from the least risk
	Thresholds  []risk.Threshold   `json:"thresholds,omitempty"`
	Calibration []risk.Calibration `json:"calibration,omitempty"` // where the model states risks
	Always      string             `json:"always,omitempty"`      // what the model predicts for everyone
	Advice      string             `json:"advice,omitempty"`

	assessment *risk.Assessment
	cost       *risk.Count
	heading    report.Heading
}

type confusion struct {
	TruePositive  *big.Int `json:"true_positive"`
	FalseNegative *big.Int `json:"false_negative"`
	FalsePositive *big.Int `json:"false_positive"`
	TrueNegative  *big.Int `json:"true_negative"`
}

func newEvaluated(m *model.Model, c *risk.Counts) *evaluated {
	sheet := m.Sheet()
	a := c.Assess(risk.Rows, nil)
	cm := a.Confusion
	e := &evaluated{
		Rows: c.Rows, Inside: a.Inside.Value, Outside: a.Outside.Value, Errors: a.Errors.Value,
		Accuracy: a.Accuracy.Value, Sensitivity: a.Sensitivity.Value, Specificity: a.Specificity.Value,
		Confusion: confusion{cm.TruePositive.Value, cm.FalseNegative.Value, cm.FalsePositive.Value, cm.TrueNegative.Value},
		Kind:      a.Kind, Risks: a.Risks, Order: a.Order, Thresholds: a.Thresholds, Calibration: m.Calibration(a),
		Always: sheet.Always, Advice: adviceOn(m, sheet, a, c.Released()),
		assessment: a, heading: sheet.Heading,
	}
	if a.AUC != nil {
		e.AUC = a.AUC.Value
	}
	if loss := mechanism.Costs(m); loss != learn.ZeroOne && loss.Validate() == nil {
		cost := a.Cost(loss)
		e.Cost, e.cost = cost.Value, &cost
	}
	return e
}

// A line is a number of an evaluation with its name: a count, or a share and its format.
type line struct {
	name  string
	count *risk.Count
	share *risk.Share
	write func(v *float64, direction int) string
}

func (e *evaluated) lines() []line {
	a := e.assessment
	lines := []line{
		{"outside the schema's domain", &a.Outside, nil, nil},
		{"inside", &a.Inside, nil, nil},
		{"errors", &a.Errors, nil, nil},
	}
	if e.cost != nil {
		lines = append(lines, line{"cost of the errors", e.cost, nil, nil})
	}
	lines = append(lines, line{"accuracy", nil, &a.Accuracy, report.Percent},
		line{"sensitivity", nil, &a.Sensitivity, report.Percent}, line{"specificity", nil, &a.Specificity, report.Percent})
	if a.AUC != nil {
		lines = append(lines, line{"AUC", nil, a.AUC, report.Decimal})
	}
	return lines
}

// write writes the exact numbers.
func (e *evaluated) write(w io.Writer) error {
	rows := [][]string{{e.assessment.Counted(), e.Rows.String()}}
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
	return e.writeTables(w, func(c risk.Count) string { return c.Value.String() })
}

// writeTables writes the confusion matrix, risks, thresholds, and the advice.
func (e *evaluated) writeTables(w io.Writer, cell func(risk.Count) string) error {
	a := e.assessment
	label, positive, negative := quote.Clean(e.heading.Label), quote.Clean(e.heading.Positive), quote.Clean(e.heading.Negative)
	risks := report.RiskRows(a)
	head := fmt.Sprintf("The risk of %s that was found:", positive)
	if e.Calibration != nil {
		risks = report.CalibrationRows(a, e.Calibration)
		head = fmt.Sprintf("The risk of %s that the model states, and that was found:", positive)
	}
	for _, t := range []struct {
		head  string
		rows  [][]string
		align string
	}{
		{"", [][]string{
			{label, "predicted " + positive, "predicted " + negative},
			{positive, cell(a.Confusion.TruePositive), cell(a.Confusion.FalseNegative)},
			{negative, cell(a.Confusion.FalsePositive), cell(a.Confusion.TrueNegative)},
		}, "lrr"},
		{head, risks, report.RiskAlign},
		{fmt.Sprintf("What predicting %s from another %s on does%s:", positive, a.Kind, inOrder(a)), report.ThresholdRows(a), report.RiskAlign},
	} {
		if t.rows == nil || t.head != "" && a.Kind == risk.Prediction && e.Calibration == nil {
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

// inOrder describes the order of leaves.
func inOrder(a *risk.Assessment) string {
	if a.Kind != risk.Leaf {
		return ""
	}
	return ", from the leaf of the least risk"
}

// estimated is the output of evaluate --epsilon --json.
type estimated struct {
	*evaluated
	Intervals  intervals          `json:"intervals"`
	Population population         `json:"population"`
	Confidence float64            `json:"confidence"` // that all intervals hold
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`

	ofModel bool // the relation is that of the model
}

// intervals holds the confidence intervals of the numbers, rounded outward.
type intervals struct {
	Inside        [2]*big.Int  `json:"inside"`
	Outside       [2]*big.Int  `json:"outside"`
	Errors        [2]*big.Int  `json:"errors"`
	Cost          *[2]*big.Int `json:"cost,omitempty"`
	Accuracy      [2]float64   `json:"accuracy"`
	AUC           *[2]float64  `json:"auc,omitempty"`
	Sensitivity   [2]float64   `json:"sensitivity"`
	Specificity   [2]float64   `json:"specificity"`
	TruePositive  [2]*big.Int  `json:"true_positive"`
	FalseNegative [2]*big.Int  `json:"false_negative"`
	FalsePositive [2]*big.Int  `json:"false_positive"`
	TrueNegative  [2]*big.Int  `json:"true_negative"`
}

// population holds the intervals of shares in the population that the rows are a random sample of.
type population struct {
	Accuracy    [2]float64  `json:"accuracy"`
	AUC         *[2]float64 `json:"auc,omitempty"`
	Sensitivity [2]float64  `json:"sensitivity"`
	Specificity [2]float64  `json:"specificity"`
}

func newEstimated(m *model.Model, c *risk.Counts, p *release.PreparedEvaluation) *estimated {
	e := &estimated{
		evaluated: newEvaluated(m, c), Confidence: risk.Confidence,
		Guarantee: p.Guarantee, NotPrivate: p.Void, ofModel: m.Guarantee != nil,
	}
	counts := func(c risk.Count) [2]*big.Int { return [2]*big.Int{c.Least, c.Most} }
	shares := func(s risk.Share) [2]float64 { return [2]float64{s.Least, s.Most} }
	a := e.assessment
	e.Intervals = intervals{
		Inside: counts(a.Inside), Outside: counts(a.Outside), Errors: counts(a.Errors),
		Accuracy: shares(a.Accuracy), Sensitivity: shares(a.Sensitivity), Specificity: shares(a.Specificity),
		TruePositive: counts(a.Confusion.TruePositive), FalseNegative: counts(a.Confusion.FalseNegative),
		FalsePositive: counts(a.Confusion.FalsePositive), TrueNegative: counts(a.Confusion.TrueNegative),
	}
	others := c.Assess(risk.Population, nil)
	e.Population = population{Accuracy: shares(others.Accuracy), Sensitivity: shares(others.Sensitivity), Specificity: shares(others.Specificity)}
	if a.AUC != nil {
		own, all := shares(*a.AUC), shares(*others.AUC)
		e.Intervals.AUC, e.Population.AUC = &own, &all
	}
	if e.cost != nil {
		cost := counts(*e.cost)
		e.Intervals.Cost = &cost
	}
	return e
}

// write writes the numbers with their intervals and the guarantee.
func (e *estimated) write(w io.Writer) error {
	rows := [][]string{{e.assessment.Counted(), "about", "at least", "at most"}}
	for _, l := range e.lines() {
		if c := l.count; c != nil {
			rows = append(rows, []string{l.name, c.Value.String(), c.Least.String(), c.Most.String()})
		} else {
			rows = append(rows, []string{l.name, l.write(report.Told(*l.share), 0), l.write(&l.share.Least, -1), l.write(&l.share.Most, 1)})
		}
	}
	if e.Rows != nil {
		if _, err := fmt.Fprintf(w, "%v %s.\n\n", e.Rows, e.assessment.Counted()); err != nil {
			return err
		}
	}
	if err := report.WriteTable(w, rows, "lrrr"); err != nil {
		return err
	}
	err := e.writeTables(w, func(c risk.Count) string { return fmt.Sprintf("%v (%v to %v)", c.Value, c.Least, c.Most) })
	if err != nil {
		return err
	}
	others := fmt.Sprintf("accuracy is %s to %s", report.Percent(&e.Population.Accuracy[0], -1), report.Percent(&e.Population.Accuracy[1], 1))
	if auc := e.Population.AUC; auc != nil {
		others += fmt.Sprintf(", AUC %s to %s", report.Decimal(&auc[0], -1), report.Decimal(&auc[1], 1))
	}
	return writePromise(w, e.assessment.Counted(), others, e.Guarantee, e.NotPrivate, e.ofModel)
}

// writePromise prints the confidence of the intervals of the counted rows, what they imply for the
// sampled population, and the guarantee; ofModel states that the relation is that of the model.
func writePromise(w io.Writer, counted, others string, g *privacy.Statement, why model.Void, ofModel bool) error {
	relation := ""
	if ofModel {
		relation = "The relation is that of the model's guarantee.\n"
	}
	_, err := fmt.Fprintf(w, "\nAll intervals hold at once with a probability of %.0f %%; they are for the noise alone.\nWhere these %s are a random sample of people, and the model was not learned from them,\n%s among these people.\n%s%s",
		100*risk.Confidence, counted, others, report.Guarantee("estimate", g, why.Text()), relation)
	return err
}
