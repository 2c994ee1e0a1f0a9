package loglinear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth/copula"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The vectors of an axis are orthonormal and have the sum 0. The first k of them span the counts times polynomials up to
// degree k. The value without an order has no part in them.
func TestPolynomials(t *testing.T) {
	counts := []float64{100, 0, 300, 20, 150, 60, 90, 500}
	const ordered = 7
	x := copula.NewNormal().Scores(counts, ordered)
	a := table.Axis{Size: 6, Cells: []uint16{0, 1, 1, 2, 3, 4, 4, 5}}
	vectors := polynomials(a, counts, x, ordered)
	if len(vectors) != degree {
		t.Fatalf("there are %d polynomials", len(vectors))
	}
	for i, u := range vectors {
		sum := 0.0
		for _, y := range u {
			sum += y
		}
		if math.Abs(sum) > 1e-12 || u[5] != 0 {
			t.Errorf("polynomial %d has the sum %v and the value %v without an order", i+1, sum, u[5])
		}
		for j, v := range vectors {
			want := 0.0
			if i == j {
				want = 1
			}
			if p := dot(u, v); math.Abs(p-want) > 1e-12 {
				t.Errorf("the product of polynomials %d and %d is %v", i+1, j+1, p)
			}
		}
		// Any polynomial of this degree whose mean is 0 lies in the span.
		weighted, mean := make([]float64, len(counts)), 0.0
		for v := range ordered {
			weighted[v] = 1
			for k := range i + 1 {
				weighted[v] *= x[v] - float64(k)
			}
			mean += counts[v] * weighted[v] / 720
		}
		for v := range ordered {
			weighted[v] = counts[v] * (weighted[v] - mean)
		}
		of := sums(a, weighted)
		length := dot(of, of)
		for _, v := range vectors[:i+1] {
			plus(of, v, -dot(of, v))
		}
		if left := dot(of, of); left > 1e-20*length {
			t.Errorf("a polynomial of degree %d has the part %v outside the span", i+1, left/length)
		}
	}
}

// An axis with few cells has few polynomials, and one whose rows all have the same value has none.
func TestFewPolynomials(t *testing.T) {
	for _, c := range []struct {
		counts []float64
		want   int
	}{{[]float64{5, 9}, 1}, {[]float64{5, 9, 4}, 2}, {[]float64{0, 9, 0, 0}, 0}, {[]float64{0, 0, 0}, 0}, {[]float64{4, 0, 0, 7, 0}, 1}} {
		x := copula.NewNormal().Scores(c.counts, len(c.counts))
		if got := polynomials(table.Axis{Size: len(c.counts)}, c.counts, x, len(c.counts)); len(got) != c.want {
			t.Errorf("the counts %v have %d polynomials, not %d", c.counts, len(got), c.want)
		}
	}
}

// normalTable returns the residuals of a table of two normal variables with the correlation rho, divided into r and c
// intervals with equal numbers of rows. Both axes have polynomials.
func normalTable(r, c int, rho, rows float64) *residuals {
	n := copula.NewNormal()
	x := &residuals{values: make([]float64, r*c)}
	var at [2][]float64
	for i, size := range []int{r, c} {
		counts := make([]float64, size)
		for v := range counts {
			counts[v] = rows / float64(size)
		}
		a := table.Axis{Column: i, Size: size}
		at[i] = n.Scores(counts, size)
		x.axes = append(x.axes, a)
		x.polynomials[i] = polynomials(a, counts, at[i], size)
	}
	total := 0.0
	for k := range x.values {
		u, v := at[0][k/c], at[1][k%c]
		x.values[k] = math.Exp((rho*u*v - rho*rho*(u*u+v*v)/2) / (1 - rho*rho))
		total += x.values[k]
	}
	for k := range x.values {
		x.values[k] *= rows / total
	}
	centre(x.values, r, c)
	return x
}

// noisy returns values with noise of the variance of x, centred.
func (x *residuals) noisy(values []float64, random *rand.Rand) []float64 {
	of := make([]float64, len(values))
	for k, y := range values {
		of[k] = y + math.Sqrt(x.variance)*random.NormFloat64()
	}
	centre(of, x.axes[0].Size, x.axes[1].Size)
	return of
}

// Without noise, smooth returns residuals that are products of polynomials, and 0 for residuals orthogonal to them.
func TestSmoothIsAProjection(t *testing.T) {
	for _, both := range []bool{true, false} {
		x := normalTable(8, 6, .3, 10_000)
		u := x.polynomials[0][1]
		v := []float64{3, -1, -2, 4, -5, 1}
		if both {
			v = x.polynomials[1][0]
		} else {
			x.polynomials[1] = nil
		}
		x.variance = 1e-9
		product := outer(u, v, 1)
		if d := minus(x.smooth(product), product); dot(d, d) > 1e-12 {
			t.Errorf("both %v: a smooth table changes by %v", both, dot(d, d))
		}
		rough := outer([]float64{1, -3, 2, 2, -3, 1, 1, -1}, v, 1)
		for _, u := range x.polynomials[0] {
			for j := range v {
				s := 0.0
				for i := range u {
					s += u[i] * rough[i*len(v)+j]
				}
				for i := range u {
					rough[i*len(v)+j] -= s * u[i]
				}
			}
		}
		if s := x.smooth(rough); dot(s, s) > 1e-9 {
			t.Errorf("both %v: a table without a smooth part has the smooth part %v", both, dot(s, s))
		}
		turned := &residuals{axes: []table.Axis{x.axes[1], x.axes[0]}, variance: x.variance, polynomials: [2][][]float64{x.polynomials[1], x.polynomials[0]}}
		if d := minus(turned.smooth(transpose(product, 8, 6)), transpose(product, 8, 6)); dot(d, d) > 1e-12 {
			t.Errorf("both %v: the transposed table changes by %v", both, dot(d, d))
		}
	}
}

// A product of two polynomials has at most degree + 1. Products of higher degrees are not smooth.
func TestSmoothHasLowDegree(t *testing.T) {
	x := normalTable(8, 7, .3, 10_000)
	x.variance = 1e-9
	for i, u := range x.polynomials[0] {
		for j, v := range x.polynomials[1] {
			s := x.smooth(outer(u, v, 1))
			if low := i+j+2 <= degree+1; (dot(s, s) > .5) != low {
				t.Errorf("the product of degrees %d and %d has the smooth part %v", i+1, j+1, dot(s, s))
			}
		}
	}
}

// Without noise, the estimate of any residuals is exact.
func TestEstimateWithoutNoise(t *testing.T) {
	x := normalTable(8, 7, .8, 10_000)
	x.variance = 1e-9
	if estimate, _ := x.estimate(x.values); dot(minus(estimate, x.values), minus(estimate, x.values)) > 1e-6 {
		t.Errorf("the estimate differs by %v", minus(estimate, x.values))
	}
}

// The estimate of a weak smooth dependence has a far smaller error than shrunk singular values alone, also if only one
// column has an order. In pure noise, its error is small.
func TestEstimateOfSmoothDependence(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 3))
	for _, c := range []struct {
		rho  float64
		both bool
		most float64 // the error of the estimate, relative to that of singular values alone, or for rho = 0 to the noise
	}{{.2, true, .25}, {.2, false, .7}, {.5, true, .6}, {0, true, .1}, {0, false, .25}} {
		x := normalTable(10, 9, c.rho, 30_000)
		if x.variance = 100 * 100; !c.both {
			x.polynomials[1] = nil
		}
		off, alone, noise := 0.0, 0.0, 0.0
		for range 50 {
			y := x.noisy(x.values, random)
			estimate, rank := x.estimate(y)
			by, _ := shrink(y, 10, 9, x.variance)
			d, e, z := minus(estimate, x.values), minus(by, x.values), minus(y, x.values)
			off, alone, noise = off+dot(d, d), alone+dot(e, e), noise+dot(z, z)
			if c.rho > 0 && rank == 0 {
				t.Error("a smooth part does not count as a rank")
			}
		}
		if c.rho == 0 {
			alone = noise
		}
		if off > c.most*alone {
			t.Errorf("correlation %v, both ordered %v: the error is %.3f of the other", c.rho, c.both, off/alone)
		}
	}
}

// shrinkJointly uses smooth parts if the dependence of ordered columns is smooth. If their values are in an arbitrary
// order, it is about as accurate as without smooth parts. Smooth parts count in the ranks.
func TestSmoothOnlyIfItHelps(t *testing.T) {
	const columns, values, n = 8, 10, 10_000
	random := rand.New(rand.NewPCG(5, 8))
	standard := copula.NewNormal()
	for _, c := range []struct {
		name      string
		arbitrary bool
		every     int     // the distance of ordered columns
		most      float64 // the squared error, relative to that without smooth parts
	}{{"smooth", false, 1, .5}, {"smooth with categories", false, 2, .9}, {"arbitrary", true, 1, 1.06}, {"arbitrary with categories", true, 2, 1.06}} {
		sizes := slices.Repeat([]int{values}, columns)
		w := series(sizes, n, .5, random)
		if c.arbitrary {
			for _, codes := range w.rows {
				order := random.Perm(values)
				for i, v := range codes {
					codes[i] = uint16(order[v])
				}
			}
		}
		pairs, truth := restsOf(w, 60, random)
		counts := make([]float64, values)
		for v := range counts {
			counts[v] = n / values
		}
		off := func() (sum float64, ranks int) {
			got, err := shrinkJointly(t.Context(), 2, sizes, pairs, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			for p := range pairs {
				d := minus(got.values[p], truth[p])
				sum += dot(d, d)
				ranks += got.ranks[p]
			}
			return sum, ranks
		}
		without, ranks := off()
		for _, p := range pairs {
			for i, a := range p.axes {
				if a.Column%c.every == 0 {
					p.polynomials[i] = polynomials(a, counts, standard.Scores(counts, values), values)
				}
			}
		}
		with, more := off()
		if with > c.most*without {
			t.Errorf("%s: the squared error is %.3f of that without smooth parts", c.name, with/without)
		}
		if c.name == "smooth" && more <= ranks {
			t.Errorf("%s: the ranks sum to %d, and without smooth parts to %d", c.name, more, ranks)
		}
	}
}

// Correlations of ordered columns that are too weak to be significant singular values of a pair are fitted nevertheless.
func TestWeakCorrelationsAreFitted(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 2))
	w := series([]int{10, 10, 10, 10, 10, 10}, 20_000, .2, random)
	p := w.problem(20_000, 50, random)
	p.Ordered = w.sizes
	_, rows := fitted(t, p, Options{Seed: 1, Threads: 2}, 20_000)
	missing := 0.0
	for a := range 5 {
		missing += (correlationOf(w.rows[a], w.rows[a+1]) - correlationOf(rows[a], rows[a+1])) / 5
	}
	t.Logf("correlations decrease by %.3f", missing)
	if math.Abs(missing) > .068 {
		t.Errorf("correlations of .2 decrease by %.3f", missing)
	}
}
