package noise

import (
	"math/big"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
)

// fits is the number of samples of each distribution.
var fits = heavy.Pick(20_000, 100_000)

// The cells of a fit are the outcomes -n, …, n, and a last cell for all other outcomes.
type cells struct {
	n    int
	mass []float64
}

func newCells(n int, mass map[string]enclosure) cells {
	q, rest := cells{n: n}, 1.0
	for k := -n; k <= n; k++ {
		var m float64
		if e, ok := mass[strconv.Itoa(k)]; ok {
			m = toFloat(e.lo)
		}
		q.mass, rest = append(q.mass, m), rest-m
	}
	q.mass = append(q.mass, max(rest, 0))
	return q
}

func (q cells) count(draws int, c Coins, law Sampler) []int {
	counts := make([]int, len(q.mass))
	for range draws {
		k := law.Sample(c)
		i := len(counts) - 1
		if k.IsInt64() && k.Int64() >= int64(-q.n) && k.Int64() <= int64(q.n) {
			i = int(k.Int64()) + q.n
		}
		counts[i]++
	}
	return counts
}

// A trial is a Sampler that makes one random choice.
type trial func(Coins) int64

func (f trial) Sample(c Coins) *big.Int { return big.NewInt(f(c)) }
func (trial) String() string            { return "trial" }

func coin(toss func(Coins) bool) trial {
	return func(c Coins) int64 { return int64(truth(toss(c))) }
}

// The enumerations of other tests use neither the fast paths nor the operating system's randomness.
// This test samples with both. Its parameters cover every path.
func TestFit(t *testing.T) {
	family := stattest.Open(t, "noise")
	bias := func(p enclosure) cells {
		return newCells(1, map[string]enclosure{"0": exact(1).minus(p), "1": p})
	}
	uniform := func(n int) cells {
		mass := map[string]enclosure{}
		for k := range n {
			mass[strconv.Itoa(k)] = fromRat(big.NewRat(1, int64(n)))
		}
		return newCells(n-1, mass)
	}
	wide := rat("340282366920938463463374607431768211457/340282366920938463463374607431768211456") // 1 + 2^-128
	long := rat("18446744073709551557/18446744073709551558")
	p, x := rat("9/4"), rat("5/4")
	for _, test := range []struct {
		name  string
		law   Sampler
		cells cells
	}{
		{"Uint64n", trial(func(c Coins) int64 { return int64(c.Uint64n(7)) }), uniform(7)},
		{"Below", trial(func(c Coins) int64 {
			n := new(big.Int).Lsh(big.NewInt(5), 70)
			return n.Rsh(c.Below(n), 70).Int64()
		}), uniform(5)},
		{"Bernoulli", coin(func(c Coins) bool { return c.Bernoulli(rat("5/7")) }), bias(fromRat(rat("5/7")))},
		{"Bernoulli/big", coin(func(c Coins) bool { return c.Bernoulli(new(big.Rat).Inv(times(3, wide))) }), bias(fromRat(rat("1/3")))},
		{"BernoulliExp", coin(func(c Coins) bool { return c.BernoulliExp(rat("17/10")) }), bias(expNeg(rat("17/10")))},
		{"BernoulliExp/long", coin(func(c Coins) bool { return c.BernoulliExp(long) }), bias(expNeg(long))},
		{"BernoulliExp/big", coin(func(c Coins) bool { return c.BernoulliExp(wide) }), bias(expNeg(wide))},
		{"BernoulliScaledExp", coin(func(c Coins) bool { return c.BernoulliScaledExp(p, x) }), bias(expNeg(x).times(fromRat(p)))},
		{"BernoulliScaledExp/small", coin(func(c Coins) bool { return c.BernoulliScaledExp(rat("2/3"), rat("1/7")) }),
			bias(expNeg(rat("1/7")).times(fromRat(rat("2/3"))))},
		{"Geometric", Geometric{rat("3/7")}, newCells(20, geometricMass(rat("3/7"), 40))},
		{"Geometric/big", Geometric{wide}, newCells(8, geometricMass(wide, 20))},
		{"TruncatedGeometric", TruncatedGeometric{rat("2/9"), 6}, newCells(7, truncatedMass(rat("2/9"), 6))},
		{"Laplace", Laplace{rat("7/2")}, newCells(20, laplaceMass(rat("7/2"), 99))},
		{"Laplace/big", Laplace{wide}, newCells(6, laplaceMass(wide, 50))},
		{"Gaussian", Gaussian{rat("9")}, newCells(9, gaussianMass(rat("9"), 40))},
		{"Gaussian/big", Gaussian{wide}, newCells(4, gaussianMass(wide, 20))},
		{"Gaussian/long", Gaussian{rat("9000000000000000001/1000000000000000000")},
			newCells(9, gaussianMass(rat("9000000000000000001/1000000000000000000"), 40))},
		{"CubeRadius", CubeRadius{5, rat("1/4")}, newCells(60, radiusMass(5, rat("1/4"), 300))},
		{"BallRadius", BallRadius{5, rat("1/4")}, newCells(60, ballRadiusMass(5, rat("1/4"), 300))},
		{"Ball", ballNorm{4, rat("1/2")}, newCells(400, ballNormMass(4, rat("1/2"), 90))},
	} {
		t.Run(test.name, func(t *testing.T) {
			family.Fit(t, test.cells.count(fits, Crypto(), test.law), test.cells.mass)
		})
	}
}

// At the level of TestFit, each slightly wrong distribution is rejected.
func TestFitFires(t *testing.T) {
	level := stattest.Open(t, "noise").Alpha()
	for _, test := range []struct {
		law   Sampler
		cells cells
	}{
		{Geometric{rat("3/7")}, newCells(20, geometricMass(rat("3/8"), 40))},
		{TruncatedGeometric{rat("2/9"), 6}, newCells(7, truncatedMass(rat("2/9"), 7))},
		{Laplace{rat("7/2")}, newCells(20, laplaceMass(rat("4"), 99))},
		{Gaussian{rat("9")}, newCells(9, gaussianMass(rat("10"), 40))},
		{CubeRadius{5, rat("1/4")}, newCells(60, radiusMass(6, rat("1/4"), 300))},
		{BallRadius{5, rat("1/4")}, newCells(60, ballRadiusMass(6, rat("1/4"), 300))},
		{ballNorm{4, rat("1/2")}, newCells(400, ballNormMass(4, rat("4/9"), 90))},
	} {
		if p := stattest.PValue(test.cells.count(fits, Insecure(7), test.law), test.cells.mass); p >= level {
			t.Errorf("%v passes for a neighbouring law: p ≤ %g", test.law, p)
		}
	}
}
