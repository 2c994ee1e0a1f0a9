package release

import (
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Counts with Gaussian noise consume μ² of Gaussian differential privacy, or ρ of zero-concentrated differential
// privacy. The release states the guarantee as ε and δ.

// A gaussian holds what all prepared releases of counts with Gaussian noise have in common.
type gaussian struct {
	Guarantee *privacy.Statement // nil if the release is not private
	Void      model.Void         // the reason if it is not

	relation privacy.Relation // a relation of persons if the schema has a Person
}

// newGaussian checks the setting of a release of counts with Gaussian noise. If δ is 0, it returns an error that
// begins with subject, such as "counts of pairs need", and continues "a {delta} above 0". If seed is not nil, it
// determines the random numbers, and the release is not private.
func newGaussian(s *mechanism.Setting, subject string, seed *uint64) (g gaussian, err error) {
	if s.Delta.IsZero() {
		return g, parameter.Errorf("%s a {delta} above 0, such as 1e-9, because the noise of counts is Gaussian", subject)
	}
	if err := s.Promised(); err != nil {
		return g, err
	}
	g.relation = s.Relation
	if seed != nil {
		g.Void = model.InsecureSeed
		return g, nil
	}
	g.Guarantee = &privacy.Statement{Epsilon: s.Epsilon, Delta: s.Delta, Relation: s.Relation, Assumes: []privacy.Assumption{}}
	return g, nil
}
