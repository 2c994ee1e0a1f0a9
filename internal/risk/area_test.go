package risk

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// countsOf returns counts with one total per pair of cells, exact if epsilon is empty.
func countsOf(t testing.TB, epsilon string, cells ...int64) *Counts {
	t.Helper()
	points := make([]int, len(cells)/2)
	for i := range points {
		points[i] = i
	}
	scale := Totals(0, [][]int{points}, 1)
	if epsilon == "" {
		c, err := Exact(scale, append(cells, 0))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	e := privacytest.Decimal(t, epsilon)
	var noisy []*big.Int
	for _, n := range append(cells, 0) {
		noisy = append(noisy, big.NewInt(n))
	}
	c, err := Noisy(scale, noisy, e, privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// statistic computes T(a) and its variance term by term, by section 4 of the proof.
func statistic(x, y []float64, a, noise float64, sampling bool) (t, variance float64) {
	order := func(i, j int) float64 {
		switch {
		case i > j:
			return 1 - a
		case i == j:
			return 0.5 - a
		}
		return -a
	}
	for i := range x {
		c, d := 0., 0.
		for j := range x {
			c += y[j] * order(i, j)
			d += x[j] * order(j, i)
		}
		t += x[i] * c
		variance += noise * (c*c + d*d)
		if sampling {
			variance += max(x[i], 0)*c*c + max(y[i], 0)*d*d
		}
	}
	return t, variance
}

// At the ends of the interval T is exactly strays standard deviations from 0, and inside it less.
func TestAreaVariance(t *testing.T) {
	for _, c := range []struct {
		epsilon string
		cells   []int64
	}{
		{"0.5", []int64{30, 1000, 200, 500, 400, 100}},
		{"1", []int64{-3, 500, 20, 300, 10, 200, 90, 30, 40, -2}},
		{"", []int64{3, 40, 20, 50, 40, 10, 7, 0}},
		{"2", []int64{30, 1000, 200, 500}},
	} {
		k := countsOf(t, c.epsilon, c.cells...)
		noise := 0.
		if c.epsilon != "" {
			q := math.Exp(-1 / k.noiseScale())
			noise = 2 * q / (1 - q) / (1 - q)
		}
		var x, y []float64
		for i := range k.Cells[1] {
			x, y = append(x, float64(c.cells[2*i])), append(y, float64(c.cells[2*i+1]))
		}
		for _, sampling := range []bool{false, true} {
			if noise == 0 && !sampling {
				continue
			}
			s := k.estimate().area(sampling, 0)
			for _, end := range []float64{s.Least, s.Most} {
				if end == 0 || end == 1 {
					t.Errorf("%v: no end to try in %s", c.cells, text(s))
				}
				at, variance := statistic(x, y, end, noise, sampling)
				if deviations := math.Abs(at) / math.Sqrt(variance); math.Abs(deviations-strays(0)) > 1e-3 {
					t.Errorf("%v, sampling %v: %.6f is %.4f deviations from %.4f, want %.4f", c.cells, sampling, end, deviations, *s.Value, strays(0))
				}
			}
			if at, variance := statistic(x, y, *s.Value, noise, sampling); math.Abs(at) > 1e-6*math.Sqrt(variance) {
				t.Errorf("%v: T is %g at the estimate", c.cells, at)
			}
		}
	}
}

// The variance used is at least that of T on average, and not much larger if counts are large
// relative to the noise.
func TestAreaVarianceIsThatOfT(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const noise, draws = 9., 20000
	p, n := []float64{10, 60, 200}, []float64{500, 200, 40}
	area := 0.
	for i := range p {
		for j := range n {
			switch {
			case i > j:
				area += p[i] * n[j]
			case i == j:
				area += p[i] * n[j] / 2
			}
		}
	}
	area /= 270 * 740
	mean, square, used := 0., 0., 0.
	for range draws {
		x, y := make([]float64, 3), make([]float64, 3)
		for i := range x {
			x[i], y[i] = p[i]+3*r.NormFloat64(), n[i]+3*r.NormFloat64()
		}
		at, variance := statistic(x, y, area, noise, false)
		mean, square, used = mean+at/draws, square+at*at/draws, used+variance/draws
	}
	if ratio := used / (square - mean*mean); ratio < 0.95 || ratio > 1.1 || mean*mean > 0.01*square {
		t.Errorf("the variance used is %.3f of that of T, whose mean is %.1f", ratio, mean)
	}
}

// The bounds divide the allowed failure probability: a part for each statement, for both sides, and
// for the number of rows.
func TestUnion(t *testing.T) {
	c := countsOf(t, "1", 30, 1000, 200, 500, 400, 100)
	statements := 6 + 2 + 2 + 4 // runs of three grades, sensitivities, specificities, errors
	for range 2 {
		for _, of := range []Target{Rows, Population} {
			ends := 3*statements + 2*7 // for shares, and for counts
			l := strayer{1, 1, of == Population, math.Log(float64(ends) / 0.04), 0}
			if got, want := c.Assess(of, nil).Prevalence, l.share(unadjusted(630, 3), unadjusted(1600, 3)); text(got) != text(want) {
				t.Errorf("%v: %s, want %s", of, text(got), text(want))
			}
		}
		rules, err := Rules([]bool{true, false, true})
		if err != nil {
			t.Fatal(err)
		}
		c.Scale = rules
		statements = 3 + 1 + 1 + 2 // risks, prevalence, accuracy, sensitivity and specificity
	}
}
