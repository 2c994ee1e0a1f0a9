package release

import (
	"flag"
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// RSPM adds noise to the costs and asks an oracle for the least.
type RSPM struct {
	Perturbing
	Noise string // that of a learn.Noise, or gauss
}

const (
	rspmName = "rspm"
	gauss    = "gauss" // the noise of learn.GaussianRSPM
)

var rspmKind = MechanismKind{
	Name: rspmName, What: "adds noise to the costs and asks an oracle for the least",
	For: searchedOnly, Persons: true, Ask: func() Mechanism { return &RSPM{Noise: learn.Laplace.String()} },
	record: func() any { return &rspmJSON{} }, again: rspmAgain,
}

// Parameters defines the parameters.
func (m *RSPM) Parameters(f *flag.FlagSet) {
	m.Perturbing.parameters(f)
	f.StringVar(&m.Noise, "noise", m.Noise, "laplace or cube; of rspm also gauss, which needs --delta")
}

type rspmJSON struct {
	Name   string   `json:"name"`
	Loss   lossJSON `json:"loss"`
	Rate   string   `json:"rate,omitempty"`   // what the norm of noise is multiplied by in its law
	Sigma2 string   `json:"sigma2,omitempty"` // of gauss, in steps of the grid squared
	Noise  string   `json:"noise"`
	perturbedJSON
}

func rspmRecord(m *learn.RSPM[table.Record, any], oracle string) rspmJSON {
	return rspmJSON{
		Name: rspmName, Loss: lossJSON(m.Loss()), Rate: m.Rate().RatString(),
		Noise: m.Noise().String(), perturbedJSON: newPerturbedJSON(m, oracle),
	}
}

func gaussianRecord(m *learn.GaussianRSPM[table.Record, any], oracle string) rspmJSON {
	return rspmJSON{
		Name: rspmName, Loss: lossJSON(m.Loss()), Sigma2: m.Sigma2().String(),
		Noise: gauss, perturbedJSON: newPerturbedJSON(m, oracle),
	}
}

func (m *RSPM) over(s *setting) (*made, error) {
	if m.Noise != gauss {
		if err := s.pure(); err != nil {
			return nil, err
		}
		if _, err := learn.ParseNoise(m.Noise); err != nil {
			return nil, fmt.Errorf("--noise %s is none of laplace, cube and gauss", quote.Word(m.Noise))
		}
	} else if err := s.approximate("rspm with --noise gauss"); err != nil {
		return nil, err
	}
	o, err := m.minimizer(s)
	if err != nil {
		return nil, err
	}
	return m.on(o, s)
}

func (m *RSPM) on(o Minimizer, s *setting) (*made, error) {
	if m.Noise == gauss {
		if err := s.ofRows("--noise gauss"); err != nil {
			return nil, err
		}
		g, err := learn.NewGaussianRSPM(o, s.epsilon, s.delta, s.relation, s.costs, m.Grid)
		if err != nil {
			return nil, err
		}
		return &made{learner: g, record: gaussianRecord(g, m.Oracle)}, nil
	}
	r, err := rspm(o, m.Noise, s.epsilon, s.relation, s.costs, m.Grid)
	if err != nil {
		return nil, err
	}
	return &made{learner: r, record: rspmRecord(r, m.Oracle)}, nil
}

func (m *RSPM) bounds(s *setting) ([]Bound, error) {
	var bounds []Bound
	for _, noise := range []string{learn.Laplace.String(), learn.Cube.String(), gauss} {
		if noise == gauss && (s.delta.IsZero() || s.schema.Person != nil) {
			break
		}
		one, err := (&RSPM{Noise: noise}).on(s.searching(), s)
		if err != nil {
			return nil, err
		}
		bound := s.bound(rspmName, noise, one.learner.(bounded))
		bound.Approximate = noise == gauss
		bounds = append(bounds, bound)
	}
	return bounds, nil
}

func rspmAgain(said any, s *setting) (any, privacy.Guarantee, error) {
	j := said.(*rspmJSON)
	o, err := standIn(j.Oracle, s)
	if err != nil {
		return nil, nil, err
	}
	s.costs = learn.Loss(j.Loss)
	made, err := (&RSPM{Perturbing{j.Oracle, j.Grid}, j.Noise}).on(o, s)
	if err != nil {
		return nil, nil, err
	}
	return made.record, made.Guarantee(), nil
}
