package mechanism

import (
	"flag"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Staged is the exponential mechanism for a form whose hypothesis is built in stages, such as
// sparse cards. Each stage consumes an equal share of ε.
type Staged struct{}

var stagedKind = Kind{
	Name: ExponentialName, What: "samples a scorecard in stages: each stage changes points of the scorecard so far, with higher probability for fewer misclassifications; δ = 0",
	For: func(k model.Kind) bool { return k.Selection == model.InStages }, Persons: true, New: func() Mechanism { return &Staged{} },
	Record: func() any { return &stagedJSON{} }, Recreate: recreateStaged,
}

// Parameters adds no flags, because the mechanism has no parameters.
func (*Staged) Parameters(*flag.FlagSet) {}

type stagedJSON struct {
	Name  string     `json:"name"`
	Loss  LossRecord `json:"loss"`
	Rates []string   `json:"rates"` // λ of each stage, as an exact fraction such as "1/4"
}

// staged returns the mechanism of package learn that samples in stages, and its record for the model file. The
// parameter l has the costs of misclassifications.
func staged(s *Setting, l learn.Loss) (*learn.Staged[table.Record, any], stagedJSON, error) {
	m, err := learn.NewStaged(s.Space.Sampling().Staged, s.Epsilon, s.Relation, l)
	if err != nil {
		return nil, stagedJSON{}, err
	}
	record := stagedJSON{Name: ExponentialName, Loss: LossRecord(m.Loss())}
	for _, rate := range m.Rates() {
		record.Rates = append(record.Rates, rate.RatString())
	}
	return m, record, nil
}

func (*Staged) Over(s *Setting) (*Made, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	m, record, err := staged(s, s.Costs)
	if err != nil {
		return nil, err
	}
	observe := func(c Curator) { m.Observe = c.Effort }
	stages := s.Space.Sampling().Staged
	if counted := stages.Counted(); counted != nil {
		of := learn.NewStagedOfCounts(m, counted)
		return &Made{
			Counted: Releasing[table.Counts, []any]{of, stages.Join}, Queries: of.Queries(len(s.Schema.Attributes)),
			Record: record, Observe: observe,
		}, nil
	}
	return &Made{
		Learner: Releasing[Examples, []any]{m, stages.Join}, Record: record,
		Observe: observe,
	}, nil
}

func (*Staged) Bounds(s *Setting) ([]Bound, error) {
	m, _, err := staged(s, s.Costs)
	if err != nil {
		return nil, err
	}
	return []Bound{s.Bound(ExponentialName, "", m)}, nil
}

func recreateStaged(stored any, s *Setting) (*Recreated, error) {
	j := stored.(*stagedJSON)
	m, record, err := staged(s, learn.Loss(j.Loss))
	if err != nil {
		return nil, err
	}
	return &Recreated{Record: record, Guarantee: m.Guarantee()}, nil
}
