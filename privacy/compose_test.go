package privacy

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// draws returns the pair of distributions of n independent samples from l.
func draws(l law, n int) law {
	product := l
	for range n - 1 {
		product = product.times(l)
	}
	return product
}

// Each part of a composition has a worst-case pair of distributions. The privacy curve of the
// composition is at least the exact curve of the products of these distributions.
func TestComposeDominatesProducts(t *testing.T) {
	repeat := func(g Guarantee, n int) []Guarantee {
		gs := make([]Guarantee, n)
		for i := range gs {
			gs[i] = g
		}
		return gs
	}
	half, one, approx := randomizedResponse(0.5), randomizedResponse(1), failing(0.5, 0.01)
	for _, c := range []struct {
		name  string
		parts []Guarantee
		exact law
	}{
		{"8 pure", repeat(pure(t, "0.5"), 8), draws(half, 8)},
		{"2 pure", []Guarantee{pure(t, "0.5"), pure(t, "1")}, half.times(one)},
		{"8 ranged", repeat(boundedRange(t, "1"), 8), draws(ranged(1, 0.5), 8)},
		{"8 ranged, lopsided", repeat(boundedRange(t, "1"), 8), draws(ranged(1, 0.8), 8)},
		{"4 approximate", repeat(approximate(t, "0.5", "0.01"), 4), draws(approx, 4)},
		{"pure and approximate", []Guarantee{approximate(t, "0.5", "0.01"), pure(t, "1")}, approx.times(one)},
		{"all kinds", []Guarantee{approximate(t, "0.5", "0.01"), pure(t, "1"), boundedRange(t, "1"), pure(t, "4"),
			zcdp(t, big.NewRat(1, 8))}, approx.times(one).times(ranged(1, 0.4)).times(randomizedResponse(4)).times(half)},
	} {
		g := compose(t, c.parts...)
		if !dominates(g.Delta, c.exact.hockeyStick) || !dominates(g.Delta, c.exact.reversed().hockeyStick) {
			t.Errorf("%s: the exact curve exceeds the bound", c.name)
		}
		if fewer := compose(t, c.parts[len(c.parts)/2:]...); dominates(fewer.Delta, c.exact.hockeyStick) {
			t.Errorf("%s: the check does not notice that half the parts are left out", c.name)
		}
	}
	exact := draws(half, 8)
	if wrong := compose(t, repeat(boundedRange(t, "0.5"), 8)...); dominates(wrong.Delta, exact.hockeyStick) {
		t.Error("the check accepts pure parts passed off as bounded range")
	}
}

// The second mechanism depends on the output of the first: its range is asymmetric around 0, and
// the output decides in which direction.
func TestComposeDominatesAdaptiveChoice(t *testing.T) {
	first := ranged(1, 0.5)
	var joint law
	for i, top := range []float64{0.75, 0.2} {
		second := ranged(1, top)
		for j := range second.p {
			joint.p = append(joint.p, first.p[i]*second.p[j])
			joint.q = append(joint.q, first.q[i]*second.q[j])
		}
	}
	g := compose(t, boundedRange(t, "1"), boundedRange(t, "1"))
	if !dominates(g.Delta, joint.hockeyStick) || !dominates(g.Delta, joint.reversed().hockeyStick) {
		t.Error("the exact curve exceeds the bound")
	}
	// The range of an adaptive composition can exceed the sum of the ranges.
	low, high := math.Inf(1), math.Inf(-1)
	for i := range joint.p {
		loss := math.Log(joint.p[i] / joint.q[i])
		low, high = min(low, loss), max(high, loss)
	}
	if high-low <= 2 {
		t.Errorf("the example has range %v: not the counterexample it should be", high-low)
	}
}

func TestComposeReportsTheBetterRoute(t *testing.T) {
	few := compose(t, pure(t, "1"), pure(t, "1"))
	if got := few.Delta(2); got != 0 {
		t.Errorf("two pure parts have δ(2) = %v", got)
	}
	parts := make([]Guarantee, 1000)
	for i := range parts {
		parts[i] = pure(t, "0.01")
	}
	many := compose(t, parts...)
	if got, want := many.Delta(1), zcdp(t, big.NewRat(1, 20)).Delta(1); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("1000 small pure parts have δ(1) = %v, by zCDP %v", got, want)
	}
	// For one large ε and many small ones, the best bound adds the large ε to the ε from the zCDP
	// of the others.
	mixed := compose(t, many, pure(t, "8"))
	if got, most := mixed.Delta(9), many.Delta(math.Nextafter(1, 0))*(1+1e-9); got > most {
		t.Errorf("a large part beside small ones has δ(9) = %v, more than %v", got, most)
	}
}

// Routes bound parts by ε in decreasing order of ρ/ε, for any order of the parts.
func TestRoutesAreInOrder(t *testing.T) {
	var parts []Guarantee
	for _, e := range []string{"0.5", "0.1", "1.2", "0.3", "2", "0.05", "0.7"} {
		parts = append(parts, boundedRange(t, e), pure(t, e))
	}
	routes := compose(t, parts...).(Composed).routes
	if len(routes) != len(parts)+1 {
		t.Fatalf("%d routes", len(routes))
	}
	before := math.Inf(1)
	for i, r := range routes[1:] {
		price := (routes[i].rho - r.rho) / (r.shift - routes[i].shift)
		if price > before*(1+1e-9) {
			t.Errorf("route %d saves a ρ of %v for its ε, after %v", i+1, price, before)
		}
		before = price
	}
}

// The bound of a route at x is 1 for x below its shift. From the shift on it is the bound of ρ-zCDP
// at x minus the shift, rounded downward.
func TestRoutesBeyondTheShift(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	seen := false
	for range 200 {
		r := route{shift: random.Float64(), rho: 0.01 + random.Float64()/10}
		for _, x := range []float64{0, r.shift / 2, math.Nextafter(r.shift, 0)} {
			if got := r.delta(x); got != 1 {
				t.Errorf("%+v: δ(%v) = %v", r, x, got)
			}
		}
		x := r.shift + 1 + random.Float64()
		exact := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(r.shift))
		if new(big.Rat).SetFloat64(x-r.shift).Cmp(exact) <= 0 {
			continue // the float64 difference is not rounded upward
		}
		if got, want := r.delta(x), zcdpDelta(r.rho, floatDown(exact)); got != want {
			t.Errorf("%+v: δ(%v) = %v, not %v", r, x, got, want)
		}
		seen = seen || zcdpDelta(r.rho, floatDown(exact)) != zcdpDelta(r.rho, x-r.shift)
	}
	if !seen {
		t.Error("no difference is rounded upward, or it does not show")
	}
}

// The ρ of parts without a bounded loss are summed.
func TestComposeAddsUpRho(t *testing.T) {
	both, sum := compose(t, zcdp(t, big.NewRat(1, 8)), zcdp(t, big.NewRat(1, 4))), zcdp(t, big.NewRat(3, 8))
	for _, x := range grid() {
		if x == 0 {
			continue // the bound of the composition at 0 is 1
		}
		if got, want := both.Delta(x), sum.Delta(x); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("δ(%v) is %v, not %v", x, got, want)
		}
	}
}

func TestComposeIsAssociative(t *testing.T) {
	a, b, c := pure(t, "0.3"), approximate(t, "0.2", "1e-6"), zcdp(t, big.NewRat(1, 100))
	flat := compose(t, a, b, c, boundedRange(t, "1"), a)
	nested := compose(t, compose(t, a, a), compose(t, c, compose(t, boundedRange(t, "1"), b)))
	for _, x := range grid() {
		if flat.Delta(x) != nested.Delta(x) {
			t.Errorf("δ(%v) is %v flat and %v nested", x, flat.Delta(x), nested.Delta(x))
		}
	}
	if alone := compose(t, boundedRange(t, "1")); alone.Delta(0) != boundedRange(t, "1").Delta(0) {
		t.Error("one guarantee alone changed")
	}
}

func TestComposeUnitesAssumptions(t *testing.T) {
	one := decimal(t, "1")
	a, _ := NewPure(AddRemove, one, FloatBound)
	b, _ := NewPure(AddRemove, one, ExactOracle)
	c, _ := NewPure(AddRemove, one)
	got := compose(t, a, compose(t, b, c), a)
	if s := got.Assumes(); len(s) != 2 || s[0] != ExactOracle || s[1] != FloatBound || got.Relation() != AddRemove {
		t.Errorf("assumes %v under %v", s, got.Relation())
	}
}

func TestComposeRefuses(t *testing.T) {
	other, _ := NewPure(AddRemove, decimal(t, "1"))
	p := pure(t, "1")
	for name, gs := range map[string][]Guarantee{
		"nothing":               {},
		"nil":                   {p, nil},
		"mixed relations":       {p, other},
		"a foreign type":        {p, foreign{p}},
		"a foreign type alone":  {foreign{p}},
		"a pointer":             {&p},
		"a zero value":          {p, Pure{}},
		"a composed zero value": {p, Composed{}},
	} {
		if g, err := Compose(gs...); !errors.Is(err, ErrCompose) || g != nil {
			t.Errorf("%s composed to %v, %v", name, g, err)
		}
	}
	if _, err := Compose(Pure{}); err == nil || !strings.Contains(err.Error(), "a zero value is not a guarantee") {
		t.Errorf("a zero value alone: %v", err)
	}
	for delta, want := range map[string]*big.Rat{"0.3": big.NewRat(6, 10), "0.5": big.NewRat(1, 1), "0.6": big.NewRat(1, 1)} {
		both := compose(t, approximate(t, "0", delta), approximate(t, "0", delta)).(Composed)
		if got := both.total.failure(); got.Cmp(want) != 0 {
			t.Errorf("twice δ = %s fails with %v", delta, got)
		}
	}
	_, err := Compose(p, other)
	if want := "the guarantees cannot be combined into one: guarantee 1 is under the relation replace, but guarantee 2 under add-remove"; err.Error() != want {
		t.Errorf("mixed relations: %q, want %q", err, want)
	}
}
