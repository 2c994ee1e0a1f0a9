package learn

import (
	"math"
	"math/big"
)

// An Excess bounds by how much the cost of what a mechanism returns exceeds
// the least cost in its class, in units of cost (errors, for ZeroOne). The
// bounds hold for every table and are known before any is seen; they are
// computed in floating point and have no part in any release.
type Excess struct {
	Mean float64 // at least the expected excess
	Most float64 // exceeded with probability at most 1 - Confidence
}

// Confidence is that of Excess.Most.
const Confidence = 0.95

// Excess bounds the excess over a table of so many rows. The law has an
// entropy of at most ln|Q|, so the mean excess is at most ln|Q|/λ; and at most
// |Q| hypotheses exceed by t, each with probability at most e^{-λt}
// (docs/proofs/exponential.md).
func (m *Exponential[X, H]) Excess(rows int64) Excess { return m.ExcessBeyond(rows, 1-Confidence) }

// ExcessBeyond is Excess with Most exceeded with probability at most beta.
func (m *Exponential[X, H]) ExcessBeyond(rows int64, beta float64) Excess {
	lambda, _ := m.lambda.Float64()
	size := LogSize(m.class)
	return m.objective().Within(Excess{size / lambda, (size - math.Log(beta)) / lambda}, rows)
}

// logBig returns ln n.
func logBig(n *big.Int) float64 {
	shift := max(0, n.BitLen()-53)
	f, _ := new(big.Float).SetInt(new(big.Int).Rsh(n, uint(shift))).Float64()
	return math.Log(f) + float64(shift)*math.Ln2
}
