package main

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// Where one label is rare, the model with the fewest errors may predict the other for
// everyone: an accuracy of 98 % then says nothing. The advice says so, and what to do.
// It is a function of what is released, or for the curator alone.

// adviceOn returns what to say of a model so assessed, or nothing. The ratio of the
// labels is named only where it is an estimate that was paid for: as a public cost,
// an exact one would tell of the table.
func adviceOn(m *model.Model, s report.Sheet, a *risk.Assessment, private bool) string {
	c := a.Confusion
	positive := new(big.Int).Add(c.TruePositive.Value, c.FalseNegative.Value)
	negative := new(big.Int).Add(c.FalsePositive.Value, c.TrueNegative.Value)
	common := positive.Cmp(negative) > 0
	most, fewest := negative, positive
	if common {
		most, fewest = positive, negative
	}
	right := new(big.Int).Add(c.TruePositive.Value, c.TrueNegative.Value)
	said := ""
	switch {
	case s.Always != "":
		said = constant(s)
	case most.Sign() == 0 || right.Cmp(most) > 0:
		return ""
	default:
		baseline, _ := new(big.Rat).SetFrac(most, new(big.Int).Add(most, fewest)).Float64()
		said = fmt.Sprintf("Predicting %s for everyone would be right in %s of the rows inside: as often, or more.", s.Word(common), report.Percent(&baseline, 0))
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

// constant says that a model predicts one value only.
func constant(s report.Sheet) string {
	return fmt.Sprintf("This %s predicts %s for everyone.", s.Thing(), s.Always)
}

// adviceOnConstant is for a model that predicts one value only, of which no more is known.
func adviceOnConstant(m *model.Model, s report.Sheet) string {
	if s.Outcomes != nil {
		return constant(s) // every error costs 1
	}
	return constant(s) + adviceOnCosts(m, s, s.Always != s.Positive, 0)
}

// adviceOnCosts says how to find more rows of the label, which is rare: so many times
// rarer than the other, or 0 where that is not public. Costs are for what is chosen from
// a class; a threshold by risk is for what has risks of totals.
func adviceOnCosts(m *model.Model, s report.Sheet, label bool, times int64) string {
	said := ""
	flag, loss := "--false-positive", learn.Loss{FalsePositive: times, FalseNegative: 1}
	if label {
		flag, loss = "--false-negative", learn.Loss{FalsePositive: 1, FalseNegative: times}
	}
	if k, known := model.KindOf(m.Form.Name()); !known || k.Chosen() {
		if times == 0 {
			said = fmt.Sprintf(" If few rows are %s, find more of them by learning with %s N, N about how many times rarer they are; take N from public knowledge, not from this table.", s.Word(label), flag)
		} else {
			said = fmt.Sprintf(" Find more of %s by learning with %s %d, since they seem so many times rarer.", s.Word(label), flag, times)
		}
	}
	switch a := s.Assessment; {
	case a == nil || a.Kind != risk.Total || len(a.Risks) < 2:
	case times == 0:
		said += " Or take another threshold by the risks that sibyl show tells."
	default:
		said += fmt.Sprintf(" Or predict %s from a total of %d on: by the risks that the model states, errors that cost so are then cheapest.", s.Positive, a.Best(loss).At)
	}
	return said
}
