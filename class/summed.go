package class

import (
	"context"
	"math/big"
)

// A Summed class has a public prior, and can bound the sum of prior·e^{-λ·cost} over
// all its hypotheses so tightly that it is drawn from without a search: from the top
// down, by what is bounded below each option. Its hypotheses have no penalty, and no
// separator.
type Summed[X, H any] interface {
	// String describes the class for people, with its public parameters.
	String() string
	// Size returns the exact number of hypotheses.
	Size() *big.Int
	// Contains tells whether h belongs to the class.
	Contains(h H) bool
	// Predict returns q(x).
	Predict(h H, x X) bool
	// Prior returns the probability of h, which is positive and public; those of
	// all hypotheses add up to 1.
	Prior(h H) *big.Rat
	// LeastPrior returns the least Prior of a hypothesis.
	LeastPrior() *big.Rat
	// Layout bounds what a Mass takes for at most so many distinct records, 0 or
	// more: a number that does not fall as they become more.
	Layout(records int64) Layout
	// Work returns about how many steps of some 10 ns a Mass takes on one thread,
	// by public numbers alone.
	Work() int64
	// Mass bounds the sum for the costs of the points. decay(k) is at least e^{-λk},
	// for k ≥ 0. It fails with the context's error, with ErrRange where costs
	// are too large, and on nothing else that depends on the points.
	Mass(ctx context.Context, points []Point[X], decay func(k int64) Upper) (Mass[H], error)
}

// A Mass is a summed class over one problem. Each hypothesis q is reached by one
// sequence of options of a descent, and if w of s were the weights of its options
// and of all options beside them, then
//
//	Π w/s · f·e^{-λm} ≥ prior(q)·e^{-λ·cost(q)}, where f and m are Bound's.
//
// Hence f·e^{-λm} is at least the sum over all q.
type Mass[H any] interface {
	// Bound returns f and m.
	Bound() (f *big.Rat, m int64)
	// Descend begins a descent.
	Descend() Descent[H]
}

// A Descent stands at a choice between options, or at a hypothesis. What it offers
// is a function of the mass and of what it took.
type Descent[H any] interface {
	// Weights returns the partial sums of the weights of the options, all
	// positive, or nil at a hypothesis. It fails with the context's error only.
	Weights(context.Context) ([]uint64, error)
	// Take takes option i.
	Take(i int)
	// Hypothesis returns the hypothesis, its prior and its cost.
	Hypothesis() (h H, prior *big.Rat, cost int64)
}

// EraseSummed returns the same class with its type of hypotheses forgotten, as
// Erase does.
func EraseSummed[X, H any](c Summed[X, H]) Summed[X, any] { return erasedSummed[X, H]{c} }

type erasedSummed[X, H any] struct{ class Summed[X, H] }

func (e erasedSummed[X, H]) String() string              { return e.class.String() }
func (e erasedSummed[X, H]) Size() *big.Int              { return e.class.Size() }
func (e erasedSummed[X, H]) LeastPrior() *big.Rat        { return e.class.LeastPrior() }
func (e erasedSummed[X, H]) Layout(records int64) Layout { return e.class.Layout(records) }
func (e erasedSummed[X, H]) Work() int64                 { return e.class.Work() }
func (e erasedSummed[X, H]) Predict(h any, x X) bool     { return e.class.Predict(h.(H), x) }
func (e erasedSummed[X, H]) Prior(h any) *big.Rat        { return e.class.Prior(h.(H)) }

func (e erasedSummed[X, H]) Contains(h any) bool {
	own, ok := h.(H)
	return ok && e.class.Contains(own)
}

func (e erasedSummed[X, H]) Mass(ctx context.Context, points []Point[X], decay func(k int64) Upper) (Mass[any], error) {
	m, err := e.class.Mass(ctx, points, decay)
	if err != nil {
		return nil, err
	}
	return erasedMass[H]{m}, nil
}

type erasedMass[H any] struct{ Mass[H] }

func (m erasedMass[H]) Descend() Descent[any] { return erasedDescent[H]{m.Mass.Descend()} }

type erasedDescent[H any] struct{ Descent[H] }

func (d erasedDescent[H]) Hypothesis() (h any, prior *big.Rat, cost int64) {
	return d.Descent.Hypothesis()
}
