package audit

import (
	"math"
	"testing"
)

// Neel, Roth, Vietri and Wu, Theorem 11: OPSamp, on one weight in [-D, D] and
// tables of two linear losses, of slopes 1 and -1 against 1 and 1. The first
// table's minimisers are all D (its loss is constant and the random term is
// positive), those of the second D exactly if the term exceeds 2. With a share p of
// such terms the released mean has a law in closed form; the event is that it
// reaches D, of probability ½ on the first table.
func TestNeelRothVietriWuTheorem11(t *testing.T) {
	const (
		epsilon = 1.0
		delta   = 1e-5
		bound   = 1e-3 // D
		gamma   = 0.01
	)
	calls := math.Log(2/delta) / (gamma * gamma)
	for _, c := range []struct {
		name    string
		p       float64 // share of terms above 2
		lambda  float64
		refuted bool
	}{
		{"printed, rate 1", math.Exp(-2), 4*bound*gamma + 250*bound*bound, true},
		{"printed, mean 0.1", math.Exp(-20), 4*bound*gamma + 250*0.1*bound*bound, true},
		{"printed with D for D², mean 0.001", 0, 4*bound*gamma + 250*0.001*bound, true},
		{"corrected, rate 0.1", math.Exp(-0.2), 8*0.1*2*bound + 2*bound*math.Sqrt(math.Log(1/delta)/(2*calls)), false},
		{"corrected, rate 0.01", math.Exp(-0.02), 8*0.01*2*bound + 2*bound*math.Sqrt(math.Log(1/delta)/(2*calls)), false},
	} {
		// E e^{-s(1-B/m)} for B of the binomial law, s = 2Dε/λ.
		s := 2 * bound * epsilon / c.lambda
		second := math.Pow(c.p+(1-c.p)*math.Exp(-s/calls), calls) / 2
		excess := 0.5 - math.Exp(epsilon)*second
		t.Logf("%s: log-ratio %.3g, δ(1) at least %.3g", c.name, math.Log(0.5/second), excess)
		if (excess > delta) != c.refuted {
			t.Errorf("%s: δ(1) is at least %g", c.name, excess)
		}
	}
}
