package mechanisms

import (
	"flag"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Boost runs the exponential mechanism on parts of the data, and picks from the results
// on the last part.
type Boost struct {
	Parts      int // 0 chooses the parts and the rows to pick by
	Validation int64
}

const boostName = "boost"

var boostKind = mechanism.Kind{
	Name: boostName, What: "runs exponential on parts of the data, and picks from the results on the last part",
	For: mechanism.SearchedOnly, Ask: func() mechanism.Mechanism { return &Boost{} }, Divide: divide,
	Record: func() any { return &boostJSON{} }, Again: boostAgain,
}

// Parameters defines the parameters.
func (m *Boost) Parameters(f *flag.FlagSet) {
	f.IntVar(&m.Parts, "parts", 0, "train on `K` parts; 0 chooses the parts and the rows to pick by")
	f.Int64Var(&m.Validation, "validation", 0, "with --parts: pick on `V` rows of their own")
}

type boostJSON struct {
	mechanism.ExponentialRecord
	Boost divisionJSON `json:"boost"`
}

// divisionJSON is a boosting.BoostPlan.
type divisionJSON struct {
	Rows       int64 `json:"rows"`
	Parts      int   `json:"parts"`
	Validation int64 `json:"validation"`
}

func (m *Boost) Over(s *mechanism.Setting) (*mechanism.Made, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	if err := s.Stated("{mechanism} boost"); err != nil {
		return nil, err
	}
	b, err := learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, s.Costs)
	if err != nil {
		return nil, err
	}
	plan, err := m.division(b, s)
	if err != nil {
		return nil, err
	}
	boost, err := boosting.NewBoost(b, plan, s.Epsilon)
	if err != nil {
		return nil, parameter.Errorf("{mechanism} boost: %w", err)
	}
	observe := func(c mechanism.Curator) { b.Observe = c.Effort }
	return &mechanism.Made{Learner: boost, Record: boostRecord(b, plan), Observe: observe}, nil
}

func boostRecord(b *mechanism.Base, plan boosting.BoostPlan) boostJSON {
	record := boostJSON{mechanism.RecordOf(b), divisionJSON(plan)}
	record.Name = boostName
	return record
}

// confident is how often the bound that a division is chosen by may fail.
const confident = 0.05

// best returns the best division of the rows, and the bound on its risk; asked names who
// asks.
func best(asked parameter.Text, b *mechanism.Base, s *mechanism.Setting) (boosting.BoostPlan, float64, error) {
	plan, risk := boosting.PlanBoost(b, s.Rows, s.Epsilon, confident)
	if plan.Parts == 0 {
		return plan, risk, parameter.Errorf("%s: {rows} %d are too few to divide", asked, s.Rows)
	}
	return plan, risk, nil
}

// division returns how rows are divided, in public.
func (m *Boost) division(b *mechanism.Base, s *mechanism.Setting) (boosting.BoostPlan, error) {
	if m.Parts == 0 {
		if m.Validation != 0 {
			return boosting.BoostPlan{}, parameter.Errorf("{validation} %d goes with {parts}", m.Validation)
		}
		plan, _, err := best("{mechanism} boost", b, s)
		return plan, err
	}
	plan := boosting.BoostPlan{Rows: s.Rows, Parts: m.Parts, Validation: m.Validation}
	if m.Parts < 1 || m.Validation < 0 || int64(m.Parts) > s.Rows-m.Validation {
		return plan, parameter.Errorf("{parts} %d {validation} %d: %d rows do not divide so", m.Parts, m.Validation, s.Rows)
	}
	return plan, nil
}

// Bounds has none: what is known of boost is a bound on the risk of a new row, which
// PlanBoost tells.
func (*Boost) Bounds(*mechanism.Setting) ([]mechanism.Bound, error) { return nil, nil }

// divide plans the division of the rows, which are public under replace.
func divide(s *mechanism.Setting) (*mechanism.Division, error) {
	if err := s.OfRows("{mechanism} " + boostName); err != nil {
		return nil, err
	}
	if s.Space.Sampling().Class == nil {
		return nil, parameter.Errorf("{boost} goes with {class} %s, not with %s", strings.Join(mechanism.NamesOf(mechanism.SearchedOnly), ", "), s.Form.Name())
	}
	if err := s.Divided("{boost}"); err != nil {
		return nil, err
	}
	b, err := learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, s.Costs)
	if err != nil {
		return nil, err
	}
	plan, risk, err := best("{boost}", b, s)
	if err != nil {
		return nil, err
	}
	return &mechanism.Division{Parts: plan.Parts, PartRows: plan.Train(), Validation: plan.Validation, Risk: min(risk, float64(s.Costs.Range()))}, nil
}

func boostAgain(said any, s *mechanism.Setting) (any, privacy.Guarantee, error) {
	j := said.(*boostJSON)
	b, err := learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, learn.Loss(j.Loss))
	if err != nil {
		return nil, nil, err
	}
	plan := boosting.BoostPlan(j.Boost)
	m, err := boosting.NewBoost(b, plan, s.Epsilon)
	if err != nil {
		return nil, nil, err
	}
	return boostRecord(b, plan), m.Guarantee(), nil
}
