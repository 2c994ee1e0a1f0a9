package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// A ConvexLoss is a public table of losses: one for each integer score from -s to s, in this order.
// The score of an example is positive if the prediction is correct. The 2s+1 losses are
// non-negative integers. They are convex: the differences of successive losses do not decrease.
type ConvexLoss []int64

// Hinge returns the table of the losses max(0, margin - score) for all scores from -most to most.
func Hinge(most int, margin int64) ConvexLoss {
	l := make(ConvexLoss, 2*most+1)
	for i := range l {
		l[i] = max(0, margin-int64(i-most))
	}
	return l
}

// Logistic returns a table of approximately unit·ln(1 + e^{-score/scale}) for the scores from -most
// to most. It rounds the differences of successive losses to integers, which keeps the table
// convex; rounding the losses themselves would not. If unit is less than scale, most differences
// are rounded to 0.
func Logistic(most int, scale, unit float64) ConvexLoss {
	loss := func(s int) float64 { return unit * math.Log1p(math.Exp(-float64(s)/scale)) }
	l := make(ConvexLoss, 2*most+1)
	for i := 2*most - 1; i >= 0; i-- {
		l[i] = l[i+1] + int64(math.Round(loss(i-most)-loss(i+1-most)))
	}
	return l
}

// Range returns the greatest loss of the table minus the least one.
func (l ConvexLoss) Range() int64 {
	low, high := l[0], l[0]
	for _, v := range l {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}

func (l ConvexLoss) check() error {
	if len(l) < 3 || len(l)%2 == 0 || len(l) > 2*MostScore+1 {
		return fmt.Errorf("learn: the convex loss has %d scores; their number must be odd, at least 3 and at most %d", len(l), 2*MostScore+1)
	}
	for i, v := range l {
		if v < 0 || v > MostConvexLoss {
			return fmt.Errorf("learn: the convex loss has the value %d, which is outside 0..%d", v, MostConvexLoss)
		}
		if i > 1 && l[i-1]-l[i-2] > v-l[i-1] {
			return fmt.Errorf("learn: the losses of the scores %d to %d are not convex", i-2-len(l)/2, i-len(l)/2)
		}
	}
	return nil
}

// The maximum values of the parameters of a BoxSpace ensure that all costs and bounds fit into 62
// bits.
const (
	MostScore      = 1 << 10
	MostConvexLoss = 1 << 16
	MostRidge      = 1 << 20
	MostDim        = 1 << 10
)

// A BoxSpace holds the public parameters of Box: from which integer weight vectors Box samples, and
// what each vector costs.
type BoxSpace struct {
	Dim     int   // number of weights, 1 to MostDim
	Weight  int64 // weights are the integers -Weight..Weight, at least 1
	Feature int64 // features are clamped to -Feature..Feature, at least 1
	// Norm, if not 0, is the maximum of Σ |x_j| of an example. The absolute values are added in
	// order; where the sum would exceed Norm, the feature is reduced so that the sum equals Norm,
	// and all later features become 0. A small Norm makes the range of the loss small, so that less
	// noise is needed. One-hot columns need only a small Norm.
	Norm int64
	// Loss is the loss of the score: Σ w_j·x_j for label 1, and -Σ w_j·x_j for label 0. Its domain
	// must contain all scores between ±Weight·Dim·Feature, or between ±Weight·Norm if that is less.
	Loss ConvexLoss
	// Ridge is the factor of the penalty Ridge·Σ w_j². It is at least 0.
	Ridge int64
}

// Box is the exponential mechanism over all integer weight vectors in a box, with a convex loss and a ridge
// penalty. It is Algorithm 1 and section 5.2 of Wang, Lei and Fienberg (2016), over a finite public set of weight
// vectors (a public cover).
//
// Box samples exactly, in any dimension, by adaptive rejection: it splits the box into smaller boxes, and convexity
// gives a lower bound on the cost over each of them. The running time grows with the dimension.
//
// Guarantee: pure ε-DP, without any approximation, and ε-bounded range (see privacy.BoundedRange). The probability
// of a weight vector is proportional to e^{-λ·cost}, with λ = ε/(2C) under replace-one and λ = ε/C under
// add-remove. C is the range of the loss (docs/explanation/proofs/box.md).
type Box struct {
	// Observe, if not nil, is called after each release with its work, which is private: it is
	// for the curator's log and not part of the release.
	Observe func(search.Effort)

	space     BoxSpace
	guarantee privacy.BoundedRange
	lambda    *big.Rat
}

// NewBox returns the exponential mechanism over the integer weight vectors of the box s, with a
// guarantee of ε under the neighbour relation r.
func NewBox(s BoxSpace, epsilon privacy.Decimal, r privacy.Relation) (*Box, error) {
	if err := s.Loss.check(); err != nil {
		return nil, err
	}
	switch {
	case s.Dim < 1 || s.Dim > MostDim:
		return nil, fmt.Errorf("learn: the number of weights, Dim, is %d, but must be 1 to %d", s.Dim, MostDim)
	case s.Weight < 1 || s.Feature < 1:
		return nil, fmt.Errorf("learn: the maximum weight, Weight, is %d and the maximum feature, Feature, is %d, but both must be at least 1", s.Weight, s.Feature)
	case s.Norm < 0:
		return nil, fmt.Errorf("learn: the maximum norm of a record, Norm, is %d, but must not be negative", s.Norm)
	}
	if most := int64(len(s.Loss) / 2); !s.reaches(most) {
		return nil, fmt.Errorf("learn: the scores of %d weights up to %d and features up to %d can exceed ±%d; decrease Weight or Feature, or set Norm", s.Dim, s.Weight, s.Feature, most)
	}
	if s.Ridge < 0 || s.Ridge > MostRidge {
		return nil, fmt.Errorf("learn: the ridge penalty is %d, but must be 0 to %d", s.Ridge, MostRidge)
	}
	if err := OfRows(r, "a box"); err != nil {
		return nil, err
	}
	if s.Loss.Range() == 0 {
		return nil, fmt.Errorf("learn: the convex loss must not be constant")
	}
	g, err := privacy.NewBoundedRange(r, epsilon)
	if err != nil {
		return nil, err
	}
	c := s.Loss.Range()
	if r.Replaces() {
		c *= 2
	}
	return &Box{space: s, guarantee: g, lambda: new(big.Rat).Quo(epsilon.Rat(), new(big.Rat).SetInt64(c))}, nil
}

// Guarantee returns the privacy guarantee, which holds for every release.
func (m *Box) Guarantee() privacy.Guarantee { return m.guarantee }

// Rate returns λ, a public parameter. Box samples a weight vector with probability proportional to
// e^{-λ·cost}.
func (m *Box) Rate() *big.Rat { return new(big.Rat).Set(m.lambda) }

// Size returns the number of weight vectors in the box.
func (m *Box) Size() *big.Int {
	side := big.NewInt(2*m.space.Weight + 1)
	return side.Exp(side, big.NewInt(int64(m.space.Dim)), nil)
}

// Release samples a weight vector. An example should have one feature for each weight: missing
// features are treated as 0, and additional features are ignored. Release fails with the context's
// error, or with ErrRows before it uses any randomness.
func (m *Box) Release(ctx context.Context, d []Example[[]int64], coins noise.Coins) ([]int64, error) {
	if err := countable(Listed[[]int64](d)); err != nil {
		return nil, err
	}
	lambda, _ := m.lambda.Float64()
	w, effort, err := search.SampleEffort(ctx, newBoxTree(m.space, d, lambda), m.lambda, coins)
	if m.Observe != nil {
		m.Observe(effort)
	}
	return w, err
}

// Cost returns the exact loss of the weights w on the examples d, plus the penalty of w. It is not
// private.
func (m *Box) Cost(w []int64, d []Example[[]int64]) int64 { return newBoxTree(m.space, d, 0).cost(w) }

// Excess bounds the excess of a release on a table with the given number of rows: the cost of the
// released weights, including the penalty, minus the minimum cost of all weights in the box. The
// bounds are derived like those of Exponential.
func (m *Box) Excess(rows int64) Excess {
	lambda, _ := m.lambda.Float64()
	size := logBig(m.Size())
	top := float64(rows)*float64(m.space.Loss.Range()) + float64(m.space.ceiling())
	return drawn(size, lambda, top)
}

// reaches reports whether all scores are in -most..most, for all weight vectors of the box and all
// possible features.
func (s BoxSpace) reaches(most int64) bool {
	each := most / s.Weight // maximum of the sum of absolute features
	return s.Norm > 0 && s.Norm <= each || s.Feature <= each && int64(s.Dim) <= each/s.Feature
}

// ceiling returns the maximum ridge penalty, Ridge·Σ w_j², of a weight vector in the box.
func (s BoxSpace) ceiling() int64 { return int64(s.Dim) * s.Ridge * s.Weight * s.Weight }
