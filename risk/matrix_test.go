package risk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/heavy"
	"github.com/sibyl-dp/sibyl/internal/stattest"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/risk"
	"github.com/sibyl-dp/sibyl/table"
)

// Each row is in one cell: that of its outcome and of what is predicted, or the last.
func TestCountMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, outcomes := range []int{2, 3, table.MostOutcomes} {
		b := table.NewBuilderOf([]int{5}, outcomes)
		want := make([]int64, risk.MatrixCells(outcomes))
		predict := func(x table.Record) int { return int(x[0]) % outcomes }
		for range 300 {
			x, o := uint16(r.IntN(5)), r.IntN(outcomes)
			if err := b.AddOutcome(table.Record{x}, o, 2); err != nil {
				t.Fatal(err)
			}
			want[o*outcomes+int(x)%outcomes] += 2
		}
		if err := b.AddNull(9); err != nil {
			t.Fatal(err)
		}
		want[outcomes*outcomes] = 9
		if got := risk.CountMatrix(b.Table(), outcomes, predict); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d outcomes: %v, want %v", outcomes, got, want)
		}
	}
}

// what returns the numbers of a comparison by name: counts, and shares where there are rows.
func what(c *risk.Comparison) (counts map[string]risk.Count, shares map[string]risk.Share) {
	counts = map[string]risk.Count{"inside": c.Inside, "outside": c.Outside, "errors": c.Errors}
	shares = map[string]risk.Share{"accuracy": c.Accuracy}
	for o, row := range c.Matrix {
		for p, n := range row {
			counts[fmt.Sprint(o, p)] = n
		}
		shares[fmt.Sprint("sensitivity", o)], shares[fmt.Sprint("precision", o)] = c.Sensitivity[o], c.Precision[o]
	}
	return counts, shares
}

// Exact counts give exact numbers, by definition.
func TestExactComparison(t *testing.T) {
	m, err := risk.ExactMatrix(3, []int64{5, 1, 0, 2, 7, 3, 0, 0, 0, 4})
	if err != nil {
		t.Fatal(err)
	}
	counts, shares := what(m.Compare(risk.Rows))
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
	for _, n := range []int{3, 4, 9, 11} {
		if _, err := risk.ExactMatrix(3, make([]int64, n)); err == nil {
			t.Errorf("%d counts are a matrix", n)
		}
	}
}

// All intervals hold at once with Confidence, of the rows counted and of the population,
// with the number of rows and without. Where the noise is three times what the counts say,
// they do not.
func TestComparisonHolds(t *testing.T) {
	family := stattest.Open(t, "risk/matrix")
	r := rand.New(rand.NewPCG(9, 10))
	chances := []float64{.3, .05, 0, .1, .2, .01, .02, .02, .2, .1} // of the cells
	missed, total, twin := map[risk.Target]int{}, 0, 0
	for _, rows := range []int{10, 300, 5000} {
		for _, epsilon := range []string{"0.1", "1", "5"} {
			for i := range heavy.Pick(20, 400) {
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
				truth := matrixOf(t, cells, "", "", nil)
				own := matrixOf(t, cells, epsilon, epsilon, map[int]*big.Int{0: big.NewInt(int64(rows))}[i%2])
				if comparisonMisses(own.Compare(risk.Rows), truth, truth) {
					missed[risk.Rows]++
				}
				if comparisonMisses(own.Compare(risk.Population), truth, matrixOf(t, population, "", "", nil)) {
					missed[risk.Population]++
				}
				said := map[string]string{"0.1": "0.3", "1": "3", "5": "15"}[epsilon]
				if comparisonMisses(matrixOf(t, cells, epsilon, said, nil).Compare(risk.Rows), truth, truth) {
					twin++
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

// matrixOf adds noise for one ε and says that it is for another; none for the exact matrix.
func matrixOf(t testing.TB, cells []int64, epsilon, said string, rows *big.Int) *risk.Matrix {
	t.Helper()
	if epsilon == "" {
		m, err := risk.ExactMatrix(3, cells)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	h, err := learn.NewHistogram(len(cells), decimal(t, epsilon), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Release(context.Background(), cells, noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	m, err := risk.NoisyMatrix(3, got, decimal(t, said), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	m.Rows = rows
	return m
}

// comparisonMisses tells whether an interval misses what is true of the rows, or of what
// shares are said of.
func comparisonMisses(c *risk.Comparison, rows, of *risk.Matrix) bool {
	counts, shares := what(c)
	truly, _ := what(rows.Compare(risk.Rows))
	_, exactly := what(of.Compare(risk.Rows))
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
