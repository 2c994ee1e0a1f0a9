package game

import (
	"math"
	"math/big"
)

// A Bound bounds the expected error of the average play, max |q(S) - q(Ŝ)| over all queries,
// by what it is made of. It is known before any table is seen, but for Add-remove, where n
// is what is expected of it; all numbers are shares of rows.
type Bound struct {
	Regret float64 // of the data player, by its bound
	Draws  float64 // by which a play's N draws stray from its distribution
	Answer float64 // by which an answer misses the best
}

// Sum is the bound.
func (b Bound) Sum() float64 { return b.Regret + b.Draws + b.Answer }

// Bound returns the bound for a table of n rows, where no answer is ⊥.
func (m *OracleQuery[H]) Bound(n int64) Bound {
	draws := float64(m.options.Draws)
	return Bound{
		Regret: m.player.Regret(m.sizes, m.options.Rounds),
		Draws:  math.Sqrt(logBig(m.queries.Size()) / 2 / draws),
		Answer: m.Miss(n),
	}
}

// Miss bounds by how much an answer misses the best, in expectation, on a table of n rows.
// With the Regret of what was released it bounds the expected error of Play.
func (m *OracleQuery[H]) Miss(n int64) float64 {
	return m.chooser.Excess(n).Mean / float64(n) / float64(m.options.Draws)
}

// logBig is ln n, for n ≥ 1.
func logBig(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	f, _ := mantissa.Float64()
	return math.Log(f) + float64(exponent)*math.Ln2
}
