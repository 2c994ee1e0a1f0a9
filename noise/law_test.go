package noise

import (
	"fmt"
	"math/big"
	"strconv"
	"testing"
)

// sampling returns a function that samples from s, as enumerate needs it.
func sampling(law Sampler) func(Coins) string {
	return func(c Coins) string { return law.Sample(c).String() }
}

// refute enumerates the random choices of draw. It returns an error if the resulting probabilities
// contradict the given masses, and nil otherwise. The enumeration must leave less than 1e-6 of the
// probability open.
func refute(l loop, draw func(Coins) string, mass map[string]enclosure) error {
	law := enumerate(1e-10, l, draw)
	for value, m := range mass {
		p, ok := law[value]
		if !ok {
			p = law[""]
		}
		if p.width() > 1e-6 {
			return fmt.Errorf("P(%s) is found only in %v", value, p)
		}
		if value != "tail" && (m.hi.Cmp(p.lo) < 0 || m.lo.Cmp(p.hi) > 0) {
			return fmt.Errorf("P(%s) = %v, found %v", value, m, p)
		}
	}
	for value, p := range law {
		if _, ok := mass[value]; !ok && p.lo.Cmp(mass["tail"].hi) > 0 {
			return fmt.Errorf("P(%s) = %v is more than the whole tail", value, p)
		}
	}
	return nil
}

func rat(s string) *big.Rat {
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return x
}

func times(n int64, x *big.Rat) *big.Rat { return new(big.Rat).Mul(big.NewRat(n, 1), x) }

// The following functions return closed forms of distributions: enclosures of the probabilities of
// the relevant values. The key "tail" has an enclosure [0, t], where t is at least the total
// probability of all other values.

func upTo(e enclosure) enclosure { return enclosure{new(big.Int), e.hi} }

func geometricMass(x *big.Rat, n int64) map[string]enclosure {
	mass := map[string]enclosure{"tail": upTo(expNeg(times(n, x)))}
	for k := range n {
		mass[strconv.FormatInt(k, 10)] = exact(1).minus(expNeg(x)).times(expNeg(times(k, x)))
	}
	return mass
}

func truncatedMass(x *big.Rat, limit int64) map[string]enclosure {
	mass := geometricMass(x, limit)
	mass[strconv.FormatInt(limit, 10)] = mass["tail"]
	mass[strconv.FormatInt(limit, 10)] = expNeg(times(limit, x))
	mass["tail"] = exact(0)
	return mass
}

// normalised divides the weights of 0, …, n-1 by the total weight. tail is an upper bound on the
// sum of the weights from n on. If symmetric is set, -1, …, 1-n have the same weights as 1, …, n-1.
func normalised(weight []enclosure, tail enclosure, symmetric bool) map[string]enclosure {
	sum := upTo(tail)
	for k, w := range weight {
		sum = sum.plus(w)
		if symmetric && k > 0 {
			sum = sum.plus(w)
		}
	}
	mass := map[string]enclosure{"tail": upTo(tail).over(sum)}
	for k, w := range weight {
		mass[strconv.Itoa(k)] = w.over(sum)
		if symmetric {
			mass[strconv.Itoa(-k)] = w.over(sum)
		}
	}
	return mass
}

func laplaceMass(scale *big.Rat, n int64) map[string]enclosure {
	x := new(big.Rat).Inv(scale)
	var weight []enclosure
	for k := range n {
		weight = append(weight, expNeg(times(k, x)))
	}
	tail := expNeg(times(n, x)).over(exact(1).minus(expNeg(x)))
	return normalised(weight, tail.plus(tail), true)
}

// gaussianMass bounds the tail by a geometric series, because the ratios of successive weights
// decrease.
func gaussianMass(sigma2 *big.Rat, n int64) map[string]enclosure {
	half := new(big.Rat).Inv(times(2, sigma2))
	var weight []enclosure
	for k := range n {
		weight = append(weight, expNeg(times(k*k, half)))
	}
	tail := expNeg(times(n*n, half)).over(exact(1).minus(expNeg(times(2*n+1, half))))
	return normalised(weight, tail.plus(tail), true)
}

func radiusWeight(m int, a *big.Rat, r int64) enclosure {
	w := expNeg(times(r, a))
	for range m {
		w = w.times(exact(2*r + 1))
	}
	return w
}

// radiusMass bounds the tail by a geometric series with the ratio of the first two weights of the
// tail, which is the largest ratio.
func radiusMass(m int, a *big.Rat, n int64) map[string]enclosure {
	var weight []enclosure
	for r := range n {
		weight = append(weight, radiusWeight(m, a, r))
	}
	first := radiusWeight(m, a, n)
	ratio := radiusWeight(m, a, n+1).over(first)
	return normalised(weight, first.over(exact(1).minus(ratio)), false)
}

func TestExactLaws(t *testing.T) {
	uniform := loop{n: 1} // each proposal calls Uint64n once, at its beginning
	for _, test := range []struct {
		law   Sampler
		loop  loop
		mass  map[string]enclosure
		wrong map[string]enclosure // a distribution that a plausible mistake would produce
	}{
		{Geometric{rat("1")}, loop{}, geometricMass(rat("1"), 40), geometricMass(rat("10001/10000"), 40)},
		{Geometric{rat("3/2")}, uniform, geometricMass(rat("3/2"), 30), geometricMass(rat("2/3"), 60)},
		{Geometric{rat("2/5")}, uniform, geometricMass(rat("2/5"), 80), geometricMass(rat("2/6"), 80)},
		{Geometric{rat("7")}, uniform, geometricMass(rat("7"), 8), geometricMass(rat("6"), 8)},
		{TruncatedGeometric{rat("1/2"), 3}, loop{}, truncatedMass(rat("1/2"), 3), truncatedMass(rat("1/2"), 4)},
		{TruncatedGeometric{rat("1/2"), 0}, loop{}, truncatedMass(rat("1/2"), 0), truncatedMass(rat("1/2"), 1)},
		{Laplace{rat("1")}, uniform, laplaceMass(rat("1"), 40), laplaceMass(rat("10001/10000"), 40)},
		{Laplace{rat("3/2")}, uniform, laplaceMass(rat("3/2"), 50), laplaceMass(rat("2/3"), 50)},
		{Laplace{rat("1/3")}, uniform, laplaceMass(rat("1/3"), 20), laplaceMass(rat("1/2"), 20)},
		{Gaussian{rat("1")}, uniform, gaussianMass(rat("1"), 12), gaussianMass(rat("10001/10000"), 12)},
		{Gaussian{rat("1/3")}, uniform, gaussianMass(rat("1/3"), 10), gaussianMass(rat("1/2"), 10)},
		{Gaussian{rat("9/2")}, uniform, gaussianMass(rat("9/2"), 25), gaussianMass(rat("81/4"), 45)},
		{CubeRadius{1, rat("1")}, loop{2, true}, radiusMass(1, rat("1"), 50), radiusMass(2, rat("1"), 50)},
		{CubeRadius{2, rat("3/2")}, loop{3, true}, radiusMass(2, rat("3/2"), 50), radiusMass(1, rat("3/2"), 50)},
		{BallRadius{1, rat("1")}, loop{2, true}, ballRadiusMass(1, rat("1"), 50), ballRadiusMass(2, rat("1"), 50)},
		{BallRadius{3, rat("3/2")}, loop{4, true}, ballRadiusMass(3, rat("3/2"), 50), ballRadiusMass(2, rat("3/2"), 50)},
	} {
		t.Run(test.law.String(), func(t *testing.T) {
			if err := refute(test.loop, sampling(test.law), test.mass); err != nil {
				t.Error(err)
			}
			if refute(test.loop, sampling(test.law), test.wrong) == nil {
				t.Error("a wrong law passes")
			}
		})
	}
}

func TestGaussianOfAnySizeHasTheLaw(t *testing.T) {
	draw := func(c Coins) string { return gaussianBig(c, big.NewInt(9), big.NewInt(2)).String() }
	if err := refute(loop{n: 1}, draw, gaussianMass(rat("9/2"), 25)); err != nil {
		t.Error(err)
	}
}

// The norm of Cube's vectors has its closed-form distribution.
func TestCubeLaw(t *testing.T) {
	const n = 40
	a := rat("3/2")
	draw := func(c Coins) string { return fmt.Sprint(Cube{2, a}.Sample(c)) }
	masses := func(norm func(x, y int64) int64) map[string]enclosure {
		weight := make([]enclosure, 2*n+1)
		for r := range weight {
			weight[r] = expNeg(times(int64(r), a))
		}
		mass, sum := map[string]enclosure{}, exact(0)
		for x := int64(-n); x <= n; x++ {
			for y := int64(-n); y <= n; y++ {
				sum = sum.plus(weight[norm(x, y)])
				if norm(x, y) < 5 {
					mass[fmt.Sprintf("[%d %d]", x, y)] = weight[norm(x, y)]
				}
			}
		}
		sum.hi.Add(sum.hi, expNeg(times(n, big.NewRat(1, 1))).hi) // > Σ_{r>n} 8r·e^{-ar}
		rest := exact(1)
		for k, w := range mass {
			mass[k] = w.over(sum)
			rest = rest.minus(mass[k])
		}
		mass["tail"] = upTo(rest)
		return mass
	}
	abs := func(x int64) int64 { return max(x, -x) }
	maximum := func(x, y int64) int64 { return max(abs(x), abs(y)) }
	sum := func(x, y int64) int64 { return abs(x) + abs(y) }
	if err := refute(loop{}, draw, masses(maximum)); err != nil {
		t.Error(err)
	}
	if refute(loop{}, draw, masses(sum)) == nil {
		t.Error("the law of another norm passes")
	}
}
