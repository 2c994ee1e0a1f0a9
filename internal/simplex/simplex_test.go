package simplex_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

// No other non-negative vector with the same sum is nearer.
func TestProjectIsNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		n := 1 + random.IntN(6)
		y := make([]float64, n)
		for i := range y {
			y[i] = 10 * random.NormFloat64()
		}
		total := 20 * random.Float64()
		x := simplex.Project(y, total)
		sum, near := 0.0, 0.0
		for i := range x {
			if x[i] < 0 {
				t.Fatalf("Project(%v, %v) = %v", y, total, x)
			}
			sum += x[i]
			near += (x[i] - y[i]) * (x[i] - y[i])
		}
		if math.Abs(sum-total) > 1e-9 {
			t.Fatalf("Project(%v, %v) = %v, whose sum is %v", y, total, x, sum)
		}
		for range 50 {
			w, all, far := make([]float64, n), 0.0, 0.0
			for i := range w {
				w[i] = x[i] * (1 + .2*(random.Float64()-.5))
				if random.IntN(3) == 0 {
					w[i] += random.Float64()
				}
				all += w[i]
			}
			for i := range w {
				d := w[i]*total/max(all, 1e-12) - y[i]
				far += d * d
			}
			if far < near-1e-9 && all > 0 {
				t.Fatalf("Project(%v, %v) = %v, but %v is nearer", y, total, x, w)
			}
		}
	}
	for _, v := range simplex.Project([]float64{3, -1}, -5) {
		if v != 0 {
			t.Errorf("rows of a negative total: %v", v)
		}
	}
}
