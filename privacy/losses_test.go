package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// binomialDelta returns the privacy curve at x of n randomised responses with ε, in 300-bit
// arithmetic. It is the largest curve of n pure parts with ε (Kairouz, Oh and Viswanath 2015).
func binomialDelta(n int, epsilon, x float64) *big.Float {
	e := preciseExp(precise(epsilon))
	yes, no := quo(e, add(e, precise(1))), quo(precise(1), add(e, precise(1)))
	sum, limit := precise(0), preciseExp(precise(x))
	for k := range n + 1 {
		p, q := precise(0).SetInt(new(big.Int).Binomial(int64(n), int64(k))), precise(0)
		q.Set(p)
		for i := range n {
			if i < k {
				p, q = mul(p, yes), mul(q, no)
			} else {
				p, q = mul(p, no), mul(q, yes)
			}
		}
		if d := sub(p, mul(limit, q)); d.Sign() > 0 {
			sum = add(sum, d)
		}
	}
	return sum
}

// The grid consists of powers of r with 256 bits. Its greatest loss is as requested if 1 + 2⁻⁴⁰ ≤ r ≤ 2, and low is at
// most ln r, but hardly less.
func TestLossGrid(t *testing.T) {
	for _, c := range []struct {
		most, ratio, loss float64 // ratio and loss are the expected r and the expected greatest loss, or 0 if they are not exact
		reach             int
	}{{3, 0, 3, 8}, {30, 0, 30, 60}, {0, 1 + 0x1p-40, 0, 4}, {1e6, 2, 0, 5}, {math.MaxFloat64, 2, 0, 2}} {
		g := newLossGrid(c.most, c.reach)
		r := g.powers[c.reach+1]
		for i := range 2*c.reach + 1 {
			if next := i + 1; next <= 2*c.reach {
				if off, _ := sub(quo(g.powers[next], mul(g.powers[i], r)), precise(1)).Float64(); math.Abs(off) > 0x1p-245 {
					t.Errorf("%+v: the ratio of power %d to the one before differs by %g from r", c, next-c.reach, off)
				}
			}
		}
		if low := precise(g.low); preciseExp(low).Cmp(r) > 0 || preciseExp(mul(low, precise(1+0x1p-43))).Cmp(r) < 0 || g.powers[c.reach].Cmp(precise(1)) != 0 {
			t.Errorf("%+v: r = %v, and low is %v", c, r, g.low)
		}
		ratio, _ := r.Float64()
		if loss := float64(c.reach) * g.low; c.ratio > 0 && ratio != c.ratio || c.loss > 0 && math.Abs(loss/c.loss-1) > 1e-9 {
			t.Errorf("%+v: r is %v, and the greatest loss %v", c, ratio, loss)
		}
	}
}

// TestLossLaw compares the masses of laws on a small grid with those of the lower convex hull, which is computed as the
// minimum over all lines between two points. They are never less, and only slightly greater.
func TestLossLaw(t *testing.T) {
	g := newLossGrid(2, 6)
	n := len(g.powers)
	for name, delta := range map[string]func(x float64) float64{
		"pure":  func(x float64) float64 { return pureDelta(0.8, x) },
		"range": func(x float64) float64 { return rangeDelta(1.1, x) },
		"zCDP":  func(x float64) float64 { return zcdpDelta(0.3, x) },
		"GDP":   func(x float64) float64 { return gdpDelta(0.4, 0, x) },
		"steps": func(x float64) float64 { return 0.4 / (1 + math.Floor(2*x)) },
	} {
		points := []vertex{{x: precise(0), y: precise(1)}}
		for i, power := range g.powers {
			up := math.Abs(float64(i-6)) * g.low
			y := precise(delta(up))
			if i < 6 {
				y = add(sub(precise(1), power), mul(power, y))
			}
			points = append(points, vertex{x: power, y: y})
		}
		var hull []*big.Float
		for k, of := range points {
			least := of.y
			for _, a := range points[:k] {
				for _, b := range points[k+1:] {
					line := add(a.y, mul(sub(of.x, a.x), quo(sub(b.y, a.y), sub(b.x, a.x))))
					if line.Cmp(least) < 0 {
						least = line
					}
				}
			}
			hull = append(hull, least)
		}
		l := g.law(delta)
		for i, mass := range l.mass {
			left, right := quo(sub(hull[i+1], hull[i]), sub(points[i+1].x, points[i].x)), precise(0)
			if i+1 < n {
				right = quo(sub(hull[i+2], hull[i+1]), sub(points[i+2].x, points[i+1].x))
			}
			exact := mul(points[i+1].x, sub(right, left))
			if most := add(mul(exact, precise(1+0x1p-48)), precise(0x1p-199)); !atLeast(mass, sub(exact, precise(1e-80))) || atLeast(mass, most) {
				t.Errorf("%s: the mass of point %d is %v instead of %v", name, i-6, mass, exact)
			}
			if flat := left.Sign() == 0 && right.Sign() == 0 && i < n-1; mass < 0 || flat && mass != 0 {
				t.Errorf("%s: the mass of point %d is %v", name, i-6, mass)
			}
		}
		if l.infinite != delta(6*g.low) {
			t.Errorf("%s: the mass of an infinite loss is %v", name, l.infinite)
		}
	}
	// Even if rounding errors make a bound increase, no mass is negative.
	if l := g.law(func(x float64) float64 { return 0.1 + 0x1p-50*x }); slices.Min(l.mass) < 0 {
		t.Errorf("the masses are %v", l.mass)
	}
}

// TestLossPlus compares the distributions of sums on a small grid with exact sums of products. They are never less, and
// only slightly greater.
func TestLossPlus(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const reach = 3
	exactly := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for range 30 {
		var l, m lossLaw
		for range 2*reach + 1 {
			l.mass, m.mass = append(l.mass, random.Float64()), append(m.mass, random.Float64())
		}
		l.mass[random.IntN(len(l.mass))] = 0
		l.infinite, m.infinite = random.Float64(), random.Float64()
		exact, infinite := make([]*big.Rat, len(l.mass)), new(big.Rat)
		for k := range exact {
			exact[k] = new(big.Rat)
		}
		for i, p := range append(l.mass, l.infinite) {
			for j, q := range append(m.mass, m.infinite) {
				at := infinite
				if k := i + j - reach; k <= 2*reach && i <= 2*reach && j <= 2*reach {
					at = exact[max(k, 0)]
				}
				at.Add(at, new(big.Rat).Mul(exactly(p), exactly(q)))
			}
		}
		sum := l.plus(m)
		for k, got := range append(sum.mass, sum.infinite) {
			want := append(exact, infinite)[k]
			if most := new(big.Rat).Mul(want, exactly(1+0x1p-37)); exactly(got).Cmp(want) < 0 || exactly(got).Cmp(most) > 0 {
				t.Fatalf("the mass of point %d is %v instead of %v", k-reach, got, want.FloatString(20))
			}
		}
	}
	l := lossLaw{make([]float64, 2*10+1), 0.01} // losses -1, 0 and 1 on a grid that contains the sum of 9
	copy(l.mass[9:], []float64{0.2, 0.3, 0.4})
	for n, repeated := int64(1), l; n <= 9; n, repeated = n+1, repeated.plus(l) {
		for k, got := range append(l.times(n).mass, l.times(n).infinite) {
			if want := append(repeated.mass, repeated.infinite)[k]; math.Abs(got-want) > 1e-9*want {
				t.Errorf("%d times: the mass of point %d is %v instead of %v", n, k-10, got, want)
			}
		}
	}
}

// The curve of a law that has only one loss is slightly greater than the exact curve, also just below this loss.
func TestLossDelta(t *testing.T) {
	g := newLossGrid(2, 6)
	for at := 7; at <= 12; at++ {
		l := lossLaw{mass: make([]float64, len(g.powers))}
		l.mass[at] = 0.3
		for _, part := range []float64{0, 0.5, 1 - 1e-9} {
			x := float64(at-6) * g.low * part
			exact := mul(precise(0.3), sub(precise(1), quo(preciseExp(precise(x)), g.powers[at])))
			if got := g.delta(l, x); !atLeast(got, exact) || atLeast(got, mul(exact, precise(1.001))) {
				t.Errorf("loss %d: δ(%v) is %v instead of %v", at-6, x, got, exact)
			}
		}
	}
	if got := g.delta(lossLaw{infinite: 1.5}, 1); got != 1 {
		t.Errorf("the bound on a probability is %v", got)
	}
}

// TestLossesOfPure compares the computed privacy curve of pure parts with the closed form. It is
// never less, and only slightly greater.
func TestLossesOfPure(t *testing.T) {
	for _, c := range []struct {
		n       int
		epsilon string
		reach   float64
	}{{1, "0.5", 1}, {2, "0.5", 1.5}, {10, "0.1", 1.5}, {30, "0.05", 2}, {7, "1", 10}, {64, "0.01", 0.7}} {
		g := newLossGrid(c.reach, 1000)
		e := floatUp(decimal(t, c.epsilon).Rat())
		law := g.law(func(x float64) float64 { return pureDelta(e, x) }).times(int64(c.n))
		for _, x := range []float64{0, 0.1, 0.3, 0.5, 1, 2} {
			exact := binomialDelta(c.n, e, x)
			got := g.delta(law, x)
			if !atLeast(got, exact) {
				t.Errorf("%d of ε = %s at %v: %v is less than %v", c.n, c.epsilon, x, got, exact)
			}
			// The computed value is at most the exact value at an x that is smaller by about a
			// hundredth.
			if most, _ := binomialDelta(c.n, e, 0.99*x-0.001).Float64(); x <= c.reach && got > 1.001*most+1e-50 {
				t.Errorf("%d of ε = %s at %v: %v, and exactly %v", c.n, c.epsilon, x, got, most)
			}
		}
	}
}

// TestLossesDominate compares the computed distributions of sums with products of pairs of
// distributions that satisfy the guarantees, in both orders.
func TestLossesDominate(t *testing.T) {
	g := newLossGrid(3, 100)
	single := map[string]struct {
		curve func(x float64) float64
		pairs []law
	}{
		"pure":  {pure(t, "0.4").Delta, []law{randomizedResponse(0.4)}},
		"range": {boundedRange(t, "0.7").Delta, []law{ranged(0.7, 0.1), ranged(0.7, 0.35), ranged(0.7, 0.6)}},
		"zCDP":  {zcdp(t, big.NewRat(1, 50)).Delta, []law{randomizedResponse(0.2)}},
	}
	one, three := map[string]lossLaw{}, map[string]lossLaw{}
	for name, a := range single {
		one[name] = g.law(a.curve)
		three[name] = one[name].times(3)
	}
	for first, a := range single {
		for second, b := range single {
			sum := one[first].plus(three[second])
			for _, p := range a.pairs {
				for _, q := range b.pairs {
					for _, q := range []law{q, q.reversed()} {
						worst := p.times(q).times(q).times(q)
						for _, x := range []float64{0, 0.2, 0.7, 1.3, 2.9, 3.5} {
							if got, want := g.delta(sum, x), worst.hockeyStick(x); got < want*(1-1e-12) {
								t.Errorf("%s and three of %s at %v: %v is less than %v", first, second, x, got, want)
							}
						}
					}
				}
			}
		}
	}
	// On a grid that is too short, losses above the grid count as infinite, and no probability is
	// lost.
	short := newLossGrid(0.3, 100)
	law := short.law(pure(t, "0.1").Delta).times(9)
	total := law.infinite
	for _, mass := range law.mass {
		total += mass
	}
	if total < 1 || total > 1+1e-9 {
		t.Errorf("all masses are %v", total)
	}
	for _, x := range []float64{0, 0.25, 0.3, 0.31, 0.8} {
		if got := short.delta(law, x); !atLeast(got, binomialDelta(9, 0.1, x)) {
			t.Errorf("beyond the grid at %v: %v", x, got)
		}
	}
}

// EpsilonByLosses is never greater than Epsilon, and smaller for compositions of several parts.
func TestEpsilonByLosses(t *testing.T) {
	different := func(n int) (g Guarantee) {
		for i := range n {
			more := boundedRange(t, fmt.Sprintf("0.1%02d", i))
			if g == nil {
				g = more
				continue
			}
			g = compose(t, g, more)
		}
		return compose(t, g, repeated(t, pure(t, "0.1"), 20))
	}
	for name, c := range map[string]struct {
		g           Guarantee
		delta       string
		least, most float64 // bounds on the ratio of EpsilonByLosses to Epsilon
	}{
		"pure":         {repeated(t, pure(t, "0.1"), 20), "1e-6", 0, 0.91},
		"small":        {repeated(t, pure(t, "1e-15"), 20), "1e-17", 1, 1},
		"range":        {repeated(t, boundedRange(t, "0.1"), 20), "1e-6", 1, 1},
		"few ranges":   {repeated(t, boundedRange(t, "1"), 2), "1e-6", 0, 0.995},
		"mixed":        {compose(t, repeated(t, boundedRange(t, "0.1"), 10), pure(t, "0.2"), zcdp(t, big.NewRat(1, 500)), approximate(t, "0.1", "1e-8")), "1e-6", 0, 0.98},
		"one":          {boundedRange(t, "1"), "1e-6", 1, 1},
		"zCDP":         {zcdp(t, big.NewRat(1, 50)), "1e-6", 1, 1},
		"GDP":          {gdp(t, big.NewRat(1, 25), big.NewRat(1, 50)), "1e-6", 1, 1},
		"GDP and more": {compose(t, repeated(t, gdp(t, big.NewRat(1, 100), big.NewRat(1, 200)), 3), repeated(t, pure(t, "0.1"), 10), zcdp(t, big.NewRat(1, 500))), "1e-6", 0, 0.98},
		"subsampled":   {subsampled(t, ReplaceOne, big.NewRat(1, 10), big.NewRat(400, 1), 10), "1e-6", 1, 1},
		"without δ":    {repeated(t, pure(t, "0.1"), 20), "0", 1, 1},
		"all of it":    {approximate(t, "0.1", "1e-8"), "1e-8", 1, 1},
		"great":        {repeated(t, pure(t, "20"), 5), "1e-6", 1, 1},
		"too great":    {repeated(t, pure(t, "1e9"), 2), "1e-6", 1, 1},
		"most kinds":   {different(31), "1e-6", 0, 0.98},
		"more kinds":   {different(32), "1e-6", 1, 1},
	} {
		delta := decimal(t, c.delta)
		simple, err := Epsilon(c.g, delta)
		if err != nil {
			t.Fatal(err)
		}
		got, err := epsilonByLosses(c.g, delta, 200)
		if err != nil {
			t.Fatal(err)
		}
		ratio, _ := new(big.Rat).Quo(got.Rat(), simple.Rat()).Float64()
		if ratio < c.least || ratio > c.most {
			t.Errorf("%s: %v, and %v by sums", name, got, simple)
		}
		t.Logf("%s: %v, and %v by sums", name, got, simple)
	}
}

func repeated(t testing.TB, g Guarantee, n int) Guarantee {
	return compose(t, slices.Repeat([]Guarantee{g}, n)...)
}

// The result covers the exact curve of a worst-case pair for the guarantees, and is close to its least ε if only one
// such pair is possible.
func TestEpsilonByLossesExact(t *testing.T) {
	const delta = 1e-6
	many := repeated(t, pure(t, "0.1"), 20)
	epsilon := func(g Guarantee, delta string, reach int) float64 {
		epsilon, err := epsilonByLosses(g, decimal(t, delta), reach)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := epsilon.Rat().Float64()
		return x
	}
	// A normal distribution and 20 randomised responses: their exact curve is a sum over the number of true answers.
	for _, square := range []*big.Rat{big.NewRat(1, 100), big.NewRat(1, 4)} {
		x := epsilon(compose(t, many, gdp(t, square, new(big.Rat).Quo(square, big.NewRat(2, 1)))), "1e-6", 500)
		exact, yes := 0.0, 1/(1+math.Exp(-0.1))
		for k := range 21 {
			ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(20, int64(k))).Float64()
			exact += ways * math.Pow(yes, float64(k)) * math.Pow(1-yes, float64(20-k)) * gaussian(math.Sqrt(floatUp(square)), x-0.1*float64(2*k-20))
		}
		if exact > delta || exact < 0.9*delta {
			t.Errorf("μ² = %v: δ(%v) is %v", square, x, exact)
		}
	}
	// Randomised response with ε = 0.6 is 0.18-zCDP. 20 randomised responses have the losses of a binomial law.
	x := epsilon(compose(t, many, zcdp(t, big.NewRat(18, 100))), "1e-6", 400)
	if least := mul(precise(1/(1+math.Exp(-0.6))), binomialDelta(20, 0.1, x-0.6)); !atLeast(delta, least) {
		t.Errorf("with zCDP, δ(%v) is at least %v", x, least)
	}
	// For 20 randomised responses, the least ε from the closed form is slightly less.
	alone, err := EpsilonByLosses(many, decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	x, _ = alone.Rat().Float64()
	if d := binomialDelta(20, 0.1, x); !atLeast(delta, d) {
		t.Errorf("δ(%v) is %v", x, d)
	}
	if d := binomialDelta(20, 0.1, x*0.9995); atLeast(delta, d) {
		t.Errorf("δ(%v) is already %v", x*0.9995, d)
	}
	if digits := len(strings.Trim(strings.Replace(alone.String(), ".", "", 1), "0")); digits != reported {
		t.Errorf("the result %v has %d digits", alone, digits)
	}
	// With a failure probability of 0.5, a total δ of 0.5000005 leaves 5e-7/0.5 for the other parts.
	if with, without := epsilon(compose(t, many, approximate(t, "0", "0.5")), "0.5000005", 400), epsilon(many, "1e-6", 400); math.Abs(with-without) > 1e-6 {
		t.Errorf("ε = %v with failures, and %v without them", with, without)
	}
	certain := compose(t, approximate(t, "0.1", "0.7"), approximate(t, "0.1", "0.7"))
	if x := epsilon(certain, "1", 10); x != 0 {
		t.Errorf("ε = %v at δ = 1", x)
	}
	if _, err := EpsilonByLosses(approximate(t, "0.1", "1e-3"), decimal(t, "1e-6")); !errors.Is(err, ErrNoEpsilon) {
		t.Errorf("a δ below the failures: %v", err)
	}
}

// EpsilonByLosses uses a grid that gives a smaller ε than one with half as many points, if the losses are not on the grid.
func TestEpsilonByLossesGrid(t *testing.T) {
	g := compose(t, repeated(t, pure(t, "0.1"), 20), pure(t, "0.03"))
	fine, err := EpsilonByLosses(g, decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	if coarse, err := epsilonByLosses(g, decimal(t, "1e-6"), 1024); err != nil || fine.Cmp(coarse) >= 0 {
		t.Errorf("ε = %v, and %v on the coarse grid, %v", fine, coarse, err)
	}
}

// Each of 2³⁰ GDP parts adds 2⁻³⁹ to ε, and multiplies δ by exp(2⁻⁴⁰), compared with one part that has the same μ².
func TestEpsilonByLossesOfManyGDP(t *testing.T) {
	const doublings = 30
	var all Guarantee = gdp(t, big.NewRat(1, 100<<doublings), big.NewRat(1, 200<<doublings))
	for range doublings {
		all = compose(t, all, all)
	}
	x := func(g Guarantee) float64 {
		epsilon, err := epsilonByLosses(compose(t, g, zcdp(t, big.NewRat(1, 100))), decimal(t, "1e-6"), 300)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := epsilon.Rat().Float64()
		return f
	}
	one, many := x(gdp(t, big.NewRat(1, 100), big.NewRat(1, 200))), x(all)
	if more := many - one - 0x1p-9; more < 2e-5 || more > 2e-4 {
		t.Errorf("ε is %v for many parts and %v for one", many, one)
	}
}
