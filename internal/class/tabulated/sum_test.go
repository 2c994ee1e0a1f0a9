package tabulated_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/search"
)

// The bound of a sum is a tight upper bound on the exact sum. The product of the probability of each hypothesis and the
// bound is at least the weight of the hypothesis, as class.Mass requires, and not much greater.
func TestSum(t *testing.T) {
	for seed := range 200 {
		draw := classtest.FromSeed(seed)
		k := random(draw)
		c := k.Class.(*tabulated.Class[int, int])
		p := k.Random(draw)
		p.Terms = nil
		greatest := int64(1)
		for _, pt := range p.Points {
			greatest = max(greatest, pt.Cost[0], pt.Cost[1])
		}
		lambda := big.NewRat([]int64{1, 3, 40, 1 << 40}[draw(0, 3)], 2*greatest)
		rate, _ := lambda.Float64()
		m, err := c.Sum(context.Background(), p, search.Decay(lambda))
		if err != nil {
			t.Fatal(err)
		}
		least, sum := int64(math.MaxInt64), 0.0
		for h := range c.All() {
			least = min(least, class.Cost(c, p, h))
		}
		for h := range c.All() {
			sum += math.Exp(-rate * float64(class.Cost(c, p, h)-least))
		}
		f, at := m.Bound()
		bound, _ := f.Rat().Float64()
		if ratio := bound / sum; at != least || ratio < 1 || ratio > 1+1e-7 {
			t.Errorf("seed %d: the least cost is %d, not %d; the bound is %g times the sum", seed, at, least, ratio)
		}
		before := uint64(0)
		for i := range int(c.Size().Int64()) {
			d := m.Descend()
			sums, err := d.Weights(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			probability := float64(sums[i]-before) / float64(sums[len(sums)-1])
			before = sums[i]
			d.Take(i)
			h, weight, cost := d.Hypothesis()
			if rest, err := d.Weights(context.Background()); h != c.At(i) || weight.Cmp(big.NewRat(1, 1)) != 0 || cost != class.Cost(c, p, h) || rest != nil || err != nil {
				t.Fatalf("seed %d: option %d is %v with weight %v and cost %d, followed by %v, %v", seed, i, h, weight, cost, rest, err)
			}
			if exact := math.Exp(-rate * float64(cost-least)); probability*bound < exact*(1-1e-13) || probability*bound > exact+1e-10 {
				t.Fatalf("seed %d: %v has the weight %g, not %g", seed, h, probability*bound, exact)
			}
		}
	}
}

// Costs beyond 62 bits are refused, and an ended context ends the computation.
func TestSumRefuses(t *testing.T) {
	c := made(multiples{size: 9}).Class.(*tabulated.Class[int, int])
	decay := search.Decay(big.NewRat(1, 2))
	if _, err := c.Sum(context.Background(), problem{Points: []class.Point[int]{{Cost: [2]int64{1 << 62, 0}}}}, decay); !errors.Is(err, class.ErrRange) {
		t.Error(err)
	}
	m, err := c.Sum(context.Background(), problem{}, decay)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Sum(ended, problem{}, decay); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := m.Descend().Weights(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An upper bound above 1 counts as 1, and one of 0 as the least weight.
func TestSumOfCoarseBounds(t *testing.T) {
	c := made(multiples{size: 3, penalty: 1}).Class.(*tabulated.Class[int, int])
	for _, u := range []class.Upper{{}, {Head: 1 << 63, Exponent: -62}, {Head: 1<<64 - 1, Exponent: -64}, {Head: 1<<63 + 1, Exponent: -63}, {Head: 1 << 63, Exponent: -200}} {
		m, err := c.Sum(context.Background(), problem{}, func(k int64) class.Upper {
			if k == 0 {
				return class.One
			}
			return u
		})
		if err != nil {
			t.Fatal(err)
		}
		sums, _ := m.Descend().Weights(context.Background())
		value, _ := u.Rat().Float64()
		if got, want := float64(sums[1]-sums[0])/float64(sums[0]), min(1, value); got < want || got > want+1e-10 {
			t.Errorf("%v counts as %v", u, got)
		}
	}
}
