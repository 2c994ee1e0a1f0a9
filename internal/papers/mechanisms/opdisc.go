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

// OPDisc is objective perturbation over a discrete class: RSPM with noise of spherical
// shape.
type OPDisc struct{ Perturbing }

const opdiscName = "opdisc"

var opdiscKind = mechanism.Kind{
	Name: opdiscName, What: "as rspm, with noise of spherical shape; with a δ it is Gaussian",
	For: mechanism.SearchedOnly, Ask: func() mechanism.Mechanism { return NewOPDisc() },
	Record: func() any { return &opdiscJSON{} }, Again: opdiscAgain,
}

// NewOPDisc returns it with its usual parameters.
func NewOPDisc() *OPDisc { return &OPDisc{usualPerturbing} }

// Parameters defines the parameters.
func (m *OPDisc) Parameters(f *flag.FlagSet) { m.Perturbing.parameters(f) }

type opdiscJSON struct {
	Name   string               `json:"name"`
	Loss   mechanism.LossRecord `json:"loss"`
	Rate   string               `json:"rate,omitempty"`   // what the norm of noise is multiplied by in its law
	Sigma2 string               `json:"sigma2,omitempty"` // of Gaussian noise, in steps of the grid squared
	perturbedJSON
}

func (m *OPDisc) Over(s *mechanism.Setting) (*mechanism.Made, error) {
	o, err := m.minimizer(s)
	if err != nil {
		return nil, err
	}
	if class.EmbeddingOf(o.Class()).Sphere().Dim == 0 {
		return nil, parameter.Errorf("{mechanism} opdisc: the class has only one hypothesis, so there is nothing to choose; take exponential")
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
	one, err := (&OPDisc{}).on(searching(s), &pure)
	if err != nil {
		return nil, err
	}
	bounds := []mechanism.Bound{s.Bound(opdiscName, "", one.Learner.(mechanism.Bounded))}
	if s.Delta.IsZero() {
		return bounds, nil
	}
	if one, err = (&OPDisc{}).on(searching(s), s); err != nil {
		return nil, err
	}
	second := s.Bound(opdiscName, gauss, one.Learner.(mechanism.Bounded))
	second.Approximate = true
	return append(bounds, second), nil
}

func opdiscAgain(said any, s *mechanism.Setting) (any, privacy.Guarantee, error) {
	j := said.(*opdiscJSON)
	o, err := standIn(j.Oracle, s)
	if err != nil {
		return nil, nil, err
	}
	if class.EmbeddingOf(o.Class()).Sphere().Dim == 0 {
		return nil, nil, errors.New("its class has only one hypothesis")
	}
	s.Costs = learn.Loss(j.Loss)
	made, err := (&OPDisc{Perturbing{j.Oracle, j.Grid}}).on(o, s)
	if err != nil {
		return nil, nil, err
	}
	return made.Record, made.Guarantee(), nil
}
