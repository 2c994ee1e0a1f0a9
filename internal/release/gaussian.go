package release

import (
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Counts with Gaussian noise spend ρ of zero-concentrated differential privacy, and promise
// an ε and a δ.

// A gaussian is what is settled of such a release before it is known what is counted.
type gaussian struct {
	Guarantee *privacy.Statement // nil where nothing is promised
	Void      model.Void         // why not

	relation privacy.Relation // of persons where the schema has them
	rho      privacy.Decimal
}

// newGaussian checks the setting of a release. What names the counts, as in "pairs need".
func newGaussian(s *mechanism.Setting, what string, seed *uint64) (g gaussian, err error) {
	if s.Delta.IsZero() {
		return g, parameter.Errorf("%s a {delta} above 0, such as 1e-9: the noise of counts is Gaussian", what)
	}
	if err := s.Promised(); err != nil {
		return g, err
	}
	g.relation = s.Relation
	if g.rho, err = privacy.RhoWithin(s.Epsilon, s.Delta); err != nil {
		return g, parameter.Errorf("{epsilon} %s and {delta} %s afford nothing", s.Epsilon, s.Delta)
	}
	if seed != nil {
		g.Void = model.InsecureSeed
		return g, nil
	}
	g.Guarantee = &privacy.Statement{Epsilon: s.Epsilon, Delta: s.Delta, Relation: s.Relation, Assumes: []privacy.Assumption{}}
	return g, nil
}
