package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newBox(t testing.TB, s learn.BoxSpace, epsilon string) *learn.Box {
	t.Helper()
	m, err := learn.NewBox(s, privacytest.Decimal(t, epsilon), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBoxRefuses(t *testing.T) {
	good := learn.BoxSpace{Dim: 2, Weight: 3, Feature: 2, Loss: learn.Hinge(12, 4)}
	if m := newBox(t, good, "0.5"); m.Rate().RatString() != "1/64" || m.Size().Int64() != 49 { // C = 16
		t.Errorf("rate %v, size %v", m.Rate(), m.Size())
	}
	for name, change := range map[string]func(*learn.BoxSpace){
		"no weights":      func(s *learn.BoxSpace) { s.Dim = 0 },
		"too many":        func(s *learn.BoxSpace) { s.Dim = 3 },
		"weights of 0":    func(s *learn.BoxSpace) { s.Weight = 0 },
		"huge weights":    func(s *learn.BoxSpace) { s.Weight = math.MaxInt64 },
		"features of 0":   func(s *learn.BoxSpace) { s.Feature = 0 },
		"huge features":   func(s *learn.BoxSpace) { s.Feature = math.MaxInt64 },
		"negative norm":   func(s *learn.BoxSpace) { s.Norm = -1 },
		"great norm":      func(s *learn.BoxSpace) { s.Dim, s.Norm = 3, 5 },
		"huge dimension":  func(s *learn.BoxSpace) { s.Dim, s.Norm = learn.MostDim+1, 4 },
		"negative ridge":  func(s *learn.BoxSpace) { s.Ridge = -1 },
		"huge ridge":      func(s *learn.BoxSpace) { s.Ridge = learn.MostRidge + 1 },
		"constant loss":   func(s *learn.BoxSpace) { s.Loss = make(learn.ConvexLoss, 25) },
		"even loss":       func(s *learn.BoxSpace) { s.Loss = make(learn.ConvexLoss, 26) },
		"no loss":         func(s *learn.BoxSpace) { s.Loss = nil },
		"negative loss":   func(s *learn.BoxSpace) { s.Loss = learn.Hinge(12, 4); s.Loss[24] = -1 },
		"not convex":      func(s *learn.BoxSpace) { s.Loss = learn.Hinge(12, 4); s.Loss[20] = 1 },
		"too great loss":  func(s *learn.BoxSpace) { s.Loss = learn.Hinge(12, learn.MostConvexLoss) },
		"too many scores": func(s *learn.BoxSpace) { s.Loss = learn.Hinge(learn.MostScore+1, 1) },
	} {
		s := good
		change(&s)
		if _, err := learn.NewBox(s, privacytest.Decimal(t, "1"), privacy.ReplaceOne); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	m := newBox(t, good, "1")
	if _, err := m.Release(context.Background(), []learn.Example[[]int64]{{Count: learn.MostRows + 1}}, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
}

func TestConvexLossRange(t *testing.T) {
	for _, c := range []struct {
		loss learn.ConvexLoss
		want int64
	}{{learn.ConvexLoss{7, 3, 2, 2, 4}, 5}, {learn.ConvexLoss{4, 2, 2, 3, 7}, 5}, {learn.Hinge(12, 4), 16}} {
		if got := c.loss.Range(); got != c.want {
			t.Errorf("%v has the range %d, not %d", c.loss, got, c.want)
		}
	}
}

// A bound on the norm truncates features in their order, and reduces the range of scores for which
// the loss is stored.
func TestBoxNorm(t *testing.T) {
	m := newBox(t, learn.BoxSpace{Dim: 3, Weight: 2, Feature: 3, Norm: 4, Loss: learn.Hinge(8, 8)}, "1")
	for _, c := range []struct{ x, cut []int64 }{
		{[]int64{1, -2, 1}, []int64{1, -2, 1}},
		{[]int64{9, -9, 9}, []int64{3, -1, 0}},
		{[]int64{0, -4, 2, 5}, []int64{0, -3, 1}},
		{[]int64{1, 0, 0, 3}, []int64{1, 0, 0}},
	} {
		w := []int64{2, -1, 2}
		cost := int64(8) - w[0]*c.cut[0] - w[1]*c.cut[1] - w[2]*c.cut[2]
		if got := m.Cost(w, []learn.Example[[]int64]{{X: c.x, Label: true, Count: 1}}); got != cost {
			t.Errorf("%v: cost %d, not %d", c.x, got, cost)
		}
	}
}

// The integer tables of the logistic loss are convex, as NewBox requires, and close to the loss.
func TestLogistic(t *testing.T) {
	for _, unit := range []float64{30, 1000} {
		const most, scale = 60, 10
		l := learn.Logistic(most, scale, unit)
		newBox(t, learn.BoxSpace{Dim: 1, Weight: most, Feature: 1, Loss: l, Ridge: 1}, "1")
		for i, v := range l {
			want := unit * (math.Log1p(math.Exp(-float64(i-most)/scale)) - math.Log1p(math.Exp(-most/scale)))
			if math.Abs(float64(v)-want) > 0.5*float64(2*most-i)+1 {
				t.Errorf("unit %g, score %d: %d, not %g", unit, i-most, v, want)
			}
		}
	}
}

// cloud samples examples whose label depends on the features.
func cloud(rng *rand.Rand, dim int, feature int64, points int, count int64) (d []learn.Example[[]int64]) {
	for range points {
		x, s := make([]int64, dim), int64(0)
		for j := range x {
			x[j] = rng.Int64N(2*feature+1) - feature
			s += x[j] * int64(1+j%3)
		}
		d = append(d, learn.Example[[]int64]{X: x, Label: s > 0 != (rng.IntN(8) == 0), Count: 1 + rng.Int64N(count)})
	}
	return d
}

// On a small box whose points are enumerated, samples follow weights e^{-λ·cost}. The test rejects a rate that is
// wrong by one half, or by a tenth with more samples. The mean and the tail of the excess are within the bounds.
func TestBoxLaw(t *testing.T) {
	s := learn.BoxSpace{Dim: 2, Weight: 6, Feature: 2, Loss: learn.Logistic(24, 6, 20), Ridge: 1}
	d := cloud(rand.New(rand.NewPCG(5, 6)), s.Dim, s.Feature, 12, 6)
	m := newBox(t, s, "2")
	lambda, _ := m.Rate().Float64()
	var costs []float64
	for a := -s.Weight; a <= s.Weight; a++ {
		for b := -s.Weight; b <= s.Weight; b++ {
			costs = append(costs, float64(m.Cost([]int64{a, b}, d)))
		}
	}
	least := costs[0]
	for _, c := range costs {
		least = min(least, c)
	}
	// Points of equal cost have equal probability, so the test compares the excess in bands.
	const bands = 12
	band := func(excess float64) int { return min(int(2*lambda*excess), bands-1) }
	law := func(rate float64) (mass []float64, mean float64) {
		z := 0.0
		mass = make([]float64, bands)
		for _, c := range costs {
			w := math.Exp(-rate * (c - least))
			z += w
			mass[band(c-least)] += w
			mean += w * (c - least)
		}
		for i := range mass {
			mass[i] /= z
		}
		return mass, mean / z
	}
	mass, mean := law(lambda)
	rows := int64(0)
	for _, e := range d {
		rows += e.Count
	}
	draws := heavy.Pick(4_000, 40_000)
	counts, beyond, bound, coins := make([]int, bands), 0, m.Excess(rows), noise.Crypto()
	for range draws {
		w, err := m.Release(context.Background(), d, coins)
		if err != nil {
			t.Fatal(err)
		}
		excess := float64(m.Cost(w, d)) - least
		counts[band(excess)]++
		if excess > bound.Most {
			beyond++
		}
	}
	family := stattest.Open(t, "learn/box")
	family.Fit(t, counts, mass)
	family.AtMost(t, beyond, draws, 1-learn.Confidence)
	if mean > bound.Mean {
		t.Errorf("mean excess by the law %g; bounds %v", mean, bound)
	}
	wrong, _ := law(heavy.Pick(1.5, 1.1) * lambda)
	if p := stattest.PValue(counts, wrong); p > family.Alpha() {
		t.Errorf("the draws fit a wrong rate as well: p = %g", p)
	}
}

// BenchmarkBox draws from boxes of several dimensions.
func BenchmarkBox(b *testing.B) {
	for _, dim := range []int{2, 3, 4, 6, 8} {
		b.Run(fmt.Sprint("dim", dim), func(b *testing.B) {
			s := learn.BoxSpace{Dim: dim, Weight: 50, Feature: 2, Loss: learn.Logistic(dim*100, 25, 100)}
			d := cloud(rand.New(rand.NewPCG(7, 8)), dim, s.Feature, 200, 100)
			m, coins := newBox(b, s, "1"), noise.Crypto()
			for b.Loop() {
				if _, err := m.Release(context.Background(), d, coins); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
