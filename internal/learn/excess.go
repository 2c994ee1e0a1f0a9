package learn

import (
	"math"
	"math/big"
)

// An Excess bounds the excess cost of a mechanism: the cost of the hypothesis that it returns,
// minus the minimum cost in its class, in the units of the cost (misclassifications for ZeroOne).
// The bounds hold for every table and are known before the data is read. They are computed in
// floating point and do not affect any release.
type Excess struct {
	Mean float64 // upper bound on the expected excess
	Most float64 // exceeded with probability at most 1 - Confidence
}

// Confidence is the probability with which Excess.Most holds.
const Confidence = 0.95

// logBig returns ln n.
func logBig(n *big.Int) float64 {
	shift := max(0, n.BitLen()-53)
	f, _ := new(big.Float).SetInt(new(big.Int).Rsh(n, uint(shift))).Float64()
	return math.Log(f) + float64(shift)*math.Ln2
}
