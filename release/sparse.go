package release

import (
	"flag"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// Staged is the exponential mechanism over a form that is drawn in stages, each with an
// equal share of ε.
type Staged struct{}

var stagedKind = MechanismKind{
	Name: exponentialName, What: "draws hypotheses one after the other, each likelier the fewer its errors, to change the one before: pure",
	For: func(k model.Kind) bool { return k.Staged }, Persons: true, Ask: func() Mechanism { return &Staged{} },
	record: func() any { return &stagedJSON{} }, again: stagedAgain,
}

// Parameters defines none.
func (*Staged) Parameters(*flag.FlagSet) {}

type stagedJSON struct {
	Name  string   `json:"name"`
	Loss  lossJSON `json:"loss"`
	Rates []string `json:"rates"` // λ of each draw, exact, "1/4"
}

// staged returns the mechanism of package learn with that loss, and what a model says of it.
func staged(s *setting, l learn.Loss) (*learn.Staged[table.Record, any], stagedJSON, error) {
	m, err := learn.NewStaged(s.space.(model.Staged), s.epsilon, s.relation, l)
	if err != nil {
		return nil, stagedJSON{}, err
	}
	record := stagedJSON{Name: exponentialName, Loss: lossJSON(m.Loss())}
	for _, rate := range m.Rates() {
		record.Rates = append(record.Rates, rate.RatString())
	}
	return m, record, nil
}

func (*Staged) over(s *setting) (*made, error) {
	if err := s.pure(); err != nil {
		return nil, err
	}
	m, record, err := staged(s, s.costs)
	if err != nil {
		return nil, err
	}
	observe := func(c Curator) { m.Observe = c.effort }
	if counted := s.space.(model.Staged).Counted(); counted != nil {
		of := learn.NewStagedOfCounts(m, counted)
		return &made{
			counted: releasing[table.Counts, []any]{of, s.space.(model.Staged).Join}, asks: of.Asks(len(s.schema.Attributes)),
			record: record, observe: observe,
		}, nil
	}
	return &made{
		learner: releasing[examples, []any]{m, s.space.(model.Staged).Join}, record: record,
		observe: observe,
	}, nil
}

func (*Staged) bounds(s *setting) ([]Bound, error) {
	m, _, err := staged(s, s.costs)
	if err != nil {
		return nil, err
	}
	return []Bound{s.bound(exponentialName, "", m)}, nil
}

func stagedAgain(said any, s *setting) (any, privacy.Guarantee, error) {
	j := said.(*stagedJSON)
	m, record, err := staged(s, learn.Loss(j.Loss))
	if err != nil {
		return nil, nil, err
	}
	return record, m.Guarantee(), nil
}
