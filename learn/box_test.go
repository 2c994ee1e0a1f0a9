package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newBox(t testing.TB, s learn.BoxSpace, epsilon string) *learn.Box {
	t.Helper()
	m, err := learn.NewBox(s, decimal(t, epsilon), privacy.ReplaceOne)
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
		if _, err := learn.NewBox(s, decimal(t, "1"), privacy.ReplaceOne); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	m := newBox(t, good, "1")
	if _, err := m.Release(context.Background(), []learn.Example[[]int64]{{Count: learn.MostRows + 1}}, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
}

// Logistic tables are convex, as NewBox demands, and near the loss.
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

// cloud draws examples whose label depends on the features.
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

// The draws have the law of weights e^{-λ·cost}, on a box whose points are all listed: the
// mean and the tail of the excess are within the bounds, and the mean cost is that of the law.
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
	z, mean, square := 0.0, 0.0, 0.0
	for _, c := range costs {
		w := math.Exp(-lambda * (c - least))
		z += w
		mean += w * (c - least)
		square += w * (c - least) * (c - least)
	}
	mean /= z
	deviation := math.Sqrt(square/z - mean*mean)
	rows := int64(0)
	for _, e := range d {
		rows += e.Count
	}
	const draws = 2000
	sum, beyond, bound, coins := 0.0, 0, m.Excess(rows), noise.Insecure(1)
	for range draws {
		w, err := m.Release(context.Background(), d, coins)
		if err != nil {
			t.Fatal(err)
		}
		excess := float64(m.Cost(w, d)) - least
		sum += excess
		if excess > bound.Most {
			beyond++
		}
	}
	if got := sum / draws; math.Abs(got-mean) > 5*deviation/math.Sqrt(draws) || mean > bound.Mean || beyond > draws/10 {
		t.Errorf("mean excess %g, by the law %g; beyond %d; bounds %v", got, mean, beyond, bound)
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
