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

// drawer is the mechanism of package learn, for labels of two outcomes or of more.
type drawer struct {
	*learn.Gibbs[table.Record, any]
	outcomes outcomesLearner // nil for two
}

// gibbs returns the mechanism with that loss, which counts the errors where the label has
// more than two outcomes, and what a model says of it.
func gibbs(s *setting, l learn.Loss) (m drawer, record gibbsJSON, err error) {
	c := s.space.(model.Summed).Summed()
	if c.Outcomes() == 2 {
		m.Gibbs, err = learn.NewGibbs(c, s.epsilon, s.relation, l)
	} else if err = checkLoss(c.Outcomes(), l); err == nil {
		var many learn.GibbsOutcomes[table.Record, any]
		many, err = learn.NewGibbsOutcomes(c, s.epsilon, s.relation)
		m = drawer{many.Gibbs, many}
	}
	if err != nil {
		return m, record, err
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
	return &made{learner: m, outcomes: m.outcomes, record: record}, nil
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
