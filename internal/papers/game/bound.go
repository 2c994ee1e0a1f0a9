package game

import (
	"math"
	"math/big"
)

// A Bound is an upper bound on the expected error of the synthetic table, which is the average of all plays of the
// data player. The error is the maximum of |q(S) - q(Ŝ)| over all queries q, where S is the private table and Ŝ is
// the synthetic table. The bound is the sum of three terms, each a fraction of the rows. It depends on public
// parameters and on the number of rows, which is private under add-remove.
type Bound struct {
	Regret float64 // the bound on the regret of the data player
	Draws  float64 // the bound on the sampling error of a play, which consists of N samples
	Answer float64 // the bound on the expected loss of the private selection of a query (Miss)
}

// Sum returns the sum of the three terms, which is the bound on the expected error.
func (b Bound) Sum() float64 { return b.Regret + b.Draws + b.Answer }

// Bound returns the bound on the error of the synthetic table for a private table of n rows. It holds if no answer
// is ⊥ (no query).
func (m *OracleQuery[H]) Bound(n int64) Bound {
	draws := float64(m.options.Draws)
	return Bound{
		Regret: m.player.Regret(m.sizes, m.options.Rounds),
		Draws:  math.Sqrt(logBig(m.queries.Size()) / 2 / draws),
		Answer: m.Miss(n),
	}
}

// Miss returns an upper bound on the expected loss of the query player in one round, as a fraction of the n rows.
//
// Let S be the private table, S^t the play of the data player in round t, and q^t the selected query. The loss is
// the maximum of q(S) - q(S^t) over all queries q, minus the value of this difference for q^t. The sum of Miss and
// Synthetic.Regret is a bound on the expected error of Synthetic.Play.
func (m *OracleQuery[H]) Miss(n int64) float64 {
	return m.chooser.Excess(n).Mean / float64(n) / float64(m.options.Draws)
}

// logBig returns the natural logarithm of n, for n ≥ 1.
func logBig(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	f, _ := mantissa.Float64()
	return math.Log(f) + float64(exponent)*math.Ln2
}
