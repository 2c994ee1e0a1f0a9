package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A budget divides the probability 1 - Confidence that some interval of an assessment misses its
// value among the intervals, by a union bound (docs/explanation/proofs/risk.md, section 3). Two
// outcomes and more divide it in different ways.
type budget struct {
	share float64  // ln(1/p), where p bounds the probability that one bound of a share misses
	count *big.Rat // the probability that the interval of a count misses, on both sides together
}

// For two outcomes, areaMiss is the part of 1 - Confidence for the area under the characteristic,
// or for all thresholds of leaves in an order that was estimated from the same counts. shareMiss
// is the part for all other intervals.
const (
	areaMiss  = 0.01
	shareMiss = 1 - Confidence - areaMiss
)

// newBudget divides the probability for an assessment of a scale with this number of grades and
// outcomes.
func newBudget(of Target, k Kind, grades, outcomes int) budget {
	n := bounds(k, grades, outcomes)
	log := math.Log(float64(n))
	switch {
	case outcomes > 2:
		return budget{log - math.Log(1-Confidence), big.NewRat(1, 10*int64(n))}
	case boxed(of, k): // nothing but counts is stated
		return budget{log - math.Log(shareMiss), big.NewRat(1, 20*int64(countStatements(outcomes)))}
	}
	return budget{log - math.Log(shareMiss), big.NewRat(2, 25*int64(n))}
}

// bounds returns the number of bounds among which the probability is divided: three for each share
// (two ends and the number of rows), two for each count.
func bounds(k Kind, grades, outcomes int) int {
	return 3*shareStatements(k, grades, outcomes) + 2*countStatements(outcomes)
}

// countStatements returns the number of counts that an assessment states: the confusion matrix,
// the rows outside, the misclassified and the correctly classified ones. All others follow.
func countStatements(outcomes int) int { return outcomes*outcomes + 3 }

// shareStatements returns the number of shares that an assessment states. For two outcomes on an
// ordered scale, the accuracy is one less the errors at the model's own threshold, and the
// prevalence is the risk of the longest run.
func shareStatements(k Kind, grades, outcomes int) int {
	switch {
	case outcomes > 2 && k == Leaf:
		return 1 + 2*outcomes + grades*outcomes // accuracy, sensitivities, precisions, risks
	case outcomes > 2:
		return 1 + 2*outcomes
	case k == Rule:
		return grades + 4 // risks, prevalence, accuracy, sensitivity, specificity
	case k == Leaf:
		return grades + 4 + 3*(grades-1) // also sensitivities, specificities, errors in an order fixed before
	}
	return grades*(grades+1)/2 + 3*grades - 1 // risks of any run, sensitivities, specificities, errors
}

// mostSummed is the maximum number of cells for which the exact distribution of the noise of a sum
// is evaluated.
const mostSummed = 64

// width returns the half-width, in units, of the interval of a sum of cells: 0 for exact counts.
func (b budget) width(cells int, epsilon privacy.Decimal, r privacy.Relation) *big.Int {
	if r == 0 || cells == 0 {
		return new(big.Int)
	}
	if cells > mostSummed {
		l := strayer{scale: noiseScale(epsilon, r), units: float64(learn.Units(r)), log: b.share}
		w := l.width(cells) * l.units
		whole, _ := big.NewFloat(math.Ceil(w * (1 + rounding))).Int(nil)
		return whole
	}
	h, err := learn.NewHistogram(cells, epsilon, r)
	if err != nil {
		panic(err) // the histogram was released, or is about to be
	}
	return h.HalfWidth(cells, b.count)
}

// Widths returns upper bounds, before data is read, on the half-widths of the intervals of the
// number of misclassified rows and of an entry of the confusion matrix, in rows or persons. The
// error is that of learn.NewHistogram.
func Widths(k Kind, grades, outcomes int, epsilon privacy.Decimal, r privacy.Relation) (errors, cell *big.Int, err error) {
	if _, err := learn.NewHistogram(outcomes*grades+1, epsilon, r); err != nil {
		return nil, nil, err
	}
	most := grades
	if k == Prediction {
		most = 1
	}
	b := newBudget(Rows, k, grades, outcomes)
	width := func(cells int) *big.Int { return up(b.width(cells, epsilon, r), big.NewInt(learn.Units(r))) }
	return width(grades * (outcomes - 1)), width(most), nil
}

// GradeWidth is like Widths, for the number of rows or persons of one outcome at one grade.
func GradeWidth(k Kind, grades, outcomes int, epsilon privacy.Decimal, r privacy.Relation) (*big.Int, error) {
	if _, err := learn.NewHistogram(outcomes*grades+1, epsilon, r); err != nil {
		return nil, err
	}
	return up(newBudget(Rows, k, grades, outcomes).width(1, epsilon, r), big.NewInt(learn.Units(r))), nil
}
