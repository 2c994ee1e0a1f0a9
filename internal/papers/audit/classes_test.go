package audit_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// RSPM satisfies its ε on every class with a separator.
func TestRSPMEveryClass(t *testing.T) {
	for _, name := range everytest.Names() {
		for _, c := range audittest.SmallClasses(name, 2, 1) {
			t.Run(name, func(t *testing.T) {
				for _, kind := range heavy.Pick([]perturb.Noise{perturb.Laplace}, []perturb.Noise{perturb.Laplace, perturb.Cube}) {
					m, err := perturb.NewRSPM(oracle.Search(c.Class), kind, privacytest.Decimal(t, heavy.Pick("6", "3")), privacy.ReplaceOne, learn.ZeroOne, 1)
					if err != nil {
						t.Fatal(err)
					}
					audittest.CheckClass(t, audit.Holds, m, audittest.WorldOfClass(c, privacy.ReplaceOne, 1), audit.InFull(3e-6, 1e-9))
				}
			})
		}
	}
}
