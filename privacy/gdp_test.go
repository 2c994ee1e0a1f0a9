package privacy

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
)

func gdp(t testing.TB, square, rho *big.Rat) GDP {
	t.Helper()
	g, err := NewGDP(ReplaceOne, square, rho)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// counted is the guarantee of one count with noise of parameter σ², which changes by 1.
func counted(t testing.TB, sigma2 *big.Rat) GDP {
	t.Helper()
	one := big.NewRat(1, 1)
	return gdp(t, NoiseSquare(one, sigma2), new(big.Rat).Quo(one, new(big.Rat).Add(sigma2, sigma2)))
}

// noisyCount is the exact pair of distributions of a count with noise of parameter σ², which changes by 1.
func noisyCount(sigma2 float64) law {
	g := gaussians(sigma2, int(12*math.Sqrt(sigma2))+2, 0, 1)
	return law{g[0], g[1]}
}

// The guarantee of noise is at least the exact curve of one and of two counts, and near it.
func TestGDPNoise(t *testing.T) {
	for _, c := range []struct {
		sigma2 *big.Rat
		loose  float64 // the bound is at most this multiple of the curve
	}{{big.NewRat(27, 10), math.Inf(1)}, {big.NewRat(5, 1), 5}, {big.NewRat(400, 1), 1.05}} {
		sigma2, _ := c.sigma2.Float64()
		l, g := noisyCount(sigma2), counted(t, c.sigma2)
		for name, pair := range map[string]struct {
			l law
			g Guarantee
		}{"one": {l, g}, "two": {l.times(l), compose(t, g, g)}} {
			for x := 0.0; x*math.Sqrt(sigma2) < 3; x += 0.25 / math.Sqrt(sigma2) {
				exact, bound := pair.l.hockeyStick(x), pair.g.Delta(x)
				if bound < exact || bound > c.loose*exact {
					t.Errorf("%s with σ² = %v: δ(%v) = %g, but the bound is %g", name, c.sigma2, x, exact, bound)
				}
			}
		}
	}
	if s := NoiseSquare(big.NewRat(1, 1), big.NewRat(13, 5)); s != nil {
		t.Errorf("σ² = 13/5 has μ² = %v", s)
	}
}

// Two outputs with any losses in a range of ε have at most the curve of the μ of RangeSquare, in both orders, and some
// have nearly this curve. The μ for which μ²/2 is the ρ of the range is too small.
func TestGDPRange(t *testing.T) {
	for _, epsilon := range []string{"0.01", "0.1", "1", "3", "8"} {
		e := decimal(t, epsilon)
		width, _ := e.Rat().Float64()
		square, _ := RangeSquare(e).Float64()
		mu, few := math.Sqrt(square), math.Sqrt(2*floatUp(RangeRho(e)))
		nearest, tooFew := 0.0, false
		for i := 1; i < 200; i++ {
			l := ranged(width, width*float64(i)/200)
			for _, l := range []law{l, l.reversed()} {
				for x := -width; x <= width; x += width / 64 {
					exact := l.hockeyStick(x)
					if gaussian(mu, x) < exact-1e-12 {
						t.Fatalf("ε = %s: δ(%v) = %g, and that of the normal distributions is %g", epsilon, x, exact, gaussian(mu, x))
					}
					nearest = max(nearest, exact/gaussian(mu, x))
					tooFew = tooFew || gaussian(few, x) < exact*(1-1e-9)
				}
			}
		}
		if nearest < 0.99 && width <= 1 || !tooFew {
			t.Errorf("ε = %s: at most %g of the bound is reached; the smaller μ is refuted: %v", epsilon, nearest, tooFew)
		}
		back, err := GDP{}.RangeWithin(GDP{}.RangePart(e))
		if off := new(big.Rat).Quo(back.Rat(), e.Rat()); err != nil || off.Cmp(big.NewRat(1, 1)) > 0 || off.Cmp(big.NewRat(99_999, 100_000)) < 0 {
			t.Errorf("the range within the μ² of ε = %s is %v, %v", epsilon, back, err)
		}
	}
}

// A count and then a selection, whose losses may depend on the noisy count, have at most the curve of their composition.
// The selection is the worst for each value of the count and each x. The composition without the μ² of the selection has
// a smaller curve.
func TestGDPAdaptive(t *testing.T) {
	sigma2, epsilon := big.NewRat(30, 1), decimal(t, "0.4")
	count, selected := noisyCount(30), []law{}
	for i := 1; i < 100; i++ {
		selected = append(selected, ranged(0.4, 0.4*float64(i)/100))
	}
	one := counted(t, sigma2)
	both := compose(t, one, boundedRange(t, "0.4"))
	square := new(big.Rat).Add(one.Square(), RangeSquare(epsilon))
	for _, x := range []float64{0, 0.1, 0.3, 0.6} {
		worst := 0.0
		for i := range count.p {
			most := 0.0
			for _, l := range selected {
				most = max(most, law{[]float64{count.p[i] * l.p[0], count.p[i] * l.p[1]}, []float64{count.q[i] * l.q[0], count.q[i] * l.q[1]}}.hockeyStick(x))
			}
			worst += most
		}
		if bound := both.Delta(x); bound < worst || bound > 3*worst || one.Delta(x) > 0.95*worst {
			t.Errorf("δ(%v) is up to %g, but the bound is %g, and that of the count alone %g", x, worst, bound, one.Delta(x))
		}
		if together := gdp(t, square, new(big.Rat).Add(one.Rho(), RangeRho(epsilon))).Delta(x); math.Abs(together/both.Delta(x)-1) > 1e-6 {
			t.Errorf("δ(%v) is %g as one guarantee, and %g as two", x, together, both.Delta(x))
		}
	}
}

// A composition with GDP parts uses their μ², also beside parts whose ε is added to the loss, but not beside a part that
// has only a ρ.
func TestGDPComposed(t *testing.T) {
	g := gdp(t, big.NewRat(1, 25), big.NewRat(1, 50))
	z := zcdp(t, big.NewRat(1, 50))
	twice, less := compose(t, g, g), compose(t, z, z)
	if x := 1.5; twice.Delta(x) > 0.5*less.Delta(x) || twice.Delta(x) < gaussian(math.Sqrt(0.08), x) {
		t.Errorf("δ(%v) = %g for two GDP guarantees, and %g for two of zCDP", x, twice.Delta(x), less.Delta(x))
	}
	if mixed := compose(t, g, z); mixed.Delta(1.5) != less.Delta(1.5) {
		t.Errorf("a GDP and a zCDP guarantee have δ(1.5) = %g instead of %g", mixed.Delta(1.5), less.Delta(1.5))
	}
	if d, want := compose(t, g, pure(t, "0.1")).Delta(0.05), gaussian(math.Sqrt(1./25+math.Pi/2*0.01), 0.05); math.Abs(d/want-1) > 1e-5 {
		t.Errorf("with a pure part of ε = 0.1, δ(0.05) is %g instead of %g", d, want)
	}
	small := compose(t, g, pure(t, "1e-5"))
	if x := 1.5; math.Abs(small.Delta(x)/g.Delta(x-1e-5)-1) > 1e-3 {
		t.Errorf("with a small pure part δ(%v) is %g instead of %g", x, small.Delta(x), g.Delta(x-1e-5))
	}
	if large := compose(t, g, pure(t, "0.1")); large.Delta(1.5) > 1.001*g.Delta(1.4) {
		t.Errorf("with a pure part of ε = 0.1, δ(1.5) is %g, and δ(1.4) without it %g", large.Delta(1.5), g.Delta(1.4))
	}
	if parts, err := Parts(compose(t, g, z)); err != nil || len(parts) != 2 || parts[1].Times != 1 {
		t.Errorf("the parts of a GDP and a zCDP guarantee are %v, %v", parts, err)
	}
	two := compose(t, g, g)
	if parts, err := Parts(compose(t, two, two)); err != nil || parts[0].Times != 4 || parts[0].Guarantee.(GDP).Rho().Cmp(g.Rho()) != 0 {
		t.Errorf("four times the same guarantee are %v, %v", parts, err)
	}
	parts, err := Parts(compose(t, g, gdp(t, big.NewRat(3, 25), big.NewRat(1, 10)), z))
	if err != nil || len(parts) != 2 {
		t.Fatalf("the parts are %v, %v", parts, err)
	}
	mean, ok := parts[1].Guarantee.(GDP)
	if !ok || parts[1].Times != 2 || mean.Square().Cmp(big.NewRat(2, 25)) != 0 || mean.Rho().Cmp(big.NewRat(3, 50)) != 0 {
		t.Errorf("the GDP parts are %v", parts[1])
	}
}

// μ is the largest for ε and δ. The values were computed independently to four digits.
func TestMuWithin(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta string
		want           float64
	}{{"0.1", "1e-5", 0.0325}, {"1", "1e-5", 0.2681}, {"3", "1e-6", 0.6477}, {"1", "1e-9", 0.1820}} {
		epsilon, delta := decimal(t, c.epsilon), decimal(t, c.delta)
		mu, err := MuWithin(epsilon, delta)
		if err != nil {
			t.Fatal(err)
		}
		of := func(mu *big.Rat) Decimal {
			square := new(big.Rat).Mul(mu, mu)
			e, err := Epsilon(gdp(t, square, new(big.Rat).Add(square, big.NewRat(1, 1))), delta)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if f, _ := mu.Rat().Float64(); math.Abs(f-c.want) > 0.00005 || of(mu.Rat()).Cmp(epsilon) > 0 || of(new(big.Rat).Mul(mu.Rat(), big.NewRat(100_001, 100_000))).Cmp(epsilon) <= 0 {
			t.Errorf("ε = %s, δ = %s: μ = %v, want %g", c.epsilon, c.delta, mu, c.want)
		}
	}
}

// An ε of 0, or a δ of 0 or 1, has no μ.
func TestMuWithinRefuses(t *testing.T) {
	for _, c := range [][2]string{{"0", "1e-5"}, {"1", "0"}, {"1", "1"}} {
		if mu, err := MuWithin(decimal(t, c[0]), decimal(t, c[1])); !errors.Is(err, ErrParameter) {
			t.Errorf("ε = %s, δ = %s: μ = %v, %v", c[0], c[1], mu, err)
		}
	}
}

// The bound is at least e^κ·G(x-2κ), which is computed with 300 bits, and close to it. Here κ is 2⁻⁴⁰ times the number of
// parts. The curve is at least 1e-12 here.
func TestGDPPrecise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		mu := math.Exp2(-10 + 12*rng.Float64())
		x := mu * (mu/2 + 7*rng.Float64() - 1)
		if x < 0 || x/mu+mu/2 > 7 {
			continue
		}
		square, _ := new(big.Float).SetMode(big.ToPositiveInf).SetPrec(53).Mul(precise(mu), precise(mu)).Float64()
		parts := int64(math.Exp2(30 * rng.Float64()))
		distance := float64(parts) * 0x1p-40
		bound, exact := gdpDelta(square, parts, x), mul(preciseExp(precise(distance)), preciseGaussianAt(precise(mu), sub(precise(x), precise(2*distance))))
		if near, _ := exact.Float64(); !atLeast(bound, exact) || bound > near*(1+1e-6+2*distance)+1e-13 {
			t.Errorf("μ = %v, %d parts: δ(%v) = %v, but the bound is %v", mu, parts, x, exact, bound)
		}
	}
}

// At the ends the bound is valid, and that of zCDP is used where it is less.
func TestGDPEnds(t *testing.T) {
	huge := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(700), nil))
	if g := gdp(t, huge, big.NewRat(1, 100)); g.Delta(1) != zcdp(t, big.NewRat(1, 100)).Delta(1) {
		t.Errorf("with an infinite μ² δ(1) is %g", g.Delta(1))
	}
	if d := gdp(t, big.NewRat(1, 100), big.NewRat(1, 100)).Delta(math.Inf(1)); d != 0 {
		t.Errorf("δ(∞) is %g", d)
	}
	if d := gdp(t, big.NewRat(1, 100), huge).Delta(0.2); math.Abs(d/gaussian(0.1, 0.2)-1) > 1e-6 || d <= gaussian(0.1, 0.2) {
		t.Errorf("with a large ρ δ(0.2) is %g", d)
	}
	square := big.NewRat(1, 4)
	g := gdp(t, square, big.NewRat(1, 8))
	square.SetInt64(0)
	g.Square().SetInt64(0)
	if g.Square().Cmp(big.NewRat(1, 4)) != 0 {
		t.Error("μ² changed")
	}
}

// With many parts, the factors between discrete and continuous noise add up.
func TestGDPDistance(t *testing.T) {
	if one, many := gdpDelta(0.01, 1, 0.5), gdpDelta(0.01, 1<<30, 0.5); many < one*(1+1e-4) {
		t.Errorf("δ(0.5) = %g for one part and %g for many", one, many)
	}
}

// A refined statement keeps its ε, although the second guarantee has a greater one. Together composes the second
// guarantee. A guarantee under another relation or with other assumptions is refused, and changes nothing.
func TestRefine(t *testing.T) {
	tenth, delta := decimal(t, "0.1"), decimal(t, "1e-6")
	stated, err := NewApproximate(ReplaceOne, tenth, delta)
	if err != nil {
		t.Fatal(err)
	}
	s, err := State(stated)
	if err != nil {
		t.Fatal(err)
	}
	assumed, err := NewGDP(ReplaceOne, big.NewRat(1, 1200), big.NewRat(1, 2400), FloatBound)
	if err != nil {
		t.Fatal(err)
	}
	added, err := NewGDP(AddRemove, big.NewRat(1, 1200), big.NewRat(1, 2400))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Guarantee{assumed, added} {
		if err := s.Refine(g); err == nil || !reflect.DeepEqual(s.basis, stated) {
			t.Errorf("%v: %v, basis %v", g, err, s.basis)
		}
	}
	g := gdp(t, big.NewRat(1, 1200), big.NewRat(1, 2400))
	if err := s.FollowsFrom(g); err == nil {
		t.Fatal("the statement follows from the second guarantee")
	}
	if err := s.Refine(g); err != nil {
		t.Fatal(err)
	}
	one, err := Together(s)
	if err != nil || one.Epsilon != tenth {
		t.Errorf("ε = %v, %v", one.Epsilon, err)
	}
	four, err := Together(s, s, s, s)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := Epsilon(compose(t, g, g, g, g), decimal(t, "4e-6")); err != nil || four.Epsilon != want || want.Cmp(decimal(t, "0.4")) >= 0 {
		t.Errorf("four times: ε = %v, not %v, %v", four.Epsilon, want, err)
	}
}
