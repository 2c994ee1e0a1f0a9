package noise

import (
	"fmt"
	"math/big"
)

// Cube is K-norm noise of the maximum norm on Z^Dim, for a rational A > 0 and Dim ≥ 1. A vector k has the probability
// P(k) ∝ e^{-A·‖k‖_∞}. The standard deviation of a coordinate is about 0.58·Dim/A if Dim is large and A is small.
//
// Since e^{-A·r} = (1 - e^{-A})·Σ_{R≥r} e^{-A·R}, the distribution is a mixture of uniform distributions on cubes.
// Sampling takes two steps: sample a radius R from CubeRadius{Dim, A}, then each coordinate uniformly from {-R, …, R}.
// Source: Hardt and Talwar, "On the geometry of differential privacy" (2010), restricted to integer vectors.
//
// Cost: one sample of CubeRadius and Dim uniform integers.
type Cube struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample returns a vector of length Dim. It samples the radius R with c.Draw, and each
// coordinate with c.Uint64n, or with c.Below if R does not fit into 63 bits.
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

// CubeRadius is the distribution P(R) ∝ (2R+1)^Dim·e^{-A·R} on R = 0, 1, 2, …, for a rational
// A > 0 and Dim ≥ 1. It is the distribution of the radius R of the cube {-R, …, R}^Dim from
// which Cube samples. The maximum norm of the sampled vector is at most R.
//
// Method: rejection sampling. A proposal R is the sum of Dim+1 samples of Geometric{A}. Its
// probability is ∝ Π_{i=1..Dim} (R+i)·e^{-A·R}. The proposal is accepted with probability
// Π_{i=1..Dim} (R+½)/(R+i).
//
// Cost: Dim+1 geometric samples per proposal. A proposal is accepted with probability about
// e^{-A·Dim/2}, so A·Dim should be at most about 2. The caller can achieve this with a finer
// grid: multiply the vector by an integer and divide A by it. At A·Dim = 20, a sample needs
// thousands of proposals.
type CubeRadius struct {
	Dim int
	A   *big.Rat // not modified
}

// Sample makes proposals with c.Draw, from a Geometric distribution, and accepts them with
// c.Bernoulli.
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

// propose returns the sum of Dim+1 samples of Geometric{A}: as r if the sum is less than 2^62, and otherwise as
// large, which is then not nil.
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

// accept decides at random whether to accept a proposal that propose returned: it returns true with probability
// Π_{i=1..Dim} (r+½)/(r+i), with large in place of r if large is not nil. It makes one trial for each factor, and
// begins with the smallest factor, so that most rejections come early.
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

// acceptLarge decides like accept, but for a proposed radius of any size.
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
