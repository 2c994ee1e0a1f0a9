package audit

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
)

// The attack refutes the printed noise of RSPM on a table too large for the exact
// check, and does not refute the corrected one.
func TestAttack(t *testing.T) {
	family := stattest.Open(t, "audit")
	const epsilon, draws = 1, 50_000
	for _, c := range []struct {
		name    string
		shift   int64
		refuted bool
	}{
		{"printed", 1, true},
		{"corrected", 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			perturb := laplace(2, big.NewRat(epsilon, 1), big.NewRat(c.shift, 1))
			run := rspm(conjunctions, 1, perturb, parityDecides)
			release := func(seed uint64, table ...int64) func() int {
				coins := noise.Insecure(seed)
				return func() int {
					q, _ := run(table, coins)
					return q
				}
			}
			e := Attack(release(1, 11, 13, 0, 0), release(2, 10, 14, 0, 0), Each(0, 1, 2, 3), draws, 0, family.Take(t))
			t.Logf("%+v", e)
			if refuted := e.Epsilon > epsilon; refuted != c.refuted {
				t.Errorf("refuted: %v", refuted)
			}
		})
	}
}

// The bound is below ε as often as it claims: the worst case is computed from
// the exact law of the number of hits.
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

// δ is granted before ε is measured, and thresholds make events.
func TestAttackGrantsDelta(t *testing.T) {
	leak := func(leaks bool) func() int { // betrays its input one time in ten
		i := 0
		return func() int {
			i++
			return bit(leaks && i%10 == 0)
		}
	}
	score := func(x int) float64 { return float64(x) }
	for _, c := range []struct {
		delta float64
		found bool
	}{{0, true}, {.05, true}, {.1, false}} {
		e := Attack(leak(false), leak(true), AtLeast(score, 0, 1), 10_000, c.delta, 1e-6)
		if found := e.Epsilon > 1; found != c.found || found && (!e.Swapped || e.Event != 1 || e.Hits != [2]int{1000, 0}) {
			t.Errorf("δ = %v: %+v", c.delta, e)
		}
	}
}
