package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A budget divides the permitted probability of error among the intervals of an assessment. By a union bound, the
// probability that any interval misses its value is at most 1 - Confidence (docs/explanation/proofs/risk.md,
// section 3). The division differs between labels with two outcomes and labels with more.
type budget struct {
	share float64  // ln(1/p), where p is the probability with which one bound of a share may miss
	count *big.Rat // the probability with which the interval of a count may miss, for both ends together
}

// areaMiss and shareMiss are two parts of the probability of error, for labels with two outcomes. The part areaMiss
// is for the area under the receiver operating characteristic or, if the grades are leaves whose order was
// estimated from the same counts, for all thresholds together. The part shareMiss is for all other intervals.
const (
	areaMiss  = 0.01
	shareMiss = 1 - Confidence - areaMiss
)

// newBudget returns the budget for an assessment with the given target, kind of grades, and numbers of grades and
// outcomes.
func newBudget(of Target, k Kind, grades, outcomes int) budget {
	n := bounds(k, grades, outcomes)
	log := math.Log(float64(n))
	switch {
	case outcomes > 2:
		return budget{log - math.Log(1-Confidence), big.NewRat(1, 10*int64(n))}
	case boxed(of, k): // only counts have intervals of their own
		return budget{log - math.Log(shareMiss), big.NewRat(1, 20*int64(countStatements(outcomes)))}
	}
	return budget{log - math.Log(shareMiss), big.NewRat(2, 25*int64(n))}
}

// bounds returns the number of probabilistic bounds that an assessment uses: three for each share, of which two are
// for the ends of its interval and one for the number of rows, and two for each count, for the ends of its
// interval.
func bounds(k Kind, grades, outcomes int) int {
	return 3*shareStatements(k, grades, outcomes) + 2*countStatements(outcomes)
}

// countStatements returns the number of counts in an assessment that have an interval of their own. All other
// counts follow from these:
//   - the entries of the confusion matrix
//   - the rows outside the domain
//   - the misclassified rows
//   - the correctly classified rows
func countStatements(outcomes int) int { return outcomes*outcomes + 3 }

// shareStatements returns the number of shares in an assessment that have an interval of their own. If there are
// two outcomes and the scale is ordered, two further shares follow from others: the accuracy is one minus the error
// rate at the model's own threshold, and the prevalence is the risk of all grades together.
func shareStatements(k Kind, grades, outcomes int) int {
	switch {
	case outcomes > 2 && k == Leaf:
		return 1 + 2*outcomes + grades*outcomes // accuracy, sensitivities, precisions, risks
	case outcomes > 2:
		return 1 + 2*outcomes
	case k == Rule:
		return grades + 4 // risks, prevalence, accuracy, sensitivity, specificity
	case k == Leaf:
		return grades + 4 + 3*(grades-1) // also sensitivities, specificities and error rates for an order that was fixed before
	}
	return grades*(grades+1)/2 + 3*grades - 1 // risks of all runs, sensitivities, specificities, error rates
}

// mostConvolved is the maximum number of noisy counts in a sum for which the exact distribution of the noise is
// computed.
const mostConvolved = 64

// width returns half the width of the interval for the sum of the given number of noisy counts, in units of
// 1/learn.Units(r) of a person or row. The relation r = 0 means exact counts, for which the width is 0.
func (b budget) width(cells int, epsilon privacy.Decimal, r privacy.Relation) *big.Int {
	if r == 0 || cells == 0 {
		return new(big.Int)
	}
	if cells > mostConvolved {
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

// Widths returns upper bounds on half the widths of two intervals, in rows or persons: that of the number of
// misclassified rows, and that of an entry of the confusion matrix. The bounds do not depend on data. Widths
// returns the errors of learn.NewHistogram.
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

// GradeWidth returns an upper bound on half the width of the interval for the number of rows or persons with one
// outcome and one grade. The bound does not depend on data. GradeWidth returns the errors of learn.NewHistogram.
func GradeWidth(k Kind, grades, outcomes int, epsilon privacy.Decimal, r privacy.Relation) (*big.Int, error) {
	if _, err := learn.NewHistogram(outcomes*grades+1, epsilon, r); err != nil {
		return nil, err
	}
	return up(newBudget(Rows, k, grades, outcomes).width(1, epsilon, r), big.NewInt(learn.Units(r))), nil
}
