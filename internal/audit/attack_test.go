package audit_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
)

// Attack subtracts δ before it bounds ε, and thresholds generate events.
func TestAttackGrantsDelta(t *testing.T) {
	leak := func(leaks bool) func() int { // reveals its input one time in ten
		i := 0
		return func() int {
			i++
			return audittest.Bit(leaks && i%10 == 0)
		}
	}
	score := func(x int) float64 { return float64(x) }
	for _, c := range []struct {
		delta float64
		found bool
	}{{0, true}, {.05, true}, {.1, false}} {
		e := audit.Attack(leak(false), leak(true), audit.AtLeast(score, 0, 1), 10_000, c.delta, 1e-6)
		if found := e.Epsilon > 1; found != c.found || found && (!e.Swapped || e.Event != 1 || e.Hits != [2]int{1000, 0}) {
			t.Errorf("δ = %v: %+v", c.delta, e)
		}
	}
}
