package audit

import (
	"math"
	"testing"
)

// The bound is at most ε with the stated confidence. The worst case is computed from the exact
// distribution of the number of hits.
func TestProportionIsConservative(t *testing.T) {
	const n, alpha = 40, .05
	for _, p := range []float64{.001, .02, .1, .37, .5, .9, .999} {
		var tooHigh, tooLow float64
		for k := 0; k <= n; k++ {
			low, high := proportion(k, n, alpha)
			if low < 0 || low > float64(k)/n || high > 1 || high < float64(k)/n {
				t.Fatalf("%d of %d: [%g, %g]", k, n, low, high)
			}
			lg, _ := math.Lgamma(n + 1)
			l1, _ := math.Lgamma(float64(k) + 1)
			l2, _ := math.Lgamma(float64(n-k) + 1)
			chance := math.Exp(lg - l1 - l2 + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
			if low > p {
				tooHigh += chance
			}
			if high < p {
				tooLow += chance
			}
		}
		if tooHigh > alpha/2 || tooLow > alpha/2 {
			t.Errorf("p = %v: wrong with probability %g and %g, allowed %g", p, tooHigh, tooLow, alpha/2)
		}
	}
}
