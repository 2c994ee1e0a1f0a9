package privacy

import (
	"fmt"
	"math"
	"math/big"
	"sync"
)

// SubsampledGaussian is the guarantee of Gaussian noise on sums over random subsets of the records, as in
// differentially private stochastic gradient descent. Each record has an integer vector of Euclidean norm at most Δ,
// which may depend on the outputs of earlier steps. Each step
//
//   - samples every record independently with probability q,
//   - sums the vectors of the sampled records,
//   - adds discrete Gaussian noise with parameter σ² to each coordinate.
//
// Under AddRemove, the Rényi divergence of each integer order is that of Mironov, Talwar and Zhang (2019). Under
// ReplaceOne, replacing a record is a removal followed by an addition, and Hölder's inequality gives a bound. The
// number of records is then public, but the number of sampled records is not. With q = 1, all steps together are
// nearly one Gaussian mechanism, whose curve is known. Under a relation of persons, q must be 1, and Δ bounds the sum of
// the vectors of a person's records. Proofs are in docs/explanation/proofs/dpsgd.md.
type SubsampledGaussian struct {
	terms
	share, noise *big.Rat
	steps        int
	width        *big.Rat // the ε of the BoundedRange of a mechanism that runs before the steps, or nil
}

// mostOrder is the greatest order α at which Delta evaluates the Rényi divergence under AddRemove.
const mostOrder = 1 << 12

// NewSubsampledGaussian returns the guarantee of the given number of steps. The argument share is the sampling
// probability q, and the parameter noise is σ²/Δ². NewSubsampledGaussian returns ErrParameter unless 0 < share ≤ 1,
// noise > 0 and steps ≥ 1. It also returns ErrParameter for a relation of persons if share < 1, because records are
// sampled, not persons.
func NewSubsampledGaussian(r Relation, share, noise *big.Rat, steps int) (SubsampledGaussian, error) {
	t, err := newTerms(r, nil)
	switch {
	case err != nil:
		return SubsampledGaussian{}, err
	case share == nil || share.Sign() <= 0 || share.Cmp(big.NewRat(1, 1)) > 0:
		return SubsampledGaussian{}, fmt.Errorf("%w: the sampling probability, share, must be above 0 and at most 1", ErrParameter)
	case r.Persons() > 0 && share.Cmp(big.NewRat(1, 1)) < 0:
		return SubsampledGaussian{}, fmt.Errorf("%w: the sampling probability must be 1 under the relation %v, because records are sampled, not persons", ErrParameter, r)
	case noise == nil || noise.Sign() <= 0:
		return SubsampledGaussian{}, fmt.Errorf("%w: σ²/Δ², the parameter noise, must be positive", ErrParameter)
	case steps < 1:
		return SubsampledGaussian{}, fmt.Errorf("%w: the number of steps %d must be positive", ErrParameter, steps)
	}
	return SubsampledGaussian{t, new(big.Rat).Set(share), new(big.Rat).Set(noise), steps, nil}, nil
}

// After returns the guarantee of an adaptive composition: first a mechanism with the guarantee b, and then the steps
// of s. It is stronger than the sum of ε and of (ε, δ) (docs/explanation/proofs/dpsgd.md, section 5). After
// returns ErrCompose if the relations differ, if b is the zero value, or if s is already the result of After.
func (s SubsampledGaussian) After(b BoundedRange) (SubsampledGaussian, error) {
	switch {
	case b.Relation() == 0 || b.Relation() != s.relation:
		return SubsampledGaussian{}, fmt.Errorf("%w: the relations are %v and %v, but must be equal", ErrCompose, b.Relation(), s.relation)
	case s.width != nil:
		return SubsampledGaussian{}, fmt.Errorf("%w: there is already a mechanism before the steps, and a second one is not supported", ErrCompose)
	}
	var err error
	s.terms, err = newTerms(s.relation, b.Assumes())
	s.width = b.epsilon.Rat()
	return s, err
}

// Delta returns an upper bound on δ at eps. It converts Rényi divergences as [ZCDP] does. If the sampling probability is
// 1, it also computes the curve of continuous Gaussian noise, which is nearly that of s, and returns the smaller bound.
// The result is rounded upward, and it is positive for every finite eps.
func (s SubsampledGaussian) Delta(eps float64) float64 {
	switch {
	case s.silent(eps):
		return 1
	case math.IsInf(eps, 1):
		return 0
	}
	eps = min(eps, 0x1p500)
	delta := s.renyiDelta(eps)
	if s.share.IsInt() {
		delta = min(delta, s.wholeDelta(eps))
	}
	return delta
}

// renyiDelta returns the least bound on δ at a finite eps that it finds by converting Rényi divergences. It searches
// among the integer orders and, under ReplaceOne, also the half-integer orders, without evaluating all of them.
func (s SubsampledGaussian) renyiDelta(eps float64) float64 {
	moments := newMoments(s.share, s.noise)
	if moments.twice > 0x1p400 {
		return 1
	}
	log := func(m int) float64 { return s.logDelta(moments, m, eps) }
	// Under AddRemove the logarithm of the bound is convex in the order. Low orders are cheaper,
	// so the search starts with them.
	low, high := 3, 6
	for high < mostOrder && log(high+1) < log(high) {
		low, high = high, min(2*high, mostOrder)
	}
	for low < high {
		if middle := (low + high) / 2; log(middle) <= log(middle+1) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return outward(math.Exp(log(low)))
}

// logDelta returns the logarithm, rounded upward, of an upper bound on the privacy curve at eps. The bound follows
// from the Rényi divergence of one order: m under AddRemove, and m/2 under ReplaceOne.
func (s SubsampledGaussian) logDelta(l moments, m int, eps float64) float64 {
	alpha, moment := float64(m), 0.0
	if !s.relation.Replaces() {
		moment = l.log(m)
	} else {
		alpha /= 2
		moment = (alpha*l.log(m-1) + (alpha-1)*l.log(m)) / float64(m-1)
	}
	moment *= float64(s.steps)
	if s.width != nil {
		moment += logRangeMoment(floatUp(s.width), alpha)
	}
	cost := (alpha - 1) * eps
	entropy := math.Log(alpha) - (alpha-1)*math.Log1p(-1/alpha)
	return moment - cost - entropy + logSlack*(moment+cost+entropy)
}

// logRangeMoment returns an upper bound on the logarithm of the moment of order alpha > 1 of a mechanism whose
// privacy loss has a range of length width:
//
//	(α-1)·ln u + ln((1-e^(-αw)) / (α(1-e^(-w)))),  u = (1-1/α)·e^w·(1-e^(-αw)) / (1-e^(-(α-1)w))
//
// The result is rounded upward.
func logRangeMoment(width, alpha float64) float64 {
	logOf := func(x float64) float64 { return math.Log(-math.Expm1(-x)) }
	all := logOf(alpha * width)
	sum, size := 0.0, 0.0
	for _, term := range []float64{
		(alpha - 1) * math.Log1p(-1/alpha), (alpha - 1) * width, (alpha - 1) * all, -(alpha - 1) * logOf((alpha-1)*width),
		all, -math.Log(alpha), -logOf(width),
	} {
		sum, size = sum+term, size+math.Abs(term)
	}
	return max(0, sum) + logSlack*(size+alpha)
}

// Within reports whether the guarantee implies (ε, δ)-differential privacy.
func (s SubsampledGaussian) Within(epsilon, delta Decimal) bool {
	return s.Delta(floatDown(epsilon.Rat())) <= floatDown(delta.Rat())
}

// At returns the guarantee of (ε, delta)-differential privacy that follows from s. Unlike s, it is accepted by
// [Compose].
func (s SubsampledGaussian) At(delta Decimal) (Approximate, error) {
	epsilon, err := Epsilon(s, delta)
	if err != nil {
		return Approximate{}, err
	}
	return NewApproximate(s.relation, epsilon, delta)
}

// moments holds the parameters that determine upper bounds on the moments of the likelihood ratio in one step.
type moments struct {
	in, out float64 // ln q and ln(1-q)
	twice   float64 // Δ²/(2σ²)
}

func newMoments(share, noise *big.Rat) moments {
	q := floatUp(share) // the moments increase with q
	inverse := new(big.Rat).Inv(noise)
	return moments{math.Log(q), math.Log1p(-q), floatUp(inverse.Mul(inverse, big.NewRat(1, 2)))}
}

// log returns an upper bound on the logarithm of the a-th moment, under P′, of the likelihood ratio P/P′, where P and
// P′ are the output distributions on any pair of neighbours under AddRemove. The bound is
//
//	Σ_j C(a,j) (1-q)^(a-j) q^j exp(j(j-1)Δ²/(2σ²)),
//
// of which log returns the logarithm, rounded upward. For a = 1 it returns 0.
func (l moments) log(a int) float64 {
	n := float64(a)
	if math.IsInf(l.out, -1) {
		return n * (n - 1) * l.twice * (1 + slack)
	}
	factorial := logFactorials()
	term := func(j int) float64 {
		k := float64(j)
		choose := factorial[a] - factorial[j] - factorial[a-j]
		return choose + (n-k)*l.out + k*l.in + k*(k-1)*l.twice
	}
	most := math.Inf(-1)
	for j := range a + 1 {
		most = max(most, term(j))
	}
	sum := 0.0
	for j := range a + 1 {
		sum += math.Exp(term(j) - most)
	}
	size := 3*factorial[a] - n*(l.out+l.in) + n*n*l.twice // bounds the sum of the absolute summands of each term
	return max(0, most+math.Log(sum)) + logSlack*(size+n+1)
}

// logFactorials returns ln k! for k from 0 to mostOrder + 1, each computed from the exact integer.
var logFactorials = sync.OnceValue(func() []float64 {
	logs := make([]float64, mostOrder+2)
	factorial := big.NewInt(1)
	for k := range logs {
		if k > 0 {
			factorial.Mul(factorial, big.NewInt(int64(k)))
		}
		mantissa := new(big.Float)
		exponent := new(big.Float).SetPrec(64).SetInt(factorial).MantExp(mantissa)
		f, _ := mantissa.Float64()
		logs[k] = math.Log(f) + float64(exponent)*math.Ln2
	}
	return logs
})
