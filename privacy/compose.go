package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// ErrCompose is returned by Compose for guarantees that cannot be composed.
var ErrCompose = errors.New("guarantees do not compose")

// Compose returns the guarantee of releasing one output of each mechanism,
// where each mechanism may be chosen from the outputs before it as long as it
// keeps the guarantee listed for it: the guarantees themselves are fixed in
// advance. The result rests on the assumptions of all of them. Composing is
// associative; one guarantee alone is returned as it is.
//
// No guarantee at all, different neighbour relations, a zero value, and an
// implementation from outside this package are ErrCompose.
func Compose(gs ...Guarantee) (Guarantee, error) {
	if len(gs) == 0 {
		return nil, fmt.Errorf("%w: none given", ErrCompose)
	}
	var assumes []Assumption
	total := newAccount()
	for i, g := range gs {
		if err := total.add(g); err != nil {
			return nil, fmt.Errorf("%w: number %d %w", ErrCompose, i+1, err)
		}
		if g.Relation() != gs[0].Relation() {
			return nil, fmt.Errorf("%w: number 1 is under %v, number %d under %v",
				ErrCompose, gs[0].Relation(), i+1, g.Relation())
		}
		assumes = append(assumes, g.Assumes()...)
	}
	t, err := newTerms(gs[0].Relation(), assumes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCompose, err)
	}
	if len(gs) == 1 {
		return gs[0], nil
	}
	return Composed{t, total, total.routes()}, nil
}

// Composed is the guarantee of an adaptive composition, made by [Compose].
// Sums are exact; everything approximate happens in Delta.
type Composed struct {
	terms
	total  account
	routes []route
}

// Delta is the least of the bounds that follow from adding up ε for some parts
// and ρ for the others, with the probabilities of failure of the approximate
// parts added in front.
func (c Composed) Delta(eps float64) float64 {
	if c.silent(eps) {
		return 1
	}
	return withFailure(c.total.failure(), c.core(eps))
}

// core is the curve given that no approximate part fails.
func (c Composed) core(x float64) float64 {
	least := 1.0
	for _, r := range c.routes {
		least = min(least, r.delta(x))
	}
	return least
}

// A loss is a sure bound on one part's privacy loss: at most epsilon in
// absolute value and, if ranged, in an interval of that length.
type loss struct {
	epsilon Decimal
	ranged  bool
}

func (l loss) rho() *big.Rat {
	if l.ranged {
		return rangeRho(l.epsilon)
	}
	return pureRho(l.epsilon)
}

// An account is what a composition adds up: given that no approximate part
// fails, each part has a bounded loss, of which it counts how many, or a ρ.
type account struct {
	counts map[loss]int64
	rho    *big.Rat // of the parts without a bounded loss
	fail   *big.Rat // sum of the δ of the approximate parts
}

func newAccount() account {
	return account{rho: new(big.Rat), fail: new(big.Rat), counts: map[loss]int64{}}
}

func (a *account) add(g Guarantee) error {
	switch g := g.(type) {
	case Pure:
		a.counts[loss{g.epsilon, false}]++
	case BoundedRange:
		a.counts[loss{g.epsilon, true}]++
	case ZCDP:
		a.rho.Add(a.rho, g.Rho())
	case Approximate:
		a.counts[loss{g.epsilon, false}]++
		a.fail.Add(a.fail, g.delta.Rat())
	case Composed:
		if !g.relation.valid() {
			return errors.New("is the zero value, which promises nothing")
		}
		for l, n := range g.total.counts {
			a.counts[l] += n
		}
		a.rho.Add(a.rho, g.total.rho)
		a.fail.Add(a.fail, g.total.fail)
	case SubsampledGaussian:
		return errors.New("is of subsampled noise, which adds up with others only at one δ (SubsampledGaussian.At)")
	default:
		return fmt.Errorf("is of type %T, unknown to this package", g)
	}
	if !g.Relation().valid() {
		return errors.New("is the zero value, which promises nothing")
	}
	return nil
}

// failure is the probability that some approximate part fails, at most 1.
func (a account) failure() *big.Rat {
	if one := big.NewRat(1, 1); a.fail.Cmp(one) > 0 {
		return one
	}
	return a.fail
}

// limit is the sum of all ε, beyond which no loss goes unless a part fails;
// nil if some part has no bounded loss.
func (a account) limit() *big.Rat {
	if a.rho.Sign() > 0 {
		return nil
	}
	sum := new(big.Rat)
	for l, n := range a.counts {
		sum.Add(sum, times(n, l.epsilon.Rat()))
	}
	return sum
}

// concentrated is the ρ of all parts, given that none fails.
func (a account) concentrated() *big.Rat {
	rho := new(big.Rat).Set(a.rho)
	for l, n := range a.counts {
		rho.Add(rho, times(n, l.rho()))
	}
	return rho
}

// A route is one valid way to bound the loss: some parts lose at most shift
// surely, and the others are rho-zCDP. Both are rounded upward.
type route struct{ shift, rho float64 }

func (r route) delta(x float64) float64 {
	if r.rho == 0 {
		return pureDelta(r.shift, x)
	}
	if x <= r.shift {
		return 1
	}
	return zcdpDelta(r.rho, math.Nextafter(x-r.shift, 0))
}

// routes moves parts from ρ to ε one kind at a time, those with the most ρ for
// their ε first.
func (a account) routes() []route {
	var losses []loss
	for l := range a.counts {
		if !l.epsilon.IsZero() {
			losses = append(losses, l)
		}
	}
	rho := a.concentrated()
	price := func(l loss) *big.Rat { return new(big.Rat).Quo(l.rho(), l.epsilon.Rat()) }
	slices.SortFunc(losses, func(l, m loss) int { return price(m).Cmp(price(l)) })

	shift := new(big.Rat)
	all := []route{{0, floatUp(rho)}}
	for _, l := range losses {
		n := a.counts[l]
		rho.Sub(rho, times(n, l.rho()))
		shift.Add(shift, times(n, l.epsilon.Rat()))
		all = append(all, route{floatUp(shift), floatUp(rho)})
	}
	return all
}

func times(n int64, r *big.Rat) *big.Rat { return r.Mul(r, new(big.Rat).SetInt64(n)) }
