package opsamp

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
)

// A phi is the function φ of a row's margin that a convex.Loss names.
type phi convex.Loss

const (
	logistic = phi(convex.LogisticLoss)
	hinge    = phi(convex.HingeLoss)
	squared  = phi(convex.SquaredLoss)
)

// lipschitz returns G, the greatest absolute slope at margins of at most reach.
func (l phi) lipschitz(reach int64) int64 {
	if l == squared {
		return 1 + reach
	}
	return 1
}

// spread returns by how much losses at margins of at most reach, which is at least 1,
// differ.
func (l phi) spread(reach float64) float64 {
	switch l {
	case hinge:
		return 1 + reach
	case squared:
		return (1 + reach) * (1 + reach) / 2
	}
	return reach
}

// The hinge loss of a point of count c is smoothed with weight μ: in place of c·max(0, 1-m)
//
//	min over ξ > max(0, 1-m) of cξ - μ·ln ξ - μ·ln(ξ - 1 + m),
//
// which has the slope -c/(1 + q + √(1+q²)) for q = c(m-1)/(2μ) ≥ 0, and that at
// q and -q add up to -c. So each search has a smooth function to minimise.

// slope returns φ′(m); of the hinge loss, smoothed with sharpness c/(2μ).
func (l phi) slope(m, sharpness float64) float64 {
	switch l {
	case hinge:
		q := math.Abs(m-1) * sharpness
		small := 1 / (1 + q + math.Hypot(1, q))
		if m < 1 {
			return small - 1
		}
		return -small
	case squared:
		return m - 1
	}
	return -convex.Sigmoid(-m)
}

// curvature returns φ″ where φ′ is slope.
func (l phi) curvature(slope, sharpness float64) float64 {
	up := 1 + slope
	switch l {
	case hinge:
		a, b := slope*slope, up*up
		return 2 * sharpness * a * b / (a + b)
	case squared:
		return 1
	}
	return -slope * up
}

// fixed returns 2^bits·φ′ at a margin in steps of 2^-bits, for a point of the given
// count and the smoothing μ = 2^-level, up to an error of less than 1; and
// 2^(2·bits) times the gap of Fenchel and Young, φ(m) + φ*(s) - s·m, at the slope s that it
// returns, or for the logistic loss at the true slope, which is 0.
func (l phi) fixed(m *big.Int, bits uint, count int64, level int) (slope, gap *big.Int) {
	if l == logistic {
		slope = logisticFixed(m, bits)
		return slope, new(big.Int)
	}
	whole := new(big.Int).Lsh(big.NewInt(1), bits)
	slope = new(big.Int).Sub(m, whole)
	if l == squared {
		return slope, new(big.Int)
	}
	low := slope.Sign() < 0
	distance := slope.Abs(slope)
	q := new(big.Int).Mul(distance, big.NewInt(count))
	if level > 0 {
		q.Lsh(q, uint(level-1))
	} else {
		q.Rsh(q, uint(1-level))
	}
	square := new(big.Int).Lsh(whole, bits)
	root := new(big.Int).Mul(q, q)
	root.Add(root, square).Sqrt(root)
	small := square.Quo(square, root.Add(root, q).Add(root, whole))
	gap = distance.Mul(distance, small)
	if low {
		return small.Sub(small, whole), gap
	}
	return small.Neg(small), gap
}

// logisticFixed returns -2^bits/(1 + e^m) up to an error of less than 1, for m in
// steps of 2^-bits.
func logisticFixed(m *big.Int, bits uint) *big.Int {
	one := big.NewInt(1)
	size := new(big.Rat).SetFrac(new(big.Int).Abs(m), new(big.Int).Lsh(one, bits))
	e, _ := noise.ExpInterval(size, bits+4) // e^-|m|, or less by at most 2^-(bits+3)
	whole := new(big.Int).Lsh(one, bits+4)
	up := new(big.Int).Lsh(one, 2*bits+4)
	up.Quo(up, whole.Add(whole, e)) // 1/(1 + e^-|m|)
	if m.Sign() > 0 {
		return up.Sub(up, new(big.Int).Lsh(one, bits))
	}
	return up.Neg(up)
}
