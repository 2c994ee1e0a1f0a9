package privacy

import (
	"math"
	"math/big"
	"slices"
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

// TestLossesOfPure compares the computed privacy curve of pure parts with the closed form. It is
// never less, and only slightly greater.
func TestLossesOfPure(t *testing.T) {
	for _, c := range []struct {
		n       int
		epsilon string
		reach   float64
	}{{1, "0.5", 1}, {2, "0.5", 1.5}, {10, "0.1", 1.5}, {30, "0.05", 2}, {7, "1", 10}, {64, "0.01", 0.7}} {
		g := newLossGrid(c.reach)
		e := floatUp(decimal(t, c.epsilon).Rat())
		law := g.times(g.law(func(x float64) float64 { return pureDelta(e, x) }), int64(c.n))
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
	g := newLossGrid(3)
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
		three[name] = g.times(one[name], 3)
	}
	for first, a := range single {
		for second, b := range single {
			sum := g.plus(one[first], three[second])
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
	short := newLossGrid(0.3)
	law := short.times(short.law(pure(t, "0.1").Delta), 9)
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

func TestEpsilonByLosses(t *testing.T) {
	many := func(g Guarantee, n int) Guarantee { return compose(t, slices.Repeat([]Guarantee{g}, n)...) }
	for name, c := range map[string]struct {
		g     Guarantee
		delta string
		less  float64 // maximum of EpsilonByLosses divided by Epsilon
	}{
		"pure":         {many(pure(t, "0.1"), 20), "1e-6", 0.9},
		"range":        {many(boundedRange(t, "0.1"), 20), "1e-6", 1},
		"mixed":        {compose(t, many(boundedRange(t, "0.1"), 10), pure(t, "0.2"), zcdp(t, big.NewRat(1, 500)), approximate(t, "0.1", "1e-8")), "1e-6", 0.98},
		"one":          {boundedRange(t, "1"), "1e-6", 1},
		"zCDP":         {zcdp(t, big.NewRat(1, 50)), "1e-6", 1},
		"GDP":          {gdp(t, big.NewRat(1, 25), big.NewRat(1, 50)), "1e-6", 1},
		"GDP and more": {compose(t, many(gdp(t, big.NewRat(1, 100), big.NewRat(1, 200)), 3), many(pure(t, "0.1"), 10), zcdp(t, big.NewRat(1, 500))), "1e-6", 0.98},
		"subsampled":   {subsampled(t, ReplaceOne, big.NewRat(1, 10), big.NewRat(400, 1), 10), "1e-6", 1},
		"without δ":    {many(pure(t, "0.1"), 20), "0", 1},
		"all of it":    {approximate(t, "0.1", "1e-8"), "1e-8", 1},
		"a great one":  {many(pure(t, "20"), 5), "1e-6", 1},
	} {
		delta := decimal(t, c.delta)
		simple, err := Epsilon(c.g, delta)
		if err != nil {
			t.Fatal(err)
		}
		got, err := EpsilonByLosses(c.g, delta)
		if err != nil {
			t.Fatal(err)
		}
		ratio, _ := new(big.Rat).Quo(got.Rat(), simple.Rat()).Float64()
		if ratio > c.less {
			t.Errorf("%s: %v, and %v by sums", name, got, simple)
		}
		t.Logf("%s: %v, and %v by sums", name, got, simple)
	}
	// A normal distribution and 20 randomised responses: their exact curve is a sum over the number of true answers.
	for name, square := range map[string]*big.Rat{"small": big.NewRat(1, 100), "large": big.NewRat(1, 4)} {
		mu := math.Sqrt(floatUp(square))
		got, err := EpsilonByLosses(compose(t, many(pure(t, "0.1"), 20), gdp(t, square, new(big.Rat).Quo(square, big.NewRat(2, 1)))), decimal(t, "1e-6"))
		if err != nil {
			t.Fatal(err)
		}
		x, _ := got.Rat().Float64()
		exact, yes := 0.0, 1/(1+math.Exp(-0.1))
		for k := range 21 {
			ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(20, int64(k))).Float64()
			exact += ways * math.Pow(yes, float64(k)) * math.Pow(1-yes, float64(20-k)) * gaussian(mu, x-0.1*float64(2*k-20))
		}
		if exact > 1e-6 || exact < 0.9e-6 {
			t.Errorf("%s μ²: δ(%v) is %v", name, x, exact)
		}
	}
	// For 20 randomised responses, the least ε from the closed form is slightly less.
	got, err := EpsilonByLosses(many(pure(t, "0.1"), 20), decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	x, _ := got.Rat().Float64()
	if d, _ := binomialDelta(20, 0.1, x).Float64(); d > 1e-6 {
		t.Errorf("δ(%v) is %v", x, d)
	}
	if d, _ := binomialDelta(20, 0.1, x*0.995).Float64(); d < 1e-6 || math.IsNaN(d) {
		t.Errorf("δ(%v) is %v already", x*0.995, d)
	}
	// With an additional part of δ = 9e-7, a tenth of δ is left for the 20 pure parts.
	with, err := EpsilonByLosses(compose(t, many(pure(t, "0.1"), 20), approximate(t, "0", "9e-7")), decimal(t, "1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := EpsilonByLosses(many(pure(t, "0.1"), 20), decimal(t, "1.000001e-7"))
	if err != nil || with.Cmp(alone) < 0 {
		t.Errorf("ε = %v with failures, %v without them at a tenth of δ, %v", with, alone, err)
	}
	if _, err := EpsilonByLosses(approximate(t, "0.1", "1e-3"), decimal(t, "1e-6")); err == nil {
		t.Error("an ε below the failures")
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
		epsilon, err := EpsilonByLosses(compose(t, g, zcdp(t, big.NewRat(1, 100))), decimal(t, "1e-6"))
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
