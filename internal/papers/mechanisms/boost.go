package mechanisms

import (
	"flag"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/internal/parameter"
)

// Boost splits the rows into several training parts and one validation part. It runs the exponential mechanism on
// each training part, and privately selects one of the resulting hypotheses by its loss on the validation part.
type Boost struct {
	Parts      int   // the number of training parts; if 0, public parameters determine Parts and Validation
	Validation int64 // the number of rows in the validation part
}

const boostName = "boost"

var boostKind = mechanism.Kind{
	Name: boostName, What: "runs the mechanism exponential on several parts of the data, and selects the result with the least loss on another part",
	For: mechanism.SearchedOnly, New: func() mechanism.Mechanism { return &Boost{} }, Divide: divide,
	Record: func() any { return &boostJSON{} }, Recreate: recreateBoost,
}

// Parameters defines the parameters parts and validation as flags.
func (m *Boost) Parameters(f *flag.FlagSet) {
	f.IntVar(&m.Parts, "parts", 0, "the number `K` of parts of the data on each of which a model is learned; 0 means numbers of parts and of validation rows that follow from ε and --rows")
	f.Int64Var(&m.Validation, "validation", 0, "with --parts: the number `V` of other rows on which the best of the models is selected")
}

type boostJSON struct {
	mechanism.ExponentialRecord
	Boost divisionJSON `json:"boost"`
}

// divisionJSON is the JSON form of a boosting.BoostPlan.
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

// riskBeta is the maximum probability that the bound on the risk of a plan is wrong.
const riskBeta = 0.05

// bestDivision returns the plan for splitting the rows that has the least bound on the risk, and this bound. If there
// are too few rows, it returns an error, whose message begins with subject, the name of the parameter that requires
// the split.
func bestDivision(subject parameter.Text, b *mechanism.Base, s *mechanism.Setting) (boosting.BoostPlan, float64, error) {
	plan, risk := boosting.PlanBoost(b, s.Rows, s.Epsilon, riskBeta)
	if plan.Parts == 0 {
		return plan, risk, parameter.Errorf("%s: {rows} %d is too small to split; at least 2 are needed", subject, s.Rows)
	}
	return plan, risk, nil
}

// division returns the plan for splitting the rows: the one that m.Parts and m.Validation state or, if m.Parts is 0,
// the one that bestDivision returns. It depends on public parameters only.
func (m *Boost) division(b *mechanism.Base, s *mechanism.Setting) (boosting.BoostPlan, error) {
	if m.Parts == 0 {
		if m.Validation != 0 {
			return boosting.BoostPlan{}, parameter.Errorf("{validation} %d requires {parts}, the number of training parts; state it, or leave {validation} out", m.Validation)
		}
		plan, _, err := bestDivision("{mechanism} boost", b, s)
		return plan, err
	}
	plan := boosting.BoostPlan{Rows: s.Rows, Parts: m.Parts, Validation: m.Validation}
	if m.Parts < 1 || m.Validation < 0 || int64(m.Parts) > s.Rows-m.Validation {
		return plan, parameter.Errorf("{parts} %d and {validation} %d are not possible with {rows} %d; every part needs at least one row", m.Parts, m.Validation, s.Rows)
	}
	return plan, nil
}

// Bounds returns no bounds, because no bound on the excess error on the private table is known. The function divide
// returns a bound on the expected loss on a new row.
func (*Boost) Bounds(*mechanism.Setting) ([]mechanism.Bound, error) { return nil, nil }

// divide returns the plan of bestDivision for the setting's number of rows, which is public under replace-one, and
// the bound on the risk.
func divide(s *mechanism.Setting) (*mechanism.Division, error) {
	if err := s.OfRows("{mechanism} " + boostName); err != nil {
		return nil, err
	}
	if s.Space.Sampling().Class == nil {
		return nil, parameter.Errorf("{boost} does not support {class} %s; use one of %s", s.Form.Name(), strings.Join(mechanism.NamesOf(mechanism.SearchedOnly), ", "))
	}
	if err := s.Divided("{boost}"); err != nil {
		return nil, err
	}
	b, err := learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, s.Costs)
	if err != nil {
		return nil, err
	}
	plan, risk, err := bestDivision("{boost}", b, s)
	if err != nil {
		return nil, err
	}
	return &mechanism.Division{Parts: plan.Parts, PartRows: plan.Train(), Validation: plan.Validation, Risk: min(risk, float64(s.Costs.Range()))}, nil
}

func recreateBoost(stored any, s *mechanism.Setting) (*mechanism.Recreated, error) {
	j := stored.(*boostJSON)
	b, err := learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, learn.Loss(j.Loss))
	if err != nil {
		return nil, err
	}
	plan := boosting.BoostPlan(j.Boost)
	m, err := boosting.NewBoost(b, plan, s.Epsilon)
	if err != nil {
		return nil, err
	}
	return &mechanism.Recreated{Record: boostRecord(b, plan), Guarantee: m.Guarantee()}, nil
}
