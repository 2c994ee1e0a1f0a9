// Package papers has the mechanisms of the four papers that package sibyl does not run by default:
// those that add noise to costs and ask an oracle for the least (RSPM, OPDisc, PRSMA), boosting,
// and the mean of perturbed minimisers (OPSamp). Each is a struct for Settings.Mechanism whose zero
// value is ready to use. A program that reads models that they released imports this package.
// README.md beside it maps the statements of the papers to files, proofs, tests and commands.
package papers

import (
	"cmp"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
)

// RSPM adds noise to the costs of all hypotheses of a class and asks an oracle for the least.
type RSPM struct {
	Noise  string // "laplace", "cube", or "gauss", which needs a δ; empty is "laplace"
	Oracle string // one of Oracles; empty is "search"
	Grid   int64  // noise comes in steps of 1/Grid misclassifications; 0 follows from public numbers
}

// Choose returns the choice of the mechanism, for sibyl.Settings.
func (r RSPM) Choose() mechanism.Choice {
	return choose("rspm", func(m *mechanisms.RSPM) {
		m.Noise = cmp.Or(r.Noise, m.Noise)
		perturbing(&m.Perturbing, r.Oracle, r.Grid)
	})
}

// OPDisc is RSPM with noise of spherical shape; with a δ the noise is Gaussian.
type OPDisc struct {
	Oracle string // as of RSPM
	Grid   int64  // as of RSPM
}

// Choose returns the choice of the mechanism, for sibyl.Settings.
func (o OPDisc) Choose() mechanism.Choice {
	return choose("opdisc", func(m *mechanisms.OPDisc) { perturbing(&m.Perturbing, o.Oracle, o.Grid) })
}

// PRSMA runs RSPM on many parts of the data. Its guarantee holds however the oracle fails, and it
// may release nothing, which is sibyl.ErrNothing. It needs Settings.Delta and Settings.Rows.
type PRSMA struct {
	Noise      string // "laplace" or "cube"; empty is "laplace"
	Oracle     string // as of RSPM
	Grid       int64  // as of RSPM
	Calls      int64  // calls of the oracle, at most; 0 is 4000
	NodeBudget int64  // nodes after which a call fails; 0 is 1,000,000
}

// Choose returns the choice of the mechanism, for sibyl.Settings.
func (p PRSMA) Choose() mechanism.Choice {
	return choose("prsma", func(m *mechanisms.PRSMA) {
		m.Noise, m.Calls, m.Nodes = cmp.Or(p.Noise, m.Noise), cmp.Or(p.Calls, m.Calls), cmp.Or(p.NodeBudget, m.Nodes)
		perturbing(&m.Perturbing, p.Oracle, p.Grid)
	})
}

// Boost runs the exponential mechanism on parts of the data, and chooses among the results on the
// last part. It needs Settings.Rows.
type Boost struct {
	Parts      int   // 0 follows from public numbers, as does Validation then
	Validation int64 // rows of the last part
}

// Choose returns the choice of the mechanism, for sibyl.Settings.
func (b Boost) Choose() mechanism.Choice {
	return choose("boost", func(m *mechanisms.Boost) { m.Parts, m.Validation = b.Parts, b.Validation })
}

// OPSamp is the mean of minimisers of randomly perturbed losses, for sibyl.Logistic, sibyl.SVM and
// sibyl.LeastSquares. It needs Settings.Delta and Settings.Rows.
type OPSamp struct {
	Columns    string // as of sibyl.Descent
	Bound      int64  // weights lie within -Bound..Bound; 0 is 4
	Minimisers int    // of which the mean is taken; 0 is 100
	TermRate   string // 1 over the mean of a minimiser's random term, in losses, an exact decimal; empty follows from Settings.Rows
	Slack      string // how far a minimiser may be off, in losses, an exact decimal; empty is 1
}

// Choose returns the choice of the mechanism, for sibyl.Settings.
func (o OPSamp) Choose() mechanism.Choice {
	return choose("opsamp", func(m *mechanisms.OPSamp) {
		m.Columns.Columns = cmp.Or(o.Columns, m.Columns.Columns)
		m.Bound, m.Minimisers = cmp.Or(o.Bound, m.Bound), cmp.Or(o.Minimisers, m.Minimisers)
		m.Rate, m.Slack = cmp.Or(o.TermRate, m.Rate), cmp.Or(o.Slack, m.Slack)
	})
}

// Oracles lists the oracles, solvers last.
func Oracles() []string { return mechanisms.Oracles() }

// choose returns the choice of a mechanism whose parameters set sets.
func choose[M mechanism.Mechanism](name string, set func(M)) mechanism.Choice {
	return mechanism.Choose(name, func(m mechanism.Mechanism) bool {
		of, is := m.(M)
		if is {
			set(of)
		}
		return is
	})
}

// perturbing sets what all mechanisms have that add noise to costs.
func perturbing(p *mechanisms.Perturbing, oracle string, grid int64) {
	p.Oracle, p.Grid = cmp.Or(oracle, p.Oracle), grid
}
