package class

import (
	"context"
	"errors"
	"math/big"
)

// Records is a list of distinct records, numbered from 0, with their costs. Record returns record
// i. Costs returns, for each outcome, the cost of predicting it for record i, summed over all equal
// records of the table. Costs are integers of either sign.
//
// Record and Costs may store their result in the memory of the parameter into. So the caller must
// not change the result, and it is valid only until that memory is used again.
type Records[X any] interface {
	Len() int
	Record(i int, into X) X
	Costs(i int, into []int64) []int64
}

// A Charged record is a record with its costs, one for each outcome. A Listed is a list of them.
type Charged[X any] struct {
	X     X
	Costs []int64 // the cost of predicting each outcome
}

// Listed is a list of records in memory. It implements Records.
type Listed[X any] []Charged[X]

// Len returns the number of records.
func (l Listed[X]) Len() int { return len(l) }

// Record returns the record with number i.
func (l Listed[X]) Record(i int, _ X) X { return l[i].X }

// Costs returns the costs of the record with number i.
func (l Listed[X]) Costs(i int, _ []int64) []int64 { return l[i].Costs }

// Charge returns the points of a problem as Records with two outcomes: the predictions 0 and 1.
func Charge[X any](points []Point[X]) Records[X] { return charged[X](points) }

type charged[X any] []Point[X]

func (c charged[X]) Len() int                       { return len(c) }
func (c charged[X]) Record(i int, _ X) X            { return c[i].X }
func (c charged[X]) Costs(i int, _ []int64) []int64 { return c[i].Cost[:] }

// MostCost is the maximum sum of the absolute costs of all records. It ensures that the cost of
// every hypothesis fits into 62 bits, the size of the integers with which classes compute.
const MostCost = int64(1) << 61

// InRange reports whether the absolute values of all costs of the records sum to at most the given
// limit, which must not exceed MostCost. This sum bounds the absolute cost of each hypothesis, and
// the difference between the costs of any two hypotheses.
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

// A Tractable class has a public prior, and a tight upper bound on its partition function: the sum
// of prior·e^{-λ·cost} over all hypotheses, where λ is the rate of the exponential mechanism. With
// this bound, the class is sampled without a search: a hypothesis is built by a sequence of random
// choices. Each option of a choice has a probability proportional to an upper bound on the sum over
// the hypotheses to which the option leads. The hypotheses of a Tractable class have no penalty,
// and the class has no separator.
type Tractable[X, H any] interface {
	// String describes the class and its public parameters for people.
	String() string
	// Size returns the exact number of hypotheses.
	Size() *big.Int
	// Contains reports whether h belongs to the class.
	Contains(h H) bool
	// Outcomes returns the number of outcomes, at least 2. Outcomes are numbered from 0.
	Outcomes() int
	// Predict returns the outcome that h predicts for x.
	Predict(h H, x X) int
	// Prior returns the prior probability of h, which is positive and public. The probabilities
	// of all hypotheses sum to 1.
	Prior(h H) *big.Rat
	// LeastPrior returns the minimum of Prior over all hypotheses.
	LeastPrior() *big.Rat
	// Layout bounds the memory of a Mass over at most the given number of distinct records. The
	// bound does not decrease as that number grows.
	Layout(records int64) Layout
	// Work estimates the time of Mass on one thread, in units of about 10 ns, for the given number
	// of distinct records. It does not depend on the contents of the records.
	Work(records int64) int64
	// Mass returns an upper bound on the partition function for the costs of the records. decay(k)
	// is an upper bound on e^{-λk} for k ≥ 0, with a relative error below 2^-52. Mass fails with
	// the context's error, or with ErrRange if costs are too large. No other error depends on the
	// records.
	Mass(ctx context.Context, records Records[X], decay func(k int64) Upper) (Mass[H], error)
	// Least returns a hypothesis with minimum cost, and its cost. It fails as Mass does.
	Least(ctx context.Context, records Records[X]) (h H, cost int64, err error)
	// Verify checks that h has the given cost and that no hypothesis costs less. It shares no code with Least. If the
	// check fails, it returns ErrNotLeast; otherwise it fails only with the context's error. It divides the work into
	// parts, and calls the function progress, which may be nil, with the number of finished parts and the number of all
	// parts. Calls of progress are not concurrent.
	Verify(ctx context.Context, records Records[X], h H, cost int64, progress func(done, total int64)) error
	// VerifyWork bounds the time of Verify for the given number of records, in units of about 10
	// ns.
	VerifyWork(records int64) int64
}

// ErrNotLeast is the error of Tractable.Verify if the hypothesis does not have the given cost, or
// if another hypothesis costs less.
var ErrNotLeast = errors.New("class: the check of the least cost failed")

// A Mass is an upper bound on the partition function of a set of hypotheses for one problem, from
// which hypotheses can be sampled. The set is a tractable class, or the hypotheses below a node of
// a tree. A Descent samples a hypothesis from the Mass by a sequence of random choices. The options
// of a choice have weights, and each is chosen with probability proportional to its weight. Exactly
// one sequence of options leads to each hypothesis q. Let π(q) be the probability of this sequence.
// Then
//
//	π(q) · f·e^{-λm} ≥ prior(q)·e^{-λ·cost(q)}, where Bound returns f and m.
//
// So f·e^{-λm} is at least the partition function.
type Mass[H any] interface {
	// Bound returns the numbers f > 0 and m of the bound f·e^{-λm} on the partition function.
	Bound() (f Upper, m int64)
	// Descend returns a new descent, which samples a hypothesis from the mass.
	Descend() Descent[H]
}

// A Descent samples a hypothesis from a Mass by a sequence of choices. At each point it either
// offers a choice between options, or it has arrived at a hypothesis. Its state depends only on the
// mass and on the options chosen so far.
type Descent[H any] interface {
	// Weights returns the partial sums of the weights of the options, or nil at a hypothesis.
	// All weights are positive. It fails only with the context's error.
	Weights(context.Context) ([]uint64, error)
	// Take chooses option i of the current choice.
	Take(i int)
	// Hypothesis returns the hypothesis, its prior and its cost.
	Hypothesis() (h H, prior *big.Rat, cost int64)
}

// EraseTractable returns the class with hypotheses of type any, as Erase does for a Class.
func EraseTractable[X, H any](c Tractable[X, H]) Tractable[X, any] { return &erasedTractable[X, H]{c} }

type erasedTractable[X, H any] struct{ class Tractable[X, H] }

func (e *erasedTractable[X, H]) String() string              { return e.class.String() }
func (e *erasedTractable[X, H]) Size() *big.Int              { return e.class.Size() }
func (e *erasedTractable[X, H]) LeastPrior() *big.Rat        { return e.class.LeastPrior() }
func (e *erasedTractable[X, H]) Layout(records int64) Layout { return e.class.Layout(records) }
func (e *erasedTractable[X, H]) Work(records int64) int64    { return e.class.Work(records) }
func (e *erasedTractable[X, H]) Outcomes() int               { return e.class.Outcomes() }
func (e *erasedTractable[X, H]) Predict(h any, x X) int      { return e.class.Predict(h.(H), x) }
func (e *erasedTractable[X, H]) Prior(h any) *big.Rat        { return e.class.Prior(h.(H)) }

func (e *erasedTractable[X, H]) Contains(h any) bool {
	own, ok := h.(H)
	return ok && e.class.Contains(own)
}

func (e *erasedTractable[X, H]) Mass(ctx context.Context, records Records[X], decay func(k int64) Upper) (Mass[any], error) {
	m, err := e.class.Mass(ctx, records, decay)
	if err != nil {
		return nil, err
	}
	return MapMass(m, 0, asAny[H]), nil
}

func (e *erasedTractable[X, H]) Least(ctx context.Context, records Records[X]) (h any, cost int64, err error) {
	return e.class.Least(ctx, records)
}

func (e *erasedTractable[X, H]) Verify(ctx context.Context, records Records[X], h any, cost int64, progress func(done, total int64)) error {
	own, ok := h.(H)
	if !ok {
		return ErrNotLeast
	}
	return e.class.Verify(ctx, records, own, cost, progress)
}

func (e *erasedTractable[X, H]) VerifyWork(records int64) int64 { return e.class.VerifyWork(records) }
