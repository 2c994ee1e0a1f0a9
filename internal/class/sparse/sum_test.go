package sparse_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/class/sparse/sparsetest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/search"
)

// sumTight returns the maximum ratio of a bound on a sum to the sum, for the rate λ. At very small rates, package decay
// drops bits of the costs.
func sumTight(rate float64) float64 {
	if rate < 0x1p-24 {
		return 1 + 2e-6
	}
	return 1 + 1e-8
}

// The bound of a sum is a tight upper bound on the exact sum. The product of the probability of each
// card and the bound is at least the weight of the card, as class.Mass requires, and not much
// greater.
func TestSum(t *testing.T) {
	tested := 0
	for seed := range heavy.Pick(60, 400) {
		draw := classtest.FromSeed(seed)
		k := sparsetest.Random(draw, 300)
		if fixed, ok := sparsetest.Fixed()[[]string{"pairs of three", "charged", "wide points", "beyond the reach", "one attribute of one category"}[seed%5]]; ok && seed < 24 {
			k = fixed
		}
		c := k.Class.(*sparse.Class)
		if c.Options().Draws > 1 {
			continue
		}
		tested++
		p := k.Random(draw)
		p.Terms = nil
		greatest := int64(1)
		for _, pt := range p.Points {
			greatest = max(greatest, pt.Cost[0], pt.Cost[1])
		}
		lambda := big.NewRat([]int64{1, 3, 40}[draw(0, 2)], 2*greatest)
		rate, _ := lambda.Float64()
		m, err := c.Sum(context.Background(), p, search.Decay(lambda))
		if err != nil {
			t.Fatal(err)
		}
		cost := func(h sparse.Card) int64 {
			sum := p.PenaltyUnit() * c.Penalty(h)
			for _, pt := range p.Points {
				o := 0
				if c.Predict(h, pt.X) {
					o = 1
				}
				sum += pt.Cost[o]
			}
			return sum
		}
		least, sum := int64(math.MaxInt64), 0.0
		for h := range c.All() {
			least = min(least, cost(h))
		}
		for h := range c.All() {
			sum += math.Exp(-rate * float64(cost(h)-least))
		}
		f, at := m.Bound()
		bound, _ := f.Rat().Float64()
		if ratio := bound / sum; at != least || ratio < 1 || ratio > sumTight(rate) {
			t.Errorf("seed %d: the least cost is %d, not %d; the bound is %g times the sum", seed, at, least, ratio)
		}
		for h := range c.All() {
			product := f.Rat()
			got, weight, own := descendTo(t, c, m, h, product)
			if !slices.Equal(got.Attributes, h.Attributes) || !slices.EqualFunc(got.Points, h.Points, slices.Equal) || own != cost(h) || weight.Cmp(big.NewRat(1, 1)) != 0 {
				t.Fatalf("seed %d: %v with cost %d instead of %v with cost %d", seed, got, own, h, cost(h))
			}
			exact := math.Exp(-rate * float64(own-at))
			if probability, _ := product.Float64(); probability < exact*(1-1e-13) || probability > exact*sumTight(rate)+1e-16*bound {
				t.Fatalf("seed %d: %v has the weight %g, not %g", seed, h, probability, exact)
			}
		}
	}
	if tested < 20 {
		t.Errorf("only %d classes have one draw", tested)
	}
}

// descendTo makes the choices that lead to card h, and multiplies product by their probabilities.
func descendTo(t *testing.T, c *sparse.Class, m class.Mass[sparse.Card], h sparse.Card, product *big.Rat) (sparse.Card, *big.Rat, int64) {
	t.Helper()
	d := m.Descend()
	sets := c.SetsOf()
	at := slices.IndexFunc(sets, func(s []int) bool { return slices.Equal(s, h.Attributes) })
	var tail int
	for i := range h.Points {
		if len(h.Points[i]) > len(h.Points[tail]) {
			tail = i
		}
	}
	choices := []int{at}
	for i, points := range h.Points {
		if i != tail {
			choices = append(choices, points...)
		}
	}
	choices = append(choices, h.Points[tail]...)
	for i, choice := range choices {
		if i > 0 {
			choice += c.Options().Points
		}
		sums, err := d.Weights(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		weight := sums[choice]
		if choice > 0 {
			weight -= sums[choice-1]
		}
		product.Mul(product, new(big.Rat).SetFrac(new(big.Int).SetUint64(weight), new(big.Int).SetUint64(sums[len(sums)-1])))
		d.Take(choice)
	}
	if sums, err := d.Weights(context.Background()); sums != nil || err != nil {
		t.Fatalf("after %d choices the card is not complete: %v, %v", len(choices), sums, err)
	}
	return d.Hypothesis()
}

// Costs beyond 62 bits are refused, and a cancelled context stops the computation.
func TestSumRefuses(t *testing.T) {
	k := sparsetest.Fixed()["pairs of three"]
	c := k.Class.(*sparse.Class)
	decay := search.Decay(big.NewRat(1, 2))
	p := class.Problem[[]uint16]{Points: []class.Point[[]uint16]{{X: k.Domain[0], Cost: [2]int64{0, 1<<61 + 1}}}}
	if _, err := c.Sum(context.Background(), p, decay); !errors.Is(err, class.ErrRange) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	m, err := c.Sum(ended, class.Problem[[]uint16]{}, decay)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := c.Sum(ended, class.Problem[[]uint16]{}, decay); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := m.Descend().Weights(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// BenchmarkSum reports the time of a sum in proportion to its estimate.
func BenchmarkSum(b *testing.B) {
	for name, o := range map[string]sparse.Options{
		"four of 16x2":  {Sizes: slices.Repeat([]int{2}, 16), Most: 4, Points: 1, Threshold: 1, Draws: 1},
		"three of 14x3": {Sizes: slices.Repeat([]int{3}, 14), Most: 3, Points: 1, Threshold: 1, Draws: 1},
		"three of 10x4": {Sizes: slices.Repeat([]int{4}, 10), Most: 3, Points: 1, Threshold: 1, Draws: 1},
		"two of 14x6":   {Sizes: slices.Repeat([]int{6}, 14), Most: 2, Points: 1, Threshold: 1, Draws: 1},
		"two of 4x10":   {Sizes: slices.Repeat([]int{10}, 4), Most: 2, Points: 1, Threshold: 1, Draws: 1},
		"three of 4x6":  {Sizes: slices.Repeat([]int{6}, 4), Most: 3, Points: 1, Threshold: 1, Draws: 1},
		"three, wide":   {Sizes: slices.Repeat([]int{3}, 6), Most: 3, Points: 3, Threshold: 2, Draws: 1},
	} {
		b.Run(name, func(b *testing.B) {
			c, err := sparse.New(o)
			if err != nil {
				b.Fatal(err)
			}
			draw := classtest.FromSeed(1)
			var p class.Problem[[]uint16]
			for range 2000 {
				x := make([]uint16, len(o.Sizes))
				for j, n := range o.Sizes {
					x[j] = uint16(draw(0, n-1))
				}
				pt := class.Point[[]uint16]{X: x}
				pt.Cost[draw(0, 1)] = 1
				p.Points = append(p.Points, pt)
			}
			for b.Loop() {
				if _, err := c.Sum(context.Background(), p, search.Decay(big.NewRat(1, 4))); err != nil {
					b.Fatal(err)
				}
			}
			taken := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(taken/(10e-9*float64(c.SumWork(2000))), "of-estimate")
		})
	}
}
