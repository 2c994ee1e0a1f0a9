package convex

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/privacy"
)

func TestLogisticFixed(t *testing.T) {
	for _, z := range []float64{-4000, -100, -3.5, -0x1p-40, 0, 0x1p-40, 0.25, 7, 100, 4000} {
		const b = 44
		got, _ := new(big.Float).SetInt(logisticFixed(int64(z*weightGrid), b)).Float64()
		if want := sigmoid(z); math.Abs(got*0x1p-44-want) > 0x1p-44+0x1p-50 {
			t.Errorf("1/(1+e^%v) = %v, not %v", -z, got*0x1p-44, want)
		}
	}
}

func TestRoot(t *testing.T) {
	for _, r := range []int64{1, 2, 1000, mostBound - 1, mostBound} {
		if root(r*r) != r || root(r*r-1) != r-1 || root(r*r+2*r) != r {
			t.Errorf("root of %d²", r)
		}
	}
}

// random returns a problem on three columns.
func random(r *rand.Rand) perturbed {
	p := perturbed{bound: 1 + r.Int64N(4), slack: big.NewRat(1, 16)}
	for range r.IntN(8) {
		q := point{row: []int{0}, label: r.IntN(2) == 1, count: 1 + r.Int64N(1<<r.IntN(30))}
		for j := 1; j < 3; j++ {
			if r.IntN(2) == 1 {
				q.row = append(q.row, j)
			}
		}
		p.data = append(p.data, q)
	}
	for range 3 {
		p.term = append(p.term, big.NewInt(r.Int64N(1<<r.IntN(40))-r.Int64N(1<<r.IntN(40))))
	}
	return p
}

// What is certified is within the slack of every point of a grid of the box; what is
// not is found by Newton's steps, and by those of Frank and Wolfe alone.
func TestMinimizeCertifies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		p := random(r)
		u, err := p.minimize(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		at := func(u []int64) float64 {
			w := make([]float64, len(u))
			for j := range w {
				w[j] = float64(u[j]) / weightGrid
			}
			return p.value(w)
		}
		found, refused := at(u), 0
		side := p.bound * weightGrid
		for i := range int64(9 * 9 * 9) {
			v := []int64{-side + side/4*(i%9), -side + side/4*(i/9%9), -side + side/4*(i/81)}
			value := at(v)
			if tolerance := 1e-12 * (math.Abs(value) + 1); value < found-1.0/16-tolerance {
				t.Fatalf("%+v: %v at %v, %v at %v", p, found, u, value, v)
			} else if value > found+1.0/16+tolerance {
				refused++
				if p.certified(v) {
					t.Fatalf("%+v: %v is certified at %v, and %v at %v is less", p, v, value, u, found)
				}
			}
		}
		if refused == 0 && len(p.data) > 2 {
			t.Logf("%+v refuses nothing", p)
		}
	}
}

func TestFrankWolfeAlone(t *testing.T) {
	p := perturbed{
		data:  []point{{[]int{0}, true, 3}, {[]int{0, 1}, false, 2}, {[]int{0, 1}, true, 1}},
		bound: 2, slack: big.NewRat(1, 16),
		term: []*big.Int{big.NewInt(3), big.NewInt(-5)},
	}
	if !p.certified(p.round(p.frankWolfe([]float64{2, -2}, 1<<12))) {
		t.Error("not certified")
	}
}

// The expected difference of the minimisers of neighbours under the same random
// term, summed over all terms, is at most λ without its part for the deviation of the
// mean (docs/proofs/opsamp.md).
func TestOPSampStability(t *testing.T) {
	f, err := NewFeatures(OneHot, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		// So many calls that the deviation is nothing, and a slack that is little.
		m, err := NewOPSamp(f, Perturbation{Bound: 2, Calls: MostCalls, Rate: parse(t, "0.0625"), Slack: parse(t, "0.015625")},
			parse(t, "1"), parse(t, "0.999"), r)
		if err != nil {
			t.Fatal(err)
		}
		lambda, _ := m.Sensitivity().Float64()
		tables := [][2]int64{{0, 0}, {1, 0}, {0, 1}, {9, 9}, {10, 9}, {10, 8}, {0, 300}, {1, 299}, {1, 300}}
		sums := make([]float64, len(tables)*len(tables))
		rate, _ := m.term.X.Float64()
		const reach = 1200
		for k := range int64(reach) {
			mass := math.Exp(-rate*float64(k)) * -math.Expm1(-rate)
			var w []float64
			for _, counts := range tables {
				p := perturbed{
					data:  []point{{[]int{0}, false, counts[0]}, {[]int{0}, true, counts[1]}},
					bound: 2, slack: m.slack, term: []*big.Int{big.NewInt(k - m.centre)},
				}
				u, err := p.minimize(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				w = append(w, float64(u[0])/weightGrid)
			}
			for i := range tables {
				for j := range tables {
					sums[i*len(tables)+j] += mass * math.Abs(w[i]-w[j])
				}
			}
		}
		rest := math.Exp(-rate*reach) * 4
		worst := 0.0
		for i, a := range tables {
			for j, b := range tables {
				more, fewer := max(a[0]-b[0], 0)+max(a[1]-b[1], 0), max(b[0]-a[0], 0)+max(b[1]-a[1], 0)
				if r == privacy.AddRemove && more+fewer == 1 || r == privacy.ReplaceOne && more == 1 && fewer == 1 {
					worst = max(worst, sums[i*len(tables)+j])
				}
			}
		}
		t.Logf("%v: %.4f of λ = %.4f", r, worst, lambda)
		if worst == 0 || worst+rest > lambda {
			t.Errorf("%v: expected difference %v, λ = %v", r, worst+rest, lambda)
		}
	}
}

func parse(t *testing.T, s string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
