package learn

import (
	"fmt"
	"slices"
)

// A Charge is what each prediction of a record costs, by its outcome: a public parameter.
type Charge struct {
	costs [][]int64
	loss  Loss  // the greatest costs by kind, from which the rate follows
	unit  int64 // what an error costs
}

// Charge charges for errors of two outcomes by their kind, and of more by their number.
func (l Loss) Charge(outcomes int) Charge {
	if outcomes > 2 {
		return ByError(outcomes)
	}
	return Charge{[][]int64{{0, l.FalsePositive}, {l.FalseNegative, 0}}, l, 1}
}

// ByError charges 1 for every prediction that is not the outcome.
func ByError(outcomes int) Charge {
	c := Charge{loss: ZeroOne, unit: 1}
	for y := range outcomes {
		costs := slices.Repeat([]int64{1}, outcomes)
		costs[y] = 0
		c.costs = append(c.costs, costs)
	}
	return c
}

// Graded charges for predicting one of GradedLevels levels: that the risk of a positive label
// is 10, 35, 65 or 90 %. It is the squared error of these risks, less its least and in the unit
// of the greatest, so that the most that a row costs is 1 as for an error: what ranks people well
// is preferred, and not only what tells them apart at one half (docs/explanation/proofs/dectree.md, section 9).
func Graded() Charge {
	negative := []int64{0, 9, 33, gradedUnit} // in parts of gradedUnit
	positive := slices.Clone(negative)
	slices.Reverse(positive)
	return Charge{[][]int64{negative, positive}, Loss{gradedUnit, gradedUnit}, gradedUnit}
}

// GradedLevels is how many levels there are.
const GradedLevels = 4

const gradedUnit = 64

// GradedOutcome is the more likely of two outcomes at a level.
func GradedOutcome(level int) int { return level / (GradedLevels / 2) }

// predicts checks that a class predicts so many outcomes.
func (c Charge) predicts(outcomes int) error {
	if n := len(c.costs[0]); n != outcomes {
		return fmt.Errorf("learn: the charge is for %d outcomes, and the class predicts %d", n, outcomes)
	}
	return nil
}
