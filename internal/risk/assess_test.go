package risk_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A people is a population: the probability of each grade, and of a positive label given the grade.
type people struct{ grade, risk []float64 }

// draw returns the cells of a sample of independent rows.
func (p people) draw(r *rand.Rand, rows int) []int64 {
	cells := make([]int64, 2*len(p.grade)+1)
	for range rows {
		at, u := 0, r.Float64()
		for u >= p.grade[at] && at < len(p.grade)-1 {
			u -= p.grade[at]
			at++
		}
		cell := 2 * at
		if r.Float64() >= p.risk[at] {
			cell++
		}
		cells[cell]++
	}
	return cells
}

// counts returns the exact counts of the population, scaled to the given number of rows.
func (p people) counts(t testing.TB, rows float64) *risk.Counts {
	var cells []int64
	for i, g := range p.grade {
		cells = append(cells, int64(math.Round(rows*g*p.risk[i])), int64(math.Round(rows*g*(1-p.risk[i]))))
	}
	return exact(t, append(cells, 0)...)
}

func exact(t testing.TB, cells ...int64) *risk.Counts {
	t.Helper()
	c, err := risk.Exact(noisy(t, "1", privacy.ReplaceOne, cells...).Scale, cells)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sum returns the numbers of positive rows and of all rows in a range of grades.
func sum(c *risk.Counts, from, to int) (positive, rows int64) {
	for i, g := range c.Scale.Grades {
		if from <= g.Least && g.Most <= to {
			positive += c.Cells[1][i].Int64()
			rows += c.Cells[1][i].Int64() + c.Cells[0][i].Int64()
		}
	}
	return positive, rows
}

// misses reports whether an interval of the assessment misses the true value, and whether that of
// the area does.
func misses(a *risk.Assessment, truth *risk.Counts) (share, area bool) {
	out := func(s risk.Share, v float64) bool { return v < s.Least-1e-9 || v > s.Most+1e-9 }
	for _, r := range a.Risks {
		if p, n := sum(truth, r.Least, r.Most); n > 0 && out(r.Shares[0], float64(p)/float64(n)) {
			share = true
		}
	}
	b := truth.Assess(risk.Rows, nil)
	for i, t := range a.Thresholds {
		for _, pair := range [][2]risk.Share{{t.Sensitivity, b.Thresholds[i].Sensitivity}, {t.Specificity, b.Thresholds[i].Specificity}, {t.Errors, b.Thresholds[i].Errors}} {
			share = share || pair[1].Value != nil && out(pair[0], *pair[1].Value)
		}
	}
	for _, pair := range [][2]risk.Share{{a.Accuracy, b.Accuracy}, {a.Prevalence, b.Prevalence}} {
		share = share || pair[1].Value != nil && out(pair[0], *pair[1].Value)
	}
	return share, a.AUC != nil && b.AUC.Value != nil && out(*a.AUC, *b.AUC.Value)
}

var worlds = map[string]people{
	"two grades":     {[]float64{.7, .3}, []float64{.1, .6}},
	"rare":           {[]float64{.5, .3, .1, .06, .04}, []float64{.003, .01, .03, .1, .3}},
	"not monotone":   {[]float64{.2, .2, .2, .2, .2}, []float64{.1, .5, .3, .9, .7}},
	"empty at edges": {[]float64{0, .01, .3, .4, .28, .01, 0}, []float64{.5, .1, .2, .5, .7, .9, .5}},
	"perfect":        {[]float64{.5, .5}, []float64{0, 1}},
}

// All intervals hold simultaneously with Confidence, for the counted rows and for the population,
// whatever runs of grades the noisy counts select. The interval of the area holds with its own
// confidence. If the noise is three times as large as stated, they fail.
func TestAssessmentHolds(t *testing.T) {
	family := stattest.Open(t, "risk")
	r := rand.New(rand.NewPCG(3, 4))
	draws := heavy.Pick(3, 12)
	missed, beyond, total, twin := map[risk.Target]int{}, map[risk.Target]int{}, 0, 0
	for _, p := range worlds {
		for _, rows := range []int{10, 300, 5000} {
			for _, epsilon := range []string{"0.1", "1", "5"} {
				for range draws {
					cells := p.draw(r, rows)
					total++
					for of, truth := range map[risk.Target]*risk.Counts{risk.Rows: exact(t, cells...), risk.Population: p.counts(t, 1e12)} {
						share, area := misses(release(t, cells, epsilon, epsilon).Assess(of, nil), truth)
						if share {
							missed[of]++
						}
						if area {
							beyond[of]++
						}
						if of == risk.Rows {
							if share, _ = misses(release(t, cells, epsilon, map[string]string{"0.1": "0.3", "1": "3", "5": "15"}[epsilon]).Assess(of, nil), truth); share {
								twin++
							}
						}
					}
				}
			}
		}
	}
	t.Logf("of %d: missed %v, areas %v; with more noise than is said %d", total, missed, beyond, twin)
	for _, of := range []risk.Target{risk.Rows, risk.Population} {
		family.AtMost(t, missed[of], total, 0.04)
		family.AtMost(t, beyond[of], total, 0.01)
	}
	if 10*twin < total {
		t.Errorf("with three times the noise that is said, intervals miss in %d of %d", twin, total)
	}
}

// release adds noise for the ε epsilon and states the ε said.
func release(t testing.TB, cells []int64, epsilon, said string) *risk.Counts {
	t.Helper()
	m, err := learn.NewHistogram(len(cells), privacytest.Decimal(t, epsilon), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Release(context.Background(), cells, noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	c, err := risk.Noisy(exact(t, cells...).Scale, got, privacytest.Decimal(t, said), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Exact counts give exact values, computed by definition: the area over all pairs, thresholds by
// trying each.
func TestExactAssessment(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		g := 1 + r.IntN(6)
		cells := make([]int64, 2*g+1)
		for i := range cells {
			cells[i] = int64(r.IntN(5))
		}
		c := exact(t, cells...)
		a := c.Assess(risk.Rows, nil)
		pairs, ordered := 0., 0.
		for i := range g {
			for j := range g {
				n := float64(cells[2*i] * cells[2*j+1])
				pairs += n
				if i > j {
					ordered += n
				} else if i == j {
					ordered += n / 2
				}
			}
		}
		same(t, "area", *a.AUC, ordered, pairs)
		if len(a.Thresholds) != g+1 {
			t.Fatalf("%d thresholds for %d grades", len(a.Thresholds), g)
		}
		best := math.Inf(1)
		loss := learn.Loss{FalsePositive: 1 + r.Int64N(3), FalseNegative: 1 + r.Int64N(3)}
		costs := map[int]float64{}
		own := 0
		for i, th := range a.Thresholds {
			var tp, fn, fp, tn float64
			for j := range g {
				p, n := float64(cells[2*j]), float64(cells[2*j+1])
				if j >= i {
					tp, fp = tp+p, fp+n
				} else {
					fn, tn = fn+p, tn+n
				}
			}
			if th.At != i {
				t.Errorf("threshold %d is at %d", i, th.At)
			}
			if i > 0 && i < g {
				same(t, "sensitivity", th.Sensitivity, tp, tp+fn)
				same(t, "specificity", th.Specificity, tn, tn+fp)
			}
			same(t, "errors", th.Errors, fn+fp, tp+fn+fp+tn)
			if th.Own {
				own++
				same(t, "accuracy", a.Accuracy, tp+tn, tp+fn+fp+tn)
			}
			costs[i] = float64(loss.FalsePositive)*fp + float64(loss.FalseNegative)*fn
			best = min(best, costs[i])
		}
		if got := costs[a.Best(loss).At]; got != best || own != 1 {
			t.Errorf("%v: the best threshold costs %v, another one %v; %d own thresholds", cells, got, best, own)
		}
		if first, last := a.Thresholds[0], a.Thresholds[g]; *first.Sensitivity.Value != 1 || *first.Specificity.Value != 0 || *last.Sensitivity.Value != 0 || *last.Specificity.Value != 1 {
			t.Errorf("%+v, %+v", first, last)
		}
	}
}

// The exact area compares the totals of all pairs of rows, although many totals share a grade.
func TestExactAreaOfTotals(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, rows := range []int{0, 1, 2, 60, 300} {
		points := [][]int{make([]int, 12), make([]int, 12)}
		sizes := []int{12, 12}
		for _, own := range points {
			for code := range own {
				own[code] = r.IntN(2000) - 1000
			}
		}
		g := risk.GradingOf(rule.Points{Start: 5, Of: points, Threshold: 1}, sizes, 2)
		b := table.NewBuilder(sizes)
		var totals [2][]int
		for range rows {
			x := []uint16{uint16(r.IntN(12)), uint16(r.IntN(12))}
			outcome := r.IntN(2)
			if err := b.Add(x, outcome == 1, 1); err != nil {
				t.Fatal(err)
			}
			totals[outcome] = append(totals[outcome], points[0][x[0]]+points[1][x[1]])
		}
		c, err := g.Exact(b.Table())
		if err != nil {
			t.Fatal(err)
		}
		ordered := 0.
		for _, p := range totals[1] {
			for _, n := range totals[0] {
				if p > n {
					ordered++
				} else if p == n {
					ordered += .5
				}
			}
		}
		same(t, fmt.Sprintf("area of %d rows", rows), *c.Assess(risk.Rows, nil).AUC, ordered, float64(len(totals[0])*len(totals[1])))
	}
}

func same(t *testing.T, what string, s risk.Share, part, all float64) {
	t.Helper()
	switch {
	case all == 0 && (s.Value != nil || s.Least != 0 || s.Most != 1):
		t.Errorf("%s of nothing: %+v", what, s)
	case all > 0 && (s.Value == nil || math.Abs(*s.Value-part/all) > 1e-12 || s.Least != *s.Value || s.Most != *s.Value):
		t.Errorf("%s: %+v, want %v", what, s, part/all)
	}
}

// Risks do not decrease with the grade and have enough rows. They are the isotonic regression: the risk at a grade is
// the maximum over starts, of the minimum over ends, of the mean of a run that contains the grade.
func TestRisksAreIsotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	reasons := map[risk.Pooling]int{}
	for range 150 {
		g := 1 + r.IntN(9)
		cells := make([]int64, 2*g+1)
		for i := range cells {
			cells[i] = int64(r.IntN(30 << r.IntN(5)))
		}
		var a *risk.Assessment
		least := int64(1)
		if r.IntN(2) == 0 {
			a = exact(t, cells...).Assess(risk.Rows, nil)
		} else {
			a = noisy(t, "1", privacy.AddRemove, cells...).Assess(risk.Rows, nil)
			least = 40
		}
		next := 0
		for i, k := range a.Risks {
			if k.Least != next {
				t.Fatalf("a risk begins at %d and not at %d", k.Least, next)
			}
			next = k.Most + 1
			rows := int64(0)
			for j := k.Least; j <= k.Most; j++ {
				rows += cells[2*j] + cells[2*j+1]
			}
			if k.Rows.Int64() != rows || rows < least && len(a.Risks) > 1 {
				t.Fatalf("%d rows, said %v, of at least %d", rows, k.Rows, least)
			}
			if i > 0 && *k.Shares[0].Value < *a.Risks[i-1].Shares[0].Value {
				t.Fatalf("risks fall: %+v", a.Risks)
			}
			if (k.Pooled == "") != (k.Least == k.Most) {
				t.Fatalf("%+v", k)
			}
			reasons[k.Pooled]++
			for v := k.Least; v <= k.Most; v++ {
				if a.At(v).Least != k.Least {
					t.Fatalf("%d has the risk of %d", v, a.At(v).Least)
				}
			}
		}
		if next != g {
			t.Fatalf("risks end before %d, of %d grades", next, g)
		}
		if least > 1 {
			continue
		}
		for i := range g {
			fit := 0.
			for from := range i + 1 {
				low := 2.
				for to := i; to < g; to++ {
					if p, n := part(cells, from, to); n > 0 {
						low = min(low, p/n)
					}
				}
				if low < 2 {
					fit = max(fit, low)
				}
			}
			if _, n := part(cells, i, i); n > 0 && math.Abs(*a.At(i).Shares[0].Value-fit) > 1e-12 {
				t.Fatalf("%v: grade %d has %v, the isotonic fit is %v", cells, i, *a.At(i).Shares[0].Value, fit)
			}
		}
	}
	if reasons[risk.Few] < 10 || reasons[risk.Order] < 10 {
		t.Errorf("pooled: %v", reasons)
	}
}

func part(cells []int64, from, to int) (positive, rows float64) {
	for i := from; i <= to; i++ {
		positive += float64(cells[2*i])
		rows += float64(cells[2*i] + cells[2*i+1])
	}
	return positive, rows
}

// Rules are not ordered, so there are no thresholds, no pooling and no area.
func TestRulesAreNotOrdered(t *testing.T) {
	s, err := risk.Rules([]bool{true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := risk.Noisy(s, bigs(90, 10, 5, 200, -3, 4, 7), privacytest.Decimal(t, "1"), privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Assess(risk.Population, nil)
	if a.Thresholds != nil || a.AUC != nil || len(a.Risks) != 3 || a.Best(learn.ZeroOne) != nil {
		t.Errorf("%+v", a)
	}
	if v := *a.Risks[0].Shares[0].Value; v != 0.9 {
		t.Errorf("the first risk is %v", v)
	}
	if v := *a.Risks[2].Shares[0].Value; v != 0 || a.Risks[2].Shares[0].Most < 0.9 {
		t.Errorf("the last risk is %+v", a.Risks[2].Shares[0])
	}
	if v := *a.Accuracy.Value; math.Abs(v-287./306) > 1e-12 {
		t.Errorf("accuracy %v", v)
	}
}

// Selection from more models widens the intervals for the population, not those for the rows.
func TestModelsToChooseFrom(t *testing.T) {
	c := noisy(t, "1", privacy.ReplaceOne, 300, 10000, 2000, 5000, 4000, 1000, 3)
	width := func(of risk.Target, models *big.Int) (share, area float64) {
		a := c.Assess(of, models)
		return a.Accuracy.Most - a.Accuracy.Least, a.AUC.Most - a.AUC.Least
	}
	rowsShare, rowsArea := width(risk.Rows, nil)
	oneShare, oneArea := width(risk.Population, big.NewInt(1))
	allShare, allArea := width(risk.Population, new(big.Int).Lsh(big.NewInt(1), 80))
	someShare, someArea := width(risk.Population, big.NewInt(847288609443))
	if !(rowsShare < oneShare && oneShare < someShare && someShare < allShare && rowsArea < oneArea && oneArea < someArea && someArea < allArea) {
		t.Errorf("widths %v %v %v %v, of areas %v %v %v %v", rowsShare, oneShare, someShare, allShare, rowsArea, oneArea, someArea, allArea)
	}
	if s, a := width(risk.Rows, big.NewInt(1000)); s != rowsShare || a != rowsArea {
		t.Error("intervals for the rows know of the class")
	}
	if s, a := width(risk.Population, nil); s != oneShare || a != oneArea {
		t.Error("one model is not a model fixed before")
	}
}

// The stated risk of a range of grades is the mean over its present rows.
func TestCalibration(t *testing.T) {
	stated := exact(t, 10, 90, 50, 50, 80, 20, 0).Assess(risk.Rows, nil)
	found := exact(t, 30, 70, 20, 280, 90, 10, 0).Assess(risk.Rows, nil)
	got := ""
	for _, c := range found.Calibration(stated) {
		got += fmt.Sprintf("%d to %d: stated %.3f, found %.3f\n", c.Least, c.Most, *c.Stated, *c.Shares[0].Value)
	}
	if want := "0 to 1: stated 0.400, found 0.125\n2 to 2: stated 0.800, found 0.900\n0 to 2: stated 0.480, found 0.280\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// The number of all rows is the estimate of those inside the domain, whatever the sum of the noisy counts is.
func TestCalibrationOfAllRows(t *testing.T) {
	for _, rows := range []*big.Int{nil, big.NewInt(20000)} {
		c := noisy(t, "1", privacy.ReplaceOne, 300, 10000, 2000, 5000, 4000, 1000, 3)
		c.Rows = rows
		a := c.Assess(risk.Rows, nil)
		all := a.Calibration(a)
		if got := all[len(all)-1].Rows; got.Cmp(a.Inside.Value) != 0 {
			t.Errorf("%v rows: %v, not %v", rows, got, a.Inside.Value)
		}
	}
}

func Example() {
	// A card with the totals -1 to 2; 1 and 2 predict 1. The counts, as learn.Histogram released
	// them, are those of positive and negative rows at each total, then those outside.
	scale := risk.Totals(0, [][]int{{-1, 0, 1}, {0, 1}}, 1)
	noisy := []*big.Int{big.NewInt(12), big.NewInt(1890), big.NewInt(305), big.NewInt(2711), big.NewInt(881), big.NewInt(902), big.NewInt(410), big.NewInt(95), big.NewInt(-4)}
	epsilon, err := privacy.ParseDecimal("0.2")
	if err != nil {
		fmt.Println(err)
		return
	}
	counts, err := risk.Noisy(scale, noisy, epsilon, privacy.ReplaceOne)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := counts.Assess(risk.Rows, nil)
	for _, r := range a.Risks {
		fmt.Printf("%+d: %.0f %% (%.0f to %.0f)\n", r.Least, 100**r.Shares[0].Value, 100*r.Shares[0].Least, 100*r.Shares[0].Most)
	}
	fmt.Printf("area %.2f (%.2f to %.2f)\n", *a.AUC.Value, a.AUC.Least, a.AUC.Most)
	fmt.Printf("where missing one costs four times as much, predict from %+d on\n", a.Best(learn.Loss{FalsePositive: 1, FalseNegative: 4}).At)
	// Output:
	// -1: 1 % (0 to 6)
	// +0: 10 % (7 to 13)
	// +1: 49 % (46 to 53)
	// +2: 81 % (67 to 100)
	// area 0.86 (0.84 to 0.88)
	// where missing one costs four times as much, predict from +1 on
}
