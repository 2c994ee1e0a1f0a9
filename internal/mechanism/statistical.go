package mechanism

import (
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Statistical is the mechanism that computes a naive Bayes model from noisy counts of each
// attribute with the label.
type Statistical struct{}

const statisticalName = "statistical"

var statisticalKind = Kind{
	Name: statisticalName, What: "computes the points from noisy counts of each category by label; δ = 0",
	For: AdditiveOnly(model.NaiveBayes), Persons: true, New: func() Mechanism { return &Statistical{} },
	Record: func() any { return &statisticalJSON{} }, Recreate: recreateStatistical,
}

// Parameters adds no flags, because the mechanism has no parameters.
func (*Statistical) Parameters(*flag.FlagSet) {}

type statisticalJSON struct {
	Name string `json:"name"`
	Rate string `json:"rate"` // the rate of the noise
}

func (*Statistical) Over(s *Setting) (*Made, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	form := s.Scaled(UsualScale)
	budget, err := privacy.NewPure(s.Relation, s.Epsilon)
	if err != nil {
		return nil, err
	}
	m, err := learn.NewNaiveBayes(s.Schema.Sizes(), budget, form.Scale)
	if err != nil {
		return nil, err
	}
	any := Releasing[table.Counts, learn.Points]{m, func(p learn.Points) (any, error) { return p, nil }}
	return &Made{Counted: any, Queries: m.Queries(), Record: statisticalJSON{statisticalName, m.Rate().RatString()}}, nil
}

// UsualScale is the default scale of an additive form: the number of points for a weight of 1.
const UsualScale = 100

// Scaled returns the additive form of the setting, with its scale set to the given default if it is
// 0.
func (s *Setting) Scaled(scale int) model.Additive {
	f := s.Form.(model.Additive)
	if f.Scale == 0 {
		f.Scale = scale
		s.Form, s.Space = f, f.Space(s.Schema)
	}
	return f
}

func (*Statistical) Bounds(s *Setting) ([]Bound, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	budget, err := privacy.NewPure(s.Relation, s.Epsilon)
	if err != nil {
		return nil, err
	}
	m, err := learn.NewNaiveBayes(s.Schema.Sizes(), budget, UsualScale)
	if err != nil {
		return nil, err
	}
	width := m.CountWidth()
	return []Bound{{
		Mechanism: statisticalName, CountWidth: &width,
		Said: fmt.Sprintf("noisy counts of the %s of each label in every category.\nIn 95 of 100 runs, the errors of all counts are at most %.0f.", s.Schema.Unit(2), width),
	}}, err
}

func recreateStatistical(_ any, s *Setting) (*Recreated, error) {
	pure := *s
	pure.Delta = privacy.Decimal{}
	m, err := (&Statistical{}).Over(&pure)
	if err != nil {
		return nil, err
	}
	return &Recreated{Record: m.Record, Guarantee: m.Guarantee()}, nil
}
