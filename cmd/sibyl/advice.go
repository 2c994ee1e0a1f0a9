package main

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// If one label is rare, the model with the fewest misclassifications may predict the other label for
// everyone. If 98 % of the rows have the other label, such a model has an accuracy of 98 % and is useless.
// The advice says so and names a remedy. It is computed from released values, or printed for the curator
// only.

// adviceOn returns advice for the user of the model m, whose assessment is a, or "" if there is none.
//
// The advice may state how many times rarer one label is than the other, so that the user can pass this number as a
// cost. Costs are public, so the advice states the number only if private is true, that is, if the assessment is a
// released estimate. The number in an exact assessment would reveal private data.
func adviceOn(m *model.Model, s report.Sheet, a *risk.Assessment, private bool) string {
	c := a.Confusion
	positive := new(big.Int).Add(c[1][1].Value, c[1][0].Value)
	negative := new(big.Int).Add(c[0][1].Value, c[0][0].Value)
	common := positive.Cmp(negative) > 0
	most, fewest := negative, positive
	if common {
		most, fewest = positive, negative
	}
	right := new(big.Int).Add(c[1][1].Value, c[0][0].Value)
	said := ""
	switch {
	case s.Always != "":
		said = constant(s)
	case a.Prevalence.Value == nil || most.Sign() == 0 || right.Cmp(most) > 0:
		return ""
	default:
		baseline := *a.Prevalence.Value
		if !common {
			baseline = 1 - baseline
		}
		said = fmt.Sprintf("Predicting %s for everyone would be right for %s of the %s inside the domain, so the model is no better.", s.Word(common), report.Percent(&baseline, 0), a.Counted())
	}
	if fewest.Sign() == 0 {
		return said
	}
	times := new(big.Int).Quo(most, fewest)
	switch {
	case times.Cmp(big.NewInt(2)) < 0 || times.Cmp(big.NewInt(learn.MostLoss)) > 0:
		return said
	case !private:
		return said + adviceOnCosts(m, s, !common, 0)
	}
	return said + adviceOnCosts(m, s, !common, times.Int64())
}

// constant returns a sentence that says that the model predicts the same value for everyone.
func constant(s report.Sheet) string {
	return fmt.Sprintf("This %s predicts %s for everyone.", s.Thing(), s.Always)
}

// adviceOnConstant returns advice on a model that predicts one class for everyone.
func adviceOnConstant(m *model.Model, s report.Sheet) string {
	if s.Outcomes != nil {
		return constant(s) // every error costs 1
	}
	return constant(s) + adviceOnCosts(m, s, s.Always != s.Positive, 0)
}

// adviceOnCosts returns advice on how to find more rows with the rare label. The parameter times is how many times
// rarer this label is than the other one, or 0 if this is not public. If the model's class takes costs, the advice is
// to change them. If the model states the risk of each total, the advice is to choose a threshold for the risk.
func adviceOnCosts(m *model.Model, s report.Sheet, label bool, times int64) string {
	said := ""
	learned := mechanism.Costs(m)
	flag, loss, cost := "--false-positive", learn.Loss{FalsePositive: times, FalseNegative: 1}, learned.FalsePositive
	if label {
		flag, loss, cost = "--false-negative", learn.Loss{FalsePositive: 1, FalseNegative: times}, learned.FalseNegative
	}
	if k, known := model.KindOf(m.Form.Name()); !known || k.Chosen() {
		switch {
		case cost > 1 && cost >= times:
			said = fmt.Sprintf(" It was learned with %s %d; a larger number finds more rows with %s, but misclassifies more of the other rows.", flag, cost, s.Word(label))
		case times == 0:
			said = fmt.Sprintf(" If %s is rare, learn with %s N to find more of these rows, where N is about how many times rarer they are; take N from public knowledge, not from this table.", s.Word(label), flag)
		default:
			said = fmt.Sprintf(" To find more rows with %s, learn with %s %d, since they seem to be that many times rarer.", s.Word(label), flag, times)
		}
	}
	// next appends another piece of advice to the text said.
	next := func(alone, also string) string {
		if said == "" {
			return fmt.Sprintf(" To find more rows with %s, %s", s.Word(label), alone)
		}
		return " Or " + also
	}
	switch a := s.Binary; {
	case a == nil || a.Kind != risk.Total || len(a.Risks) < 2:
	case times == 0:
		threshold := "choose another threshold from the risks that sibyl show prints."
		said += next(threshold, threshold)
	default:
		from := fmt.Sprintf("predict %s from a total of %s on, which minimizes errors ", s.Positive, report.Signed(a.Best(loss).At))
		said += next(from+fmt.Sprintf("if each error on such a row costs %d times as much as any other, according to the model's risks.", times), from+"with these costs according to the model's risks.")
	}
	return said
}
