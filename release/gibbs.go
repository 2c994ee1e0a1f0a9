package release

import (
	"flag"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// Gibbs is the exponential mechanism over a class with a prior, which is not searched.
type Gibbs struct{}

var gibbsKind = MechanismKind{
	Name: exponentialName, What: "draws a hypothesis without a search, the likelier the simpler it is and the fewer its errors: pure",
	For: func(k model.Kind) bool { return k.Summed }, Ask: func() Mechanism { return &Gibbs{} },
	record: func() any { return &gibbsJSON{} }, again: gibbsAgain,
}

// Parameters defines none.
func (*Gibbs) Parameters(*flag.FlagSet) {}

type gibbsJSON struct {
	Name string   `json:"name"`
	Loss lossJSON `json:"loss"`
	Rate string   `json:"rate"` // λ, exact, "1/4"
}

// gibbs returns the mechanism of package learn with that loss, and what a model says of it.
func gibbs(s *setting, l learn.Loss) (*learn.Gibbs[table.Record, any], gibbsJSON, error) {
	m, err := learn.NewGibbs(s.space.(model.Summed).Summed(), s.epsilon, s.relation, l)
	if err != nil {
		return nil, gibbsJSON{}, err
	}
	return m, gibbsJSON{exponentialName, lossJSON(m.Loss()), m.Rate().RatString()}, nil
}

func (*Gibbs) over(s *setting) (*made, error) {
	if err := s.pure(); err != nil {
		return nil, err
	}
	m, record, err := gibbs(s, s.costs)
	if err != nil {
		return nil, err
	}
	return &made{learner: m, record: record}, nil
}

func (*Gibbs) bounds(s *setting) ([]Bound, error) {
	m, _, err := gibbs(s, s.costs)
	if err != nil {
		return nil, err
	}
	return []Bound{s.bound(exponentialName, "", m)}, nil
}

func gibbsAgain(said any, s *setting) (any, privacy.Guarantee, error) {
	j := said.(*gibbsJSON)
	m, record, err := gibbs(s, learn.Loss(j.Loss))
	if err != nil {
		return nil, nil, err
	}
	return record, m.Guarantee(), nil
}
