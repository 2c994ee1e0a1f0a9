package main

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/report"
)

// Where one label is rare, the model with the fewest errors may predict the other for
// everyone: an accuracy of 98 % then says nothing. The advice says so, and what to do.
// It is a function of what is released, or for the curator alone.

// adviceOn returns what to say of a model so assessed, or nothing. The ratio of the
// labels is named only where it is an estimate that was paid for: as a public cost,
// an exact one would tell of the table.
func adviceOn(m *model.Model, s report.Sheet, a assessment, private bool) string {
	positive := new(big.Int).Add(a.outcomes[learn.TruePositive].value, a.outcomes[learn.FalseNegative].value)
	negative := new(big.Int).Add(a.outcomes[learn.FalsePositive].value, a.outcomes[learn.TrueNegative].value)
	common := positive.Cmp(negative) > 0
	most, fewest := negative, positive
	if common {
		most, fewest = positive, negative
	}
	baseline := ratio(most, fewest)
	said := ""
	switch {
	case s.Always != "":
		said = constant(s)
	case baseline == nil || a.accuracy.value == nil || a.accuracy.value.Cmp(baseline) > 0:
		return ""
	default:
		said = fmt.Sprintf("Predicting %s for everyone would be right in %s of the rows inside: as often, or more.", s.Word(common), percentage(baseline, 0))
	}
	if fewest.Sign() == 0 {
		return said
	}
	times := new(big.Int).Quo(most, fewest)
	switch {
	case times.Cmp(big.NewInt(2)) < 0 || times.Cmp(big.NewInt(learn.MostLoss)) > 0:
		return said
	case !private:
		return said + adviceOnCosts(m, s, !common, "")
	}
	return said + adviceOnCosts(m, s, !common, times.String())
}

// constant says that a model predicts one value only.
func constant(s report.Sheet) string {
	return fmt.Sprintf("This %s predicts %s for everyone.", s.Thing(), s.Always)
}

// adviceOnConstant is for a model that predicts one value only, of which no more is known.
func adviceOnConstant(m *model.Model, s report.Sheet) string {
	return constant(s) + adviceOnCosts(m, s, s.Always != s.Positive, "")
}

// adviceOnCosts says how to find more rows of the label, which is rare: so many times
// rarer than the other, or nothing where that is not public. Costs are for what is
// chosen from a class.
func adviceOnCosts(m *model.Model, s report.Sheet, label bool, times string) string {
	if space, err := m.Over(); err != nil || space.Class() == nil {
		return ""
	}
	flag := "--false-positive"
	if label {
		flag = "--false-negative"
	}
	if times == "" {
		return fmt.Sprintf(" If few rows are %s, find more of them by learning with %s N, N about how many times rarer they are; take N from public knowledge, not from this table.", s.Word(label), flag)
	}
	return fmt.Sprintf(" Find more of %s by learning with %s %s, since they seem so many times rarer.", s.Word(label), flag, times)
}
