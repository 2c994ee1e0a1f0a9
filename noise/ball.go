package noise

import (
	"fmt"
	"math/big"
)

// Ball is K-norm noise of the Euclidean norm on Z^Dim, for a rational A > 0 and Dim ≥ 1. The probability of a vector
// k is almost proportional to e^{-A·‖k‖₂}. The norm of a sample is about Dim/A, and the standard deviation of a
// coordinate about √Dim/A.
//
// Exactly, the probability is P(k) ∝ f(⌈‖k‖₂⌉) with
//
//	f(r) = Σ_{R ≥ max(r, 1)} e^{-A·R}·(R/Z(R²/Dim))^Dim,   Z(v) = Σ_i e^{-i²/(2v)}.
//
// As v grows, Z(v)/√v decreases quickly to √(2π), so f(r) is almost proportional to e^{-A·r}. The privacy guarantee
// needs only the following inequality, which holds exactly for all r, b ≥ 0:
//
//	f(r+b) ≥ e^{-A·b}·f(r).
//
// Method: the distribution is a mixture of uniform distributions on balls. Sample a radius R from BallRadius, then
// the Dim coordinates of a proposal k from Gaussian{R²/Dim}. If ‖k‖ ≤ R, accept k with probability
// exp(-Dim·(R²-‖k‖²)/(2R²)), which makes all points of the ball equally likely. Otherwise reject it. After a
// rejection, sample a new radius. Cost: about √(π·Dim) rounds, each with one radius and up to Dim Gaussian samples.
type Ball struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample returns a vector of length Dim. It samples radii and coordinates with c.Draw, and
// accepts proposals with c.BernoulliExp.
func (b Ball) Sample(c Coins) []*big.Int {
	start := Mark(c)
	for {
		square := c.Draw(BallRadius(b))
		square.Mul(square, square)
		if k := b.inside(c, square); k != nil {
			return k
		}
		Forget(c, start, "ball")
	}
}

// inside samples a proposal for a vector in a ball, given the square of the ball's radius. It returns nil if it
// rejects the proposal.
func (b Ball) inside(c Coins, square *big.Int) []*big.Int {
	dim := big.NewInt(int64(b.Dim))
	proposal := Gaussian{new(big.Rat).SetFrac(square, dim)}
	left := new(big.Int).Set(square)
	k := make([]*big.Int, b.Dim)
	var s big.Int
	for i := range k {
		k[i] = c.Draw(proposal)
		if left.Sub(left, s.Mul(k[i], k[i])).Sign() < 0 {
			return nil
		}
	}
	x := new(big.Rat).SetFrac(left.Mul(left, dim), s.Lsh(square, 1))
	if !c.BernoulliExp(x) {
		return nil
	}
	return k
}

func (b Ball) String() string { return fmt.Sprintf("Ball(%d, %s)", b.Dim, b.A.RatString()) }

// BallRadius is the distribution of the radius in Ball: P(R) ∝ R^Dim·e^{-A·R} on R = 1, 2, 3, …, for a rational A > 0
// and Dim ≥ 1.
//
// Method: rejection sampling. The sum S of Dim+1 samples of Geometric{A} has a probability ∝ Π_{i=1..Dim}
// (S+i)·e^{-A·S}. The proposal R = S+1 is accepted with probability Π_{i=1..Dim} (S+1)/(S+i). The cost is the same as
// that of CubeRadius.
type BallRadius struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample makes proposals with c.Draw, from a Geometric distribution, and accepts them with
// c.Bernoulli.
func (b BallRadius) Sample(c Coins) *big.Int {
	if b.Dim < 1 || b.A.Sign() <= 0 {
		panic("noise: BallRadius needs a positive dimension and rate")
	}
	start := Mark(c)
	for {
		s, large := CubeRadius(b).propose(c)
		if r := integer(false, s, large); b.accept(c, r.Add(r, one)) {
			return r
		}
		Forget(c, start, "ball radius")
	}
}

// accept decides at random whether to accept the proposal r: it returns true with probability Π_{i=1..Dim-1} r/(r+i).
// It makes one trial for each factor, and begins with the smallest factor, so that most rejections come early.
func (b BallRadius) accept(c Coins, r *big.Int) bool {
	word := r.IsInt64() && r.Int64() < 1<<62
	for i := int64(b.Dim) - 1; i > 0; i-- {
		if word {
			if n := uint64(r.Int64()); !tossRatio(c, n, n+uint64(i)) {
				return false
			}
		} else if !c.Bernoulli(new(big.Rat).SetFrac(r, new(big.Int).Add(r, big.NewInt(i)))) {
			return false
		}
	}
	return true
}

func (b BallRadius) String() string { return fmt.Sprintf("BallRadius(%d, %s)", b.Dim, b.A.RatString()) }
