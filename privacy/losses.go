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
	simple, err := Epsilon(g, delta)
	if err != nil || simple.IsZero() || delta.IsZero() {
		return simple, err
	}
	total := newAccount()
	if err := total.add(g); err != nil {
		return simple, nil // g is a type that only Epsilon supports
	}
	if len(total.counts) > mostKinds {
		return simple, nil
	}
	target := delta.Rat()
	target.Sub(target, total.failure())
	if target.Sign() <= 0 {
		return simple, nil
	}
	target.Quo(target, new(big.Rat).Sub(big.NewRat(1, 1), total.failure()))

	grid := newLossGrid(1.5 * floatUp(simple.Rat()))
	sum := grid.none()
	for l, n := range total.counts {
		epsilon := floatUp(l.epsilon.Rat())
		curve := pureDelta
		if l.ranged {
			curve = rangeDelta
		}
		if epsilon > 0 {
			one := grid.law(func(x float64) float64 { return curve(epsilon, x) })
			sum = grid.plus(sum, grid.times(one, n))
		}
	}
	if total.rho.Sign() > 0 {
		rho := floatUp(total.rho)
		sum = grid.plus(sum, grid.law(func(x float64) float64 { return zcdpDelta(rho, x) }))
	}
	if total.gaussians > 0 {
		square := floatUp(total.square)
		sum = grid.plus(sum, grid.law(func(x float64) float64 { return gdpDelta(square, 0, x) }))
	}
	// Each part of type GDP changes probabilities by a factor, as its definition says. It is not in the distribution sum.
	distance := float64(total.gaussians) * gdpDistance
	x, ok := leastFloat(func(x float64) bool { return grid.delta(sum, x)*math.Exp(distance)*(1+slack) <= floatDown(target) })
	if !ok {
		return simple, nil
	}
	up, err := RoundUpFloat((x+2*distance)*(1+slack), reported)
	if err != nil || up.Cmp(simple) > 0 {
		return simple, nil
	}
	return up, nil
}

// A lossGrid is a grid of values for privacy losses: i·ln r for i from -gridReach to gridReach. The sum of two grid
// points is again a grid point, unless it is out of range.
type lossGrid struct {
	low    float64      // a lower bound on ln r
	powers []*big.Float // the powers r^i
}

// A lossLaw is the distribution of a privacy loss on a grid. It holds upper bounds on the probabilities of all grid
// points and of an infinite loss, under P, the output distribution on the first of the two neighbours. The sum of
// these bounds may exceed 1.
type lossLaw struct {
	mass     []float64
	infinite float64
}

// newLossGrid returns a grid with reach as the approximate greatest loss.
func newLossGrid(reach float64) lossGrid {
	step := 1 + math.Max(math.Expm1(reach/gridReach), 0x1p-40)
	r := precisely(step)
	g := lossGrid{math.Log1p(step-1) * (1 - 0x1p-44), make([]*big.Float, 2*gridReach+1)}
	inverse := new(big.Float).SetPrec(gridBits).Quo(precisely(1), r)
	g.powers[gridReach] = precisely(1)
	for i := 1; i <= gridReach; i++ {
		g.powers[gridReach+i] = new(big.Float).Mul(g.powers[gridReach+i-1], r)
		g.powers[gridReach-i] = new(big.Float).Mul(g.powers[gridReach-i+1], inverse)
	}
	return g
}

// precisely converts x to a big.Float with gridBits bits.
func precisely(x float64) *big.Float { return new(big.Float).SetPrec(gridBits).SetFloat64(x) }

// none returns the distribution of a loss that is always 0.
func (g lossGrid) none() lossLaw {
	l := lossLaw{mass: make([]float64, len(g.powers))}
	l.mass[gridReach] = 1
	return l
}

// A vertex is a point (X, δ(x)) of a privacy curve, with X = e^x.
type vertex struct {
	x, y  *big.Float
	at    int        // the index of X in the powers of the grid
	slope *big.Float // the slope of the hull to the left of the vertex
}

// law returns a distribution of losses that dominates those of an unknown pair of neighbours. Of this pair, only a
// bound on the privacy curve is known: delta(x) for all x ≥ 0, in both orders of the neighbours. The privacy curve of
// the returned distribution is the lower convex hull of the values of delta on the grid.
func (g lossGrid) law(delta func(x float64) float64) lossLaw {
	values := make([]*big.Float, len(g.powers))
	for i := 0; i <= gridReach; i++ {
		at := precisely(delta(float64(i) * g.low)) // at least delta(i·ln r)
		values[gridReach+i] = at
		// The curve for the reverse order of the neighbours is 1 - X + X·δ at 1/X.
		power := g.powers[gridReach-i]
		mirrored := new(big.Float).Sub(precisely(1), power)
		values[gridReach-i] = mirrored.Add(mirrored, new(big.Float).Mul(power, at))
	}
	hull := []vertex{{x: precisely(0), y: precisely(1)}}
	for i, power := range g.powers {
		next := vertex{x: power, y: values[i], at: i}
		for {
			last := hull[len(hull)-1]
			next.slope = slopeOf(last, next)
			if len(hull) == 1 || last.slope.Cmp(next.slope) < 0 {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, next)
	}
	l := lossLaw{mass: make([]float64, len(g.powers)), infinite: delta(gridReach * g.low)}
	right := precisely(0) // the slope of the hull to the right of vertex v
	for _, v := range slices.Backward(hull[1:]) {
		mass := new(big.Float).Sub(right, v.slope)
		f, _ := mass.Mul(mass, v.x).Float64()
		l.mass[v.at] = max(f, 0)*(1+0x1p-50) + 0x1p-200
		right = v.slope
	}
	return l
}

// slopeOf returns the slope of the line from a to b.
func slopeOf(a, b vertex) *big.Float {
	rise := new(big.Float).Sub(b.y, a.y)
	return rise.Quo(rise, new(big.Float).Sub(b.x, a.x))
}

// plus returns the distribution of the sum of two independent losses with distributions a and
// b. A sum above the grid counts as an infinite loss, and a sum below the grid as the least
// loss of the grid.
func (g lossGrid) plus(a, b lossLaw) lossLaw {
	n := len(g.powers)
	below := make([]float64, n+1) // below[j] is the probability of b at indices less than j
	above := make([]float64, n+1) // above[j] is the probability of b at indices j and greater, without the infinite loss
	for j, q := range b.mass {
		below[j+1] = below[j] + q
		above[n-1-j] = above[n-j] + b.mass[n-1-j]
	}
	sum := lossLaw{mass: make([]float64, n)}
	total := 0.0
	for i, p := range a.mass {
		if p == 0 {
			continue
		}
		shift := i - gridReach // added to the indices of b
		first, last := max(-shift, 0), min(n-shift, n)
		sum.mass[0] += p * below[first]
		sum.infinite += p * above[last]
		to := sum.mass[first+shift : last+shift]
		for k, q := range b.mass[first:last] {
			to[k] += p * q
		}
		total += p
	}
	sum.infinite += total*b.infinite + a.infinite*(above[0]+b.infinite)
	// Each value is a sum of at most 2¹³ non-negative terms, so up covers its rounding error.
	const up = 1 + 0x1p-38
	for k := range sum.mass {
		sum.mass[k] *= up
	}
	sum.infinite *= up
	return sum
}

// times returns the distribution of the sum of n ≥ 1 independent losses with the same distribution.
func (g lossGrid) times(one lossLaw, n int64) lossLaw {
	sum, double := g.none(), one
	for ; ; double = g.plus(double, double) {
		if n%2 == 1 {
			sum = g.plus(sum, double)
		}
		if n /= 2; n == 0 {
			return sum
		}
	}
}

// delta returns the privacy curve of the distribution l at x ≥ 0, rounded upward.
func (g lossGrid) delta(l lossLaw, x float64) float64 {
	sum := l.infinite
	for i, mass := range slices.Backward(l.mass) {
		// Add 1 - e^(x-loss). The loss is at most (i-gridReach)·low·(1+2⁻⁴³).
		least := float64(i-gridReach)*g.low*(1+0x1p-42) - x
		if least <= 0 {
			break
		}
		sum += mass * -math.Expm1(-least)
	}
	return outward(sum * (1 + 0x1p-38))
}
