package mechanisms

import (
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/opsamp"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OPSamp averages minimizers of randomly perturbed losses and adds Laplace noise to the mean.
type OPSamp struct {
	mechanism.Columns
	Bound       int64  // weights lie in -Bound..Bound
	Minimisers  int    // the number of minimizers that are averaged
	Rate, Slack string // Rate and Slack of opsamp.Perturbation, as decimals; if Rate is 0, opsamp.Plan determines it
}

const opsampName = "opsamp"

var opsampKind = mechanism.Kind{
	Name: opsampName, What: "averages minimisers of randomly perturbed losses and adds noise; on tables of usual sizes the result is mostly noise, as sibyl plan shows",
	For: mechanism.AdditiveOnly(model.Logistic, model.SVM, model.LeastSquares), New: func() mechanism.Mechanism { return NewOPSamp() },
	Record: func() any { return &opsampJSON{} }, Recreate: recreateOPSamp,
}

// NewOPSamp returns an OPSamp with its default parameters.
func NewOPSamp() *OPSamp {
	return &OPSamp{Columns: mechanism.UsualColumns, Bound: mechanism.UsualBound, Minimisers: 100, Rate: "0", Slack: "1"}
}

// Parameters defines the parameters columns, bound, minimisers, term-rate and slack as flags.
func (m *OPSamp) Parameters(f *flag.FlagSet) {
	m.Columns.Define(f)
	mechanism.DefineBound(f, &m.Bound)
	f.IntVar(&m.Minimisers, "minimisers", m.Minimisers, "the number `M` of minimisers of randomly perturbed losses that are averaged")
	f.StringVar(&m.Rate, "term-rate", m.Rate, "the rate `η` of the exponential distribution of the random linear terms that are added to the loss, whose mean is 1/η; 0 means a rate that follows from --rows")
	f.StringVar(&m.Slack, "slack", m.Slack, "the accuracy `A` of the solver, at least 1/64: the perturbed loss of an averaged minimiser exceeds the minimum of the perturbed loss by at most A")
}

type opsampJSON struct {
	Name         string           `json:"name"`
	Rate         string           `json:"rate"`
	Columns      convex.Encoding  `json:"columns"`
	Perturbation perturbationJSON `json:"perturbation"`
}

// perturbationJSON is the JSON form of an opsamp.Perturbation.
type perturbationJSON struct {
	Loss  convex.Loss     `json:"loss"`
	Bound int64           `json:"bound"`
	Calls int             `json:"calls"`
	Rate  privacy.Decimal `json:"rate"`
	Slack privacy.Decimal `json:"slack"`
}

func opsampRecord(m *opsamp.Mechanism, columns convex.Encoding) opsampJSON {
	return opsampJSON{opsampName, m.NoiseRate().RatString(), columns, perturbationJSON(m.Perturbation())}
}

// perturbation returns the parameters of the perturbation. It parses m.Slack and m.Rate. If the rate is 0, it uses
// the parameters that opsamp.Plan returns.
func (m *OPSamp) perturbation(features *convex.Features, s *mechanism.Setting) (opsamp.Perturbation, error) {
	o := opsamp.Perturbation{Loss: s.Form.(model.Additive).Loss(), Bound: m.Bound, Calls: m.Minimisers}
	if m.Minimisers < 1 || m.Minimisers > opsamp.MostCalls {
		return o, parameter.Errorf("{minimisers} %d is outside 1..%d", m.Minimisers, opsamp.MostCalls)
	}
	var err error
	if o.Slack, err = privacy.ParseDecimal(m.Slack); err != nil {
		return o, parameter.Errorf("{slack} %w", err)
	}
	if o.Rate, err = privacy.ParseDecimal(m.Rate); err != nil {
		return o, parameter.Errorf("{term-rate} %w", err)
	}
	if o.Rate.IsZero() {
		if o, err = opsamp.Plan(features, o, s.Rows, s.Epsilon, s.Delta, s.Relation); err != nil {
			return o, mechanism.NotMade(opsampName, err)
		}
	}
	return o, nil
}

// bind returns the mechanism for the setting's schema, with the encoding of its columns and its features.
func (m *OPSamp) bind(s *mechanism.Setting) (*opsamp.Mechanism, convex.Encoding, *convex.Features, error) {
	columns, features, err := m.Features(s)
	if err != nil {
		return nil, columns, nil, err
	}
	if err := s.Approximate(opsampName); err != nil {
		return nil, columns, nil, err
	}
	if err := s.Stated("{mechanism} opsamp"); err != nil {
		return nil, columns, nil, err
	}
	o, err := m.perturbation(features, s)
	if err != nil {
		return nil, columns, nil, err
	}
	p, err := opsamp.New(features, o, s.Epsilon, s.Delta, s.Relation)
	if err != nil {
		return nil, columns, nil, mechanism.NotMade(opsampName, err)
	}
	return p, columns, features, nil
}

func (m *OPSamp) Over(s *mechanism.Setting) (*mechanism.Made, error) {
	p, columns, features, err := m.bind(s)
	if err != nil {
		return nil, err
	}
	form := s.Scaled(mechanism.UsualScale)
	return &mechanism.Made{Learner: mechanism.Releasing[mechanism.Examples, convex.Linear]{Mechanism: p, As: mechanism.Weighing(features, form)}, Record: opsampRecord(p, columns)}, nil
}

func (m *OPSamp) Bounds(s *mechanism.Setting) ([]mechanism.Bound, error) {
	if s.Delta.IsZero() {
		return nil, nil
	}
	p, _, _, err := m.bind(s)
	if err != nil {
		return nil, err
	}
	e, n := p.Excess(s.Rows), float64(s.Rows)
	mean, most := e.Mean/n, e.Most/n
	return []mechanism.Bound{{
		Mechanism: opsampName, MeanLoss: &mean, MostLoss: &most,
		Said: fmt.Sprintf("the mean loss of a row (%v) exceeds its minimum over the box by at most %.3g\non average, and by at most %.3g in 95 of 100 runs.", p.Perturbation().Loss, mean, most),
	}}, nil
}

func recreateOPSamp(stored any, s *mechanism.Setting) (*mechanism.Recreated, error) {
	j := stored.(*opsampJSON)
	if own := s.Form.(model.Additive).Loss(); j.Perturbation.Loss != own {
		return nil, fmt.Errorf("the mechanism's key \"loss\" is %q, but the class %q requires the loss %q", j.Perturbation.Loss, s.Form.Name(), own)
	}
	features, err := convex.NewFeatures(j.Columns, s.Schema.Sizes())
	if err != nil {
		return nil, err
	}
	m, err := opsamp.New(features, opsamp.Perturbation(j.Perturbation), s.Epsilon, s.Delta, s.Relation)
	if err != nil {
		return nil, err
	}
	return &mechanism.Recreated{Record: opsampRecord(m, j.Columns), Guarantee: m.Guarantee()}, nil
}
