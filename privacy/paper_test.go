package privacy

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// Canonne, Kamath and Steinke (2020), Proposition 12: the conversion is at least the exact curve of
// the Gaussian and at most the conversion of Bun and Steinke (2016), and no order gives less.
func TestCanonneKamathSteinkeProposition12(t *testing.T) {
	for _, mu := range []float64{0.05, 0.25, 0.5, 1, 2, 4} {
		rho := mu * mu / 2
		exact := func(x float64) float64 { return gaussian(mu, x) }
		if !dominates(func(x float64) float64 { return zcdpDelta(rho, x) }, exact) {
			t.Errorf("μ = %v: the Gaussian's curve exceeds the bound", mu)
		}
		for _, x := range grid() {
			bound := zcdpDelta(rho, x)
			if bound == tiny {
				continue
			}
			if x > rho && bound > math.Exp(-(x-rho)*(x-rho)/(4*rho))*(1+1e-9) {
				t.Errorf("ρ = %v: δ(%v) = %v, worse than by Bun and Steinke", rho, x, bound)
			}
			for alpha := 1.001; alpha < 1e5; alpha *= 1.05 {
				if at := printed(alpha, rho, x); at < bound*(1-1e-9) {
					t.Errorf("ρ = %v: order %v gives δ(%v) = %v, less than %v", rho, alpha, x, at, bound)
				}
			}
		}
	}
	for name, wrong := range map[string]func(rho, x float64) float64{
		"ρ halved":             func(rho, x float64) float64 { return zcdpDelta(rho/2, x) },
		"(1-1/α) squared":      worst(func(a, rho, x float64) float64 { return printed(a, rho, x) * math.Pow(1-1/a, a) }),
		"divided by α as well": worst(func(a, rho, x float64) float64 { return printed(a, rho, x) / a }),
		"α for α-1":            worst(func(a, rho, x float64) float64 { return math.Exp((a-1)*((a-1)*rho-x)) / (a - 1) * math.Pow(1-1/a, a) }),
	} {
		caught := false
		for _, mu := range []float64{0.05, 0.25, 0.5, 1, 2, 4} {
			caught = caught || !dominates(func(x float64) float64 { return wrong(mu*mu/2, x) },
				func(x float64) float64 { return gaussian(mu, x) })
		}
		if !caught {
			t.Errorf("the check accepts a wrong conversion: %s", name)
		}
	}
}

// printed is the formula as printed in the paper, at the order alpha.
func printed(alpha, rho, x float64) float64 {
	return math.Exp((alpha-1)*(alpha*rho-x)) / (alpha - 1) * math.Pow(1-1/alpha, alpha)
}

// worst returns the minimum of a formula over a grid of orders.
func worst(formula func(alpha, rho, x float64) float64) func(rho, x float64) float64 {
	return func(rho, x float64) float64 {
		least := 1.0
		for beta := 1e-3; beta < 1e5; beta *= 1.02 {
			least = min(least, formula(1+beta, rho, x))
		}
		return least
	}
}

// The values of Proposition 12 come from a separate minimization with 40 digits.
func TestCanonneKamathSteinkeProposition12Values(t *testing.T) {
	for _, c := range []struct {
		rho  *big.Rat
		x    float64
		want string
	}{
		{big.NewRat(1, 2), 0, "0.5588356393474346335898084"},
		{big.NewRat(1, 2), 1, "0.2468463307829444870748468"},
		{big.NewRat(1, 2), 5, "0.00000289612280938479501493112"},
		{big.NewRat(1, 8), 2, "0.00003948508556683672159534729"},
		{big.NewRat(1, 1024), 0.25, "3.608955243181231889443237e-10"},
		{big.NewRat(1, 1<<20), 0.0078125, "9.994154441776151377259749e-12"},
		{big.NewRat(8, 1), 20, "0.003291096733159662604628381"},
	} {
		exact, _ := new(big.Rat).SetString(c.want)
		got := new(big.Rat).SetFloat64(zcdp(t, c.rho).Delta(c.x))
		most := new(big.Rat).Mul(exact, new(big.Rat).SetFloat64(1+1e-9))
		if got.Cmp(exact) < 0 || got.Cmp(most) > 0 {
			t.Errorf("ρ = %v: δ(%v) = %v, want %s rounded up", c.rho, c.x, got.FloatString(30), c.want)
		}
	}
}

// Bun and Steinke (2016), Proposition 1.4: ε-differential privacy implies
// (ε²/2)-zCDP, here for randomised response.
func TestBunSteinkeProposition1_4(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.5, 1, 3, 8} {
		d, _ := RoundUpFloat(epsilon, 20)
		rho, _ := pureRho(d).Float64()
		if !concentrated(randomizedResponse(epsilon), rho) {
			t.Errorf("ε = %v is not %v-zCDP", epsilon, rho)
		}
	}
	if concentrated(randomizedResponse(0.5), 0.5*0.5/8) {
		t.Error("the check accepts the ρ of a bounded range for a pure guarantee")
	}
}

// Cesar and Rogers (2021): a range of ε implies (ε²/8)-zCDP, here for the extremal pairs at several
// offsets of the range.
func TestCesarRogersBoundedRange(t *testing.T) {
	for _, epsilon := range []float64{0.01, 0.5, 1, 3, 8} {
		d, _ := RoundUpFloat(epsilon, 20)
		rho, _ := RangeRho(d).Float64()
		for i := 1; i < 64; i++ {
			if l := ranged(epsilon, epsilon*float64(i)/64); !concentrated(l, rho) || !concentrated(l.reversed(), rho) {
				t.Errorf("a range of %v at offset %d/64 is not %v-zCDP", epsilon, i, rho)
			}
		}
	}
	if concentrated(ranged(0.5, 0.25), 0.9*0.5*0.5/8) {
		t.Error("the check accepts a ρ that is too small")
	}
}

// concentrated reports whether the Rényi divergences of l are at most αρ.
func concentrated(l law, rho float64) bool {
	for beta := 1e-3; beta < 1e3; beta *= 1.1 {
		sum, most := 0.0, math.Inf(-1)
		for i := range l.p {
			most = max(most, math.Log(l.p[i]/l.q[i]))
		}
		for i := range l.p {
			sum += l.p[i] * math.Exp(beta*(math.Log(l.p[i]/l.q[i])-most))
		}
		if divergence := most + math.Log(sum)/beta; divergence > (1+beta)*rho*(1+1e-9)+1e-12 {
			return false
		}
	}
	return true
}

// Kairouz, Oh and Viswanath (2015): the largest curve of (ε, δ) is that of randomised response that
// fails with probability δ, and the largest curve of ε is that without failures.
func TestKairouzOhViswanathDominatingPair(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta string
	}{{"0.5", "0.01"}, {"2", "1e-3"}, {"0", "0.25"}} {
		a := approximate(t, c.epsilon, c.delta)
		e, _ := a.Epsilon().Rat().Float64()
		d, _ := a.DeltaAtEpsilon().Rat().Float64()
		equal(t, "approximate", a.Delta, failing(e, d).hockeyStick)
	}
	equal(t, "pure", pure(t, "1.5").Delta, randomizedResponse(1.5).hockeyStick)
}

// Dong, Durfee and Rogers (2020): the curve of a range of ε is the maximum over the extremal pairs,
// attained at the offset (ε+x)/2, and it is at most the curve of ε.
func TestDongDurfeeRogersBoundedRange(t *testing.T) {
	b := boundedRange(t, "1.5")
	equal(t, "range", b.Delta, func(x float64) float64 {
		if x >= 1.5 {
			return 0
		}
		return ranged(1.5, (1.5+x)/2).hockeyStick(x)
	})
	for i := 1; i < 64; i++ {
		if l := ranged(1.5, 1.5*float64(i)/64); !dominates(b.Delta, l.hockeyStick) || !dominates(b.Delta, l.reversed().hockeyStick) {
			t.Errorf("offset %d/64 exceeds the bound", i)
		}
	}
	if !dominates(pure(t, "1.5").Delta, b.Delta) {
		t.Error("a bounded range is worse than the pure guarantee it implies")
	}
	if dominates(b.Delta, randomizedResponse(1.5).hockeyStick) {
		t.Error("the check accepts a pure guarantee passed off as a bounded range")
	}
}

func equal(t *testing.T, name string, bound, curve func(x float64) float64) {
	t.Helper()
	for _, x := range grid() {
		if got, want := bound(x), curve(x); math.Abs(got-want) > 1e-11 {
			t.Errorf("%s: δ(%v) = %v, want %v", name, x, got, want)
		}
	}
}

// The exponential mechanism has a range of ε with λ = ε/2 under replace and with λ = ε under
// add-remove, for all records with 0/1 losses on four hypotheses.
func TestExponentialMechanismRange(t *testing.T) {
	const hypotheses, epsilon = 4, 0.75
	costs := []float64{3, 1, 0, 2} // costs of the records that both tables contain, including a penalty
	widest := func(r Relation, lambda float64) float64 {
		var tables [][]float64
		for record := range 1 << hypotheses {
			table := make([]float64, hypotheses)
			for q := range table {
				table[q] = costs[q] + float64(record>>q&1)
			}
			tables = append(tables, exponential(table, lambda))
		}
		without := exponential(costs, lambda)
		most := 0.0
		for i, with := range tables {
			if r == AddRemove {
				most = max(most, rangeOf(with, without))
				continue
			}
			for _, other := range tables[:i] {
				most = max(most, rangeOf(with, other))
			}
		}
		return most
	}
	for _, c := range []struct {
		relation Relation
		lambda   float64
	}{{ReplaceOne, epsilon / 2}, {AddRemove, epsilon}} {
		t.Run(fmt.Sprint(c.relation), func(t *testing.T) {
			if got := widest(c.relation, c.lambda); math.Abs(got-epsilon) > 1e-12 {
				t.Errorf("the range is %v, want %v", got, epsilon)
			}
		})
	}
	if widest(ReplaceOne, epsilon) < 1.9*epsilon {
		t.Error("the check does not notice that λ = ε is twice too much under replace")
	}
}

func exponential(costs []float64, lambda float64) []float64 {
	law, sum := make([]float64, len(costs)), 0.0
	for q, c := range costs {
		law[q] = math.Exp(-lambda * c)
		sum += law[q]
	}
	for q := range law {
		law[q] /= sum
	}
	return law
}

func rangeOf(p, q []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range p {
		loss := math.Log(p[i] / q[i])
		low, high = min(low, loss), max(high, loss)
	}
	return high - low
}
