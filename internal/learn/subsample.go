package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Subsample runs a mechanism on a secret random sample of the rows, which amplifies its guarantee.
// If the mechanism is (ε, δ)-DP, and the sample is a share γ of the rows, the result is (ε', γδ)-DP
// with ε' = ln(1 + γ(e^ε - 1)) (docs/explanation/proofs/subsampling.md; the pure case is Lemma 34
// of Wang, Lei and Fienberg 2016). Each release uses a new sample, which must stay secret.
//
// Subsampling makes a given mechanism more private. At a given ε it does not make a learner more
// accurate, because it adds sampling error, and it does not make an exact sampler faster.
type Subsample[X, T any] struct {
	inner     privacy.Mechanism[[]Example[X], T]
	rows, k   int64    // sample of k of the rows, without replacement
	rate      *big.Rat // the sampling rate γ
	guarantee privacy.Guarantee
}

// NewSubsample returns the mechanism that samples k of n rows without replacement and runs the
// inner mechanism on them. The number n is public, and 1 ≤ k ≤ n ≤ MostRows. Null records, which
// are in no example, are sampled like all other rows.
//
// The guarantee of the inner mechanism must be under replace-one, and pure or (ε, δ).
func NewSubsample[X, T any](inner privacy.Mechanism[[]Example[X], T], n, k int64) (*Subsample[X, T], error) {
	if k < 1 || k > n || n > MostRows {
		return nil, fmt.Errorf("learn: a sample of %d rows of a table of %d is not supported; sample at least 1 row and at most all, from at most 2^31 rows", k, n)
	}
	return newSubsample(inner, privacy.ReplaceOne, n, k, big.NewRat(k, n))
}

// NewPoissonSubsample returns the mechanism that samples each row independently with the
// probability rate, above 0 and at most 1, and runs the inner mechanism on the sample. The number
// of rows need not be public.
//
// The guarantee of the inner mechanism must be under add-remove, and pure or (ε, δ).
func NewPoissonSubsample[X, T any](inner privacy.Mechanism[[]Example[X], T], rate privacy.Decimal) (*Subsample[X, T], error) {
	if rate.IsZero() || rate.Rat().Cmp(big.NewRat(1, 1)) > 0 {
		return nil, fmt.Errorf("learn: the sampling rate is %v, but must be above 0 and at most 1", rate)
	}
	return newSubsample(inner, privacy.AddRemove, 0, 0, rate.Rat())
}

func newSubsample[X, T any](inner privacy.Mechanism[[]Example[X], T], r privacy.Relation, n, k int64, rate *big.Rat) (*Subsample[X, T], error) {
	if got := inner.Guarantee().Relation(); got != r {
		return nil, fmt.Errorf("learn: the neighbour relation of the sampling is %v, but that of the mechanism is %v; they must be the same", r, got)
	}
	g, err := Amplify(inner.Guarantee(), rate)
	if err != nil {
		return nil, err
	}
	return &Subsample[X, T]{inner, n, k, rate, g}, nil
}

// Guarantee returns the amplified guarantee, with ε and δ rounded up.
func (m *Subsample[X, T]) Guarantee() privacy.Guarantee { return m.guarantee }

// Rate returns γ, the public share of the rows in the sample.
func (m *Subsample[X, T]) Rate() *big.Rat { return new(big.Rat).Set(m.rate) }

// Release runs the inner mechanism on a sample of the rows. Under replace-one, it treats a table
// with fewer rows than the public number as if it were padded with null records.
//
// Release fails before it uses any randomness if the table has too many rows: with ErrSize under
// replace-one, if there are more than the public number of rows, and with ErrRows under add-remove.
// Release also fails with the errors of the inner mechanism.
func (m *Subsample[X, T]) Release(ctx context.Context, d []Example[X], coins noise.Coins) (T, error) {
	if !m.guarantee.Relation().Replaces() {
		if err := countable(Listed[X](d)); err != nil {
			var none T
			return none, err
		}
		return m.inner.Release(ctx, thin(coins, d, m.rate), coins)
	}
	if err := CheckRows(Listed[X](d), m.rows, ErrSize); err != nil {
		var none T
		return none, err
	}
	return m.inner.Release(ctx, Split(coins, d, []int64{m.k, m.rows - m.k})[0], coins)
}

// amplifiedDigits is the number of significant digits to which the ε and δ of an amplified
// guarantee are rounded up.
const amplifiedDigits = 9

// Amplify returns the guarantee of a mechanism on a secret sample of the rows, given its guarantee
// g without sampling. The parameter rate is the share of the rows in the sample. Under replace-one,
// the sample has a fixed size and is drawn without replacement. Under add-remove, each row is
// sampled independently. ε and δ are rounded up to 9 significant digits. Amplify fails unless g is
// pure (possibly a composition of pure guarantees) or (ε, δ).
func Amplify(g privacy.Guarantee, rate *big.Rat) (privacy.Guarantee, error) {
	var delta *big.Rat
	var epsilon privacy.Decimal
	if a, ok := g.(privacy.Approximate); ok {
		epsilon, delta = a.Epsilon(), a.DeltaAtEpsilon().Rat()
	} else {
		pure, err := privacy.Epsilon(g, privacy.Decimal{})
		if err != nil {
			return nil, fmt.Errorf("learn: sampling amplifies only pure and (ε, δ) guarantees: %w", err)
		}
		epsilon = pure
	}
	amplified := amplify(epsilon, rate)
	if delta == nil {
		return privacy.NewPure(g.Relation(), amplified, g.Assumes()...)
	}
	up, err := privacy.RoundUp(delta.Mul(delta, rate), amplifiedDigits)
	if err != nil {
		return nil, err
	}
	return privacy.NewApproximate(g.Relation(), amplified, up, g.Assumes()...)
}

// amplifySlack is a relative safety margin for an amplified ε. It is much greater than the relative
// rounding errors of amplify and BeforeSampling.
const amplifySlack = 0x1p-40

// amplify returns the ε of a mechanism on a sample, given its ε without sampling: ln(1 + γ(e^ε - 1)), rounded up, where
// γ is the sampling rate. The result is at most the given ε.
func amplify(epsilon privacy.Decimal, rate *big.Rat) privacy.Decimal {
	e, _ := epsilon.Rat().Float64()
	gamma, _ := rate.Float64()
	x := math.Log1p(gamma * math.Expm1(e))
	if e > 600 { // e^ε overflows
		x = e + math.Log(gamma+(1-gamma)*math.Exp(-e))
	}
	up, err := privacy.RoundUpFloat(x*(1+amplifySlack), amplifiedDigits)
	if err != nil || up.Cmp(epsilon) > 0 {
		return epsilon
	}
	return up
}

// BeforeSampling is the inverse of Amplify: it returns the ε of a mechanism whose amplified ε, on a
// sample of the rows, is at most target. The result is ln(1 + (e^target - 1)/γ), rounded down,
// where γ is the sampling rate.
func BeforeSampling(target privacy.Decimal, rate *big.Rat) (privacy.Decimal, error) {
	down, err := privacy.RoundDown(target.Rat(), amplifiedDigits)
	if err != nil {
		return privacy.Decimal{}, err
	}
	if rate.Sign() <= 0 || rate.Cmp(big.NewRat(1, 1)) > 0 {
		return privacy.Decimal{}, fmt.Errorf("learn: the sampling rate is %v, but must be above 0 and at most 1", rate)
	}
	e, _ := down.Rat().Float64()
	gamma, _ := rate.Float64()
	x := math.Log1p(math.Expm1(e) / gamma)
	if e > 600 {
		x = e + math.Log((1-(1-gamma)*math.Exp(-e))/gamma)
	}
	if math.IsInf(x, 1) {
		return privacy.Decimal{}, fmt.Errorf("learn: ε = %v at a sampling rate of %v: %w", target, rate, privacy.ErrParameter)
	}
	r := new(big.Rat).SetFloat64(x * (1 - 4*amplifySlack))
	inner, err := privacy.RoundDown(r, amplifiedDigits)
	if inner.Cmp(down) < 0 { // the rate is nearly 1
		return down, nil
	}
	return inner, err
}

// A planner is a mechanism that can bound its excess for a given probability.
type planner[X, H any] interface {
	Class() class.Class[X, H]
	Loss() Loss
	ExcessBeyond(rows int64, beta float64) Excess
}

// Excess bounds the excess cost over the whole table, not over the sample. Penalties count 1/γ
// times in this excess, where γ is the sampling rate, because the loss of a sample is about γ times
// that of the table, so a penalty weighs more against it.
//
// Each bound is the sum of two terms: 1/γ times the bound of the inner mechanism, and a bound on
// the sampling error of the difference between the cost of any hypothesis and the cost of the best
// one (docs/explanation/proofs/subsampling.md). The bounds are infinite if the inner mechanism has
// no bound.
func (m *Subsample[X, T]) Excess(rows int64) Excess { return m.ExcessBeyond(rows, 1-Confidence) }

// ExcessBeyond returns the bounds of Excess for a probability other than 5 %: the excess exceeds
// the bound Most with probability at most beta.
func (m *Subsample[X, T]) ExcessBeyond(rows int64, beta float64) Excess {
	p, ok := m.inner.(planner[X, T])
	if !ok {
		return Excess{math.Inf(1), math.Inf(1)}
	}
	gamma, _ := m.rate.Float64()
	drawn, c, n := rows, float64(p.Loss().Range()), float64(rows)
	sigma := c * math.Sqrt(n) / (2 * gamma)
	if m.guarantee.Relation().Replaces() {
		drawn, n = m.k, float64(m.rows)
		sigma = c * n / math.Sqrt(float64(m.k))
	}
	size := LogSize(p.Class())
	inner := p.ExcessBeyond(drawn, beta/2)
	e := Excess{
		Mean: inner.Mean/gamma + sigma*math.Sqrt(2*size),
		Most: inner.Most/gamma + sigma*math.Sqrt(2*(size-math.Log(beta/2))),
	}
	top := n * c
	if free, err := p.Class().Tree(class.Problem[X]{}); err == nil {
		top += float64(free.Ceiling()) / gamma
		e = Excess{min(e.Mean, top), min(e.Most, top)}
	}
	return e
}
