package learn

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Count releases a number of rows, such as the errors of a hypothesis fixed
// beforehand, plus discrete Laplace noise of scale 1/ε.
//
// Guarantee: pure ε-DP under either relation, since a row that is replaced,
// added or removed moves the number by at most one.
type Count struct{ guarantee privacy.Pure }

// NewCount returns the mechanism.
func NewCount(epsilon privacy.Decimal, r privacy.Relation) (*Count, error) {
	g, err := privacy.NewPure(r, epsilon)
	if err != nil {
		return nil, err
	}
	return &Count{g}, nil
}

// Guarantee returns the guarantee, which holds for every release.
func (m *Count) Guarantee() privacy.Guarantee { return m.guarantee }

// Release draws the noisy number, which may be negative. It has no error of its
// own.
func (m *Count) Release(ctx context.Context, d int64, coins noise.Coins) (*big.Int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scale := new(big.Rat).Inv(m.guarantee.Epsilon().Rat())
	k := coins.Draw(noise.Laplace{Scale: scale})
	return k.Add(k, big.NewInt(d)), nil
}

// HalfWidth returns the least w such that the noise lies in -w..w with a
// probability of at least Confidence.
func (m *Count) HalfWidth() *big.Int {
	// With q = e^{-ε}, the noise leaves -w..w with probability 2q^{w+1}/(1+q).
	high := big.NewInt(0)
	for !m.covers(high) {
		high.Lsh(high, 1).Add(high, big.NewInt(1))
	}
	low := new(big.Int).Rsh(high, 1)
	for low.Cmp(high) < 0 {
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		if m.covers(middle) {
			high = middle
		} else {
			low = middle.Add(middle, big.NewInt(1))
		}
	}
	return high
}

// covers tells, by enclosures of the exponentials, that the noise leaves -w..w
// with a probability of at most 1 - Confidence.
func (m *Count) covers(w *big.Int) bool {
	const digits = 64
	x := new(big.Rat).SetInt(new(big.Int).Add(w, big.NewInt(1)))
	_, outside := noise.ExpInterval(x.Mul(x, m.guarantee.Epsilon().Rat()), digits)
	one := new(big.Int).Lsh(big.NewInt(1), digits)
	q, _ := noise.ExpInterval(m.guarantee.Epsilon().Rat(), digits)
	// 40·outside ≤ 1 + q, for a Confidence of 19/20.
	return outside.Mul(outside, big.NewInt(40)).Cmp(q.Add(q, one)) <= 0
}
