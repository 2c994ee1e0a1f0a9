package class

import (
	"context"
	"errors"
	"math/big"
)

// Records are distinct records, numbered from 0, with the cost of predicting each outcome, all
// equal records of the table taken together. Costs are integers of any sign.
//
// Record and Costs return those of a record, in into where they need room: what they return
// is read only, and lasts until into is used again.
type Records[X any] interface {
	Len() int
	Record(i int, into X) X
	Costs(i int, into []int64) []int64
}

// A Charged record is one of Listed.
type Charged[X any] struct {
	X     X
	Costs []int64 // of each outcome
}

// Listed are records in a list.
type Listed[X any] []Charged[X]

// Len returns how many there are.
func (l Listed[X]) Len() int { return len(l) }

// Record returns a record.
func (l Listed[X]) Record(i int, _ X) X { return l[i].X }

// Costs returns those of a record.
func (l Listed[X]) Costs(i int, _ []int64) []int64 { return l[i].Costs }

// Charge returns the points with their costs of predicting 0 and 1.
func Charge[X any](points []Point[X]) Records[X] { return charged[X](points) }

type charged[X any] []Point[X]

func (c charged[X]) Len() int                       { return len(c) }
func (c charged[X]) Record(i int, _ X) X            { return c[i].X }
func (c charged[X]) Costs(i int, _ []int64) []int64 { return c[i].Cost[:] }

// MostCost is the greatest absolute value of all costs together that fit the 62 bits in
// which classes work.
const MostCost = int64(1) << 61

// InRange tells whether the absolute values of all costs add up to most at most, and so
// bound the costs of all hypotheses, and their differences. most is MostCost at most.
func InRange[X any](records Records[X], most int64) bool {
	sum, costs := int64(0), []int64(nil)
	for i := range records.Len() {
		costs = records.Costs(i, costs)
		for _, c := range costs {
			if c < -most || c > most {
				return false
			}
			if sum += max(c, -c); sum > most {
				return false
			}
		}
	}
	return true
}

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
	// Outcomes returns how many outcomes are predicted, at least 2, which are
	// numbered from 0.
	Outcomes() int
	// Predict returns q(x), an outcome.
	Predict(h H, x X) int
	// Prior returns the probability of h, which is positive and public; those of
	// all hypotheses add up to 1.
	Prior(h H) *big.Rat
	// LeastPrior returns the least Prior of a hypothesis.
	LeastPrior() *big.Rat
	// Layout bounds what a Mass takes for at most so many distinct records, 0 or
	// more: a number that does not fall as they become more.
	Layout(records int64) Layout
	// Work returns about how many steps of some 10 ns a Mass takes on one thread for
	// so many distinct records, whatever they are.
	Work(records int64) int64
	// Mass bounds the sum for what the records are charged, by upper bounds decay(k)
	// on e^{-λk}, k ≥ 0, that are relatively tight to 2^-52. It fails with the
	// context's error, with ErrRange where costs are too large, and on nothing else
	// that depends on the records.
	Mass(ctx context.Context, records Records[X], decay func(k int64) Upper) (Mass[H], error)
	// Least returns a hypothesis of the least cost, and that cost. It fails as Mass does.
	Least(ctx context.Context, records Records[X]) (h H, cost int64, err error)
	// Verify proves that the least cost is that of h, by means that Least has no part in,
	// or fails with ErrNotLeast or the context's error. It calls progress, which may be nil,
	// with the parts of the work that are done and all parts, one call at a time.
	Verify(ctx context.Context, records Records[X], h H, cost int64, progress func(done, total int64)) error
	// VerifyWork bounds how many steps of some 10 ns Verify takes for so many records.
	VerifyWork(records int64) int64
}

// ErrNotLeast reports a hypothesis that is not of the least cost, or not of the cost that
// was stated.
var ErrNotLeast = errors.New("class: the hypothesis is not proved to have the least cost")

// A Mass is a summed class over one problem, or a set of hypotheses that a walker sums
// up. Each hypothesis q is reached by one sequence of options of a descent, and if w of
// s were the weights of its options and of all options beside them, then
//
//	Π w/s · f·e^{-λm} ≥ prior(q)·e^{-λ·cost(q)}, where f and m are Bound's.
//
// Hence f·e^{-λm} is at least the sum over all q.
type Mass[H any] interface {
	// Bound returns f, which is positive, and m.
	Bound() (f Upper, m int64)
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
func (e erasedSummed[X, H]) Work(records int64) int64    { return e.class.Work(records) }
func (e erasedSummed[X, H]) Outcomes() int               { return e.class.Outcomes() }
func (e erasedSummed[X, H]) Predict(h any, x X) int      { return e.class.Predict(h.(H), x) }
func (e erasedSummed[X, H]) Prior(h any) *big.Rat        { return e.class.Prior(h.(H)) }

func (e erasedSummed[X, H]) Contains(h any) bool {
	own, ok := h.(H)
	return ok && e.class.Contains(own)
}

func (e erasedSummed[X, H]) Mass(ctx context.Context, records Records[X], decay func(k int64) Upper) (Mass[any], error) {
	m, err := e.class.Mass(ctx, records, decay)
	if err != nil {
		return nil, err
	}
	return MapMass(m, 0, asAny[H]), nil
}

func (e erasedSummed[X, H]) Least(ctx context.Context, records Records[X]) (h any, cost int64, err error) {
	return e.class.Least(ctx, records)
}

func (e erasedSummed[X, H]) Verify(ctx context.Context, records Records[X], h any, cost int64, progress func(done, total int64)) error {
	own, ok := h.(H)
	if !ok {
		return ErrNotLeast
	}
	return e.class.Verify(ctx, records, own, cost, progress)
}

func (e erasedSummed[X, H]) VerifyWork(records int64) int64 { return e.class.VerifyWork(records) }
