package release

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A thrifty release has a guarantee with nine tenths of the ε with which it is prepared.
type thrifty struct{ guarantee *privacy.Statement }

func (r *thrifty) statement() *privacy.Statement { return r.guarantee }

// If a release with the greatest ε exceeds the total, prepareRest returns a release with nearly the greatest ε that
// fits. The profile has ε = 0.3 of the total 1, so the release has nearly 0.7. It is prepared with more than 0.7.
func TestPrepareRest(t *testing.T) {
	s := mechanism.Setting{Schema: profiledSchema(t), Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-5"), Relation: privacy.AddRemove}
	refused := false
	got, err := prepareRest(s, func(epsilon, delta privacy.Decimal) (*thrifty, error) {
		own, err := privacy.RoundUp(new(big.Rat).Mul(epsilon.Rat(), big.NewRat(9, 10)), 12)
		refused = refused || own.Cmp(decimal(t, "0.7")) > 0
		return &thrifty{&privacy.Statement{Epsilon: own, Delta: delta, Relation: s.Relation, Assumes: []privacy.Assumption{}}}, err
	})
	if err != nil || got == nil || !refused {
		t.Fatalf("%v, %v, refused %v", got, err, refused)
	}
	total, _ := profiles.Total(got.guarantee, s.Schema)
	if got.guarantee.Epsilon.Cmp(decimal(t, "0.695")) < 0 || total.Epsilon.Cmp(s.Epsilon) > 0 {
		t.Errorf("ε = %s, in total %s", got.guarantee.Epsilon, total.Epsilon)
	}
}
