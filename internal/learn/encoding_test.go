package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// encoded encodes one attribute with the given noisy counts of label 0 and of label 1.
func encoded(t testing.TB, no, yes []float64, variance float64, ordered bool) *encoding {
	t.Helper()
	m, err := newMarginals([]int{len(no)})
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]float64, m.cells)
	for k := range no {
		answers[m.cell(0, k, false)] = math.Round(no[k])
		answers[m.cell(0, k, true)] = math.Round(yes[k])
	}
	return m.encode(answers, []float64{variance}, []bool{ordered})
}

// cellsOf returns the cells of one attribute with the given noisy counts of label 0 and of label 1.
func cellsOf(no, yes []float64, variance float64) *cells {
	c, nos, all := &cells{ordered: true}, 0., 0.
	for k := range no {
		nos, all = nos+no[k], all+no[k]+yes[k]
	}
	for k := range no {
		c.add(no[k], yes[k], 1-nos/all, variance)
	}
	return c
}

// rms returns the root of the mean square of a - b.
func rms(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum / float64(len(a)))
}

// trend returns n log-odds from -1 to 1 along the order of the categories.
func trend(n int) (odds []float64) {
	for k := range n {
		odds = append(odds, 2*float64(k)/float64(n-1)-1)
	}
	return odds
}

// counted returns the expected counts of both labels for categories with the given numbers of rows and log-odds, plus
// normal noise of the given standard deviation.
func counted(r *rand.Rand, rows float64, odds []float64, deviation float64) (no, yes []float64) {
	for _, l := range odds {
		p := 1 / (1 + math.Exp(-l))
		no = append(no, rows*(1-p)+deviation*r.NormFloat64())
		yes = append(yes, rows*p+deviation*r.NormFloat64())
	}
	return no, yes
}

// The log-odds of an attribute without signal are shrunk to nearly 0, whether its categories have an order or not.
func TestEncodingWithoutSignal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, ordered := range []bool{false, true} {
		shrunk, raw, zeros := 0.0, 0.0, make([]float64, 20)
		for range 10 {
			no, yes := counted(r, 200, zeros, 20)
			each := make([]float64, len(no))
			for k := range each {
				each[k] = math.Log(max(yes[k], 1) / max(no[k], 1))
			}
			raw += rms(each, zeros)
			shrunk += rms(encoded(t, no, yes, 400, ordered).odds[0], zeros)
		}
		t.Logf("ordered %v: %.3f of the log-odds of the noisy counts", ordered, shrunk/raw)
		if shrunk > raw/3 {
			t.Errorf("ordered %v: log-odds of %.3f remain of %.3f", ordered, shrunk/10, raw/10)
		}
	}
}

// With little noise the log-odds are those of the counts, for few and many rows, also if other categories have no
// rows.
func TestEncodingRecovers(t *testing.T) {
	want := trend(12)
	for _, rows := range []float64{1e5, 1e8} {
		for _, variance := range []float64{1e-12, 1, 100} {
			for _, ordered := range []bool{false, true} {
				no, yes := counted(rand.New(rand.NewPCG(6, 6)), rows, want, 0)
				no, yes = append(no, 0), append(yes, 0)
				e := encoded(t, no, yes, variance, ordered)
				if got := rms(e.odds[0][:len(want)], want); got > 0.02 || math.Abs(e.prior) > 1e-3 || math.Abs(e.total/rows/12-1) > 1e-3 {
					t.Errorf("%g rows, variance %g, ordered %v: log-odds off by %.4f, prior %g, %g rows", rows, variance, ordered, got, e.prior, e.total)
				}
			}
		}
	}
}

// If the log-odds change smoothly along the order, knowledge of the order reduces their error.
func TestEncodingSmooth(t *testing.T) {
	r, want := rand.New(rand.NewPCG(7, 7)), trend(32)
	smooth, separate := 0.0, 0.0
	for range 8 {
		no, yes := counted(r, 60, want, 14)
		smooth += rms(encoded(t, no, yes, 196, true).odds[0], want)
		separate += rms(encoded(t, no, yes, 196, false).odds[0], want)
	}
	t.Logf("errors of %.3f and %.3f", smooth/8, separate/8)
	if smooth > 0.6*separate {
		t.Errorf("the error is %.3f with the order and %.3f without it", smooth/8, separate/8)
	}
}

// Tens of thousands of categories are encoded in groups.
func TestEncodingOfManyCategories(t *testing.T) {
	odds := trend(65_000)
	no, yes := counted(rand.New(rand.NewPCG(8, 8)), 1000, odds, 5)
	e := encoded(t, no, yes, 25, true)
	if got := rms(expand(e.groups, e.odds)[0], odds); got > 0.1 || len(e.odds[0]) > mostGroups {
		t.Errorf("log-odds off by %.3f", got)
	}
}

// If rows are spread evenly over many categories, their log-odds are smoothed in blocks. A category with most rows does not
// change those of its neighbours.
func TestEncodingInBlocks(t *testing.T) {
	r, want := rand.New(rand.NewPCG(9, 9)), trend(640)
	blocks, grouped, separate, first := 0.0, 0.0, 0.0, 0.0
	for range 4 {
		no, yes := counted(r, 12, want, 9)
		no[0], yes[0] = 1e4, 1e4
		e, c := encoded(t, no, yes, 81, true), cellsOf(no, yes, 81)
		odds := expand(e.groups, e.odds)[0]
		blocks += rms(c.ofMany()[1:], want[1:])
		grouped += rms(odds[1:], want[1:])
		separate += rms(c.separate()[1:], want[1:])
		first += math.Abs(odds[0])
	}
	t.Logf("errors of %.3f in blocks, %.3f in groups and %.3f without, of the first category %.3f", blocks/4, grouped/4, separate/4, first/4)
	if max(blocks, grouped) > 0.5*separate || first > 4*0.05 {
		t.Errorf("the error is %.3f in blocks, %.3f in groups and %.3f without, and of the first category %.3f", blocks/4, grouped/4, separate/4, first/4)
	}
}

// If few of many categories have most rows, their log-odds are estimated one by one, as without an order.
func TestEncodingOfAmounts(t *testing.T) {
	for _, rows := range []float64{300, 30_000} {
		no, yes := counted(rand.New(rand.NewPCG(10, 10)), 1, make([]float64, 640), 9)
		for k := 20; k < 640; k += 7 {
			no[k], yes[k] = no[k]+rows*float64(k%2), yes[k]+rows*float64(1-k%2)
		}
		c := cellsOf(no, yes, 81)
		if ordered, separate := c.ofMany(), c.separate(); !slices.Equal(ordered, separate) {
			t.Errorf("%g rows: the log-odds of ordered categories differ by %.3f", rows, rms(ordered, separate))
		}
	}
}

// manyCells returns the cells of 640 ordered categories with the given numbers of rows and noise of the given standard deviation.
func manyCells(rows func(k int) float64, deviation float64) *cells {
	r, of := rand.New(rand.NewPCG(11, 11)), &cells{ordered: true}
	for k := range 640 {
		half := rows(k) / 2
		of.add(half+deviation*r.NormFloat64(), half+deviation*r.NormFloat64(), .5, deviation*deviation)
	}
	return of
}

// every returns the given number of rows for one of n categories, and none for the others.
func every(n int, rows float64) func(k int) float64 {
	return func(k int) float64 {
		if k%n == n/2 {
			return rows
		}
		return 0
	}
}

// An attribute is rough if its rows are concentrated in few categories. It is not rough if there are no such
// categories, if noise hides them, or if one category has most rows.
func TestRough(t *testing.T) {
	for name, c := range map[string]struct {
		rows      func(k int) float64
		deviation float64
		want      bool
	}{
		"even":             {func(int) float64 { return 40 }, 10, false},
		"decreasing":       {func(k int) float64 { return 4000 / float64(k+10) }, 3, false},
		"one category":     {func(k int) float64 { return 40 + every(640, 1e6)(k) }, 10, false},
		"amounts":          {every(8, 400), 10, true},
		"amounts in noise": {every(8, 40), 100, false},
	} {
		if got := manyCells(c.rows, c.deviation).rough(); got != c.want {
			t.Errorf("%s: rough %v", name, got)
		}
	}
}

// Blocks have the same number of categories. A heavy category, in which more rows are than noise explains, is a block of its own.
func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		rows func(k int) float64
		want []int // the blocks of categories 0, 9, 10, 319, 320, 321, 330, 331 and 639
	}{
		"none":  {func(int) float64 { return 40 }, []int{0, 0, 1, 31, 32, 32, 33, 33, 63}},
		"heavy": {func(k int) float64 { return 40 + every(640, 1e6)(k) }, []int{0, 0, 1, 31, 32, 33, 33, 34, 64}},
		"noise": {func(int) float64 { return 0 }, []int{0, 0, 1, 31, 32, 32, 33, 33, 63}},
	} {
		of := manyCells(c.rows, 10)
		in, parts := of.divide()
		for i, k := range []int{0, 9, 10, 319, 320, 321, 330, 331, 639} {
			if in[k] != c.want[i] {
				t.Errorf("%s: category %d is in block %d, want %d", name, k, in[k], c.want[i])
			}
		}
		rows, noise := 0.0, 0.0
		for b, n := range parts.noisy {
			rows, noise = rows+n, noise+parts.variances[b]
		}
		for k := range in {
			rows -= of.noisy[k]
		}
		if math.Abs(rows) > 1e-6 || noise != 640*100 {
			t.Errorf("%s: the blocks have %g rows more than the categories, and noise of variance %g", name, rows, noise)
		}
	}
}

// The number of blocks is bounded for any noisy numbers of rows.
func TestBlocksAreBounded(t *testing.T) {
	of := &cells{ordered: true}
	for k := range 10_000 {
		of.add(float64(k%3)-1, 0, .5, 1)
	}
	if _, parts := of.divide(); len(parts.rows) > 3*blocks+1 {
		t.Errorf("%d blocks", len(parts.rows))
	}
}

// nonNegative is the mean of the truncated normal distribution, positive and at least the observed number.
func TestNonNegative(t *testing.T) {
	for _, sigma := range []float64{1e-100, 1, 1e100} {
		for _, z := range []float64{-1e9, -30, -8.1, -7.9, -3, 0, 2, 50} {
			if got := nonNegative(z*sigma, sigma*sigma); !(got > 0) || got < z*sigma {
				t.Errorf("%g with a standard deviation of %g: %g", z*sigma, sigma, got)
			}
		}
	}
	if got := nonNegative(0, 4); math.Abs(got-2*math.Sqrt(2/math.Pi)) > 1e-12 {
		t.Errorf("observed 0: %g", got)
	}
}

// correlated returns the expected counts of n rows of seven bits. Bits 1 to 4 copy bit 0 with probability 0.9, and the label
// depends on bits 0, 5 and 6.
func correlated(n float64) (sizes []int, d Listed[[]uint16]) {
	for code := range 128 {
		x, share := make([]uint16, 7), 1.0
		for j := range x {
			x[j] = uint16(code >> j & 1)
			switch {
			case j == 0 || j > 4:
				share *= .5
			case x[j] == x[0]:
				share *= .9
			default:
				share *= .1
			}
		}
		p := 1 / (1 + math.Exp(-(1*float64(2*int(x[0])-1) + 1.2*float64(2*int(x[5])-1) - .8*float64(2*int(x[6])-1))))
		d = append(d, Example[[]uint16]{x, true, int64(math.Round(n * share * p))}, Example[[]uint16]{x, false, int64(math.Round(n * share * (1 - p)))})
	}
	return []int{2, 2, 2, 2, 2, 2, 2}, d
}

// logLoss returns the logistic loss of a row on average, and its gradient and Hessian with respect to the weights and the
// constant.
func logLoss(table *encodedTable, d Listed[[]uint16], at linear) (loss float64, gradient []float64, hessian [][]float64) {
	n := len(at.weights) + 1
	gradient, hessian = make([]float64, n), make([][]float64, n)
	for j := range hessian {
		hessian[j] = make([]float64, n)
	}
	rows := 0.0
	for _, e := range d {
		x, odds := make([]float64, n), at.constant
		for j, c := range e.X {
			x[j] = float64(table.units[j][table.groups[j][c]]) / unitsPerOdds
			odds += at.weights[j] * x[j]
		}
		x[n-1] = 1
		y, p, count := 0.0, 1/(1+math.Exp(-odds)), float64(e.Count)
		if e.Label {
			y = 1
		}
		rows += count
		loss -= count * (y*math.Log(p) + (1-y)*math.Log(1-p))
		for j := range x {
			gradient[j] += count * (y - p) * x[j]
			for k := range x {
				hessian[j][k] += count * p * (1 - p) * x[j] * x[k]
			}
		}
	}
	return loss / rows, gradient, hessian
}

// beforeStep returns an encoded table of correlated attributes, its records, the start of a step, and the sums there,
// with hardly any noise.
func beforeStep(t *testing.T) (*encodedTable, []Example[[]uint16], linear, *noisySums) {
	t.Helper()
	sizes, d := correlated(1e6)
	m := newtonOf(t, sizes, privacy.AddRemove, 20, "1", "1", "1", "1", "1")
	of := m.marginals
	table := m.round(of.encode(floats(of.tally(d)), slices.Repeat([]float64{1e-6}, len(of.sizes)), m.ordered))
	start := common(len(sizes), .5, table.prior)
	s, err := table.sums(context.Background(), countsOf(t, table, d), start)
	if err != nil {
		t.Fatal(err)
	}
	return table, d, start, newNoisySums(floats(s.gradient), 1e-6, floats(s.hessian), 1e-6)
}

// Without noise, the step reaches most of the reduction of the logistic loss that Newton's method, iterated to
// convergence, reaches from the same start.
func TestNewtonStepApproachesOptimum(t *testing.T) {
	table, d, start, sums := beforeStep(t)
	step := table.step(start, sums)
	end := common(len(start.weights), 0, start.constant+step.constant)
	for j := range end.weights {
		end.weights[j] = start.weights[j] + step.weights[j]
	}
	best := common(len(start.weights), .5, table.prior)
	for range 20 {
		_, g, h := logLoss(table, d, best)
		move := eliminate(h, g)
		for j := range best.weights {
			best.weights[j] += move[j]
		}
		best.constant += move[len(start.weights)]
	}
	before, _, _ := logLoss(table, d, start)
	after, _, _ := logLoss(table, d, end)
	least, _, _ := logLoss(table, d, best)
	t.Logf("loss %.5f, after the step %.5f, least %.5f; weights %.2f, best %.2f", before, after, least, end.weights, best.weights)
	if after-least > 0.1*(before-least) {
		t.Errorf("the step reduces the loss from %.5f to %.5f; the least is %.5f", before, after, least)
	}
}

// A noisy gradient may favour a negative weight of an attribute. The step then ends at a weight of 0, and the other
// weights stay positive.
func TestNewtonStepKeepsSigns(t *testing.T) {
	table, _, start, sums := beforeStep(t)
	sums.gradient[0] -= 10 * sums.hessian[0][0]
	for j, change := range table.step(start, sums).weights {
		if weight := start.weights[j] + change; (weight == 0) != (j == 0) || weight < 0 {
			t.Errorf("weight %d is %g", j, weight)
		}
	}
}

func floats(sums []int64) (of []float64) {
	for _, n := range sums {
		of = append(of, float64(n))
	}
	return of
}

// eliminate solves a·x = b by Gaussian elimination. It overwrites both.
func eliminate(a [][]float64, b []float64) []float64 {
	for i := range b {
		for k := range b {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := range b {
				a[k][j] -= f * a[i][j]
			}
			b[k] -= f * b[i]
		}
	}
	for i := range b {
		b[i] /= a[i][i]
	}
	return b
}

// On a table with correlated attributes, a step has fewer misclassifications than a learner that consumes all of ε for its start.
func TestNewtonBeatsItsStart(t *testing.T) {
	sizes, d := correlated(40_000)
	counted := tableOf(t, sizes, d)
	wrong := func(shares ...string) (sum int64) {
		m := newtonOf(t, sizes, privacy.AddRemove, 20, shares...)
		for seed := range uint64(12) {
			p, err := m.Release(context.Background(), counted, noise.Insecure(seed))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range d {
				if p.Predict(e.X) != e.Label {
					sum += e.Count
				}
			}
		}
		return sum / 12
	}
	least := int64(0) // among all hypotheses
	for i := 0; i < len(d); i += 2 {
		least += min(d[i].Count, d[i+1].Count)
	}
	start, step := wrong("0.7", "0.3"), wrong("0.25", "0.1", "0.3", "0.25", "0.1")
	t.Logf("%d misclassifications at the start, %d after the step, at least %d", start, step, least)
	if step-least > (start-least)/2 {
		t.Errorf("%d misclassifications after the step, %d without it, at least %d", step, start, least)
	}
}
