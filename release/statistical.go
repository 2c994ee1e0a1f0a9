package release

import (
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// Statistical makes a naive Bayes model of noisy counts.
type Statistical struct{}

const statisticalName = "statistical"

var statisticalKind = MechanismKind{
	Name: statisticalName, What: "noisy counts; pure",
	For: additiveOnly(model.NaiveBayes), Persons: true, Ask: func() Mechanism { return &Statistical{} },
	record: func() any { return &statisticalJSON{} }, again: statisticalAgain,
}

// Parameters defines none.
func (*Statistical) Parameters(*flag.FlagSet) {}

type statisticalJSON struct {
	Name string `json:"name"`
	Rate string `json:"rate"` // of the noise
}

func (*Statistical) over(s *setting) (*made, error) {
	if err := s.pure(); err != nil {
		return nil, err
	}
	form := s.scaled(usualScale)
	budget, err := privacy.NewPure(s.relation, s.epsilon)
	if err != nil {
		return nil, err
	}
	m, err := learn.NewNaiveBayes(s.schema.Sizes(), budget, form.Scale)
	if err != nil {
		return nil, err
	}
	any := releasing[table.Counts, learn.Points]{m, func(p learn.Points) (any, error) { return p, nil }}
	return &made{counted: any, asks: m.Asks(), record: statisticalJSON{statisticalName, m.Rate().RatString()}}, nil
}

// usualScale is that of an additive form where none is asked for.
const usualScale = 100

// scaled gives the additive form that scale where it has none, and returns it.
func (s *setting) scaled(scale int) model.Additive {
	f := s.form.(model.Additive)
	if f.Scale == 0 {
		f.Scale = scale
		s.form, s.space = f, f.Space(s.schema)
	}
	return f
}

func (*Statistical) bounds(s *setting) ([]Bound, error) {
	if err := s.pure(); err != nil {
		return nil, err
	}
	budget, err := privacy.NewPure(s.relation, s.epsilon)
	if err != nil {
		return nil, err
	}
	cells := 0
	for _, n := range s.schema.Sizes() {
		cells += 2 * n
	}
	width, err := learn.AnswerWidth(budget, cells, len(s.schema.Attributes))
	width /= float64(learn.Units(s.relation))
	return []Bound{{
		Mechanism: statisticalName, CountWidth: &width,
		said: fmt.Sprintf("the %s of either label are counted in every category, with noise.\nIn 95 of 100 runs no count is off by more than %.0f.", s.schema.Unit(2), width),
	}}, err
}

func statisticalAgain(_ any, s *setting) (any, privacy.Guarantee, error) {
	pure := *s
	pure.delta = privacy.Decimal{}
	m, err := (&Statistical{}).over(&pure)
	if err != nil {
		return nil, nil, err
	}
	return m.record, m.Guarantee(), nil
}
