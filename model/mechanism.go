package model

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// A Mechanism says how a hypothesis was chosen, with the public parameters.
// What a mechanism has no use for is left at zero.
type Mechanism struct {
	Name string // one of the constants below
	Loss learn.Loss

	// Rate is λ of the exponential mechanism, or what the norm of noise is
	// multiplied by in its law; nil for None and for Gaussian noise.
	Rate *big.Rat

	// Sigma2 is the parameter of Gaussian noise, in steps of 1/Grid squared.
	Sigma2 *big.Int

	// Sample says that the exponential mechanism ran on a secret random sample.
	Sample *Sample

	// The rest is for mechanisms that perturb costs and ask an oracle.
	Noise  string // of RSPM and PRSMA: that of a learn.Noise, or of RSPM, Gauss
	Grid   int64  // costs are multiplied by it
	Shift  int64  // t, in steps of 1/Grid
	Oracle string // who minimised, such as "search"

	// Plan and NodeBudget, of each call of the oracle, are PRSMA's.
	Plan       *learn.PRSMAPlan
	NodeBudget int64
}

// A Sample is of Size of the table's Rows, without replacement. Epsilon is that of
// the mechanism that ran on it.
type Sample struct {
	Rows    int64           `json:"rows"`
	Size    int64           `json:"size"`
	Epsilon privacy.Decimal `json:"epsilon"`
}

// The names of mechanisms in models.
const (
	Exponential = "exponential"
	RSPM        = "rspm"
	OPDisc      = "opdisc"
	PRSMA       = "prsma"
	None        = "none (not private)"
)

// Gauss is the noise of learn.GaussianRSPM.
const Gauss = "gauss"

// OfExponential describes the mechanism.
func OfExponential(m *learn.Exponential[table.Record, any]) Mechanism {
	return Mechanism{Name: Exponential, Loss: m.Loss(), Rate: m.Rate()}
}

// OfSample describes the mechanism on a sample.
func OfSample(m *learn.Exponential[table.Record, any], s Sample) Mechanism {
	d := OfExponential(m)
	d.Sample = &s
	return d
}

// OfRSPM describes the mechanism on an oracle of that name.
func OfRSPM(m *learn.RSPM[table.Record, any], oracle string) Mechanism {
	return Mechanism{
		Name: RSPM, Loss: m.Loss(), Rate: m.Rate(),
		Noise: m.Noise().String(), Grid: m.Grid(), Shift: m.Shift(), Oracle: oracle,
	}
}

// OfGaussianRSPM describes the mechanism on an oracle of that name.
func OfGaussianRSPM(m *learn.GaussianRSPM[table.Record, any], oracle string) Mechanism {
	return Mechanism{
		Name: RSPM, Loss: m.Loss(), Sigma2: m.Sigma2(),
		Noise: Gauss, Grid: m.Grid(), Shift: m.Shift(), Oracle: oracle,
	}
}

// OfOPDisc describes the mechanism, over a class of several hypotheses, on an
// oracle of that name.
func OfOPDisc(m *learn.OPDisc[table.Record, any], oracle string) Mechanism {
	d := Mechanism{
		Name: OPDisc, Loss: m.Loss(), Sigma2: m.Sigma2(),
		Grid: m.Grid(), Shift: m.Shift(), Oracle: oracle,
	}
	if d.Sigma2 == nil {
		d.Rate = m.Rate()
	}
	return d
}

// OfPRSMA describes the mechanism over that base on an oracle of that name, whose
// calls may take so many nodes.
func OfPRSMA(m *learn.PRSMA[table.Record, any], base *learn.RSPM[table.Record, any], oracle string, nodes int64) Mechanism {
	d := OfRSPM(base, oracle)
	plan := m.Plan()
	d.Name, d.Plan, d.NodeBudget = PRSMA, &plan, nodes
	return d
}
