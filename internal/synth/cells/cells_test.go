package cells

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

func noisy(counts []float64, sigma float64, random *rand.Rand) []float64 {
	y := slices.Clone(counts)
	for i := range y {
		y[i] += math.Round(sigma * random.NormFloat64())
	}
	return y
}

// Sums of fewer noisy counts have a larger weight.
func TestTotal(t *testing.T) {
	few := Histogram{Counts: []float64{60, 50}, Variance: 1}
	many := Histogram{Counts: slices.Repeat([]float64{10}, 20), Variance: 1}
	// 110 with the variance 2 and 200 with the variance 20.
	if got, want := Total([]Histogram{few, many}), (110./2+200./20)/(1./2+1./20); math.Abs(got-want) > 1e-6 {
		t.Errorf("Total = %v, want %v", got, want)
	}
	if got := Total([]Histogram{{Counts: []float64{-9}, Variance: 4}}); got != 0 {
		t.Errorf("of fewer rows than none: %v", got)
	}
	if got := Total(nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// Counts move towards their mean if noise explains a part of their squared deviations, and become
// equal if it explains all. The noise of values without rows is removed first.
func TestShrunk(t *testing.T) {
	for _, c := range []struct {
		counts   []float64
		variance float64
		want     []float64
	}{
		{[]float64{150, 100, 50}, 0, []float64{150, 100, 50}},         // squared deviations of 5000
		{[]float64{150, 100, 50}, 625, []float64{143.75, 100, 56.25}}, // a quarter is noise,
		{[]float64{150, 100, 50}, 2500, []float64{100, 100, 100}},
		{[]float64{150, 100, 50}, 9000, []float64{100, 100, 100}},
		{[]float64{200, 100, -40}, 5000, []float64{187.5, 100, 12.5}}, // projected to 200, 100, 0, two of which are noisy
		{[]float64{-7}, 4, []float64{300}},
	} {
		got := Histogram{Counts: c.counts, Variance: c.variance}.shrunk(300)
		for v, want := range c.want {
			if math.Abs(got[v]-want) > 1e-9 {
				t.Errorf("%v with variance %v: %v; want %v", c.counts, c.variance, got, c.want)
				break
			}
		}
	}
	// All counts are 0 if rounding errors exceed the total.
	if got := (Histogram{Counts: []float64{-1e16}, Variance: 2}).shrunk(1e-3); !(got[0] >= 0 && got[0] <= 1e-3) {
		t.Errorf("of a total below rounding errors: %v", got)
	}
}

// Ordered columns of many values are smoothed, and then shrunk by the noise that remains. Other columns are not smoothed.
func TestShrunkSmooths(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	distance := func(curve []float64, ordered bool, sigma float64) (sum float64) {
		total := 0.0
		for _, x := range curve {
			total += x
		}
		counts := Histogram{Counts: noisy(curve, sigma, random), Variance: sigma * sigma, Ordered: ordered}.shrunk(total)
		for v, x := range counts {
			sum += math.Abs(x - curve[v])
		}
		return sum / total
	}
	rising, equal := make([]float64, 64), make([]float64, 64)
	for v := range rising {
		rising[v], equal[v] = float64(20*v), 100
	}
	if smoothed, other := distance(rising, true, 100), distance(rising, false, 100); smoothed > .6*other {
		t.Errorf("errors of %v with smoothing and %v without", smoothed, other)
	}
	if d := distance(equal, true, 300); d > .6 {
		t.Errorf("equal counts have an error of %v", d)
	}
	if few, other := distance(rising[:manyValues-1], true, 0), distance(rising[:manyValues-1], false, 0); few != other {
		t.Errorf("errors of %v and %v for few values", few, other)
	}
}

// Estimates from all columns together are better than projections if many counts are small, and do not depend on the sum
// of a column. Ordered columns of many values and columns of few small counts are estimated by themselves.
func TestShrunkTogether(t *testing.T) {
	const sigma, total = 30., 1000.
	random := rand.New(rand.NewPCG(7, 7))
	together, alone := 0.0, 0.0
	of, exact := make([]Histogram, 12), make([]float64, 20)
	exact[3], exact[8], exact[9] = 700, 200, 100
	for j := range of {
		of[j] = Histogram{Counts: noisy(exact, sigma, random), Variance: sigma * sigma}
	}
	ordered := Histogram{Counts: noisy(make([]float64, manyValues), sigma, random), Variance: sigma * sigma, Ordered: true}
	shrunk := Shrunk(append(of, ordered), total)
	for j, h := range of {
		sum := 0.0
		for v, x := range simplex.Project(h.Counts, total) {
			y := shrunk[j].Estimates[v]
			alone += (x - exact[v]) * (x - exact[v])
			together += (y - exact[v]) * (y - exact[v])
			sum += y
		}
		if math.Abs(sum-total) > 1e-6 {
			t.Errorf("column %d has %v rows, want %v", j, sum, total)
		}
		if !slices.Equal(shrunk[j].Counts, h.Counts) {
			t.Errorf("the counts of column %d change", j)
		}
	}
	if together > .7*alone {
		t.Errorf("a sum of squares of %.0f, and of %.0f by projection", together, alone)
	}
	if last := shrunk[len(of)]; last.Estimates != nil || !slices.Equal(last.Counts, ordered.shrunk(total)) {
		t.Error("the counts of many ordered values are not smoothed")
	}
	more := slices.Clone(of)
	more[0].Counts = slices.Clone(of[0].Counts)
	for v := range more[0].Counts {
		more[0].Counts[v] += 100
	}
	for v, x := range Shrunk(more, total)[0].Estimates {
		if math.Abs(x-shrunk[0].Estimates[v]) > 1e-6 {
			t.Errorf("value %d has %v rows, and %v if 100 are added to each count", v, shrunk[0].Estimates[v], x)
		}
	}
	if few := Shrunk(of[:1], total)[0]; few.Estimates != nil || !slices.Equal(few.Counts, of[0].shrunk(total)) {
		t.Error("a column by itself has too few small counts")
	}
}

// Counts determine which values are pooled, and estimates determine how many rows these have.
func TestPoolOfEstimates(t *testing.T) {
	h := Histogram{Counts: []float64{500, 50, 450}, Variance: 100}
	want := h.Pool(1000)
	h.Estimates = []float64{520, 20, 460}
	got := h.Pool(1000)
	if !slices.Equal(got.Cells, want.Cells) || got.Size != 3 || !slices.Equal(got.Counts, h.Estimates) {
		t.Errorf("the cells %v have the counts %v", got.Cells, got.Counts)
	}
}

// Counts without noise do not change. Noise around a curve is reduced, single large counts on it remain, and the
// estimated squared error is near the squared error.
func TestSmooth(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{32, 85, 100, 1000} {
		curve := make([]float64, n)
		for v := range curve {
			curve[v] = 1000 * math.Exp(-8*math.Pow(float64(v)/float64(n)-.4, 2))
		}
		curve[n/3] = 20_000
		same, _ := smooth(curve, 0)
		for v, x := range same {
			if math.Abs(x-curve[v]) > 1e-3 {
				t.Fatalf("%d values: %v became %v", n, curve[v], x)
			}
		}
		const sigma = 100
		trials := 600/n + 3
		risks, squares, largest := 0.0, 0.0, 0.0
		for range trials {
			estimate, risk := smooth(noisy(curve, sigma, random), sigma*sigma)
			risks += risk
			for v, x := range estimate {
				squares += (x - curve[v]) * (x - curve[v])
			}
			largest = max(largest, math.Abs(estimate[n/3]-curve[n/3]))
		}
		noise := float64(n*trials) * sigma * sigma
		if squares > .55*noise {
			t.Errorf("%d values: %.2f of the noise remains", n, squares/noise)
		}
		if math.Abs(risks-squares) > .25*noise {
			t.Errorf("%d values: the estimate says that %.2f of the noise remains, but %.2f does", n, risks/noise, squares/noise)
		}
		if largest > 6*sigma {
			t.Errorf("%d values: the largest count changes by up to %v", n, largest)
		}
	}
}

// The threshold minimizes Stein's estimate, which is the sum over all numbers of (x' - x)² + 2·variance·dx'/dx.
func TestShrinkSmall(t *testing.T) {
	const variance = 1.5
	shrunk := func(x, threshold float64) float64 {
		if x*x <= threshold {
			return 0
		}
		return x - threshold/x
	}
	random := rand.New(rand.NewPCG(5, 5))
	for n := range 40 {
		numbers := make([]float64, n)
		for i := range numbers {
			numbers[i] = math.Round(4*random.NormFloat64()) * float64(random.IntN(3)) / 2 // some are 0, and some are equal
		}
		risk := func(threshold float64) (sum float64) {
			for _, x := range numbers {
				change, slope := shrunk(x, threshold)-x, 0.0
				if threshold == 0 {
					slope = 1
				} else if x*x > threshold {
					slope = 1 + threshold/(x*x)
				}
				sum += change*change + 2*variance*slope
			}
			return sum
		}
		best := 0.0
		for _, x := range numbers {
			if risk(x*x) < risk(best)-1e-9 {
				best = x * x
			}
		}
		got := shrinkSmall(numbers, variance)
		for i, x := range numbers {
			if math.Abs(got[i]-shrunk(x, best)) > 1e-9 {
				t.Fatalf("%v became %v; the threshold is %v", numbers, got, math.Sqrt(best))
			}
		}
	}
}

// Rare values are pooled in the last category. The others keep their order.
func TestPoolOfValuesWithoutOrder(t *testing.T) {
	h := Histogram{Counts: []float64{500, 3, 40, 450, 0, 7}, Variance: 25}
	p := h.Pool(1000)
	if want := []uint16{0, 3, 1, 2, 3, 3}; !slices.Equal(p.Cells, want) || p.Size != 4 {
		t.Errorf("cells %v of %d, want %v of 4", p.Cells, p.Size, want)
	}
	sum := 0.0
	for _, c := range p.Counts {
		sum += c
		if c < 0 {
			t.Errorf("count %v", c)
		}
	}
	if math.Abs(sum-1000) > 1e-6 {
		t.Errorf("counts have the sum %v", sum)
	}
	m := p.Marginal(7)
	if m.Axes[0].Column != 7 || m.Axes[0].Size != 4 || m.Variances[3] != 75 || m.Variances[0] != 25 {
		t.Errorf("marginal %+v", m)
	}
}

// Ordered values are divided into runs of neighbours. Each run has the required count, and frequent
// values are runs of their own.
func TestPoolOfValuesInOrder(t *testing.T) {
	counts := slices.Repeat([]float64{100}, 80)
	counts[30] = 2000
	h := Histogram{Counts: counts, Variance: 9, Ordered: true}
	p := h.Pool(9900)
	for v := 1; v < len(counts); v++ {
		if d := int(p.Cells[v]) - int(p.Cells[v-1]); d != 0 && d != 1 {
			t.Fatalf("cells %v", p.Cells)
		}
	}
	if p.Cells[29] == p.Cells[30] || p.Cells[31] == p.Cells[30] {
		t.Errorf("the spike is in a run: %v", p.Cells)
	}
	for c, n := range p.Marginal(0).Counts {
		if n < rare*9900 || c != int(p.Cells[30]) && n > 2.5*run*9900 {
			t.Errorf("run %d has %v rows", c, n)
		}
	}
	if p.Size < 30 || int(p.Cells[79]) != p.Size-1 {
		t.Errorf("%d runs: %v", p.Size, p.Cells)
	}
}

// If most rows have one value, the rows with other values are split into as many runs as if they were the whole column,
// unless these runs have too few rows. In the first file format, a run has a fraction of all rows.
func TestPoolDividesRareValues(t *testing.T) {
	counts := slices.Repeat([]float64{100}, 80)
	counts[0] = 92_000
	h := Histogram{Counts: counts, Variance: 9, Ordered: true}
	if p := h.Pool(99_900); p.Size != 14 {
		t.Errorf("%d runs, want 1 and 13: each of at least .005 of the rows: %v", p.Size, p.Cells)
	}
	h.Variance = 120 * 120
	if p := h.Pool(99_900); p.Size != 6 {
		t.Errorf("%d runs, want 1 and 5: each of about 12 standard deviations of the noise: %v", p.Size, p.Cells)
	}
	h.Variance, h.First = 9, true
	if p := h.Pool(99_900); p.Size != 5 {
		t.Errorf("%d runs in the first file format, want 1 and 4: each of about .02 of the rows: %v", p.Size, p.Cells)
	}
}

// Free values are pooled only with free values: a category for missing values never becomes part of the last interval.
// The number of pooled values has its upper bound.
func TestPoolKeepsFreeValuesApart(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for range 300 {
		total, variance := 1000.0, []float64{4, 1e4}[random.IntN(2)]
		h := Histogram{Counts: make([]float64, 1+random.IntN(40)), Variance: variance, Ordered: random.IntN(2) == 0}
		h.Free = make([]bool, len(h.Counts))
		first, last := random.IntN(len(h.Counts)+1), random.IntN(len(h.Counts)+1)
		for v := range h.Counts {
			h.Counts[v] = total * random.Float64() / float64(len(h.Counts))
			h.Free[v] = v < first || v >= last || !h.Ordered && random.IntN(2) == 0
		}
		p := h.Pool(total)
		free := make([]int, p.Size) // by pooled value: 1 if a free value is in it, plus 2 if another is
		for v, c := range p.Cells {
			if h.Free[v] {
				free[c] |= 1
			} else {
				free[c] |= 2
			}
			if h.Ordered && v > 0 && c != p.Cells[v-1] && c != p.Cells[v-1]+1 {
				t.Fatalf("the cells are out of order: %v", p.Cells)
			}
		}
		if slices.Contains(free, 0) || slices.Contains(free, 3) {
			t.Fatalf("free %v, cells %v of %d", h.Free, p.Cells, p.Size)
		}
		if most := MostPooled(len(h.Counts), variance, total); p.Size > most {
			t.Fatalf("%d pooled values of %d, more than %d", p.Size, len(h.Counts), most)
		}
	}
	h := Histogram{Counts: []float64{300, 0, 300}, Variance: 1, Ordered: true, Free: []bool{false, true, false}}
	if p := h.Pool(600); p.Cells[1] == 2 || p.Size != 2 {
		t.Errorf("a free value between others: cells %v", p.Cells)
	}
}

// For any released counts, values are pooled, and pairs have few cells, each a union of values.
func TestPoolAndPairOfAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		total := []float64{0, 5, 1000, 1e6}[random.IntN(4)]
		var of []*Pooling
		for range 2 {
			h := Histogram{Counts: make([]float64, 1+random.IntN(300)), Variance: []float64{0, 4, 1e4, 1e12}[random.IntN(4)], Ordered: random.IntN(2) == 0}
			for v := range h.Counts {
				h.Counts[v] = total * random.Float64() / float64(len(h.Counts))
			}
			h.Counts = noisy(h.Counts, math.Sqrt(h.Variance), random)
			p := h.Pool(total)
			if p.Size < 1 || len(p.Cells) != len(h.Counts) {
				t.Fatalf("%d pooled values of %d", p.Size, len(h.Counts))
			}
			used := make([]bool, p.Size)
			for _, c := range p.Cells {
				used[c] = true
			}
			if slices.Contains(used, false) {
				t.Fatalf("a pooled value of none: %v", p.Cells)
			}
			of = append(of, p)
		}
		axes := Pair(0, 1, of, 100)
		if n := axes[0].Size * axes[1].Size; n > min(2*mostCells(of[0].Marginal(0).Counts, 100), MostCells) {
			t.Fatalf("%d cells", n)
		}
		for i, a := range axes {
			used := make([]bool, a.Size)
			for v, c := range a.Cells {
				used[c] = true
				if of[i].Ordered && v > 0 && c != a.Cells[v-1] && c != a.Cells[v-1]+1 {
					t.Fatalf("cells out of order: %v", a.Cells)
				}
			}
			if a.Column != i || len(a.Cells) != of[i].Size || slices.Contains(used, false) {
				t.Fatalf("axis %+v of %d values", a, of[i].Size)
			}
		}
	}
}

// A pair of a wide ordered column and a wide unordered one merges neighbouring rare values of the
// ordered one.
func TestPairKeepsValuesWithoutOrder(t *testing.T) {
	of := []*Pooling{
		Histogram{Counts: slices.Repeat([]float64{1000}, 12), Variance: 1}.Pool(12_000),
		Histogram{Counts: slices.Repeat([]float64{300}, 40), Variance: 1, Ordered: true}.Pool(12_000),
		Histogram{Counts: slices.Repeat([]float64{1000}, 12), Variance: 1}.Pool(12_000),
	}
	if axes := Pair(0, 1, of, 1e4); axes[0].Size != 12 || axes[1].Size != 8 {
		t.Errorf("%d × %d cells, want 12 × 8", axes[0].Size, axes[1].Size)
	}
	if axes := Pair(0, 2, of, 1e4); axes[0].Size != 12 || axes[1].Size != 12 {
		t.Errorf("%d × %d cells, want 12 × 12", axes[0].Size, axes[1].Size)
	}
	if axes := Pair(0, 1, of, 1); axes[1].Size <= 8 {
		t.Errorf("%d cells with little noise, as with much", axes[1].Size)
	}
}

func pooled(of []*Pooling, n int, random *rand.Rand) [][]uint16 {
	rows := make([][]uint16, len(of))
	for c, p := range of {
		rows[c] = make([]uint16, n)
		for i := range rows[c] {
			rows[c][i] = uint16(random.IntN(p.Size))
		}
	}
	return rows
}

// Each value gets its share of its pooled value's rows, rounded up or down.
func TestSpreadIsByQuota(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	p := &Pooling{Cells: []uint16{0, 1, 0, 1, 1}, Size: 2, Counts: []float64{30, 10, 10, 0, 50}}
	rows := pooled([]*Pooling{p, p}, 1000, random)
	out := Spread(slices.Clone(rows), []*Pooling{p, p}, nil, nil, 7, true)
	for c, col := range out {
		many, in := make([]float64, 5), make([]float64, 2)
		for i, v := range col {
			many[v]++
			in[rows[c][i]]++
			if p.Cells[v] != rows[c][i] {
				t.Fatalf("a row of the pooled value %d has the value %d", rows[c][i], v)
			}
		}
		for v, n := range many {
			sum := 0.0
			for u, k := range p.Cells {
				if k == p.Cells[v] {
					sum += p.Counts[u]
				}
			}
			if want := in[p.Cells[v]] * p.Counts[v] / sum; math.Abs(n-want) > 1 {
				t.Errorf("column %d: value %d has %v rows, want %v", c, v, n, want)
			}
		}
	}
	if slices.Equal(out[0], out[1]) {
		t.Error("columns are spread alike")
	}
	if again := Spread(slices.Clone(rows), []*Pooling{p, p}, nil, nil, 7, true); !slices.Equal(again[0], out[0]) || !slices.Equal(again[1], out[1]) {
		t.Error("equal seeds give other rows")
	}
}

// Rows satisfy rules on values. They keep their pooled values if these allow it.
func TestSpreadKeepsRules(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	p := &Pooling{Cells: []uint16{0, 0, 0, 1, 1, 1}, Size: 2, Counts: []float64{1, 2, 3, 0, 0, 0}}
	of := []*Pooling{p, p, p}
	rise := Rule{Columns: []int{0, 2}, Forbidden: make([]bool, 36)} // the first must not be less than the third
	sum := Rule{Columns: []int{2, 1}, Forbidden: make([]bool, 36)}  // the third determines the second
	for k := range rise.Forbidden {
		rise.Forbidden[k] = k/6 >= k%6
		sum.Forbidden[k] = (k/6+1)%6 != k%6
	}
	rows := pooled(of, 2000, random)
	moved := 0
	for i, out := 0, Spread(rows, of, []Rule{rise, sum}, []uint16{1, 4, 3}, 1, true); i < 2000; i++ {
		a, b, c := out[0][i], out[1][i], out[2][i]
		if a >= c || (c+1)%6 != b {
			t.Fatalf("row %d is %d, %d, %d", i, a, b, c)
		}
		if p.Cells[a] != rows[0][i] || p.Cells[c] != rows[2][i] {
			moved++
			if rows[0][i] <= rows[2][i] && rows[1][i] == rows[2][i] && rows[2][i] == 0 {
				t.Fatalf("row %d had a way within its pooled values", i)
			}
		}
	}
	if moved == 0 || moved > 1500 {
		t.Errorf("%d rows left their pooled values", moved)
	}

	// No row has usable values, but the witness does.
	all := [][]uint16{{1, 1}, {0, 0}, {0, 0}}
	for c, col := range Spread(all, of, []Rule{rise, sum}, []uint16{1, 4, 3}, 1, true) {
		if want := []uint16{1, 4, 3}[c]; col[0] != want || col[1] != want {
			t.Errorf("column %d has %v, not %d", c, col, want)
		}
	}
	if out := Spread([][]uint16{{}, {}, {}}, of, []Rule{rise}, []uint16{0, 0, 1}, 1, true); len(out) != 3 || len(out[0]) != 0 {
		t.Errorf("no rows become %v", out)
	}
}

// Rows that violate a rule exchange values with others: all values keep their counts if enough rows allow it.
func TestSpreadKeepsCounts(t *testing.T) {
	const n = 3000
	p := &Pooling{Cells: []uint16{0, 0, 0, 1}, Size: 2, Counts: []float64{500, 400, 100, 2000}}
	rise := Rule{Columns: []int{0, 1}, Forbidden: make([]bool, 16)} // the first must not exceed the second
	for k := range rise.Forbidden {
		rise.Forbidden[k] = k/4 > k%4
	}
	rows := [][]uint16{make([]uint16, n), make([]uint16, n)}
	for i := range n {
		rows[0][i] = uint16(i % 3 / 2)
		rows[1][i] = uint16((i%3 + 1) / 2)
	}
	of := []*Pooling{p, {Cells: p.Cells, Size: 2, Counts: []float64{100, 400, 500, 2000}}}
	out := Spread([][]uint16{slices.Clone(rows[0]), slices.Clone(rows[1])}, of, []Rule{rise}, []uint16{0, 0}, 1, true)
	counts := [2][4]int{}
	for i := range n {
		if out[0][i] > out[1][i] || p.Cells[out[0][i]] != rows[0][i] || p.Cells[out[1][i]] != rows[1][i] {
			t.Fatalf("row %d is %d, %d", i, out[0][i], out[1][i])
		}
		counts[0][out[0][i]]++
		counts[1][out[1][i]]++
	}
	for c, want := range [][4]int{{1000, 800, 200, 1000}, {100, 400, 500, 2000}} {
		for v, n := range counts[c] {
			if d := n - want[v]; d < -1 || d > 1 {
				t.Errorf("column %d has %v, not %v", c, counts[c], want)
				break
			}
		}
	}
}

// The search for values that satisfy the rules ends, even for hostile rules: 14 columns of 13
// values must all differ, unless two others are 0.
func TestSpreadEndsOnHostileRules(t *testing.T) {
	const pigeons, n = 14, 300
	all := &Pooling{Cells: make([]uint16, pigeons-1), Size: 1, Counts: slices.Repeat([]float64{1}, pigeons-1)}
	of := append([]*Pooling{{Cells: []uint16{0, 1}, Size: 2, Counts: []float64{0, 1}}, {Cells: []uint16{0, 1}, Size: 2, Counts: []float64{0, 1}}}, slices.Repeat([]*Pooling{all}, pigeons)...)
	rows := append([][]uint16{slices.Repeat([]uint16{1}, n), slices.Repeat([]uint16{1}, n)}, slices.Repeat([][]uint16{make([]uint16, n)}, pigeons)...)
	witness := append([]uint16{0, 0}, slices.Repeat([]uint16{3}, pigeons)...)
	var rules []Rule
	for i := range pigeons {
		for j := range i {
			r := Rule{Columns: []int{0, 1, 2 + j, 2 + i}, Forbidden: make([]bool, 4*(pigeons-1)*(pigeons-1))}
			for k := range r.Forbidden {
				cell := k % ((pigeons - 1) * (pigeons - 1))
				r.Forbidden[k] = k != cell && cell%(pigeons-1) == cell/(pigeons-1)
			}
			rules = append(rules, r)
		}
	}
	for c, col := range Spread(rows, of, rules, witness, 1, true) {
		if !slices.Equal(col, slices.Repeat(witness[c:c+1], n)) {
			t.Errorf("column %d has %v", c, col)
		}
	}
}
