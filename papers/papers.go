// Package papers provides those mechanisms of the four papers that package sibyl does not run by
// default:
//
//   - RSPM, OPDisc and PRSMA minimize noisy costs with an optimization oracle.
//   - Boost trains on several disjoint parts of the rows and selects one of the results.
//   - OPSamp averages minimizers of randomly perturbed losses.
//
// Each mechanism is a struct for sibyl.Settings.Mechanism, and its zero value is ready to use.
// A program must import this package to read models that these mechanisms released.
// README.md in this directory maps the statements of the papers to files, proofs, tests and commands.
package papers

import (
	"cmp"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
)

// RSPM (Report Separator-Perturbed Min) adds noise to the costs of all hypotheses of a class, and releases the
// hypothesis with the minimum noisy cost, which an optimization oracle finds.
type RSPM struct {
	Noise  string // "laplace", "cube" or "gauss"; empty means "laplace". "gauss" requires Settings.Delta
	Oracle string // one of Oracles; empty means "search"
	Grid   int64  // noise is a multiple of 1/Grid misclassifications; if 0, the class and ε determine Grid
}

// Choose implements sibyl.Settings.Mechanism.
func (r RSPM) Choose() mechanism.Choice {
	return choose("rspm", func(m *mechanisms.RSPM) {
		m.Noise = cmp.Or(r.Noise, m.Noise)
		perturbing(&m.Perturbing, r.Oracle, r.Grid)
	})
}

// OPDisc (objective perturbation over a discrete class) is RSPM with noise whose distribution is spherically symmetric.
// The noise is Gaussian if Settings.Delta is positive.
type OPDisc struct {
	Oracle string // the oracle, as in RSPM
	Grid   int64  // the grid of the noise, as in RSPM
}

// Choose implements sibyl.Settings.Mechanism.
func (o OPDisc) Choose() mechanism.Choice {
	return choose("opdisc", func(m *mechanisms.OPDisc) { perturbing(&m.Perturbing, o.Oracle, o.Grid) })
}

// PRSMA (Private Robust Subsampling Meta Algorithm) runs RSPM on many disjoint parts of the rows. Its guarantee holds
// even if calls of the oracle fail. It may release no model; sibyl.Learn then returns sibyl.ErrNothing. PRSMA
// requires Settings.Delta and Settings.Rows.
type PRSMA struct {
	Noise      string // "laplace" or "cube"; empty means "laplace"
	Oracle     string // as in RSPM
	Grid       int64  // as in RSPM
	Calls      int64  // the maximum number of oracle calls; 0 means 4000
	NodeBudget int64  // the number of search nodes after which a call fails; 0 means 1,000,000
}

// Choose implements sibyl.Settings.Mechanism.
func (p PRSMA) Choose() mechanism.Choice {
	return choose("prsma", func(m *mechanisms.PRSMA) {
		m.Noise, m.Calls, m.Nodes = cmp.Or(p.Noise, m.Noise), cmp.Or(p.Calls, m.Calls), cmp.Or(p.NodeBudget, m.Nodes)
		perturbing(&m.Perturbing, p.Oracle, p.Grid)
	})
}

// Boost splits the rows into several training parts and one validation part. It learns a model on each training part
// by the exponential mechanism, and privately selects one of these models by its loss on the validation part. It
// requires Settings.Rows.
type Boost struct {
	Parts      int   // the number of training parts; if 0, public parameters determine Parts and Validation
	Validation int64 // the number of rows in the validation part; must be 0 if Parts is 0
}

// Choose implements sibyl.Settings.Mechanism.
func (b Boost) Choose() mechanism.Choice {
	return choose("boost", func(m *mechanisms.Boost) { m.Parts, m.Validation = b.Parts, b.Validation })
}

// OPSamp perturbs the total loss several times, each time by a random linear function of the weights. It releases the
// mean of the minimizers of the perturbed losses plus Laplace noise. It supports sibyl.Logistic, sibyl.SVM and
// sibyl.LeastSquares, and requires Settings.Delta and Settings.Rows.
type OPSamp struct {
	Columns    string // as in sibyl.Descent
	Bound      int64  // weights lie in -Bound..Bound; 0 means 4
	Minimisers int    // the number of minimizers that are averaged; 0 means 100
	// TermRate is the rate η, as a decimal. The coefficients of the random linear functions are
	// exponential variables with mean 1/η, in units of loss. If it is empty, public parameters determine η.
	TermRate string
	// Slack is the maximum excess of a minimizer, as a decimal of at least 1/64; empty means 1. The
	// excess is the minimizer's total perturbed loss minus the least total perturbed loss.
	Slack string
}

// Choose implements sibyl.Settings.Mechanism.
func (o OPSamp) Choose() mechanism.Choice {
	return choose("opsamp", func(m *mechanisms.OPSamp) {
		m.Columns.Columns = cmp.Or(o.Columns, m.Columns.Columns)
		m.Bound, m.Minimisers = cmp.Or(o.Bound, m.Bound), cmp.Or(o.Minimisers, m.Minimisers)
		m.Rate, m.Slack = cmp.Or(o.TermRate, m.Rate), cmp.Or(o.Slack, m.Slack)
	})
}

// Oracles returns the names of all oracles. The names of external solvers come last.
func Oracles() []string { return mechanisms.Oracles() }

// choose returns a choice of the mechanism with the given name. The function set copies the parameters from a struct
// of this package to the mechanism.
func choose[M mechanism.Mechanism](name string, set func(M)) mechanism.Choice {
	return mechanism.Choose(name, func(m mechanism.Mechanism) bool {
		of, is := m.(M)
		if is {
			set(of)
		}
		return is
	})
}

// perturbing sets the parameters that RSPM, OPDisc and PRSMA share: the name of the oracle, unless it is empty, and
// the number of grid steps per unit of cost (grid).
func perturbing(p *mechanisms.Perturbing, oracle string, grid int64) {
	p.Oracle, p.Grid = cmp.Or(oracle, p.Oracle), grid
}
