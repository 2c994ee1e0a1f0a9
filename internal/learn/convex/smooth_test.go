package convex_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func ordered(t testing.TB, f *convex.Features, ordered ...int) *convex.Features {
	t.Helper()
	of, err := f.Ordered(ordered)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

func dpsgd(t testing.TB, f *convex.Features, o convex.Descent) *convex.DPSGD {
	t.Helper()
	m, err := convex.NewDPSGD(f, o, decimal(t, "1"), decimal(t, "1e-5"), privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// released returns the weights of a release of m over d.
func released(t testing.TB, m *convex.DPSGD, d examples, coins noise.Coins) []float64 {
	t.Helper()
	l, err := m.Release(context.Background(), d, coins)
	if err != nil {
		t.Fatal(err)
	}
	return l.Weights
}

// matrix returns every step-th column of S, by its number: the estimates of one step whose noisy sums are 0 except for
// that of column j. They are too small for the estimated roughness to be positive. Shrinkage would make them 0, so
// it is left out.
func matrix(t testing.TB, f *convex.Features, step int) map[int][]float64 {
	t.Helper()
	s := make(map[int][]float64)
	for j := 0; j < f.Columns(); j += step {
		sums := make([]float64, f.Columns())
		sums[j] = 1
		s[j] = convex.Smoothed(f, sums, 1e6)
	}
	return s
}

// If the noisy sums are not rough beyond the noise, S is 0.2 times the identity plus 0.8 times a Gaussian kernel
// among ordered categories. The length of the kernel is an eighth of their number minus one half, and at most 64. All
// other entries are those of the identity. In particular, the category after the ordered ones is not smoothed.
func TestSmoothingMatrix(t *testing.T) {
	for _, n := range []int{6, 12, 40, 600} {
		length := min(float64(n)/8-0.5, 64)
		f := ordered(t, features(t, convex.OneHot, 7, n+1, 2), 0, n, 0)
		const first = 1 + 7
		for k, column := range matrix(t, f, 1+n/50) {
			for i, got := range column {
				want, d := 0.0, float64(i-k)
				if i == k {
					want = 1
				} else if min(i, k) >= first && max(i, k) < first+n {
					want = 0.8 * math.Exp(-d*d/2/length/length)
				}
				if math.Abs(got-want) > 1.1e-9 {
					t.Fatalf("%d categories: S[%d,%d] is %v, not %v", n, i, k, got, want)
				}
			}
		}
	}
}

// S is symmetric, and its eigenvalues are at least 0.199: S - 0.199·I has a Cholesky factor.
func TestSmoothingPositive(t *testing.T) {
	for _, n := range []int{6, 12, 40, 300} {
		s := matrix(t, ordered(t, features(t, convex.OneHot, n), n), 1)
		for i := range len(s) {
			for k := range i {
				if s[i][k] != s[k][i] {
					t.Fatalf("%d categories: S[%d,%d] is %v, but S[%d,%d] is %v", n, i, k, s[i][k], k, i, s[k][i])
				}
			}
		}
		for i := range len(s) {
			for k := range i + 1 {
				v := s[i][k]
				if i == k {
					v -= 0.199
				}
				for h := range k {
					v -= s[i][h] * s[k][h]
				}
				switch {
				case k < i:
					s[i][k] = v / s[k][k]
				case v <= 0:
					t.Fatalf("%d categories: the smallest eigenvalue of S is below 0.199", n)
				default:
					s[i][i] = math.Sqrt(v)
				}
			}
		}
	}
}

// Totals that are far above the noise are smoothed as before if they are a linear function of the category, and not
// at all if that of one category differs from all others.
func TestSmoothingRough(t *testing.T) {
	const n = 12
	f := ordered(t, features(t, convex.OneHot, n), n)
	s := matrix(t, f, 1)
	line, spike := make([]float64, 1+n), make([]float64, 1+n)
	for c := range n {
		line[1+c] = float64(100 * c)
	}
	spike[5] = 1000
	for i, got := range convex.Smoothed(f, line, 1) {
		want := 0.0
		for k := range n {
			want += s[1+k][i] * float64(100*k)
		}
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("estimate %d for a line is %v, not %v", i, got, want)
		}
	}
	if got := convex.Smoothed(f, spike, 1); !slices.Equal(got, spike) {
		t.Errorf("the estimate for a spike is %v", got)
	}
}

// Attributes without an order, with few categories or in other encodings are learnt as without smoothing, from the same
// coins.
func TestSmoothingElsewhere(t *testing.T) {
	d := examples{{X: []uint16{1, 3}, Count: 9}, {X: []uint16{0, 8}, Label: true, Count: 11}}
	for _, c := range []struct {
		e       convex.Encoding
		sizes   []int
		ordered []int
		changed bool
	}{
		{convex.OneHot, []int{2, 12}, []int{2, 12}, true},
		{convex.OneHot, []int{2, 12}, []int{2, 6}, true},
		{convex.OneHot, []int{2, 12}, []int{2, 5}, false},
		{convex.OneHot, []int{2, 12}, []int{2, 0}, false},
		{convex.Reference, []int{2, 12}, []int{2, 12}, false},
		{convex.Binary, []int{2, 12}, []int{2, 12}, false},
	} {
		f := features(t, c.e, c.sizes...)
		without := released(t, dpsgd(t, f, descent(t)), d, noise.Insecure(1))
		with := released(t, dpsgd(t, ordered(t, f, c.ordered...), descent(t)), d, noise.Insecure(1))
		if slices.Equal(without, with) == c.changed {
			t.Errorf("%v with %v ordered categories: weights %v, without order %v", c.e, c.ordered, with, without)
		}
	}
}

// With the same seed of the noise, the mean squared error of an effect that increases along 64 categories is at most a
// third with smoothing. If the effect alternates between categories and is clearly above the noise, the error is
// hardly greater.
func TestSmoothingErrors(t *testing.T) {
	const n = 64
	increasing := func(c int) float64 { return 4*float64(c)/(n-1) - 2 }
	alternating := func(c int) float64 { return 2 - 4*float64(c%2) }
	for _, e := range []struct {
		name   string
		effect func(c int) float64
		rows   int64 // of each category
		most   float64
	}{{"increasing", increasing, 60, 1. / 3}, {"alternating", alternating, 600, 1.1}} {
		var d examples
		for c := range n {
			yes := int64(math.Round(float64(e.rows) * convex.Sigmoid(e.effect(c))))
			d = append(d, learn.Example[[]uint16]{X: []uint16{uint16(c)}, Count: e.rows - yes}, learn.Example[[]uint16]{X: []uint16{uint16(c)}, Label: true, Count: yes})
		}
		o := convex.Descent{Share: decimal(t, "1"), Steps: 200, Clip: decimal(t, "1.42"), Rate: 4, Batch: float64(e.rows * n)}
		loss := func(f *convex.Features, seed uint64) float64 {
			w := released(t, dpsgd(t, f, o), d, noise.Insecure(seed))
			sum := 0.0
			for c := range n {
				sum += math.Pow(w[0]+w[1+c]-e.effect(c), 2) / n
			}
			return sum
		}
		f := features(t, convex.OneHot, n)
		for seed := range uint64(3) {
			if without, with := loss(f, seed), loss(ordered(t, f, n), seed); with > e.most*without {
				t.Errorf("%s, seed %d: mean squared error %v with smoothing, %v without", e.name, seed, with, without)
			}
		}
	}
}

// huge are coins whose noise is far outside the range of weights, with alternating signs of pairs of columns.
type huge struct {
	noise.Coins
	drawn int
}

func (c *huge) Draw(noise.Sampler) *big.Int {
	c.drawn++
	v := new(big.Int).Lsh(big.NewInt(1), 200)
	if c.drawn%4 < 2 {
		v.Neg(v)
	}
	return v
}

// Weights are bounded, for any noise.
func TestSmoothingBounded(t *testing.T) {
	o := descent(t)
	o.Share = decimal(t, "1")
	for j, w := range released(t, dpsgd(t, ordered(t, features(t, convex.OneHot, 40), 40), o), nil, &huge{}) {
		if !(math.Abs(w) <= 1<<20) {
			t.Errorf("weight %d is %v", j, w)
		}
	}
}

func TestOrderRefused(t *testing.T) {
	f := features(t, convex.OneHot, 2, 12)
	for _, ordered := range [][]int{nil, {2}, {2, 12, 0}, {2, 13}, {-1, 12}} {
		t.Run(fmt.Sprint(ordered), func(t *testing.T) {
			if _, err := f.Ordered(ordered); err == nil {
				t.Error("the order is accepted")
			}
		})
	}
}
