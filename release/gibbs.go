package release

import (
	"context"
	"errors"
	"flag"
	"math/big"

	"github.com/sibyl-dp/sibyl/class/union"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// Gibbs is the exponential mechanism over a class with a prior, which is not searched, or
// over a union of such classes and searched ones. With ConstantWork, which no union has, it
// does as much for every table of the stated number of rows.
type Gibbs struct{ ConstantWork bool }

var gibbsKind = MechanismKind{
	Name: exponentialName, What: "draws a hypothesis without a search, the likelier the simpler it is and the fewer its errors: pure",
	For: func(k model.Kind) bool { return k.Summed || k.Mixed }, Persons: true, Ask: func() Mechanism { return &Gibbs{} },
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

// weighed is a mechanism of package learn over a class with a prior.
type weighed interface {
	learner
	bounded
	Loss() learn.Loss
	Rate() *big.Rat
}

// A mixture releases hypotheses of the form of a union.
type mixture struct {
	*learn.Mixture[table.Record, union.Choice[any]]
	space model.Mixed
}

func (m mixture) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	h, err := m.Mixture.Release(ctx, d, coins)
	if err != nil {
		return nil, err
	}
	return m.space.Whole(h)
}

// drawer is the mechanism of package learn, for labels of two outcomes or of more.
type drawer struct {
	weighed
	outcomes outcomesLearner                    // nil for two
	observe  func(log *Log, watch func(string)) // nil of what is not searched
	fill     func(rows int64, x table.Record)   // nil of what is
}

// gibbs returns the mechanism with that loss, which counts the errors where the label has
// more than two outcomes, and what a model says of it.
func gibbs(s *setting, l learn.Loss) (m drawer, record gibbsJSON, err error) {
	if of, mixed := s.space.(model.Mixed); mixed {
		own := mixture{space: of}
		own.Mixture, err = learn.NewMixture[table.Record, union.Choice[any]](of.Mixed(), s.epsilon, s.relation, l)
		m = drawer{weighed: own, observe: func(log *Log, _ func(string)) { own.Observe = log.effort }}
	} else if c := s.space.(model.Summed).Summed(); c.Outcomes() == 2 {
		var own *learn.Gibbs[table.Record, any]
		own, err = learn.NewGibbs(c, s.epsilon, s.relation, l)
		m = drawer{weighed: own, fill: own.Fill}
	} else if err = CheckLoss(c.Outcomes(), l); err == nil {
		var many learn.GibbsOutcomes[table.Record, any]
		many, err = learn.NewGibbsOutcomes(c, s.epsilon, s.relation)
		m = drawer{weighed: many.Gibbs, outcomes: many, fill: many.Fill}
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
		if !s.relation.Replaces() {
			return nil, errors.New("--constant-work goes with --relation replace only: the number of rows must be public")
		}
		if m.fill == nil {
			return nil, errors.New("--constant-work goes with no union: the time of a search depends on the data")
		}
		most := int64(s.schema.Outcomes()) * records(s.schema, s.rows) // distinct ones, with their outcomes
		m.fill(min(counting(s.schema, s.rows), most), make(table.Record, len(s.schema.Attributes)))
	}
	return &made{learner: m, outcomes: m.outcomes, observe: m.observe, record: record}, nil
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
