package privacy

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// law is a pair of output distributions on the same finite set of outcomes.
type law struct{ p, q []float64 }

// hockeyStick returns the value of the privacy curve of the pair at x.
func (l law) hockeyStick(x float64) float64 {
	sum := 0.0
	for i := range l.p {
		sum += max(0, l.p[i]-math.Exp(x)*l.q[i])
	}
	return sum
}

func (l law) reversed() law { return law{l.q, l.p} }

// times returns the pair of distributions of two independent samples, one from each pair.
func (l law) times(m law) law {
	var r law
	for i := range l.p {
		for j := range m.p {
			r.p = append(r.p, l.p[i]*m.p[j])
			r.q = append(r.q, l.q[i]*m.q[j])
		}
	}
	return r
}

// randomizedResponse has the privacy losses ±ε.
func randomizedResponse(epsilon float64) law {
	yes := 1 / (1 + math.Exp(-epsilon))
	return law{[]float64{yes, 1 - yes}, []float64{1 - yes, yes}}
}

// ranged has the privacy losses top and top-ε, for 0 < top < ε.
func ranged(epsilon, top float64) law {
	p := math.Expm1(epsilon-top) / (math.Exp(epsilon-top) - math.Exp(-top))
	return law{[]float64{p, 1 - p}, []float64{p * math.Exp(-top), (1 - p) * math.Exp(epsilon-top)}}
}

// failing reveals the table with probability delta, and is randomised response otherwise.
func failing(epsilon, delta float64) law {
	l := randomizedResponse(epsilon)
	for i := range l.p {
		l.p[i] *= 1 - delta
		l.q[i] *= 1 - delta
	}
	return law{append(l.p, delta, 0), append(l.q, 0, delta)}
}

// gaussian is the privacy curve of N(0, 1) and N(mu, 1) (Balle and Wang 2018).
func gaussian(mu, x float64) float64 {
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	return phi(mu/2-x/mu) - math.Exp(x)*phi(-mu/2-x/mu)
}

// grid returns values of ε from 0 to beyond the relevant ones.
func grid() []float64 {
	var xs []float64
	for x := 0.0; x < 8; x += 1.0 / 16 {
		xs = append(xs, x)
	}
	return xs
}

// dominates reports whether bound is at least curve on the grid, up to the
// float64 errors of curve itself.
func dominates(bound, curve func(x float64) float64) bool {
	for _, x := range grid() {
		if bound(x) < curve(x)*(1-1e-9)-1e-14 {
			return false
		}
	}
	return true
}

func pure(t testing.TB, epsilon string) Pure {
	t.Helper()
	g, err := NewPure(ReplaceOne, decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func boundedRange(t testing.TB, epsilon string) BoundedRange {
	t.Helper()
	g, err := NewBoundedRange(ReplaceOne, decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func zcdp(t testing.TB, rho *big.Rat) ZCDP {
	t.Helper()
	g, err := NewZCDP(ReplaceOne, rho)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func approximate(t testing.TB, epsilon, delta string) Approximate {
	t.Helper()
	g, err := NewApproximate(ReplaceOne, decimal(t, epsilon), decimal(t, delta))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func compose(t testing.TB, gs ...Guarantee) Guarantee {
	t.Helper()
	g, err := Compose(gs...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func samples(t testing.TB) map[string]Guarantee {
	return map[string]Guarantee{
		"pure 0.3":         pure(t, "0.3"),
		"pure 1e-9":        pure(t, "1e-9"),
		"pure 1e99":        pure(t, "1e99"),
		"range 1":          boundedRange(t, "1"),
		"range 1e99":       boundedRange(t, "1e99"),
		"zCDP 1/2":         zcdp(t, big.NewRat(1, 2)),
		"zCDP 1e-12":       zcdp(t, big.NewRat(1, 1e12)),
		"zCDP 1e12":        zcdp(t, big.NewRat(1e12, 1)),
		"GDP 1/2":          gdp(t, big.NewRat(1, 4), big.NewRat(1, 8)),
		"GDP 1e-6":         gdp(t, big.NewRat(1, 1e12), big.NewRat(1, 2e12)),
		"GDP 1e6":          gdp(t, big.NewRat(1e12, 1), big.NewRat(5e11, 1)),
		"approximate":      approximate(t, "1", "1e-6"),
		"approximate at 0": approximate(t, "0", "0.1"),
		"composed": compose(t, pure(t, "0.3"), pure(t, "0.3"), pure(t, "5"), boundedRange(t, "0.1"),
			zcdp(t, big.NewRat(1, 100)), approximate(t, "0.2", "1e-6")),
		"composed GDP": compose(t, pure(t, "0.3"), boundedRange(t, "0.1"), gdp(t, big.NewRat(1, 50), big.NewRat(1, 100)), approximate(t, "0.2", "1e-6")),
	}
}

func TestDeltaIsACurve(t *testing.T) {
	for name, g := range samples(t) {
		last := 1.0
		for _, x := range append(grid(), 20, 1e3, 1e6, 1e50, 1e98, 1e200, math.MaxFloat64, math.Inf(1)) {
			delta := g.Delta(x)
			if !(delta >= 0 && delta <= last*(1+1e-9)) {
				t.Errorf("%s: δ(%v) = %v after %v", name, x, delta, last)
			}
			last = delta
		}
		for _, x := range []float64{-1, -1e-300, math.Inf(-1), math.NaN()} {
			if delta := g.Delta(x); delta != 1 {
				t.Errorf("%s: δ(%v) = %v", name, x, delta)
			}
		}
	}
}

func TestZeroValuesPromiseNothing(t *testing.T) {
	for _, g := range []Guarantee{Pure{}, BoundedRange{}, ZCDP{}, GDP{}, Approximate{}, Composed{}} {
		if g.Delta(1e9) != 1 || g.Relation() != 0 {
			t.Errorf("%T{} has δ = %v under %v", g, g.Delta(1e9), g.Relation())
		}
		if c, err := Compose(g); !errors.Is(err, ErrCompose) {
			t.Errorf("%T{} composed to %v, %v", g, c, err)
		}
		if e, err := Epsilon(g, decimal(t, "0.5")); !errors.Is(err, ErrNoEpsilon) {
			t.Errorf("%T{} has ε = %v, %v", g, e, err)
		}
	}
}

func TestConstructorsValidate(t *testing.T) {
	one, half := decimal(t, "1"), decimal(t, "0.5")
	for _, c := range []struct {
		name string
		make func() error
		want error
	}{
		{"pure without relation", func() error { _, err := NewPure(0, one); return err }, ErrRelation},
		{"pure 0", func() error { _, err := NewPure(AddRemove, Decimal{}); return err }, ErrParameter},
		{"pure on faith", func() error { _, err := NewPure(AddRemove, one, "faith"); return err }, ErrAssumption},
		{"range without relation", func() error { _, err := NewBoundedRange(3, one); return err }, ErrRelation},
		{"range 0", func() error { _, err := NewBoundedRange(AddRemove, Decimal{}); return err }, ErrParameter},
		{"zCDP without relation", func() error { _, err := NewZCDP(0, big.NewRat(1, 1)); return err }, ErrRelation},
		{"zCDP nil", func() error { _, err := NewZCDP(AddRemove, nil); return err }, ErrParameter},
		{"zCDP 0", func() error { _, err := NewZCDP(AddRemove, new(big.Rat)); return err }, ErrParameter},
		{"zCDP -1", func() error { _, err := NewZCDP(AddRemove, big.NewRat(-1, 1)); return err }, ErrParameter},
		{"GDP without relation", func() error { _, err := NewGDP(0, big.NewRat(1, 1), big.NewRat(1, 1)); return err }, ErrRelation},
		{"GDP nil", func() error { _, err := NewGDP(AddRemove, nil, big.NewRat(1, 1)); return err }, ErrParameter},
		{"GDP 0", func() error { _, err := NewGDP(AddRemove, new(big.Rat), big.NewRat(1, 1)); return err }, ErrParameter},
		{"GDP without ρ", func() error { _, err := NewGDP(AddRemove, big.NewRat(1, 1), nil); return err }, ErrParameter},
		{"approximate without relation", func() error { _, err := NewApproximate(0, one, half); return err }, ErrRelation},
		{"approximate δ 0", func() error { _, err := NewApproximate(AddRemove, one, Decimal{}); return err }, ErrParameter},
		{"approximate δ 1", func() error { _, err := NewApproximate(AddRemove, half, one); return err }, ErrParameter},
	} {
		if err := c.make(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestGuaranteesAreImmutable(t *testing.T) {
	rho, assumes := big.NewRat(1, 2), []Assumption{FloatBound, ExactOracle, FloatBound}
	z, err := NewZCDP(ReplaceOne, rho, assumes...)
	if err != nil {
		t.Fatal(err)
	}
	rho.SetInt64(0)
	z.Rho().SetInt64(0)
	assumes[0] = "faith"
	z.Assumes()[0] = "faith"
	if z.Rho().Cmp(big.NewRat(1, 2)) != 0 {
		t.Error("ρ changed")
	}
	if got := z.Assumes(); len(got) != 2 || got[0] != ExactOracle || got[1] != FloatBound {
		t.Errorf("assumes %v", got)
	}
	if got := pure(t, "1").Assumes(); got == nil || len(got) != 0 {
		t.Errorf("no assumptions are %#v, which JSON would not write as []", got)
	}
}

// Every float64 bound is at least the 300-bit value of its formula, and at most slightly greater.
func TestBoundsAreOutward(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	spread := func() float64 { return math.Exp(random.Float64()*24 - 20) }
	check := func(name string, bound float64, exact *big.Float) {
		t.Helper()
		if !atLeast(bound, exact) || !atLeast(tiny, exact) && atLeast(bound/(1+1e-9), exact) {
			t.Errorf("%s: bound %v, exact %.25g", name, bound, exact)
		}
	}
	for range 300 {
		epsilon := spread()
		x := epsilon * random.Float64()
		e, ex := preciseExp(precise(epsilon)), preciseExp(precise(x))
		check("pure", pureDelta(epsilon, x), quo(sub(e, ex), add(e, precise(1))))

		root := sub(preciseExp(precise(epsilon/2)), preciseExp(precise(x/2)))
		check("range", rangeDelta(epsilon, x), quo(mul(root, root), sub(e, precise(1))))

		rho := spread() / 4
		x = rho + 12*math.Sqrt(rho)*random.Float64()
		beta := bestOrder(rho, x)
		check("zCDP", zcdpDelta(rho, x), preciseZCDP(rho, x, beta))
	}
	if exact := precise(0).SetRat(big.NewRat(1, 3)); atLeast(1.0/3, exact) {
		t.Error("the check accepts a bound rounded down")
	}
}

// If the terms of the logarithm are large, because ρ or the order is large, the margin that is
// added exceeds the rounding error.
func TestLargeTermsAreOutward(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		rho := []float64{1e10, 1e-30}[i%2] * (1 + random.Float64())
		x := rho + 12*math.Sqrt(rho)*random.Float64()
		exact := preciseZCDP(rho, x, bestOrder(rho, x))
		if bound := zcdpDelta(rho, x); !atLeast(bound, exact) || atLeast(bound/(1+1e-6), exact) {
			t.Errorf("ρ = %v: δ(%v) = %v, exact %.25g", rho, x, bound, exact)
		}
	}
}

// The curve of a range of ε is 0 from ε on, and that of ρ-zCDP is 0 only at infinity. For ρ above
// the maximum that is computed, the bound is 1.
func TestEndsOfCurves(t *testing.T) {
	for _, e := range []string{"0.5", "1", "3"} {
		end, _ := decimal(t, e).Rat().Float64()
		if at, before := boundedRange(t, e).Delta(end), boundedRange(t, e).Delta(math.Nextafter(end, 0)); at != 0 || before <= 0 {
			t.Errorf("a range of %s: %v, and %v before", e, at, before)
		}
	}
	if got := zcdp(t, big.NewRat(1, 2)).Delta(math.Inf(1)); got != 0 {
		t.Errorf("ρ at infinity: %v", got)
	}
	if got := zcdp(t, new(big.Rat).SetInt(power(400))).Delta(1); got != 1 {
		t.Errorf("a ρ of 10^400: %v", got)
	}
	most := 0x1p400
	if got := zcdpDelta(most, 0x1p500); got >= 1 {
		t.Errorf("ρ = 2^400: %v", got)
	}
	if got := zcdpDelta(math.Nextafter(most, math.Inf(1)), 0x1p500); got != 1 {
		t.Errorf("ρ beyond 2^400: %v", got)
	}
}

// For a very small ρ, bestOrder returns very large orders, and the bound consists of its cost and
// entropy terms only. It is then at least e^{-βx - 1}/β, its limit for ρ → 0.
func TestLastOrderIsOutward(t *testing.T) {
	const rho = 0x1p-700
	for k := 1.0; k < 450; k++ {
		x := k * 0x1p-300
		beta := bestOrder(rho, x)
		if want := math.Exp(-beta*x-1) / beta; zcdpDelta(rho, x) < want || zcdpDelta(rho, x) > want*(1+1e-10) {
			t.Fatalf("x = %v: %v, below %v or far above", x, zcdpDelta(rho, x), want)
		}
	}
}

// A bound that is too small for a float64 is not rounded to 0.
func TestNoBoundUnderflows(t *testing.T) {
	if got := zcdp(t, big.NewRat(1, 1e6)).Delta(10); got <= 0 {
		t.Errorf("δ = %v", got)
	}
}

func TestFloatsRoundOutward(t *testing.T) {
	tenth := big.NewRat(1, 10)
	if up, down := floatUp(tenth), floatDown(tenth); down >= up || math.Nextafter(down, 1) != up {
		t.Errorf("1/10 is between %v and %v", down, up)
	}
	small, huge := new(big.Rat).SetFrac(big.NewInt(1), power(400)), new(big.Rat).SetInt(power(400))
	if floatUp(small) != math.SmallestNonzeroFloat64 || floatDown(small) != 0 {
		t.Errorf("1e-400 is between %v and %v", floatDown(small), floatUp(small))
	}
	if !math.IsInf(floatUp(huge), 1) || floatDown(huge) != math.MaxFloat64 {
		t.Errorf("1e400 is between %v and %v", floatDown(huge), floatUp(huge))
	}
}

func TestEpsilon(t *testing.T) {
	for _, c := range []struct {
		g           Guarantee
		delta, want string
	}{
		{pure(t, "0.3"), "0", "0.3"},
		{pure(t, "0.3"), "1", "0"},
		{boundedRange(t, "0.3"), "0", "0.3"},
		{approximate(t, "0.3", "1e-9"), "1e-9", "0.3"},
		{compose(t, pure(t, "0.1"), pure(t, "0.2")), "0", "0.3"},
		{compose(t, boundedRange(t, "0.1"), approximate(t, "0.2", "1e-9")), "1e-9", "0.3"},
		{compose(t, approximate(t, "0", "0.5"), approximate(t, "0", "0.25")), "0.75", "0"},
		// From a 40-digit computation of the inverse of Proposition 12.
		{zcdp(t, big.NewRat(256, 100)), "1e-10", "17.1583088"}, // 17.1583087121047
		{zcdp(t, big.NewRat(7, 100)), "1e-10", "2.38727518"},   // 2.38727517671797
		{zcdp(t, big.NewRat(1, 2)), "1e-6", "5.22153445"},      // 5.22153444453017
		{zcdp(t, big.NewRat(1, 10)), "1e-6", "2.14193893"},     // 2.14193892838547
	} {
		if got, err := Epsilon(c.g, decimal(t, c.delta)); err != nil || got.String() != c.want {
			t.Errorf("%T at δ = %s: ε = %v, %v; want %s", c.g, c.delta, got, err, c.want)
		}
	}
	for _, c := range []struct {
		g     Guarantee
		delta string
	}{
		{zcdp(t, big.NewRat(1, 2)), "0"},
		{approximate(t, "1", "1e-6"), "9e-7"},
		{compose(t, zcdp(t, big.NewRat(1, 2)), approximate(t, "1", "1e-6")), "1e-6"},
		{compose(t, approximate(t, "1", "0.5"), approximate(t, "1", "0.5")), "0.999"},
		{nil, "0.5"},
	} {
		if got, err := Epsilon(c.g, decimal(t, c.delta)); !errors.Is(err, ErrNoEpsilon) {
			t.Errorf("%T at δ = %s: ε = %v, %v; want ErrNoEpsilon", c.g, c.delta, got, err)
		}
	}
}

// foreign is a guarantee of a type from another package.
type foreign struct{ Pure }

func (f foreign) Delta(x float64) float64 { return max(f.Pure.Delta(x), 0.25) }

// Epsilon and Delta agree: for ε = Epsilon(g, δ), Delta(ε) is at most δ, and for a slightly smaller
// ε it exceeds δ.
func TestEpsilonInvertsDelta(t *testing.T) {
	all := samples(t)
	all["foreign"] = foreign{pure(t, "3")}
	for name, g := range all {
		for _, text := range []string{"1e-12", "1e-9", "1e-5", "0.01", "0.3", "0.9"} {
			delta := decimal(t, text)
			epsilon, err := Epsilon(g, delta)
			if err != nil {
				if !errors.Is(err, ErrNoEpsilon) || g.Delta(1e300) <= floatDown(delta.Rat()) {
					t.Errorf("%s at δ = %s: %v", name, text, err)
				}
				continue
			}
			x := floatUp(epsilon.Rat())
			if got := g.Delta(x); got > floatUp(delta.Rat())*(1+1e-9) {
				t.Errorf("%s: ε(%s) = %v but δ there is %v", name, text, epsilon, got)
			}
			if less := x * (1 - 1e-7); x > 1e-300 && g.Delta(less) <= floatDown(delta.Rat())*(1-1e-6) {
				t.Errorf("%s: ε(%s) = %v but already δ(%v) = %v", name, text, epsilon, less, g.Delta(less))
			}
		}
	}
}
