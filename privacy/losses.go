package privacy

import (
	"math"
	"math/big"
	"slices"
)

// If the guarantees of a composition are fixed in advance, its privacy loss is dominated by a
// sum of independent losses, one for each part. EpsilonByLosses computes the distribution of
// this sum on a grid, and rounds every step such that the privacy loss increases. The resulting
// ε is usually smaller than the ε from the sum of ρ (docs/explanation/proofs/losses.md).

const (
	gridReach = 2048 // the number of grid points on either side of 0
	gridBits  = 256  // the precision of the arithmetic that computes the distribution of one part
	mostKinds = 32   // the maximum number of different bounded losses of the parts
)

// EpsilonByLosses returns an ε for which g implies (ε, delta)-differential privacy. It is the smaller of two values:
// the result of [Epsilon], and an ε that is computed from the distribution of the privacy loss.
//
// Like Compose, EpsilonByLosses is valid only for guarantees that are fixed in advance, not for releases that a
// [Filter] admitted adaptively.
//
// It takes less than a second for a composition of 30 different guarantees. If the parts of g have more than 32
// different bounds on their privacy loss, it returns the result of Epsilon.
func EpsilonByLosses(g Guarantee, delta Decimal) (Decimal, error) {
	return epsilonByLosses(g, delta, gridReach)
}

// epsilonByLosses computes EpsilonByLosses on a grid with reach points on either side of 0.
func epsilonByLosses(g Guarantee, delta Decimal, reach int) (Decimal, error) {
	simple, err := Epsilon(g, delta)
	if err != nil || simple.IsZero() {
		return simple, err
	}
	total := newAccount()
	if err := total.add(g); err != nil || len(total.counts) > mostKinds {
		return simple, nil // in the case of an error, g is a type that only Epsilon supports
	}
	target, success := delta.Rat(), big.NewRat(1, 1)
	target.Sub(target, total.failure())
	target.Quo(target, success.Sub(success, total.failure()))

	grid := newLossGrid(1.5*floatUp(simple.Rat()), reach)
	rho := floatUp(total.rho)
	sum := grid.law(func(x float64) float64 { return zcdpDelta(rho, x) })
	for l, n := range total.counts {
		epsilon := floatUp(l.epsilon.Rat())
		curve := pureDelta
		if l.ranged {
			curve = rangeDelta
		}
		one := grid.law(func(x float64) float64 { return curve(epsilon, x) })
		sum = sum.plus(one.times(n))
	}
	if total.gaussians > 0 {
		square := floatUp(total.square)
		sum = sum.plus(grid.law(func(x float64) float64 { return gdpDelta(square, 0, x) }))
	}
	// Each part of type GDP changes probabilities by a factor, as its definition says. It is not in the distribution sum.
	// The slack of grid.delta covers the rounding errors of the factor.
	distance := float64(total.gaussians) * gdpDistance
	x, ok := leastFloat(func(x float64) bool { return grid.delta(sum, x)*math.Exp(distance) <= floatDown(target) })
	if !ok {
		return simple, nil
	}
	least := new(big.Rat).SetFloat64(x)
	up, err := RoundUp(least.Add(least, new(big.Rat).SetFloat64(2*distance)), reported)
	return slices.MinFunc([]Decimal{simple, up}, Decimal.Cmp), err
}

// A lossGrid is a set of equally spaced values of the privacy loss: i·ln r for i from -reach to reach. The sum of two
// grid points is again a grid point, unless it is out of range.
type lossGrid struct {
	low    float64      // a lower bound on ln r
	powers []*big.Float // the powers r^i
}

// A lossLaw is the distribution of a privacy loss on a grid. It holds upper bounds on the probabilities of all grid
// points and of an infinite loss. The probabilities are those under the output distribution on the first of two
// neighbours. The sum of the bounds may exceed 1.
type lossLaw struct {
	mass     []float64
	infinite float64
}

// newLossGrid returns a grid with the given number of points (reach) on either side of 0. Its greatest loss is
// approximately most, unless adjacent points would then differ by less than 2⁻⁴⁰ or by more than ln 2.
func newLossGrid(most float64, reach int) lossGrid {
	step := 1 + min(max(math.Expm1(most/float64(reach)), 0x1p-40), 1)
	r := precisely(step)
	g := lossGrid{math.Log1p(step-1) * (1 - 0x1p-44), make([]*big.Float, 2*reach+1)}
	inverse := new(big.Float).Quo(precisely(1), r)
	g.powers[reach] = precisely(1)
	for i := range reach {
		g.powers[reach+i+1] = new(big.Float).Mul(g.powers[reach+i], r)
		g.powers[reach-i-1] = new(big.Float).Mul(g.powers[reach-i], inverse)
	}
	return g
}

// precisely converts x to a big.Float with gridBits bits.
func precisely(x float64) *big.Float { return new(big.Float).SetPrec(gridBits).SetFloat64(x) }

// A vertex is a point (X, δ(x)), with X = e^x, of the convex hull of a privacy curve.
type vertex struct {
	x, y  *big.Float
	at    int        // the index of X in the powers of the grid
	slope *big.Float // the slope of the hull to the left of the vertex
}

// law returns a distribution of losses that dominates those of every pair of neighbours whose privacy curve is
// bounded by delta(x) for all x ≥ 0, in both orders of the neighbours. The privacy curve of the returned distribution
// is the lower convex hull of the values of delta on the grid.
func (g lossGrid) law(delta func(x float64) float64) lossLaw {
	values, reach := make([]*big.Float, len(g.powers)), len(g.powers)/2
	for i := range reach + 1 {
		at := precisely(delta(float64(i) * g.low)) // at least delta(i·ln r)
		values[reach+i] = at
		// The curve for the reverse order of the neighbours is 1 - X + X·δ at 1/X.
		power := g.powers[reach-i]
		mirrored := new(big.Float).Sub(precisely(1), power)
		values[reach-i] = mirrored.Add(mirrored, new(big.Float).Mul(power, at))
	}
	hull := []vertex{{x: precisely(0), y: precisely(1)}}
	for i, power := range g.powers {
		next := vertex{x: power, y: values[i], at: i}
		for {
			last := hull[len(hull)-1]
			next.slope = last.slopeTo(next)
			if len(hull) == 1 || last.slope.Cmp(next.slope) < 0 {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, next)
	}
	l := lossLaw{mass: make([]float64, len(g.powers)), infinite: delta(float64(reach) * g.low)}
	right := precisely(0) // the slope of the hull to the right of vertex v
	for _, v := range slices.Backward(hull[1:]) {
		mass := new(big.Float).Sub(right, v.slope)
		f, _ := mass.Mul(mass, v.x).Float64()
		l.mass[v.at] = max(f, 0)*(1+0x1p-50) + 0x1p-200
		right = v.slope
	}
	return l
}

// slopeTo returns the slope of the line from the vertex v to the vertex w.
func (v vertex) slopeTo(w vertex) *big.Float {
	rise := new(big.Float).Sub(w.y, v.y)
	return rise.Quo(rise, new(big.Float).Sub(w.x, v.x))
}

// plus returns the distribution of the sum of two independent losses with distributions l and m. A sum above the grid
// counts as an infinite loss, and a sum below the grid as the least loss of the grid.
func (l lossLaw) plus(m lossLaw) lossLaw {
	n, reach := len(l.mass), len(l.mass)/2
	all, finite, other := make([]float64, 2*n-1), 0.0, m.infinite // all is on a grid with 2·reach points on either side of 0
	for i, p := range l.mass {
		if p == 0 {
			continue
		}
		to := all[i : i+n]
		for j, q := range m.mass {
			to[j] += p * q
		}
		finite += p
	}
	for _, q := range m.mass {
		other += q
	}
	sum := lossLaw{all[reach : reach+n], finite*m.infinite + l.infinite*other}
	for _, below := range all[:reach] {
		sum.mass[0] += below
	}
	for _, above := range all[reach+n:] {
		sum.infinite += above
	}
	// Each value is a sum of at most 2¹³ non-negative terms, so up covers its rounding error.
	const up = 1 + 0x1p-38
	for k := range sum.mass {
		sum.mass[k] *= up
	}
	sum.infinite *= up
	return sum
}

// times returns the distribution of the sum of n ≥ 1 independent losses with the distribution l.
func (l lossLaw) times(n int64) lossLaw {
	if n == 1 {
		return l
	}
	half := l.times(n / 2)
	sum := half.plus(half)
	if n%2 == 1 {
		return l.plus(sum)
	}
	return sum
}

// delta returns the privacy curve of the distribution l at x ≥ 0, rounded upward.
func (g lossGrid) delta(l lossLaw, x float64) float64 {
	sum := l.infinite
	for i, mass := range l.mass {
		// Add 1 - e^(x-loss) if it is positive. The loss is at most (i-reach)·low·(1+2⁻⁴³).
		more := max(float64(i-len(l.mass)/2)*g.low*(1+0x1p-42)-x, 0)
		sum += mass * -math.Expm1(-more)
	}
	return outward(sum * (1 + 0x1p-38))
}
