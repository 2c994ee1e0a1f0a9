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

// logBig returns ln n.
func logBig(n *big.Int) float64 {
	shift := max(0, n.BitLen()-53)
	f, _ := new(big.Float).SetInt(new(big.Int).Rsh(n, uint(shift))).Float64()
	return math.Log(f) + float64(shift)*math.Ln2
}
