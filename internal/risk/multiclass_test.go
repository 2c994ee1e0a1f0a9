package risk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Each row is in exactly one cell: that of its label and grade, or the last.
func TestCountOutcomes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, outcomes := range []int{2, 3, table.MostOutcomes} {
		for _, s := range []risk.Scale{risk.Predictions(outcomes), leavesOf(t, outcomes, 1, 0, 1, outcomes-1)} {
			grades := len(s.Grades)
			b := table.NewBuilderOf([]int{5}, outcomes)
			want := make([][]int64, outcomes)
			for o := range want {
				want[o] = make([]int64, grades)
			}
			grade := func(x table.Record) int { return s.Grades[int(x[0])%grades].Least }
			for range 300 {
				x, o := uint16(r.IntN(5)), r.IntN(outcomes)
				if err := b.AddOutcome(table.Record{x}, o, 2); err != nil {
					t.Fatal(err)
				}
				want[o][int(x)%grades] += 2
			}
			if err := b.AddNull(9); err != nil {
				t.Fatal(err)
			}
			got, err := risk.Exact(s, s.Count(b.Table(), grade))
			if err != nil || fmt.Sprint(got.Cells) != fmt.Sprint(want) || got.Outside.Int64() != 9 || got.Rows.Int64() != 609 {
				t.Errorf("%d outcomes of %s: %v, %v, want %v", outcomes, s.Kind, got, err, want)
			}
		}
	}
}

// leavesOf returns the scale of leaves that predict the given classes.
func leavesOf(t testing.TB, outcomes int, predicted ...int) risk.Scale {
	t.Helper()
	s, err := risk.Leaves(outcomes, predicted)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ordered converts counts by class, then grade, then outside to the order of the scale's cells.
func ordered(s risk.Scale, given []int64) (cells []int64) {
	g := len(s.Grades)
	for i := range g {
		for o := s.Outcomes - 1; o >= 0; o-- {
			cells = append(cells, given[o*g+i])
		}
	}
	return append(cells, given[len(given)-1])
}

// what returns the counts and shares of an assessment by name.
func what(c *risk.Assessment) (counts map[string]risk.Count, shares map[string]risk.Share) {
	counts = map[string]risk.Count{"inside": c.Inside, "outside": c.Outside, "errors": c.Errors}
	shares = map[string]risk.Share{"accuracy": c.Accuracy}
	for o, row := range c.Confusion {
		for p, n := range row {
			counts[fmt.Sprint(o, p)] = n
		}
		shares[fmt.Sprint("sensitivity", o)], shares[fmt.Sprint("precision", o)] = c.Sensitivity[o], c.Precision[o]
	}
	for _, of := range c.Risks {
		for o, s := range of.Shares {
			shares[fmt.Sprint("leaf", of.Least, " ", o)] = s
		}
	}
	return counts, shares
}

// Exact counts give exact values, computed by definition.
func TestExactMulticlass(t *testing.T) {
	predictions := risk.Predictions(3)
	m, err := risk.Exact(predictions, ordered(predictions, []int64{5, 1, 0, 2, 7, 3, 0, 0, 0, 4}))
	if err != nil {
		t.Fatal(err)
	}
	counts, shares := what(m.Assess(risk.Rows, nil))
	for name, n := range map[string]int64{"inside": 18, "outside": 4, "errors": 6, "0 1": 1, "1 0": 2, "1 2": 3, "2 2": 0} {
		if c := counts[name]; c.Value.Int64() != n || c.Least.Int64() != n || c.Most.Int64() != n {
			t.Errorf("%s: %v, want %d", name, c, n)
		}
	}
	for name, v := range map[string]float64{"accuracy": 12. / 18, "sensitivity0": 5. / 6, "sensitivity1": 7. / 12, "precision0": 5. / 7, "precision1": 7. / 8, "precision2": 0} {
		if s := shares[name]; s.Value == nil || *s.Value != v || s.Least != v || s.Most != v {
			t.Errorf("%s: %+v, want %g", name, s, v)
		}
	}
	if s := shares["sensitivity2"]; s.Value != nil || s.Least != 0 || s.Most != 1 {
		t.Errorf("of no rows: %+v", s)
	}
	if _, err := json.Marshal(m); !errors.Is(err, risk.ErrExact) {
		t.Error(err)
	}
	if m.Assess(risk.Rows, nil).Risks != nil {
		t.Error("predictions have risks of leaves")
	}
	for _, n := range []int{3, 4, 9, 11} {
		if _, err := risk.Exact(predictions, make([]int64, n)); err == nil {
			t.Errorf("%d counts are a matrix", n)
		}
	}
}

// The risks of a leaf are the shares of its rows. Counts of predictions are sums over the leaves
// with that prediction, and are certain if there is none. Shares from noisy counts are projected to
// the nearest valid ones.
func TestRisksOfOutcomes(t *testing.T) {
	s := leavesOf(t, 3, 2, 0, 2)
	given := []int64{1, 4, 0, 2, 5, 0, 7, 1, 0, 6} // of the classes 0, 1, 2 by leaf, and outside
	exact, err := risk.Exact(s, ordered(s, given))
	if err != nil {
		t.Fatal(err)
	}
	c := exact.Assess(risk.Rows, nil)
	counts, shares := what(c)
	for name, n := range map[string]int64{"inside": 20, "outside": 6, "errors": 9, "0 0": 4, "0 2": 1, "1 1": 0, "1 2": 2, "2 0": 1, "2 2": 7} {
		if c := counts[name]; c.Value.Int64() != n || c.Least.Int64() != n || c.Most.Int64() != n {
			t.Errorf("%s: %v, want %d", name, c, n)
		}
	}
	for name, v := range map[string]float64{"leaf1 0": .1, "leaf1 1": .2, "leaf1 2": .7, "leaf2 0": .4, "leaf2 1": .5, "leaf2 2": .1, "sensitivity0": .8, "sensitivity1": 0, "precision2": .7} {
		if s := shares[name]; s.Value == nil || math.Abs(*s.Value-v) > 1e-12 || s.Least > *s.Value || s.Most < *s.Value || s.Most-s.Least > 1e-12 {
			t.Errorf("%s: %+v, want %g", name, s, v)
		}
	}
	if s := shares["leaf3 1"]; s.Value != nil || s.Least != 0 || s.Most != 1 {
		t.Errorf("of no rows: %+v", s)
	}
	if got := c.At(2); *got.Shares[1].Value != .5 || c.Risks[1].Rows.Int64() != 10 {
		t.Errorf("at leaf 2: %+v", c.Risks[1])
	}
	given = []int64{-300, 4, -9, 100, 5, 0, 400, -20, 0, 6}
	noisy, err := risk.Noisy(s, bigs(ordered(s, given)...), privacytest.Decimal(t, "0.1"), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	c = noisy.Assess(risk.Rows, nil)
	for leaf, want := range [][]float64{{0, 0, 1}, nil, nil} { // 200 rows: 100 and 400 less 150 and 150 are below and above
		for o, s := range c.Risks[leaf].Shares {
			if want == nil && s.Value != nil || want != nil && math.Abs(*s.Value-want[o]) > 1e-12 || s.Value != nil && (*s.Value < s.Least || *s.Value > s.Most) {
				t.Errorf("leaf %d: %+v of outcome %d, want %v", leaf+1, s, o, want)
			}
		}
	}
}

// All intervals hold simultaneously with Confidence, for the counted rows and for the population,
// with and without a public number of rows. If the noise is three times as large as stated, they
// fail.
func TestMulticlassHolds(t *testing.T) {
	family := stattest.Open(t, "risk/matrix")
	r := rand.New(rand.NewPCG(9, 10))
	missed, total, twin := map[risk.Target]int{}, 0, 0
	type world struct {
		scale   risk.Scale
		chances []float64 // of the cells, by class and then by grade, and outside
	}
	for _, w := range []world{
		{risk.Predictions(3), []float64{.3, .05, 0, .1, .2, .01, .02, .02, .2, .1}},
		{leavesOf(t, 3, 1, 0, 1, 1), []float64{.1, .15, .1, 0, .05, .05, .2, .1, .05, .05, .04, .01, .1}},
	} {
		chances := w.chances
		for _, rows := range []int{10, 300, 5000} {
			for _, epsilon := range []string{"0.1", "1", "5"} {
				for i := range heavy.Pick(4, 60) {
					cells := make([]int64, len(chances))
					for range rows {
						at, u := 0, r.Float64()
						for u >= chances[at] && at < len(chances)-1 {
							u -= chances[at]
							at++
						}
						cells[at]++
					}
					population := make([]int64, len(chances))
					for j, p := range chances {
						population[j] = int64(p * 1e12)
					}
					total++
					truth := countsOf(t, w.scale, cells, "", "", nil)
					own := countsOf(t, w.scale, cells, epsilon, epsilon, map[int]*big.Int{0: big.NewInt(int64(rows))}[i%2])
					if multiclassMisses(own.Assess(risk.Rows, nil), truth, truth) {
						missed[risk.Rows]++
					}
					if multiclassMisses(own.Assess(risk.Population, nil), truth, countsOf(t, w.scale, population, "", "", nil)) {
						missed[risk.Population]++
					}
					said := map[string]string{"0.1": "0.3", "1": "3", "5": "15"}[epsilon]
					if multiclassMisses(countsOf(t, w.scale, cells, epsilon, said, nil).Assess(risk.Rows, nil), truth, truth) {
						twin++
					}
				}
			}
		}
	}
	t.Logf("of %d: missed %v; with more noise than is said %d", total, missed, twin)
	for _, of := range []risk.Target{risk.Rows, risk.Population} {
		family.AtMost(t, missed[of], total, 0.05)
	}
	if 5*twin < total {
		t.Errorf("with three times the noise that is said, intervals miss in %d of %d", twin, total)
	}
}

// countsOf adds noise for the ε epsilon and states the ε said. If epsilon is empty, the counts are
// exact.
func countsOf(t testing.TB, s risk.Scale, given []int64, epsilon, said string, rows *big.Int) *risk.Counts {
	t.Helper()
	cells := ordered(s, given)
	if epsilon == "" {
		m, err := risk.Exact(s, cells)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	h, err := learn.NewHistogram(len(cells), privacytest.Decimal(t, epsilon), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Release(context.Background(), cells, noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	m, err := risk.Noisy(s, got, privacytest.Decimal(t, said), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	m.Rows = rows
	return m
}

// multiclassMisses reports whether an interval misses the true value for the rows, or for the
// population given by the counts of.
func multiclassMisses(c *risk.Assessment, rows, of *risk.Counts) bool {
	counts, shares := what(c)
	truly, _ := what(rows.Assess(risk.Rows, nil))
	_, exactly := what(of.Assess(risk.Rows, nil))
	for name, n := range counts {
		if v := truly[name].Value; v.Cmp(n.Least) < 0 || v.Cmp(n.Most) > 0 {
			return true
		}
	}
	for name, s := range shares {
		if v := exactly[name].Value; v != nil && (*v < s.Least-1e-9 || *v > s.Most+1e-9) {
			return true
		}
	}
	return false
}

// Selection from more models widens the intervals for the population, not those for the rows.
func TestMulticlassModels(t *testing.T) {
	c := countsOf(t, risk.Predictions(3), []int64{300, 20, 10, 40, 500, 30, 5, 60, 700, 8}, "1", "1", nil)
	width := func(of risk.Target, models *big.Int) float64 {
		a := c.Assess(of, models)
		return a.Accuracy.Most - a.Accuracy.Least
	}
	if rows, fixed, chosen := width(risk.Rows, big.NewInt(1000)), width(risk.Population, nil), width(risk.Population, big.NewInt(1000)); rows != width(risk.Rows, nil) || rows >= fixed || fixed >= chosen {
		t.Errorf("widths %v of the rows, %v and %v of the population", rows, fixed, chosen)
	}
}
