package loglinear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

func TestSVDMultipliesToTheMatrix(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		c := 1 + random.IntN(8)
		r := c + random.IntN(8)
		a := make([]float64, r*c)
		for k := range a {
			a[k] = random.NormFloat64()
		}
		if random.IntN(3) == 0 { // of rank one
			for k := range a {
				a[k] = float64(1+k/c) * float64(k%c)
			}
		}
		u, s, v := svd(a, r, c)
		for i := range r {
			for j := range c {
				sum := 0.0
				for q := range s {
					sum += u[q][i] * s[q] * v[q][j]
				}
				if math.Abs(sum-a[i*c+j]) > 1e-6*(1+math.Abs(a[i*c+j])) {
					t.Fatalf("%d × %d: entry %d,%d is %v, want %v", r, c, i, j, sum, a[i*c+j])
				}
			}
		}
		for p := range s {
			for q := range p {
				if d := dot(u[p], u[q]); s[p] > 1e-6 && s[q] > 1e-6 && math.Abs(d) > 1e-6 {
					t.Fatalf("columns %d and %d have the product %v", p, q, d)
				}
			}
		}
	}
}

// noisy returns noisy counts of two columns; the second copies the first with probability p, and is
// uniform otherwise.
func noisy(k int, rows, p, sigma float64, random *rand.Rand) []float64 {
	y := make([]float64, k*k)
	for i := range y {
		y[i] = (1 - p) * rows / float64(k*k)
		if i/k == i%k {
			y[i] += p * rows / float64(k)
		}
		y[i] += sigma * random.NormFloat64()
	}
	return y
}

// Pure noise is shrunk to 0. If columns are dependent, the shrunk table is much closer to the truth
// than the noisy one, and has the same row and column sums.
func TestShrink(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	const k, rows, sigma = 8, 10_000.0, 60.0
	even := make([]float64, k)
	for i := range even {
		even[i] = rows / k
	}
	for _, p := range []float64{0, .5} {
		truth := noisy(k, rows, p, 0, random)
		var raw, got float64
		for range 20 {
			y := noisy(k, rows, p, sigma, random)
			expected := outer(even, even, rows)
			noisy := minus(y, expected)
			centre(noisy, k, k)
			estimate, rank := shrink(noisy, k, k, sigma*sigma)
			table := filled(estimate, expected, even, even)
			if p > 0 && rank == 0 {
				t.Error("strong dependence was dropped")
			}
			for i := range y {
				raw += math.Abs(y[i] - truth[i])
				got += math.Abs(table[i] - truth[i])
			}
			for i := range k {
				sum := 0.0
				for j := range k {
					sum += table[i*k+j]
				}
				if math.Abs(sum-rows/k) > 1 {
					t.Fatalf("line %d has %v rows, want %v", i, sum, rows/k)
				}
			}
		}
		if limit := map[float64]float64{0: .2, .5: 1}[p]; !(got <= limit*raw) {
			t.Errorf("p = %v: %v off, of %v before", p, got, raw)
		}
	}
}

// The projection has no negative counts and at most the total of each row and column. No step
// within these constraints brings it closer.
func TestNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for range 50 {
		r, c := 2+random.IntN(5), 2+random.IntN(5)
		truth, y := make([]float64, r*c), make([]float64, r*c)
		a, b := make([]float64, r), make([]float64, c)
		for k := range truth {
			if random.IntN(2) == 0 {
				truth[k] = 1000 * random.Float64()
			}
			a[k/c] += truth[k]
			b[k%c] += truth[k]
			y[k] = truth[k] + 50*random.NormFloat64()
		}
		x := append([]float64(nil), y...)
		nearest(x, a, b)
		for k, n := range x {
			if n < 0 {
				t.Fatalf("a count of %v", n)
			}
			a[k/c] -= n
			b[k%c] -= n
		}
		for k, n := range x {
			if left := min(a[k/c], b[k%c]); left < -1 || left > 1 && n < y[k]-1 {
				t.Fatalf("a count is %v of %v, where lines have room for %v", n, y[k], left)
			}
		}
		for range 200 {
			i, j, k, l := random.IntN(r), random.IntN(c), random.IntN(r), random.IntN(c)
			from, to := [2]int{i*c + j, k*c + l}, [2]int{i*c + l, k*c + j}
			most := min(x[from[0]], x[from[1]], 20)
			if i == k || j == l || most < 5 {
				continue
			}
			slope := 0.0 // the derivative of the sum of squares
			for n := range 2 {
				slope += 2 * (x[to[n]] - y[to[n]] - x[from[n]] + y[from[n]])
			}
			if slope < -1 {
				t.Fatalf("a direction is downhill by %v a row", slope)
			}
		}
	}
}

// A single large cell is kept up to about the noise. In pure noise no cell is kept.
func TestGreatCellsAreKept(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	const r, c, sigma, spike = 13, 7, 200.0, 1900.0
	for _, least := range []float64{0, spike} {
		cut, kept, moved := 0.0, 0.0, 0
		for range 50 {
			x := &residuals{axes: []table.Axis{{Column: 0, Size: r}, {Column: 1, Size: c}}, values: make([]float64, r*c), variance: sigma * sigma}
			x.values[5] = least
			centre(x.values, r, c)
			truth := x.values[5]
			for k := range x.values {
				x.values[k] += sigma * random.NormFloat64()
			}
			centre(x.values, r, c)
			estimate, _ := shrink(x.values, r, c, x.variance)
			cut += (estimate[5] - truth) / 50
			if x.translate(estimate, .5) {
				moved++
			}
			if off := minus(estimate, centred(estimate, r, c)); dot(off, off) > 1e-9 {
				t.Fatal("lines have sums")
			}
			kept += (estimate[5] - truth) / 50
		}
		if least == 0 && moved > 2 {
			t.Errorf("of 50 tables of noise %d have significant cells", moved)
		}
		if least > 0 && (moved < 50 || cut > -1.5*sigma || kept < -sigma) {
			t.Errorf("a cell of %v is found %d times in 50, %v off before and %v after", least, moved, cut, kept)
		}
	}
}

func centred(x []float64, r, c int) []float64 {
	y := slices.Clone(x)
	centre(y, r, c)
	return y
}

// The bound on cells limits estimates that shrink them, and leaves better estimates unchanged.
func TestTranslation(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 1))
	const r, c, sigma, size = 9, 8, 50.0, 5.0
	axes := []table.Axis{{Column: 0, Size: r}, {Column: 1, Size: c}}
	var seen, nudged []*residuals
	var truths, halves, nudgedHalves [][]float64
	for range 20 {
		truth, y, y2 := make([]float64, r*c), make([]float64, r*c), make([]float64, r*c)
		for k := range truth {
			truth[k] = 1000 * random.NormFloat64()
		}
		centre(truth, r, c)
		ways := signs(r*c, random)
		centre(ways, r, c)
		noise := make([]float64, r*c)
		for k := range noise {
			noise[k] = sigma * random.NormFloat64()
		}
		centre(noise, r, c)
		for k := range truth {
			y[k] = truth[k] + noise[k]
			y2[k] = y[k] + size*ways[k]
		}
		seen, nudged = append(seen, &residuals{axes: axes, values: y, variance: sigma * sigma}), append(nudged, &residuals{axes: axes, values: y2, variance: sigma * sigma})
		truths = append(truths, truth)
		halves, nudgedHalves = append(halves, scaled(y, .5)), append(nudgedHalves, scaled(y2, .5))
	}
	if within := translation(seen, nudged, truths, truths, size); within < 2 {
		t.Errorf("the truth is limited to %v deviations", within)
	}
	if within := translation(seen, nudged, halves, nudgedHalves, size); within != .5 {
		t.Errorf("halves are limited to %v deviations", within)
	}
}
