package noise

import "math/big"

// Coins are independent exact random choices, the only randomness a mechanism
// may use. New returns Coins over a stream of random bytes. An audit puts an
// enumeration of all outcomes in their place, so a mechanism must take every
// random decision through them and none on the side.
// Loops that reject tell them what they forget (Forget).
//
// Arguments are public or private numbers alike; no method fails on data.
// Arguments outside the stated ranges are programmer errors and panic.
type Coins interface {
	// Uint64n returns an integer uniform on {0, …, n-1}, n > 0.
	Uint64n(n uint64) uint64
	// Below returns an integer uniform on {0, …, n-1}, n > 0.
	Below(n *big.Int) *big.Int
	// Bernoulli is true with probability p, 0 ≤ p ≤ 1.
	Bernoulli(p *big.Rat) bool
	// BernoulliExp is true with probability exp(-x), x ≥ 0.
	BernoulliExp(x *big.Rat) bool
	// BernoulliScaledExp is true with probability p·exp(-x), p ≥ 0. The caller
	// has proved that the product is at most 1; p itself and -x may be large.
	BernoulliScaledExp(p, x *big.Rat) bool
	// Pick returns index i with probability (c[i]-c[i-1])/c[len(c)-1], where
	// c[-1] = 0: c holds the non-decreasing partial sums of the weights, and
	// its last entry is positive.
	Pick(c []uint64) int
	// Draw returns one draw of s made with these coins.
	Draw(s Sampler) *big.Int
}

// A Sampler is an exact law on the integers.
type Sampler interface {
	// Sample draws with the coins.
	Sample(c Coins) *big.Int
	// String names the law with its parameters: equal strings, equal laws.
	String() string
}
