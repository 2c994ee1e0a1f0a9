package noise

import (
	"fmt"
	"math/big"
)

// Laplace is the discrete Laplace distribution P(k) ∝ e^{-|k|/Scale} on the integers, for a rational Scale > 0. With q
// = e^{-1/Scale}, P(k) = (1-q)/(1+q)·q^|k|. Its variance is 2q/(1-q)², which is about 2·Scale² if Scale is large.
//
// Source: Algorithm 2 of Canonne, Kamath and Steinke (2020). Cost: O(1) random choices on average, for any Scale.
type Laplace struct {
	Scale *big.Rat // not modified
}

// Sample returns a sample of the distribution. It samples the sign with c.Uint64n, and the absolute value from a
// Geometric distribution with c.Draw.
func (l Laplace) Sample(c Coins) *big.Int {
	if l.Scale.Sign() <= 0 {
		panic("noise: Laplace needs a positive scale")
	}
	start := Mark(c)
	for {
		negative := c.Uint64n(2) == 1
		k, large := drawGeometric(c, l.Scale.Denom(), l.Scale.Num())
		if !negative || k != 0 || large != nil { // reject -0, which would double the probability of 0
			return integer(negative, k, large)
		}
		Forget(c, start, "laplace")
	}
}

func (l Laplace) String() string { return fmt.Sprintf("Laplace(%s)", l.Scale.RatString()) }
