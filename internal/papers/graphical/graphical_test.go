package graphical

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

// all returns the columns 0..n-1.
func all(n int) (columns []int) {
	for c := range n {
		columns = append(columns, c)
	}
	return columns
}

// joint computes the distribution over all rows that the parameters of a model define.
func joint(m *Model) array {
	p := m.domain.filled(all(len(m.domain)), 1)
	for _, f := range m.factors {
		e := m.domain.filled(f.columns, 1)
		for i, t := range f.theta {
			e.values[i] = math.Exp(t)
		}
		m.domain.times(p, e)
	}
	normalize(p.values)
	return p
}

// exact returns the exact marginals of n rows with a random distribution. Their stated variances are 1.
func exact(d domain, marginals [][]int, n float64, random *rand.Rand) (of []Measurement) {
	p := d.filled(all(len(d)), 0)
	for i := range p.values {
		p.values[i] = math.Pow(random.Float64(), 6)
	}
	normalize(p.values)
	for _, columns := range marginals {
		m := Measurement{Columns: columns, Counts: d.ordered(d.marginal(p, columns), columns)}
		for i := range m.Counts {
			m.Counts[i] *= n
			m.Variances = append(m.Variances, 1)
		}
		of = append(of, m)
	}
	return of
}

// randomProblem returns a random domain, and random marginals of up to three columns.
func randomProblem(random *rand.Rand) (d domain, marginals [][]int) {
	for range 1 + random.IntN(7) {
		d = append(d, 1+random.IntN(4))
	}
	for range random.IntN(8) {
		columns := random.Perm(len(d))[:min(len(d), 1+random.IntN(3))]
		marginals = append(marginals, columns)
	}
	return d, marginals
}

// The marginals of a fitted model equal the measured ones, and equal those of the distribution that its parameters
// define. This holds for random domains and marginals.
func TestFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const n = 1000
	for range 60 {
		d, marginals := randomProblem(random)
		of := exact(d, marginals, n, random)
		m, err := Fit(t.Context(), d, of, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range of {
			for i, p := range m.Marginal(x.Columns) {
				if math.Abs(p*n-x.Counts[i]) > 1 || math.Abs(m.Total()-n) > 1e-6 {
					t.Fatalf("%v, %v: the count of cell %d of %v is %v of %v; want %v", d, marginals, i, x.Columns, p*n, m.Total(), x.Counts[i])
				}
			}
		}
		p := joint(m)
		for range 10 {
			columns := random.Perm(len(d))[:1+random.IntN(len(d))]
			want := d.ordered(d.marginal(p, columns), columns)
			for i, got := range m.Marginal(columns) {
				if math.Abs(got-want[i]) > 1e-9 {
					t.Fatalf("%v, %v: cell %d of %v has the probability %v; want %v", d, marginals, i, columns, got, want[i])
				}
			}
		}
	}
}

// Cliques contain all marginals, and the columns that two cliques share belong to all cliques between them.
func TestTree(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		d, marginals := randomProblem(random)
		g := newTree(d, marginals)
		cells := 0
		for k, clique := range g.cliques {
			cells += d.cells(clique)
			if k == 0 != (g.parent[k] < 0) || g.parent[k] >= k {
				t.Fatal(g.parent)
			}
		}
		if float64(cells) != Cells(d, marginals) {
			t.Fatal(cells, Cells(d, marginals))
		}
		for _, m := range append(marginals, all(len(d))[:1]) {
			if g.holding(m) < 0 {
				t.Fatalf("no clique of %v contains %v", g.cliques, m)
			}
		}
		for c := range d {
			tops := 0 // the cliques with c form a tree: one of them has no parent with c
			for k := range g.cliques {
				if slices.Contains(g.cliques[k], c) && !slices.Contains(g.shared[k], c) {
					tops++
				}
			}
			if tops != 1 {
				t.Fatalf("%v, %v: column %d", d, g, c)
			}
		}
	}
}

// A cycle of four columns gets the chord for which the two cliques have the fewest cells.
func TestCells(t *testing.T) {
	cycle := [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}
	if got := Cells([]int{10, 2, 10, 3}, cycle); got != 10*2*3*2 {
		t.Errorf("%v cells; want 120", got)
	}
	if got := Cells([]int{10, 2, 10, 3}, nil); got != 25 {
		t.Errorf("%v cells; want 25", got)
	}
}

// The rows of a model have its marginals within cliques, up to rounding, and its conditional independences.
func TestRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	d := domain{3, 4, 2, 5}
	m, err := Fit(t.Context(), d, exact(d, [][]int{{0, 1}, {1, 2}, {3}}, 1000, random), nil, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	const n = 40_000
	rows := m.Rows(n, random)
	for _, columns := range [][]int{{0, 1}, {2, 1}, {3}, {0, 2, 3}} {
		counts := make([]float64, d.cells(columns))
		for _, r := range rows {
			at := 0
			for _, c := range columns {
				at = at*d[c] + int(r[c])
			}
			counts[at]++
		}
		most := 10.
		if len(columns) == 3 {
			most = 6 * math.Sqrt(n/4)
		}
		for i, p := range m.Marginal(columns) {
			if math.Abs(counts[i]-n*p) > most {
				t.Errorf("%v: %v rows in cell %d; want %v", columns, counts[i], i, n*p)
			}
		}
	}
	if rows := m.Rows(0, random); len(rows) != 0 {
		t.Error(rows)
	}
}

// Counts of repeated measurements are weighted by the inverses of their variances. A negative count is fitted by 0.
func TestMeasurements(t *testing.T) {
	of := []Measurement{
		{[]int{0}, []float64{100, 110, -10}, []float64{1, 1, 1}},
		{[]int{0}, []float64{200, 210, 60}, []float64{4, 4, 4}},
	}
	m, err := Fit(t.Context(), []int{3}, of, nil, 0)
	if err != nil || math.Abs(m.Total()-(200*4+470)/5.) > 1e-9 {
		t.Fatal(m.Total(), err)
	}
	for i, want := range []float64{120, 130, 4} {
		if got := m.Marginal([]int{0})[i] * m.Total(); math.Abs(got-want) > 0.1 {
			t.Errorf("cell %d has %v rows; want %v", i, got, want)
		}
	}
	m, err = Fit(t.Context(), []int{2}, []Measurement{{[]int{0}, []float64{100, -30}, []float64{1, 1}}}, nil, 0)
	if p := m.Marginal([]int{0}); err != nil || !(p[1] < 0.01) {
		t.Error(p, err)
	}
	m, err = Fit(t.Context(), []int{2}, []Measurement{{[]int{0}, []float64{-5, -30}, []float64{1, 1}}}, nil, 0)
	if err != nil || m.Total() != 1 {
		t.Error(m.Total(), err)
	}
}

// Negative counts do not make parameters or beliefs infinite in a long fit, although no model can fit them.
func TestNegativeCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	d := domain{6, 6, 6}
	of := exact(d, [][]int{{0, 1}, {1, 2}, {0, 2}}, 100, random)
	for _, m := range of {
		for i := range m.Counts {
			m.Counts[i] += 20 * random.NormFloat64()
		}
	}
	m, err := Fit(t.Context(), d, of, nil, math.Inf(-1))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.factors {
		if slices.Min(f.theta) < least || !(slices.Max(f.theta) < 100) {
			t.Errorf("the parameters of %v are in [%v, %v]", f.columns, slices.Min(f.theta), slices.Max(f.theta))
		}
	}
	sum := 0.0
	for _, p := range m.Marginal([]int{0, 1, 2}) {
		sum += p
	}
	if !(math.Abs(sum-1) < 1e-9) {
		t.Errorf("probabilities sum to %v", sum)
	}
}

// A fit starts with parameters 0 if the parameters of the earlier model give every row the weight 0.
func TestFitStartsAnew(t *testing.T) {
	d := domain{2, 2}
	of := []Measurement{
		{[]int{0, 1}, []float64{10, 20, 30, 40}, []float64{1, 1, 1, 1}},
		{[]int{0}, []float64{30, 70}, []float64{1, 1}},
	}
	m, err := Fit(t.Context(), d, of, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.factors[0].theta, m.factors[1].theta = []float64{0, 0, -2000, -2000}, []float64{-2000, 0}
	if m, err = Fit(t.Context(), d, of, m, 0); err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Marginal([]int{0, 1}) {
		if !(math.Abs(100*p-of[0].Counts[i]) < 0.1) {
			t.Errorf("cell %d has %v rows; want %v", i, 100*p, of[0].Counts[i])
		}
	}
}

// A fit continues from an earlier model, and ends with the context.
func TestFitContinues(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	d := domain{3, 4, 2}
	of := exact(d, [][]int{{0}, {0, 1}, {1, 2}}, 1000, random)
	m, err := Fit(t.Context(), d, of, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	distance := func(from *Model) (sum float64) {
		again, err := Fit(t.Context(), d, of, from, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range again.Marginal([]int{0, 1}) {
			sum += math.Abs(p*1000 - of[1].Counts[i])
		}
		return sum
	}
	if cold, warm := distance(nil), distance(m); warm > cold/10 {
		t.Errorf("a few iterations reduce the error to %v, and from an earlier model to %v", cold, warm)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Fit(ended, d, of, nil, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
