package game

import (
	"math"
	"math/big"
)

// A Bound bounds the expected error of the average play, the maximum of |q(S) - q(Ŝ)| over all
// queries q, where Ŝ is the average play, as a sum of three terms. All are fractions of the rows.
// The bound depends on public parameters and on the number of rows, which is private under
// add-remove.
type Bound struct {
	Regret float64 // the bound on the regret of the data player
	Draws  float64 // the sampling error of the N samples of a play
	Answer float64 // the expected loss of the private selection relative to the best query (Miss)
}

// Sum returns the bound on the error.
func (b Bound) Sum() float64 { return b.Regret + b.Draws + b.Answer }

// Bound returns the bound for a table of n rows, provided that no answer is ⊥.
func (m *OracleQuery[H]) Bound(n int64) Bound {
	draws := float64(m.options.Draws)
	return Bound{
		Regret: m.player.Regret(m.sizes, m.options.Rounds),
		Draws:  math.Sqrt(logBig(m.queries.Size()) / 2 / draws),
		Answer: m.Miss(n),
	}
}

// Miss bounds the expected loss of the private selection, as a fraction of n rows: the greatest
// q(S) - q(S^t) over all queries, minus its value for the answer. The sum of Miss and of
// Synthetic.Regret bounds the expected error of Synthetic.Play.
func (m *OracleQuery[H]) Miss(n int64) float64 {
	return m.chooser.Excess(n).Mean / float64(n) / float64(m.options.Draws)
}

// logBig returns ln n for n ≥ 1.
func logBig(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	f, _ := mantissa.Float64()
	return math.Log(f) + float64(exponent)*math.Ln2
}
