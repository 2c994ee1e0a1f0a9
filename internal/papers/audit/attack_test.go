package audit_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
)

// On a table that is too large for exact enumeration, an attack by sampling refutes the printed noise of
// RSPM and does not refute the corrected noise.
func TestAttack(t *testing.T) {
	family := stattest.Open(t, "papers/audit")
	const epsilon = 1
	draws := heavy.Pick(20_000, 50_000)
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
			e := audit.Attack(release(1, 11, 13, 0, 0), release(2, 10, 14, 0, 0), audit.Each(0, 1, 2, 3), draws, 0, family.Take(t))
			t.Logf("%+v", e)
			if refuted := e.Epsilon > epsilon; refuted != c.refuted {
				t.Errorf("wrong verdict of the attack: refuted = %v", refuted)
			}
		})
	}
}
