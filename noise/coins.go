package noise

import "math/big"

// Coins is a source of independent random choices with exact probabilities. A mechanism must
// make every random choice through its Coins, because an audit replaces them by an
// implementation that enumerates all outcomes. New returns Coins that read a stream of random
// bytes. Rejection loops call Forget, which keeps the enumerations of an audit finite.
//
// Arguments may depend on private data. An argument outside its stated range is a programming
// error and causes a panic.
type Coins interface {
	// Uint64n returns an integer uniform on {0, …, n-1}, n > 0.
	Uint64n(n uint64) uint64
	// Below returns an integer uniform on {0, …, n-1}, n > 0.
	Below(n *big.Int) *big.Int
	// Bernoulli returns true with probability p, 0 ≤ p ≤ 1.
	Bernoulli(p *big.Rat) bool
	// BernoulliExp returns true with probability exp(-x), x ≥ 0.
	BernoulliExp(x *big.Rat) bool
	// BernoulliScaledExp returns true with probability p·exp(-x), p ≥ 0. The caller
	// must ensure that the product is at most 1. Each of p and exp(-x) may exceed 1.
	BernoulliScaledExp(p, x *big.Rat) bool
	// Pick returns an index i with probability proportional to the weight c[i] - c[i-1], where
	// c[-1] = 0. The slice c holds the partial sums of the weights. It must be non-decreasing,
	// and its last entry must be positive.
	Pick(c []uint64) int
	// Draw returns one sample from s, with these Coins as the random source.
	Draw(s Sampler) *big.Int
}

// A Sampler is a probability distribution on the integers that is sampled exactly.
type Sampler interface {
	// Sample returns one sample, using only the randomness of c.
	Sample(c Coins) *big.Int
	// String returns the name of the distribution with its parameters. Samplers with
	// equal strings have equal distributions.
	String() string
}
