package model

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// A Mechanism says how a hypothesis was chosen, with the public parameters.
// What a mechanism has no use for is left at zero.
type Mechanism struct {
	Name string // one of the constants below

	// Loss is what wrong predictions cost; zero for an Additive form, which
	// has a loss of its own or none.
	Loss learn.Loss

	// Rate is λ of exponential mechanisms, or what the norm of noise is multiplied
	// by in its law; nil for None and for Gaussian noise.
	Rate *big.Rat

	// Sigma2 is the parameter of Gaussian noise, in steps of the grid squared.
	Sigma2 *big.Int

	// Sample says that the exponential mechanism ran on a secret random sample,
	// Series that it is one of several that ran on a stream.
	Sample *Sample
	Series *Series

	// Boost is how the table was divided.
	Boost *learn.BoostPlan

	// The weights that the exponential mechanism over a box chose from, the parameters of
	// gradient descent and of OPSamp, and the columns on which they learn.
	Box          *Box
	Columns      *convex.Encoding
	Descent      *convex.Descent
	Perturbation *convex.Perturbation

	// The rest is for mechanisms that perturb costs and ask an oracle.
	Noise  string // of RSPM and PRSMA: that of a learn.Noise, or of RSPM, Gauss
	Grid   int64  // costs are multiplied by it
	Shift  int64  // t, in steps of 1/Grid
	Oracle string // who minimised, such as "search"

	// Plan and NodeBudget, of each call of the oracle, are PRSMA's.
	Plan       *learn.PRSMAPlan
	NodeBudget int64
}

// A Sample is of Size of the table's Rows, without replacement, or takes each row
// with probability Rate. Epsilon is that of the mechanism that ran on it.
type Sample struct {
	Rows    int64           `json:"rows,omitempty"`
	Size    int64           `json:"size,omitempty"`
	Rate    privacy.Decimal `json:"rate,omitzero"`
	Epsilon privacy.Decimal `json:"epsilon"`
}

// A Box holds whole weights from -Bound to Bound, charged Ridge times their squares.
type Box struct {
	Bound int64 `json:"bound"`
	Ridge int64 `json:"ridge"`
}

// A Series is of releases from a stream that comes in Rounds of Batch rows each:
// before each round, from the rounds before, and after the last. This one was
// made in the given Round, from 1. Epsilon is that of one of them; the guarantee is
// that of all together.
type Series struct {
	Round   int             `json:"round"`
	Rounds  int             `json:"rounds"`
	Batch   int64           `json:"batch"`
	Epsilon privacy.Decimal `json:"epsilon"`
}

// MostRounds is the greatest number of rounds in a series.
const MostRounds = 10_000

// The names of mechanisms in models.
const (
	Exponential = "exponential"
	RSPM        = "rspm"
	OPDisc      = "opdisc"
	PRSMA       = "prsma"
	Boost       = "boost"
	Statistical = "statistical"
	DPSGD       = "dpsgd"
	OPSamp      = "opsamp"
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

// OfSeries describes the mechanism in a round of a series.
func OfSeries(m *learn.Exponential[table.Record, any], s Series) Mechanism {
	d := OfExponential(m)
	d.Series = &s
	return d
}

// OfBoost describes the mechanism over that base.
func OfBoost(m *learn.Boost[table.Record, any], base *learn.Exponential[table.Record, any]) Mechanism {
	d := OfExponential(base)
	plan := m.Plan()
	d.Name, d.Boost = Boost, &plan
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
