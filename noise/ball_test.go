package noise

import (
	"math/big"
	"testing"
)

// ballRadiusMass returns the normalised weights R^m·e^{-aR}. The ratios of successive weights
// decrease, and R = 0 has weight 0.
func ballRadiusMass(m int, a *big.Rat, n int64) map[string]enclosure {
	weight := func(r int64) enclosure {
		w := expNeg(times(r, a))
		for range m {
			w = w.times(exact(r))
		}
		return w
	}
	var all []enclosure
	for r := range n {
		all = append(all, weight(r))
	}
	first := weight(n)
	return normalised(all, first.over(exact(1).minus(weight(n+1).over(first))), false)
}

// ballWeight returns the summand e^{-aR}·(R/Z(R²/dim))^dim for R in the sum that defines f.
func ballWeight(dim int64, a *big.Rat, r int64) enclosure {
	z := exact(1).plus(upTo(expNeg(rat("90")))) // with an upper bound on the omitted terms
	for i := int64(1); i*i < 200*r*r; i++ {
		e := expNeg(big.NewRat(i*i*dim, 2*r*r))
		z = z.plus(e).plus(e)
	}
	w := expNeg(times(r, a))
	for range dim {
		w = w.times(exact(r)).over(z)
	}
	return w
}

// ballWeights returns f(0), …, f(n-1) of Ball, computed from the definition with the sum truncated
// at n.
func ballWeights(dim int64, a *big.Rat, n int64) []enclosure {
	f := make([]enclosure, n+1)
	f[n] = exact(0)
	for r := n - 1; r > 0; r-- {
		f[r] = f[r+1].plus(ballWeight(dim, a, r))
	}
	f[0] = f[1]
	return f[:n]
}

// ballNorm is the distribution of the squared norm of a sample of Ball.
type ballNorm Ball

func (b ballNorm) Sample(c Coins) *big.Int {
	sum := new(big.Int)
	for _, k := range Ball(b).Sample(c) {
		sum.Add(sum, new(big.Int).Mul(k, k))
	}
	return sum
}
func (b ballNorm) String() string { return "squared norm of " + Ball(b).String() }

// ballNormMass returns the probability of each squared norm, by counting the points of each norm.
// The probability that the truncation at n omits is far below the resolution of 100,000 samples.
func ballNormMass(dim int, a *big.Rat, n int64) map[string]enclosure {
	points := []int64{1}
	for range dim {
		next := make([]int64, (n-1)*(n-1)+1)
		for s, p := range points {
			for x := int64(0); int64(s)+x*x < int64(len(next)); x++ {
				next[int64(s)+x*x] += p
				if x > 0 {
					next[int64(s)+x*x] += p
				}
			}
		}
		points = next
	}
	f := ballWeights(int64(dim), a, n)
	var weight []enclosure
	r := int64(0)
	for s, p := range points {
		for r*r < int64(s) {
			r++
		}
		weight = append(weight, f[r].times(exact(p)))
	}
	return normalised(weight, exact(0), false)
}

// The privacy of Ball depends on this inequality: successive values of f have a ratio of at least
// e^{-a}, so f(r+b) ≥ e^{-ab}·f(r).
func TestBallRatios(t *testing.T) {
	for _, dim := range []int64{1, 2, 5} {
		for _, a := range []string{"1/10", "1/2", "3"} {
			for r := int64(1); r < 20; r++ {
				least := ballWeight(dim, rat(a), r).times(expNeg(rat(a)))
				if next := ballWeight(dim, rat(a), r+1); next.hi.Cmp(least.lo) < 0 {
					t.Errorf("dimension %d, rate %s: the weight of %d is %v, after %v", dim, a, r+1, next, least)
				}
			}
		}
	}
}

func TestBallBeyondWords(t *testing.T) {
	c := Insecure(5)
	wide := 0
	for _, k := range (Ball{3, new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, 100))}).Sample(c) {
		if !k.IsInt64() {
			wide++
		}
	}
	if wide == 0 {
		t.Error("no draw left 64 bits")
	}
	mustPanic(t, func() { BallRadius{0, rat("1")}.Sample(c) })
	mustPanic(t, func() { BallRadius{1, rat("0")}.Sample(c) })
}
