package noise

import (
	"fmt"
	"math/big"
)

// Ball is K-norm noise of the Euclidean norm on Z^Dim, for a rational A > 0 and
// Dim ≥ 1: P(k) ∝ f(⌈‖k‖₂⌉) with
//
//	f(r) = Σ_{R ≥ max(r, 1)} e^{-A·R}·(R/Z(R²/Dim))^Dim,   Z(v) = Σ_i e^{-i²/(2v)}.
//
// Since Z(v)/√v falls to √(2π), and very fast, f(r) is e^{-A·r} but for a factor
// that is constant for all practical ends; and exactly, for all r, b ≥ 0,
//
//	f(r+b) ≥ e^{-A·b}·f(r).
//
// The norm is about Dim/A, the standard deviation of a coordinate about √Dim/A.
//
// The law is a mixture of uniform laws on balls: R is drawn of law BallRadius,
// then a vector of Gaussian{R²/Dim}, which is kept with probability
// exp(-Dim·(R²-‖k‖²)/(2R²)) if ‖k‖ ≤ R, so that all points of the ball are equally
// likely. Cost: about √(π·Dim) rounds, of a radius and Dim Gaussian draws each.
type Ball struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample draws a vector of length Dim. Radii and proposed coordinates are drawn
// by c.Draw, and accepted by c.BernoulliExp.
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

// inside proposes a point of the ball of the given squared radius, and returns
// nil if it is rejected.
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

// BallRadius is the law P(R) ∝ R^Dim·e^{-A·R} on R = 1, 2, 3, …, for a rational A > 0
// and Dim ≥ 1.
//
// The sum S of Dim+1 draws of Geometric{A} has mass ∝ Π_{i=1..Dim} (S+i)·e^{-A·S}, so
// R = S+1 is accepted with probability Π (S+1)/(S+i). Cost: as CubeRadius.
type BallRadius struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample draws proposals by c.Draw of a Geometric, and accepts by c.Bernoulli.
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

// accept tosses the factors r/(r+i), i = 1..Dim-1, from the smallest on.
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
