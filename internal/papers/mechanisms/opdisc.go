package mechanisms

import (
	"errors"
	"flag"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OPDisc is objective perturbation over a discrete class: RSPM with noise whose distribution is spherically
// symmetric.
type OPDisc struct{ Perturbing }

const opdiscName = "opdisc"

var opdiscKind = mechanism.Kind{
	Name: opdiscName, What: "like rspm, with spherically symmetric noise, which is Gaussian if --delta is set",
	For: mechanism.SearchedOnly, New: func() mechanism.Mechanism { return NewOPDisc() },
	Record: func() any { return &opdiscJSON{} }, Recreate: recreateOPDisc,
}

// NewOPDisc returns an OPDisc with its default parameters.
func NewOPDisc() *OPDisc { return &OPDisc{defaultPerturbing} }

// Parameters defines the parameters oracle and grid as flags.
func (m *OPDisc) Parameters(f *flag.FlagSet) { m.Perturbing.parameters(f) }

type opdiscJSON struct {
	Name   string               `json:"name"`
	Loss   mechanism.LossRecord `json:"loss"`
	Rate   string               `json:"rate,omitempty"`   // if the noise is pure: its probability is ∝ e^(-rate·norm)
	Sigma2 string               `json:"sigma2,omitempty"` // if the noise is Gaussian: its variance in units of 1/grid²
	perturbedJSON
}

func (m *OPDisc) Over(s *mechanism.Setting) (*mechanism.Made, error) {
	o, err := m.minimizer(s)
	if err != nil {
		return nil, err
	}
	if class.EmbeddingOf(o.Class()).Sphere().Dim == 0 {
		return nil, parameter.Errorf("{mechanism} opdisc requires at least two hypotheses, but the class has one; use {mechanism} exponential")
	}
	return m.on(o, s)
}

func (m *OPDisc) on(o Minimizer, s *mechanism.Setting) (*mechanism.Made, error) {
	d, err := perturb.NewOPDisc(o, s.Epsilon, s.Delta, s.Relation, s.Costs, m.Grid)
	if err != nil {
		return nil, err
	}
	record := opdiscJSON{Name: opdiscName, Loss: mechanism.LossRecord(d.Loss()), perturbedJSON: newPerturbedJSON(d, m.Oracle)}
	if sigma2 := d.Sigma2(); sigma2 != nil {
		record.Sigma2 = sigma2.String()
	} else if class.EmbeddingOf(o.Class()).Sphere().Dim > 0 {
		record.Rate = d.Rate().RatString()
	}
	return &mechanism.Made{Learner: d, Record: record}, nil
}

func (m *OPDisc) Bounds(s *mechanism.Setting) ([]mechanism.Bound, error) {
	pure := *s
	pure.Delta = privacy.Decimal{}
	one, err := (&OPDisc{}).on(searchOracle(s), &pure)
	if err != nil {
		return nil, err
	}
	bounds := []mechanism.Bound{s.Bound(opdiscName, "", one.Learner.(mechanism.Bounded))}
	if s.Delta.IsZero() {
		return bounds, nil
	}
	if one, err = (&OPDisc{}).on(searchOracle(s), s); err != nil {
		return nil, err
	}
	second := s.Bound(opdiscName, gauss, one.Learner.(mechanism.Bounded))
	second.Approximate = true
	return append(bounds, second), nil
}

func recreateOPDisc(stored any, s *mechanism.Setting) (*mechanism.Recreated, error) {
	j := stored.(*opdiscJSON)
	o, err := substitute(j.Oracle, s)
	if err != nil {
		return nil, err
	}
	if class.EmbeddingOf(o.Class()).Sphere().Dim == 0 {
		return nil, errors.New("the mechanism opdisc requires at least two hypotheses, but the class of the model has one")
	}
	s.Costs = learn.Loss(j.Loss)
	made, err := (&OPDisc{Perturbing{j.Oracle, j.Grid}}).on(o, s)
	if err != nil {
		return nil, err
	}
	return &mechanism.Recreated{Record: made.Record, Guarantee: made.Guarantee()}, nil
}
