package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// ErrCompose is returned for guarantees that cannot be composed.
var ErrCompose = errors.New("the guarantees cannot be combined into one")

// Compose returns the guarantee of releasing the outputs of several mechanisms together, where mechanism i satisfies
// the guarantee gs[i]. The result has the assumptions of all guarantees. Compose is associative, and returns a single
// guarantee unchanged.
//
// The guarantees must be fixed before the first release. The mechanisms need not be: each may depend on the earlier
// outputs, as long as it satisfies its guarantee. If the guarantees depend on earlier outputs too, use a [Filter].
//
// Compose returns ErrCompose if
//
//   - the list is empty,
//   - two guarantees have different neighbour relations,
//   - a guarantee is a zero value,
//   - a guarantee is a SubsampledGaussian (see its method At), or has a type from another package.
func Compose(gs ...Guarantee) (Guarantee, error) {
	if len(gs) == 0 {
		return nil, fmt.Errorf("%w: the list is empty", ErrCompose)
	}
	var assumes []Assumption
	total := newAccount()
	for i, g := range gs {
		if err := total.add(g); err != nil {
			return nil, fmt.Errorf("%w: guarantee %d: %w", ErrCompose, i+1, err)
		}
		if g.Relation() != gs[0].Relation() {
			return nil, fmt.Errorf("%w: guarantee 1 is under the relation %v, but guarantee %d under %v",
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

// Composed is the guarantee of an adaptive composition, as [Compose] returns it. It holds exact sums of ε, ρ and δ;
// only the result of Delta is rounded.
type Composed struct {
	terms
	total  account
	routes []route
}

// Delta returns an upper bound on the privacy curve at eps. It is the least of several bounds, each of which uses the
// ε of some parts, and the ρ or μ² of all other parts. All of them include the sum of the δ of the approximate parts.
func (c Composed) Delta(eps float64) float64 {
	if c.silent(eps) {
		return 1
	}
	return withFailure(c.total.failure(), c.core(eps))
}

// core returns an upper bound, at x, on the privacy curve of the composition without the δ of the approximate parts.
func (c Composed) core(x float64) float64 {
	least := 1.0
	for _, r := range c.routes {
		least = min(least, r.delta(x))
	}
	return least
}

// A loss is a bound on the privacy loss of one part of a composition. With probability 1, the absolute value of the
// privacy loss is at most epsilon. If ranged is set, the privacy loss also lies in an interval of length epsilon, as
// for a BoundedRange.
type loss struct {
	epsilon Decimal
	ranged  bool
}

// rho returns a number ρ such that the bound on the privacy loss implies ρ-zCDP.
func (l loss) rho() *big.Rat {
	if l.ranged {
		return RangeRho(l.epsilon)
	}
	return pureRho(l.epsilon)
}

// square returns the μ² of a μ-GDP that the bound on the privacy loss implies. A privacy loss of absolute value at
// most ε lies in an interval of length 2ε.
func (l loss) square() *big.Rat {
	of := RangeSquare(l.epsilon)
	if l.ranged {
		return of
	}
	return times(4, of)
}

// An account holds sums over the parts of a composition. A part with (ε, δ) is counted like one with a privacy loss
// of at most ε, and its δ is added to the field fail.
type account struct {
	counts map[loss]int64 // the number of parts for each bounded loss
	rho    *big.Rat       // the sum of the ρ of the parts of type ZCDP
	fail   *big.Rat       // the sum of the δ of the approximate parts

	gaussians   int64    // the number of parts of type GDP
	gaussianRho *big.Rat // the sum of the ρ of the parts of type GDP
	square      *big.Rat // the sum of the μ² of the parts of type GDP
}

func newAccount() account {
	return account{rho: new(big.Rat), fail: new(big.Rat), counts: map[loss]int64{}, gaussianRho: new(big.Rat), square: new(big.Rat)}
}

// add adds the parts of g to the sums. It returns an error if g is a zero value or has a type that cannot be composed.
func (a *account) add(g Guarantee) error {
	switch g := g.(type) {
	case Pure:
		a.counts[loss{g.epsilon, false}]++
	case BoundedRange:
		a.counts[loss{g.epsilon, true}]++
	case ZCDP:
		a.rho.Add(a.rho, g.Rho())
	case GDP:
		a.gaussians++
		a.gaussianRho.Add(a.gaussianRho, g.Rho())
		a.square.Add(a.square, g.Square())
	case Approximate:
		a.counts[loss{g.epsilon, false}]++
		a.fail.Add(a.fail, g.delta.Rat())
	case Composed:
		if !g.relation.valid() {
			return errors.New("a zero value is not a guarantee; use a constructor such as NewPure")
		}
		for l, n := range g.total.counts {
			a.counts[l] += n
		}
		a.rho.Add(a.rho, g.total.rho)
		a.fail.Add(a.fail, g.total.fail)
		a.gaussians += g.total.gaussians
		a.gaussianRho.Add(a.gaussianRho, g.total.gaussianRho)
		a.square.Add(a.square, g.total.square)
	case SubsampledGaussian:
		return errors.New("a SubsampledGaussian composes only at a fixed δ; use its method At")
	default:
		return fmt.Errorf("its type %T does not belong to package privacy; use a guarantee that a function of this package returns", g)
	}
	if !g.Relation().valid() {
		return errors.New("a zero value is not a guarantee; use a constructor such as NewPure")
	}
	return nil
}

// failure returns the sum of the δ of the approximate parts, but at most 1.
func (a account) failure() *big.Rat {
	if one := big.NewRat(1, 1); a.fail.Cmp(one) > 0 {
		return one
	}
	return a.fail
}

// limit returns the sum of the ε of all parts, which bounds the total privacy loss except with the failure
// probability. It returns nil if the privacy loss of some part is unbounded.
func (a account) limit() *big.Rat {
	if a.rho.Sign() > 0 || a.gaussians > 0 {
		return nil
	}
	sum := new(big.Rat)
	for l, n := range a.counts {
		sum.Add(sum, times(n, l.epsilon.Rat()))
	}
	return sum
}

// concentrated returns the sum of the ρ of all parts of the composition.
func (a account) concentrated() *big.Rat {
	rho := new(big.Rat).Add(a.rho, a.gaussianRho)
	for l, n := range a.counts {
		rho.Add(rho, times(n, l.rho()))
	}
	return rho
}

// A route is one way to bound the total privacy loss of a composition. It uses the ε of some parts, whose sum is
// shift. It treats all other parts together as zCDP, with the sum rho of their ρ, and as GDP, with the sum square of
// their μ². The field gaussians is the number of parts of type GDP, and square is 0 if some part has no μ. All sums
// are rounded upward.
type route struct {
	shift, rho, square float64
	gaussians          int64
}

// delta returns the upper bound that this route gives on the privacy curve δ(ε) at ε = x.
func (r route) delta(x float64) float64 {
	if r.rho == 0 {
		return pureDelta(r.shift, x)
	}
	if x < r.shift {
		return 1
	}
	x = math.Nextafter(x-r.shift, 0)
	if r.square == 0 {
		return zcdpDelta(r.rho, x)
	}
	return min(zcdpDelta(r.rho, x), gdpDelta(r.square, r.gaussians, x))
}

// routes returns the routes that Composed.Delta tries. The parts with a bounded privacy loss are divided into groups
// with equal bounds. The first route uses the ρ and μ² of all parts. Each further route uses the ε instead for one
// more group, in decreasing order of ρ/ε.
func (a account) routes() []route {
	var losses []loss
	for l := range a.counts {
		if !l.epsilon.IsZero() {
			losses = append(losses, l)
		}
	}
	rho, square := a.concentrated(), new(big.Rat).Set(a.square)
	for _, l := range losses {
		square.Add(square, times(a.counts[l], l.square()))
	}
	price := func(l loss) *big.Rat { return new(big.Rat).Quo(l.rho(), l.epsilon.Rat()) }
	slices.SortFunc(losses, func(l, m loss) int { return price(m).Cmp(price(l)) })

	shift := new(big.Rat)
	at := func() route {
		r := route{floatUp(shift), floatUp(rho), floatUp(square), a.gaussians}
		if a.rho.Sign() > 0 {
			r.square = 0
		}
		return r
	}
	all := []route{at()}
	for _, l := range losses {
		n := a.counts[l]
		rho.Sub(rho, times(n, l.rho()))
		square.Sub(square, times(n, l.square()))
		shift.Add(shift, times(n, l.epsilon.Rat()))
		all = append(all, at())
	}
	return all
}

// times multiplies r by n in place, and returns r.
func times(n int64, r *big.Rat) *big.Rat { return r.Mul(r, new(big.Rat).SetInt64(n)) }
