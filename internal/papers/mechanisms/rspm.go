package mechanisms

import (
	"cmp"
	"flag"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// RSPM adds noise to the costs of all hypotheses and releases a minimizer of the noisy costs, which an
// oracle finds.
type RSPM struct {
	Perturbing
	Noise string // a perturb.Noise, or gauss; empty means laplace
}

const (
	rspmName = "rspm"
	gauss    = "gauss" // the noise of perturb.GaussianRSPM
)

var rspmKind = mechanism.Kind{
	Name: rspmName, What: "adds noise to the costs of all hypotheses and releases the hypothesis with the minimum noisy cost",
	For: mechanism.SearchedOnly, Persons: true, New: func() mechanism.Mechanism { return NewRSPM() },
	Record: func() any { return &rspmJSON{} }, Recreate: recreateRSPM,
}

// NewRSPM returns an RSPM with its default parameters.
func NewRSPM() *RSPM { return &RSPM{defaultPerturbing, perturb.Laplace.String()} }

// Parameters defines the parameters oracle, grid and noise as flags.
func (m *RSPM) Parameters(f *flag.FlagSet) {
	m.Perturbing.parameters(f)
	f.StringVar(&m.Noise, "noise", m.Noise, "the `distribution` of the noise, which is a vector of integers; the probability of a vector decreases exponentially with the sum of the absolute entries (laplace), the maximum absolute entry (cube), or the sum of the squared entries (gauss; requires --delta)")
}

type rspmJSON struct {
	Name   string               `json:"name"`
	Loss   mechanism.LossRecord `json:"loss"`
	Rate   string               `json:"rate,omitempty"`   // for laplace and cube: the probability of the noise is ∝ e^(-rate·norm)
	Sigma2 string               `json:"sigma2,omitempty"` // for gauss: the variance of the noise in units of 1/grid²
	Noise  string               `json:"noise"`
	perturbedJSON
}

func rspmRecord(m *perturb.RSPM[table.Record, any], oracle string) rspmJSON {
	return rspmJSON{
		Name: rspmName, Loss: mechanism.LossRecord(m.Loss()), Rate: m.Rate().RatString(),
		Noise: m.Noise().String(), perturbedJSON: newPerturbedJSON(m, oracle),
	}
}

func gaussianRecord(m *perturb.GaussianRSPM[table.Record, any], oracle string) rspmJSON {
	return rspmJSON{
		Name: rspmName, Loss: mechanism.LossRecord(m.Loss()), Sigma2: m.Sigma2().String(),
		Noise: gauss, perturbedJSON: newPerturbedJSON(m, oracle),
	}
}

func (m *RSPM) Over(s *mechanism.Setting) (*mechanism.Made, error) {
	m.Noise = cmp.Or(m.Noise, perturb.Laplace.String())
	if m.Noise != gauss {
		if err := s.Pure(); err != nil {
			return nil, err
		}
		if _, err := perturb.ParseNoise(m.Noise); err != nil {
			return nil, parameter.Errorf("{noise} %s is unknown; it must be laplace, cube or gauss", quote.Word(m.Noise))
		}
	} else if err := s.Approximate("rspm with {noise} gauss"); err != nil {
		return nil, err
	}
	o, err := m.minimizer(s)
	if err != nil {
		return nil, err
	}
	return m.on(o, s)
}

// on returns RSPM with the oracle o.
func (m *RSPM) on(o Minimizer, s *mechanism.Setting) (*mechanism.Made, error) {
	if m.Noise == gauss {
		if err := s.OfRows("{noise} gauss"); err != nil {
			return nil, err
		}
		g, err := perturb.NewGaussianRSPM(o, s.Epsilon, s.Delta, s.Relation, s.Costs, m.Grid)
		if err != nil {
			return nil, err
		}
		return &mechanism.Made{Learner: g, Record: gaussianRecord(g, m.Oracle)}, nil
	}
	r, err := rspm(o, m.Noise, s.Epsilon, s.Relation, s.Costs, m.Grid)
	if err != nil {
		return nil, err
	}
	return &mechanism.Made{Learner: r, Record: rspmRecord(r, m.Oracle)}, nil
}

func (m *RSPM) Bounds(s *mechanism.Setting) ([]mechanism.Bound, error) {
	var bounds []mechanism.Bound
	for _, noise := range []string{perturb.Laplace.String(), perturb.Cube.String(), gauss} {
		if noise == gauss && (s.Delta.IsZero() || s.Schema.Person != nil) {
			break
		}
		one, err := (&RSPM{Noise: noise}).on(searchOracle(s), s)
		if err != nil {
			return nil, err
		}
		bound := s.Bound(rspmName, noise, one.Learner.(mechanism.Bounded))
		bound.Approximate = noise == gauss
		bounds = append(bounds, bound)
	}
	return bounds, nil
}

func recreateRSPM(stored any, s *mechanism.Setting) (*mechanism.Recreated, error) {
	j := stored.(*rspmJSON)
	o, err := substitute(j.Oracle, s)
	if err != nil {
		return nil, err
	}
	s.Costs = learn.Loss(j.Loss)
	made, err := (&RSPM{Perturbing{j.Oracle, j.Grid}, j.Noise}).on(o, s)
	if err != nil {
		return nil, err
	}
	return &mechanism.Recreated{Record: made.Record, Guarantee: made.Guarantee()}, nil
}
