package loglinear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth/copula"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// series returns rows of a normal vector in which adjacent columns have the given correlation. The numbers of each column
// are divided into intervals with equal numbers of rows, as many as the column has values.
func series(sizes []int, n int, correlation float64, random *rand.Rand) world {
	w := world{sizes: sizes, rows: make([][]uint16, len(sizes))}
	for range n {
		x := random.NormFloat64()
		for c, k := range sizes {
			if c > 0 {
				x = correlation*x + math.Sqrt(1-correlation*correlation)*random.NormFloat64()
			}
			below := math.Erfc(-x/math.Sqrt2) / 2
			w.rows[c] = append(w.rows[c], uint16(min(int(below*float64(k)), k-1)))
		}
	}
	return w
}

// correlationOf returns the correlation of the codes of two columns.
func correlationOf(a, b []uint16) float64 {
	var x, y, xx, yy, xy float64
	n := float64(len(a))
	for i := range a {
		u, v := float64(a[i]), float64(b[i])
		x, y, xx, yy, xy = x+u, y+v, xx+u*u, yy+v*v, xy+u*v
	}
	return (xy/n - x/n*y/n) / math.Sqrt((xx/n-x/n*x/n)*(yy/n-y/n*y/n))
}

// Strong correlations stay strong if both columns have orders, in spite of noise in empty cells. Without orders they
// become weaker.
func TestCorrelationsStayStrong(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 1))
	w := series([]int{10, 10, 10, 10, 10, 10}, 20_000, .9, random)
	p := w.problem(20_000, 100, random)
	loss := func(p Problem) (sum float64) {
		_, rows := fitted(t, p, Options{Seed: 1, Threads: 2}, 20_000)
		for b := range w.sizes {
			for a := range b {
				sum += (correlationOf(w.rows[a], w.rows[b]) - correlationOf(rows[a], rows[b])) / 15
			}
		}
		return sum
	}
	without := loss(p)
	p.Ordered = w.sizes
	with := loss(p)
	t.Logf("correlations decrease by %.3f without orders, by %.3f with orders", without, with)
	if without < .05 || math.Abs(with) > .5*without {
		t.Errorf("correlations decrease by %.3f without orders, and by %.3f with orders", without, with)
	}
}

// tilt gives a table the contrasts of the residuals, and keeps its totals and its empty cells.
func TestTilt(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 2))
	for _, size := range [][2]int{{8, 8}, {5, 9}, {9, 5}} {
		w := series(size[:], 10_000, .95, random)
		exact := w.measure(axesOf(w.sizes, 0, 1), 0, random).Counts
		p := pairTable{a: make([]float64, size[0]), b: make([]float64, size[1]), noise: 100}
		for k, n := range exact {
			p.a[k/size[1]] += n
			p.b[k%size[1]] += n
		}
		p.expected = outer(p.a, p.b, 10_000)
		residuals := minus(exact, p.expected)
		weak := make([]float64, len(exact)) // the mean of the exact table and of independence
		for k, n := range exact {
			weak[k] = (n + p.expected[k]) / 2
		}
		weak[size[1]-1] = 0
		rake(weak, p.a, p.b, rakes)
		p.tilt(weak, residuals)
		ofRows, ofColumns := make([]float64, size[0]), make([]float64, size[1])
		for k, n := range weak {
			if n < 0 || k == size[1]-1 && n > 0 {
				t.Fatalf("%v: cell %d has the count %v", size, k, n)
			}
			ofRows[k/size[1]] += n
			ofColumns[k%size[1]] += n
		}
		for _, totals := range [][2][]float64{{ofRows, p.a}, {ofColumns, p.b}} {
			for k, n := range totals[0] {
				if math.Abs(n-totals[1][k]) > 1 {
					t.Errorf("%v: the total of line %d is %v instead of %v", size, k, n, totals[1][k])
				}
			}
		}
		u, s, v := singular(residuals, size[0], size[1])
		leading := 0
		for q := range s {
			if s[q] > s[leading] {
				leading = q
			}
		}
		contrast := 0.0
		for k, n := range weak {
			contrast += (n - p.expected[k]) * u[leading][k/size[1]] * v[leading][k%size[1]]
		}
		if contrast < .93*s[leading] || contrast > 1.01*s[leading] {
			t.Errorf("%v: the leading contrast is %v, want nearly %v", size, contrast, s[leading])
		}
	}
}

// A table is tilted only along singular vectors whose singular value is significant.
func TestTiltIgnoresNoise(t *testing.T) {
	if x := leastTilted(5, 10, 16); x != .5*4*(2+3) {
		t.Errorf("the least significant singular value is %v", x)
	}
	// The residuals of this table have the singular values 2·30 and 2·10.
	p := pairTable{a: []float64{100, 100, 100, 100}, b: []float64{100, 100, 100, 100}}
	p.expected = outer(p.a, p.b, 400)
	u, v := []float64{1, 1, -1, -1}, []float64{1, -1, 1, -1}
	contrast := func(table, x []float64) (sum float64) {
		for k, n := range table {
			sum += n * x[k/4] * x[k%4] / 4
		}
		return sum
	}
	residuals, table := make([]float64, 16), slices.Clone(p.expected)
	for k := range residuals {
		residuals[k] = 15*u[k/4]*u[k%4] + 5*v[k/4]*v[k%4]
	}
	for _, c := range []struct{ noise, first, second float64 }{{0, 60, 20}, {300, 60, 0}, {1300, 0, 0}} {
		p.noise = c.noise
		x := slices.Clone(table)
		p.tilt(x, residuals)
		if a, b := contrast(x, u), contrast(x, v); math.Abs(a-c.first) > .5 || math.Abs(b-c.second) > .5 {
			t.Errorf("noise of variance %v: the contrasts are %.2f and %.2f, want %v and %v", c.noise, a, b, c.first, c.second)
		}
	}
}

// Pairs are measured over cells of four values. Without orders, values are independent given their cells. With orders,
// they depend on each other nearly as in the table.
func TestDependenceWithinCells(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 3))
	const k, cells = 24, 6
	w := series([]int{k, k, k}, 60_000, .95, random)
	p := Problem{Sizes: w.sizes, Total: 60_000}
	var axes []table.Axis
	for c := range w.sizes {
		p.Marginals = append(p.Marginals, w.measure(axesOf(w.sizes, c), 1, random))
		a := table.Axis{Column: c, Size: cells}
		for v := range k {
			a.Cells = append(a.Cells, uint16(v*cells/k))
		}
		axes = append(axes, a)
	}
	for b := range axes {
		for a := range b {
			p.Marginals = append(p.Marginals, w.measure([]table.Axis{axes[a], axes[b]}, 1, random))
		}
	}
	_, without := fitted(t, p, Options{Seed: 1, Threads: 2}, 60_000)
	p.Ordered = w.sizes
	_, with := fitted(t, p, Options{Seed: 1, Threads: 2}, 60_000)
	for b := range w.sizes {
		for a := range b {
			before, after := w.distance(without, axesOf(w.sizes, a, b)), w.distance(with, axesOf(w.sizes, a, b))
			t.Logf("columns %d and %d: distances of %.3f without orders, and %.3f with orders", a, b, before, after)
			if before < .2 || after > .6*before {
				t.Errorf("columns %d and %d: distances of %.3f without orders, and %.3f with orders", a, b, before, after)
			}
		}
	}
}

// The correlation of a normal copula follows from counts over cells with equal numbers of rows.
func TestCorrelationOfCells(t *testing.T) {
	for _, c := range []struct {
		cells           int
		exact, estimate float64 // the estimate does not contain the sampling error of the test, about .001
	}{{4, .3, .3}, {4, -.8, -.807}, {4, .85, .851}, {8, .6, .604}, {8, -.85, -.85}, {8, .97, .9}, {8, 0, 0}} {
		sizes := []int{c.cells, c.cells}
		w := series(sizes, 400_000, c.exact, rand.New(rand.NewPCG(41, 5)))
		m := w.measure(axesOf(sizes, 0, 1), 0, rand.New(rand.NewPCG(0, 0)))
		counts := slices.Repeat([]float64{400_000 / float64(c.cells)}, c.cells)
		f := &Fit{sizes: sizes, total: 400_000, ones: []*factor{{target: counts}, {target: counts}}}
		scores := copula.NewNormal().Scores(counts, c.cells)
		means := f.meanScores(m.Axes[0], scores)
		rho, variance := scoredPair{factor: &factor{axes: m.Axes, target: m.Counts, variance: 10_000}, means: [2][]float64{means, means}}.correlation(f.total)
		if math.Abs(rho-c.estimate) > .004 {
			t.Errorf("%d cells, correlation %v: the estimate is %.4f, not %v", c.cells, c.exact, rho, c.estimate)
		}
		// The covariance is a sum over the cells of count·x·y/total, and the noise of a count has the standard deviation 100.
		squares, mean := 0.0, 0.0
		for _, x := range scores {
			mean += x * x / float64(c.cells)
			for _, y := range scores {
				squares += x * x * y * y
			}
		}
		if want := 10_000 * squares / (400_000 * 400_000) / (mean * mean * mean * mean); math.Abs(variance/want-1) > .02 {
			t.Errorf("%d cells: the estimate has the variance %v, not %v", c.cells, variance, want)
		}
	}
}

// A table for sampling one column has the fixed interactions of the two values, in lines whose maximum is 1.
func TestMultiplyWithin(t *testing.T) {
	f := &Fit{sizes: []int{2, 3}}
	g := &factor{axes: axesOf(f.sizes, 0, 1), within: []float32{1, 2, 4, 8, 16, 64}}
	for drawn, want := range [][]float32{
		{.25, 1, 0, .25, 1, 0, .125, 1, 0}, // 1·2 and 8·1, 2·2 and 16·1, 4·2 and 64·1
		{.25, .5, 1, 0, .25, .5, 1, 0},     // 1, 2·1, 4·1 and 8·2, 16·2, 64·1
	} {
		table := [][]float32{{2, 1, 0, 2, 1, 0, 2, 1, 0}, {1, 1, 1, 0, 2, 2, 1, 0}}[drawn]
		f.multiplyWithin(g, drawn, table, f.sizes[drawn]+1)
		if !slices.Equal(table, want) {
			t.Errorf("the table for sampling column %d is %v, not %v", drawn, table, want)
		}
	}
	plain := []float32{2, 1}
	if f.multiplyWithin(&factor{}, 0, plain, 2); !slices.Equal(plain, []float32{2, 1}) {
		t.Errorf("without interactions, the table is %v", plain)
	}
}

// Columns without an order, or with fewer than two ordered values, have no interactions within cells. Noise in the tables
// of pairs makes the interactions of the others weaker.
func TestOrdersOfSomeColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 6))
	w := series([]int{9, 9, 9, 9}, 20_000, .7, random)
	fit := func(ordered []int, variance float64) *Fit {
		p := Problem{Sizes: w.sizes, Total: 20_000, Ordered: ordered}
		for c := range w.sizes {
			p.Marginals = append(p.Marginals, w.measure(axesOf(w.sizes, c), 1, random))
			for b := range c {
				m := w.measure([]table.Axis{{Column: b, Cells: []uint16{0, 0, 0, 1, 1, 1, 2, 2, 2}, Size: 3}, {Column: c, Cells: []uint16{0, 0, 0, 1, 1, 1, 2, 2, 2}, Size: 3}}, 1, random)
				m.Variance = variance
				p.Marginals = append(p.Marginals, m)
			}
		}
		f, err := New(p, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	some := fit([]int{0, 9, 1, 9}, 1)
	for _, g := range some.pairs {
		if a, b := g.axes[0].Column, g.axes[1].Column; (g.within != nil) != (a == 1 && b == 3) {
			t.Errorf("columns %d and %d: interactions %v", a, b, g.within)
		}
	}
	strength := func(f *Fit) float64 { return float64(f.pairs[len(f.pairs)-1].within[0]) }
	if exact, noisy := strength(fit(w.sizes, 1)), strength(fit(w.sizes, 4e4)); noisy < 1.01 || noisy > exact-.02 {
		t.Errorf("an interaction of %v without noise, and of %v with noise", exact, noisy)
	}
}

// Values without an order, such as missing numbers, have no interactions within cells.
func TestMissingNumbersHaveNoOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 4))
	w := series([]int{9, 9}, 10_000, .8, random)
	for i := range w.rows[1] {
		if random.IntN(5) == 0 {
			w.rows[1][i] = 8
		}
	}
	a := table.Axis{Column: 0, Cells: []uint16{0, 0, 0, 1, 1, 1, 2, 2, 2}, Size: 3}
	b := table.Axis{Column: 1, Cells: []uint16{0, 0, 0, 1, 1, 1, 2, 2, 3}, Size: 4}
	p := Problem{Sizes: w.sizes, Total: 10_000, Ordered: []int{9, 8}, Marginals: []Marginal{
		w.measure(axesOf(w.sizes, 0), 1, random), w.measure(axesOf(w.sizes, 1), 1, random), w.measure([]table.Axis{a, b}, 1, random)}}
	f, err := New(p, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	within := f.pairs[0].within
	if within == nil || within[0] == 1 {
		t.Fatal("the numbers have no interactions within cells")
	}
	for u := range 9 {
		if x := within[u*9+8]; x != 1 {
			t.Errorf("value %d and a missing number have the interaction %v", u, x)
		}
	}
}
