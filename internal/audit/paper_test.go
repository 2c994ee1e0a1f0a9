package audit_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// McSherry and Talwar's mechanism by adaptive rejection, where the papers
// sample approximately. The difference of two costs moves by 2 when a record is
// replaced, by 1 when one is added: λ = ε/2 and ε. Printed code often takes ε
// under either; under replacement that is up to 2ε.
func TestExponentialMechanism(t *testing.T) {
	for _, c := range []struct {
		name   string
		lambda *big.Rat
		r      privacy.Relation
		budget int
		want   audit.Verdict
	}{
		{"half ε, replace", big.NewRat(1, 1), privacy.ReplaceOne, 0, audit.Holds},
		{"ε, add-remove", big.NewRat(2, 1), privacy.AddRemove, 0, audit.Holds},
		{"ε, replace", big.NewRat(2, 1), privacy.ReplaceOne, 0, audit.Verdict{1.7, 2}},
		{"half ε, replace, three rounds", big.NewRat(1, 1), privacy.ReplaceOne, 3, audit.Verdict{1.05, 1e9}},
		{"ε, add-remove, three rounds", big.NewRat(2, 1), privacy.AddRemove, 3, audit.Verdict{1.05, 1e9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := oneAgainstMany(7)
			audittest.CheckCounts(t, c.want, exponential(f, c.lambda, c.budget), f.Kinds(), "2", c.r, heavy.Pick(2, 3), audit.InFull(1e-6, 1e-13))
		})
	}
}
