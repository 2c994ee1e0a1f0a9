package learn

import (
	"fmt"
	"slices"
)

// A CostMatrix holds the cost of each prediction for each outcome, that is, for each class of the
// label. It is a public parameter.
type CostMatrix struct {
	costs [][]int64 // by outcome and prediction
	loss  Loss      // the maximum cost of each kind of error, from which the rate follows
	unit  int64     // the cost of a misclassification
}

// CostMatrix returns the cost matrix for a label with the given number of outcomes. For two
// outcomes, it contains the costs l.FalsePositive and l.FalseNegative. For more outcomes, each
// misclassification costs 1, whatever the costs of l.
func (l Loss) CostMatrix(outcomes int) CostMatrix {
	if outcomes > 2 {
		return ByError(outcomes)
	}
	return CostMatrix{[][]int64{{0, l.FalsePositive}, {l.FalseNegative, 0}}, l, 1}
}

// ByError returns the cost matrix in which every misclassification costs 1, for a label with the
// given number of outcomes.
func ByError(outcomes int) CostMatrix {
	c := CostMatrix{loss: ZeroOne, unit: 1}
	for y := range outcomes {
		costs := slices.Repeat([]int64{1}, outcomes)
		costs[y] = 0
		c.costs = append(c.costs, costs)
	}
	return c
}

// Graded returns the cost matrix for hypotheses that predict a risk level instead of an outcome.
// There are GradedLevels levels, which mean that the probability of a positive label is 10, 35, 65
// or 90 %. The cost is the squared error of this probability, shifted and scaled to the range from
// 0 to the cost of a misclassification. It favours hypotheses whose levels rank people well, and
// not only those with few misclassifications at the threshold ½
// (docs/explanation/proofs/dectree.md, section 9).
func Graded() CostMatrix {
	negative := []int64{0, 9, 33, gradedUnit} // in units of 1/gradedUnit
	positive := slices.Clone(negative)
	slices.Reverse(positive)
	return CostMatrix{[][]int64{negative, positive}, Loss{gradedUnit, gradedUnit}, gradedUnit}
}

// GradedLevels is the number of risk levels that hypotheses for the cost matrix Graded can predict.
const GradedLevels = 4

const gradedUnit = 64

// GradedOutcome returns the outcome that is more likely at the given risk level, 0 or 1.
func GradedOutcome(level int) int { return level / (GradedLevels / 2) }

// predicts returns an error unless the cost matrix is for hypotheses that predict the given number
// of outcomes.
func (c CostMatrix) predicts(outcomes int) error {
	if n := len(c.costs[0]); n != outcomes {
		return fmt.Errorf("learn: the cost matrix is for %d outcomes, but the class predicts %d outcomes", n, outcomes)
	}
	return nil
}
