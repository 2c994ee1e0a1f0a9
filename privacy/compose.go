package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// ErrCompose is returned for guarantees that cannot be composed.
var ErrCompose = errors.New("guarantees do not compose")

// Compose returns the guarantee of releasing one output of each of several mechanisms with the
// guarantees gs. The guarantees are fixed in advance. Each mechanism may be chosen depending on
// the earlier outputs, as long as it satisfies its guarantee. The result has the assumptions of
// all of them. Compose is associative, and returns a single guarantee unchanged.
//
// Compose returns ErrCompose for an empty list, different neighbour relations, a zero value, a
// SubsampledGaussian (see its method At), and an implementation from outside this package.
func Compose(gs ...Guarantee) (Guarantee, error) {
	if len(gs) == 0 {
		return nil, fmt.Errorf("%w: the list is empty", ErrCompose)
	}
	var assumes []Assumption
	total := newAccount()
	for i, g := range gs {
		if err := total.add(g); err != nil {
			return nil, fmt.Errorf("%w: guarantee %d %w", ErrCompose, i+1, err)
		}
		if g.Relation() != gs[0].Relation() {
			return nil, fmt.Errorf("%w: guarantee 1 is under the relation %v, guarantee %d under %v",
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

// Composed is the guarantee of an adaptive composition, made by [Compose]. Its sums are exact;
// only Delta rounds.
type Composed struct {
	terms
	total  account
	routes []route
}

// Delta returns the least of several bounds. Each one adds the ε of some parts and the ρ of the
// others; all add the δ of the approximate parts.
func (c Composed) Delta(eps float64) float64 {
	if c.silent(eps) {
		return 1
	}
	return withFailure(c.total.failure(), c.core(eps))
}

// core is the privacy curve at x, without the δ of the approximate parts.
func (c Composed) core(x float64) float64 {
	least := 1.0
	for _, r := range c.routes {
		least = min(least, r.delta(x))
	}
	return least
}

// A loss is a bound on the privacy loss of one part that holds with probability 1: its absolute
// value is at most epsilon. If ranged, it also lies in an interval of length epsilon.
type loss struct {
	epsilon Decimal
	ranged  bool
}

// rho returns the ρ of zCDP that the bound implies.
func (l loss) rho() *big.Rat {
	if l.ranged {
		return RangeRho(l.epsilon)
	}
	return pureRho(l.epsilon)
}

// An account sums the parts of a composition. An approximate part counts as a bounded loss of its
// ε, and its δ is added to fail.
type account struct {
	counts map[loss]int64 // the number of parts with each bounded loss
	rho    *big.Rat       // the sum of the ρ of the parts without a bounded loss
	fail   *big.Rat       // the sum of the δ of the approximate parts
}

func newAccount() account {
	return account{rho: new(big.Rat), fail: new(big.Rat), counts: map[loss]int64{}}
}

// add adds the parts of g. Its error is the rest of a sentence about g.
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
			return errors.New("is the zero value, which guarantees nothing")
		}
		for l, n := range g.total.counts {
			a.counts[l] += n
		}
		a.rho.Add(a.rho, g.total.rho)
		a.fail.Add(a.fail, g.total.fail)
	case SubsampledGaussian:
		return errors.New("is of type SubsampledGaussian, which composes only at a fixed δ; use its method At")
	default:
		return fmt.Errorf("is of type %T, which is not a type of this package", g)
	}
	if !g.Relation().valid() {
		return errors.New("is the zero value, which guarantees nothing")
	}
	return nil
}

// failure returns the sum of the δ of the approximate parts, at most 1.
func (a account) failure() *big.Rat {
	if one := big.NewRat(1, 1); a.fail.Cmp(one) > 0 {
		return one
	}
	return a.fail
}

// limit returns the sum of all ε, which bounds the total loss apart from failures. It returns nil
// if the loss of some part is unbounded.
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

// concentrated returns the sum of the ρ of all parts.
func (a account) concentrated() *big.Rat {
	rho := new(big.Rat).Set(a.rho)
	for l, n := range a.counts {
		rho.Add(rho, times(n, l.rho()))
	}
	return rho
}

// A route is one way to bound the total loss: the loss of some parts is at most shift, and the
// other parts together are rho-zCDP. Both numbers are rounded upward.
type route struct{ shift, rho float64 }

// delta returns the bound on the privacy curve at x.
func (r route) delta(x float64) float64 {
	if r.rho == 0 {
		return pureDelta(r.shift, x)
	}
	if x <= r.shift {
		return 1
	}
	return zcdpDelta(r.rho, math.Nextafter(x-r.shift, 0))
}

// routes returns the routes that Composed.Delta tries. The first one bounds all parts by ρ. Each
// later one bounds one more kind of parts by ε, in decreasing order of ρ/ε.
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

// times multiplies r by n in place.
func times(n int64, r *big.Rat) *big.Rat { return r.Mul(r, new(big.Rat).SetInt64(n)) }
