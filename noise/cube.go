package noise

import (
	"fmt"
	"math/big"
)

// Cube is K-norm noise of the maximum norm on Z^Dim: P(k) ∝ e^{-A·‖k‖_∞}, for
// a rational A > 0 and Dim ≥ 1. The standard deviation of a coordinate is about
// 0.58·Dim/A when Dim is large and A small.
//
// Since e^{-A·r} = (1 - e^{-A})·Σ_{R≥r} e^{-A·R}, the law is a mixture of
// uniform laws on cubes: draw R of law CubeRadius{Dim, A}, then each coordinate
// uniform on {-R, …, R}. Source: Hardt and Talwar, "On the geometry of
// differential privacy" (2010), on a grid.
//
// Cost: that of CubeRadius, and Dim uniform integers.
type Cube struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample draws a vector of length Dim. The radius is drawn by c.Draw, each
// coordinate by c.Uint64n, or c.Below if 2R+1 does not fit into 64 bits.
func (q Cube) Sample(c Coins) []*big.Int {
	radius := c.Draw(CubeRadius(q))
	side := new(big.Int).Lsh(radius, 1)
	side.Add(side, one)
	k := make([]*big.Int, q.Dim)
	if radius.IsInt64() {
		r, n := radius.Int64(), side.Uint64()
		values := make([]big.Int, q.Dim)
		for i := range k {
			k[i] = values[i].SetInt64(int64(c.Uint64n(n) - uint64(r)))
		}
		return k
	}
	for i := range k {
		k[i] = c.Below(side)
		k[i].Sub(k[i], radius)
	}
	return k
}

func (q Cube) String() string { return fmt.Sprintf("Cube(%d, %s)", q.Dim, q.A.RatString()) }

// CubeRadius is the law P(R) ∝ (2R+1)^Dim·e^{-A·R} on R = 0, 1, 2, …, for a
// rational A > 0 and Dim ≥ 1: the half side of the cube in which Cube draws, at
// least the norm of the vector it draws.
//
// The sum of Dim+1 draws of Geometric{A} has mass ∝ Π_{i=1..Dim} (R+i)·e^{-A·R}, so
// it is accepted with probability Π (R+½)/(R+i). Cost: Dim+1 geometric draws a
// proposal, of which a share of about e^{-A·Dim/2} is accepted: choose the grid so
// fine that A·Dim is at most 2 or so; at 20, a draw takes thousands of proposals.
type CubeRadius struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample draws proposals by c.Draw of a Geometric, and accepts by c.Bernoulli.
func (q CubeRadius) Sample(c Coins) *big.Int {
	if q.Dim < 1 || q.A.Sign() <= 0 {
		panic("noise: CubeRadius needs a positive dimension and rate")
	}
	start := Mark(c)
	for {
		if r, large := q.propose(c); q.accept(c, r, large) {
			return integer(false, r, large)
		}
		Forget(c, start, "cube radius")
	}
}

func (q CubeRadius) String() string { return fmt.Sprintf("CubeRadius(%d, %s)", q.Dim, q.A.RatString()) }

// propose returns the sum of Dim+1 geometric draws: r < 2^62, or large.
func (q CubeRadius) propose(c Coins) (r uint64, large *big.Int) {
	start := Mark(c)
	for i := 0; i <= q.Dim; i++ {
		k, wide := drawGeometric(c, q.A.Num(), q.A.Denom())
		if large == nil && wide == nil && k < 1<<62-r {
			r += k
			Forget(c, start, "cube proposal", uint64(i), r)
			continue
		}
		if large == nil {
			large = word(r)
		}
		large.Add(large, integer(false, k, wide))
	}
	return r, large
}

// accept tosses the factors from the smallest on, so that a rejection is cheap.
func (q CubeRadius) accept(c Coins, r uint64, large *big.Int) bool {
	if large != nil {
		return q.acceptLarge(c, large)
	}
	for i := uint64(q.Dim); i > 0; i-- {
		if !tossRatio(c, 2*r+1, 2*r+2*i) {
			return false
		}
	}
	return true
}

func (q CubeRadius) acceptLarge(c Coins, r *big.Int) bool {
	n := new(big.Int).Lsh(r, 1)
	d := new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(int64(q.Dim)), 1))
	n.Add(n, one)
	for ; d.Cmp(n) > 0; d.Sub(d, big.NewInt(2)) {
		if !c.Bernoulli(new(big.Rat).SetFrac(n, d)) {
			return false
		}
	}
	return true
}
