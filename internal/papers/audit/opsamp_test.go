package audit_test

import (
	"math"
	"testing"
)

// Neel, Roth, Vietri and Wu, Theorem 11 (OPSamp), is refuted for each loss by two tables of two rows and one
// weight w in [-D, D]. The labels are 1 and 0 in the first table, and 0 and 0 in the second table. Near 0 all
// losses are nearly linear. In the first table the slopes of the two losses nearly cancel, so nearly all
// minimizers are D. In the second table, a minimizer is -D unless the random term exceeds the slope. So the
// released mean is D with probability near ½ on the first table, and with a small probability on the second
// table. The test does not refute the corrected constants.
func TestNeelRothVietriWuTheorem11(t *testing.T) {
	const (
		epsilon = 1.0
		delta   = 1e-5
		bound   = 1e-3 // D
		gamma   = 0.01
	)
	calls := math.Log(2/delta) / (gamma * gamma)
	sampled := 2 * bound * math.Sqrt(math.Log(1/delta)/(2*calls))
	for _, l := range []struct {
		name  string
		steep float64 // G
		// The minimizer of the first table is D if the random term exceeds first. The minimizer of the
		// second table is -D if the random term is below second.
		first, second float64
	}{
		{"linear, hinge", 1, 0, 2},
		{"logistic", 1, math.Tanh(bound / 2), 2 / (1 + math.Exp(bound))},
		{"squared", 1 + bound, 2 * bound, 2 * (1 - bound)},
	} {
		for _, c := range []struct {
			name    string
			rate    float64
			lambda  float64
			refuted bool
		}{
			{"printed, rate 1", 1, 4*bound*gamma + 250*l.steep*bound*bound, true},
			{"printed, mean 0.1", 10, 4*bound*gamma + 250*0.1*l.steep*bound*bound, true},
			{"printed with D for D², mean 0.001", 1000, 4*bound*gamma + 250*0.001*l.steep*bound, true},
			{"corrected, rate 0.1", 0.1, 8*0.1*l.steep*2*bound + sampled, false},
			{"corrected, rate 0.01", 0.01, 8*0.01*l.steep*2*bound + sampled, false},
		} {
			// With s = ε/λ and m calls, bound E e^{-s(D - w)/m} for the minimizer w of one call. On the
			// first table w = D if the term exceeds first, and otherwise w ≥ 0, since terms are positive.
			// On the second table w = -D if the term is below second, and otherwise the bound uses w = D.
			s := epsilon / c.lambda / calls
			p, q := math.Exp(-c.rate*l.first), math.Exp(-c.rate*l.second)
			first := math.Pow(p+(1-p)*math.Exp(-bound*s), calls) / 2
			second := math.Pow(q+(1-q)*math.Exp(-2*bound*s), calls) / 2
			excess := first - math.Exp(epsilon)*second
			t.Logf("%s, %s: log-ratio %.3g, δ(1) at least %.3g", l.name, c.name, math.Log(first/second), excess)
			if (excess > delta) != c.refuted {
				t.Errorf("%s, %s: δ at ε = 1 is at least %g", l.name, c.name, excess)
			}
		}
	}
}
