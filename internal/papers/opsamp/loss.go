package opsamp

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
)

// A phi is a loss function φ of the margin, which is the score of a record multiplied by the sign of its label.
type phi convex.Loss

const (
	logistic = phi(convex.LogisticLoss)
	hinge    = phi(convex.HingeLoss)
	squared  = phi(convex.SquaredLoss)
)

// lipschitz returns the maximum G of the absolute derivative of the loss φ at margins in the interval -reach..reach.
func (l phi) lipschitz(reach int64) int64 {
	if l == squared {
		return 1 + reach
	}
	return 1
}

// spread returns the maximum difference of the losses at two margins in the interval -reach..reach. The parameter
// reach must be at least 1.
func (l phi) spread(reach float64) float64 {
	switch l {
	case hinge:
		return 1 + reach
	case squared:
		return (1 + reach) * (1 + reach) / 2
	}
	return reach
}

// The hinge loss of a point with count c is c·max(0, 1-m). The search replaces it by the smooth function
//
//	min over ξ > max(0, 1-m) of cξ - μ·ln ξ - μ·ln(ξ - 1 + m).
//
// Let q = c(m-1)/(2μ). The derivative of this function by m is -c/(1 + q + √(1+q²)) if q ≥ 0. The
// derivatives at q and at -q add up to -c.

// slope returns the derivative φ′(m) at the margin m. For the hinge loss, it returns the derivative of a point's
// smoothed loss, divided by the number of rows of the point. The parameter sharpness determines the smoothing (see
// search.sharpness); other losses ignore it.
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

// curvature returns the second derivative φ″ at the margin where the derivative φ′ equals slope. The parameter
// sharpness determines the smoothing, as for the method slope.
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

// fixed returns the derivative s = φ′(m) as slope, and the Fenchel-Young gap φ(m) + φ*(s) - s·m as gap, where φ* is
// the convex conjugate of φ. The numbers m and slope are in units of 2^-bits, and slope has an error of less than one
// unit. The number gap is in units of 2^(-2·bits).
//
// For the hinge loss, slope is the derivative of the smoothed loss, but gap is that of the loss without smoothing.
// The smoothing parameter is μ = 2^-level, and count is the number of rows of the point.
//
// For the logistic loss, gap is 0: it is the gap of the exact derivative, before slope is rounded.
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

// logisticFixed returns -1/(1 + e^m), the derivative of the logistic loss at the margin m, with an error below one
// unit. Both m and the result are in units of 2^-bits.
func logisticFixed(m *big.Int, bits uint) *big.Int {
	one := big.NewInt(1)
	size := new(big.Rat).SetFrac(new(big.Int).Abs(m), new(big.Int).Lsh(one, bits))
	e, _ := noise.ExpInterval(size, bits+4) // at most e^-|m|, and less than it by at most 2^-(bits+3)
	whole := new(big.Int).Lsh(one, bits+4)
	up := new(big.Int).Lsh(one, 2*bits+4)
	up.Quo(up, whole.Add(whole, e)) // 1/(1 + e^-|m|)
	if m.Sign() > 0 {
		return up.Sub(up, new(big.Int).Lsh(one, bits))
	}
	return up.Neg(up)
}
