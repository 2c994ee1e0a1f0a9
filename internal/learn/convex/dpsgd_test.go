package convex_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// silent are coins whose noise is 0.
type silent struct{ noise.Coins }

func (silent) Draw(noise.Sampler) *big.Int { return new(big.Int) }

// A row changes the sum by a vector whose norm is at most the bound, for any number of ones, and
// equals the residual times the row's vector if that is within the bound.
func TestDPSGDClip(t *testing.T) {
	const grid = 64 // at weights of 0 residuals are ±32
	f := features(t, convex.Reference, 2, 2, 2, 2)
	for _, clip := range []string{"0.1", "0.4", "0.5", "0.75", "1.2"} {
		o := convex.Descent{Share: decimal(t, "1"), Steps: 1, Clip: decimal(t, clip), Rate: 1, Batch: 1, Grid: grid}
		m, err := convex.NewDPSGD(f, o, decimal(t, "1"), decimal(t, "1e-5"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := decimal(t, clip).Rat().Float64()
		bound := math.Floor(grid * c)
		for ones := 1; ones <= 5; ones++ {
			x := make([]uint16, 4)
			for j := range ones - 1 {
				x[j] = 1
			}
			for _, label := range []bool{false, true} {
				l, err := m.Release(context.Background(), examples{{X: x, Label: label, Count: 1}}, silent{})
				if err != nil {
					t.Fatal(err)
				}
				square, k := 0.0, float64(ones)
				for _, w := range l.Weights {
					square += w * w * grid * grid
				}
				r := math.Sqrt(square / k)
				if square > bound*bound+1e-6 || r < 32-1e-9 && (r+1)*(r+1)*k <= bound*bound {
					t.Errorf("clip %s, %d ones, label %v: residual %v, norm %v, bound %v", clip, ones, label, r, math.Sqrt(square), bound)
				}
			}
		}
	}
}

// The guarantee is that of the sampling rate, of σ² relative to the squared clipping norm in grid
// steps, and of the number of steps. For persons, the norm is multiplied by their weight. A smaller σ² than the computed
// one does not suffice.
func TestDPSGDAccount(t *testing.T) {
	f := features(t, convex.OneHot, 3)
	epsilon, delta := decimal(t, "1"), decimal(t, "1e-3")
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne, privacy.AddRemove.OfPersons(3)} {
		bound := 14 * learn.Units(r)
		for _, share := range []string{"0.125", "0.75", "1"} {
			if r.Persons() > 0 && share != "1" {
				continue
			}
			o := convex.Descent{Share: decimal(t, share), Steps: 7, Clip: decimal(t, "1.45"), Rate: 1, Batch: 1, Grid: 10}
			m, err := convex.NewDPSGD(f, o, epsilon, delta, r)
			if err != nil {
				t.Fatal(err)
			}
			want, err := privacy.NewSubsampledGaussian(r, decimal(t, share).Rat(), new(big.Rat).SetFrac(m.Sigma2(), big.NewInt(bound*bound)), 7)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []float64{0.5, 1, 2} {
				if got, want := m.Account().Delta(x), want.Delta(x); got != want {
					t.Errorf("%v, share %s: δ(%v) = %v, not %v", r, share, x, got, want)
				}
			}
			if d := want.Delta(1); d > 1e-3 || d < 0.9e-3 {
				t.Errorf("%v, share %s: noise for δ(1) = %v", r, share, d)
			}
			if _, err := convex.NewDPSGDWith(f, o, m.Sigma2(), epsilon, delta, r); err != nil {
				t.Errorf("%v, share %s: %v", r, share, err)
			}
			less := m.Sigma2()
			less.Sub(less, big.NewInt(1)).Sub(less, new(big.Int).Rsh(less, 10))
			if _, err := convex.NewDPSGDWith(f, o, less, epsilon, delta, r); err == nil {
				t.Errorf("%v, share %s: σ² = %v is taken, where %v was found", r, share, less, m.Sigma2())
			}
		}
	}
}

// With all rows in each step, the guarantee is also a μ² and a ρ: those of 7 steps of noise, and of the sample of a tree.
// The squared change of a sum is 14² in grid steps, four times this if a row is replaced, and for persons it is multiplied
// by the square of their weight.
func TestDPSGDGaussian(t *testing.T) {
	f := features(t, convex.OneHot, 3)
	sigma2 := big.NewInt(100_000_000)
	for r, times := range map[privacy.Relation]int64{privacy.AddRemove: 1, privacy.ReplaceOne: 4, privacy.AddRemove.OfPersons(3): 36, privacy.ReplaceOne.OfPersons(3): 144} {
		for _, tree := range []string{"0", "0.25"} {
			o := convex.Descent{Share: decimal(t, "1"), Steps: 7, Clip: decimal(t, "1.45"), Rate: 1, Batch: 1, Grid: 10, Tree: decimal(t, tree)}
			m, err := convex.NewDPSGDWith(f, o, sigma2, decimal(t, "1"), decimal(t, "1e-3"), r)
			if err != nil {
				t.Fatal(err)
			}
			change := 7 * 14 * 14 * times
			square := new(big.Rat).SetFrac64(change*5, 5*sigma2.Int64()-13)
			rho := big.NewRat(change, 2*sigma2.Int64())
			square.Add(square, privacy.RangeSquare(o.Tree))
			rho.Add(rho, privacy.RangeRho(o.Tree))
			g, ok := m.Gaussian()
			if !ok || g.Relation() != r || g.Square().Cmp(square) != 0 || g.Rho().Cmp(rho) != 0 {
				t.Errorf("%v, a tree of ε = %s: %v with μ² = %v and ρ = %v, not %v and %v", r, tree, ok, g.Square(), g.Rho(), square, rho)
			}
		}
	}
	for _, c := range []struct {
		share  string
		sigma2 int64
		want   bool
	}{{"1", 200, true}, {"0.5", 200, false}, {"1", 3, true}, {"1", 2, false}} {
		o := convex.Descent{Share: decimal(t, c.share), Steps: 1, Clip: decimal(t, "1"), Rate: 1, Batch: 1, Grid: 1}
		m, err := convex.NewDPSGDWith(f, o, big.NewInt(c.sigma2), decimal(t, "5"), decimal(t, "0.1"), privacy.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.Gaussian(); ok != c.want {
			t.Errorf("steps that use a row with probability %s, σ² = %d: %v", c.share, c.sigma2, ok)
		}
	}
	many := features(t, convex.OneHot, 1<<10)
	for steps, want := range map[int]bool{1 << 19: true, 1 << 20: false} {
		o := convex.Descent{Share: decimal(t, "1"), Steps: steps, Clip: decimal(t, "1"), Rate: 1, Batch: 1, Grid: 1}
		m, err := convex.NewDPSGD(many, o, decimal(t, "1"), decimal(t, "0.1"), privacy.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.Gaussian(); ok != want {
			t.Errorf("%d steps over %d columns: %v", steps, many.Columns(), ok)
		}
	}
}

// scripted are coins that return the given numbers in order.
type scripted struct {
	noise.Coins
	draws []int64
}

func (c *scripted) Draw(noise.Sampler) *big.Int {
	k := c.draws[0]
	c.draws = c.draws[1:]
	return big.NewInt(k)
}

// units are coins that multiply noise by the weight of a person.
type units struct {
	noise.Coins
	of int64
}

func (c units) Draw(law noise.Sampler) *big.Int {
	k := c.Coins.Draw(law)
	return k.Mul(k, big.NewInt(c.of))
}

// If each person has one row, and noise is multiplied by the weight of a person, the descent is that for rows.
func TestDPSGDPersons(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	rows := examples{{X: []uint16{0}, Count: 3}, {X: []uint16{1}, Label: true, Count: 7}}
	release := func(r privacy.Relation, coins noise.Coins) convex.Linear {
		o := convex.Descent{Share: decimal(t, "1"), Steps: 2, Clip: decimal(t, "8"), Rate: 0.25, Batch: 5, Grid: 1000}
		m, err := convex.NewDPSGD(f, o, decimal(t, "1"), decimal(t, "1e-5"), r)
		if err != nil {
			t.Fatal(err)
		}
		d := slices.Clone(rows)
		for i := range d {
			d[i].Count *= learn.Units(r)
		}
		l, err := m.Release(context.Background(), d, coins)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	script := func() *scripted { return &scripted{draws: []int64{100, -200, 3000, 4000}} }
	persons := privacy.AddRemove.OfPersons(3)
	want := release(privacy.AddRemove, script())
	for j, w := range release(persons, units{script(), learn.Units(persons)}).Weights {
		if math.Abs(w-want.Weights[j]) > 1e-12 {
			t.Errorf("weight %v for persons, and %v for rows", w, want.Weights[j])
		}
	}
}

// The weights are the total of the noisy sums of the gradients so far, with the opposite sign. The average of the weights
// in the second half of the steps is released, or in more than half of them if their number is odd.
func TestDPSGDSteps(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	d := examples{{X: []uint16{0}, Count: 3}, {X: []uint16{1}, Label: true, Count: 7}}
	draws := []int64{100, -200, 3000, 4000, -1000, 500, 700, 800}
	for steps := 1; steps <= 4; steps++ {
		o := convex.Descent{Share: decimal(t, "1"), Steps: steps, Clip: decimal(t, "8"), Rate: 0.25, Batch: 5, Grid: 1000}
		m, err := convex.NewDPSGD(f, o, decimal(t, "1"), decimal(t, "1e-5"), privacy.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Release(context.Background(), d, &scripted{draws: draws})
		if err != nil {
			t.Fatal(err)
		}
		averaged := []int{1, 1, 2, 2}[steps-1]
		var w, average [2]float64
		for step := range steps {
			odds := func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
			no := 3 * math.Floor(1000*odds(w[0]))
			yes := 7 * math.Floor(1000*(odds(w[0]+w[1])-1))
			w[0] -= 0.25 * (no + yes + float64(draws[2*step])) / 5000
			w[1] -= 0.25 * (yes + float64(draws[2*step+1])) / 5000
			if step >= steps-averaged {
				average[0] += w[0] / float64(averaged)
				average[1] += w[1] / float64(averaged)
			}
		}
		for j, v := range average {
			if math.Abs(got.Weights[j]-v) > 1e-12 {
				t.Errorf("%d steps: weights %v, not %v", steps, got.Weights, average)
			}
		}
	}
}
