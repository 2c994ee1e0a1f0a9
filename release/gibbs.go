package release

import (
	"errors"
	"flag"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// Gibbs is the exponential mechanism over a class with a prior, which is not searched.
// With ConstantWork it does as much for every table of the stated number of rows.
type Gibbs struct{ ConstantWork bool }

var gibbsKind = MechanismKind{
	Name: exponentialName, What: "draws a hypothesis without a search, the likelier the simpler it is and the fewer its errors: pure",
	For: func(k model.Kind) bool { return k.Summed }, Ask: func() Mechanism { return &Gibbs{} },
	record: func() any { return &gibbsJSON{} }, again: gibbsAgain,
}

// Parameters defines the parameters.
func (g *Gibbs) Parameters(f *flag.FlagSet) {
	f.BoolVar(&g.ConstantWork, "constant-work", false, "do as much for equal rows as for others, so that the time of the draw does not tell of them; needs --rows")
}

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
	} else if err = CheckLoss(c.Outcomes(), l); err == nil {
		var many learn.GibbsOutcomes[table.Record, any]
		many, err = learn.NewGibbsOutcomes(c, s.epsilon, s.relation)
		m = drawer{many.Gibbs, many}
	}
	if err != nil {
		return m, record, err
	}
	return m, gibbsJSON{exponentialName, lossJSON(m.Loss()), m.Rate().RatString()}, nil
}

func (g *Gibbs) over(s *setting) (*made, error) {
	if err := s.pure(); err != nil {
		return nil, err
	}
	m, record, err := gibbs(s, s.costs)
	if err != nil {
		return nil, err
	}
	if g.ConstantWork {
		if err := s.stated("--constant-work"); err != nil {
			return nil, err
		}
		if s.relation != privacy.ReplaceOne {
			return nil, errors.New("--constant-work goes with --relation replace only: the number of rows must be public")
		}
		most := int64(m.Class().Outcomes()) * s.schema.Records(s.rows) // distinct ones, with their outcomes
		m.Fill(min(s.rows, most), make(table.Record, len(s.schema.Attributes)))
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
