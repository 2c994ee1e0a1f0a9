package risk_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// leaves returns the scale of n leaves, every third of which predicts 1.
func leaves(t testing.TB, n int) risk.Scale {
	t.Helper()
	predicted := make([]int, n)
	for i := range predicted {
		if i%3 == 1 {
			predicted[i] = 1
		}
	}
	s, err := risk.Leaves(2, predicted)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// strayed reports which kinds of statements of an assessment of leaves are false, by the exact
// counts in the same order.
func strayed(a *risk.Assessment, truth *risk.Counts) (share, threshold, area bool) {
	truth.Order = a.Order
	b := truth.Assess(risk.Rows, nil)
	out := func(s, is risk.Share) bool {
		return is.Value != nil && (*is.Value < s.Least-1e-9 || *is.Value > s.Most+1e-9)
	}
	for i := range a.Risks {
		share = share || out(a.Risks[i].Shares[0], b.Risks[i].Shares[0])
	}
	share = share || out(a.Accuracy, b.Accuracy) || out(a.Prevalence, b.Prevalence) || out(a.Sensitivity[1], b.Sensitivity[1]) || out(a.Sensitivity[0], b.Sensitivity[0])
	for i, s := range a.Thresholds {
		is := b.Thresholds[i]
		threshold = threshold || out(s.Sensitivity, is.Sensitivity) || out(s.Specificity, is.Specificity) || out(s.Errors, is.Errors)
	}
	return share, threshold, out(*a.AUC, *b.AUC)
}

// Intervals of leaves hold with their probabilities, for the rows and the population, in the order
// that noisy counts imply. This includes leaves of equal risk, which noise alone orders. Intervals
// for a fixed order would fail.
func TestLeavesHold(t *testing.T) {
	family := stattest.Open(t, "risk/leaf")
	r := rand.New(rand.NewPCG(7, 8))
	total, twins, twinTotal := 0, [2]int{}, 0
	shares, others := map[risk.Target]int{}, map[risk.Target]int{}
	for _, g := range []int{1, 2, 8, 16, 64} {
		for _, spread := range []float64{0, 0.4} {
			adverse := g == 64 && spread == 0
			draws := heavy.Pick(2, 10)
			if adverse {
				draws = max(draws, 14)
			}
			p := people{}
			for range g {
				p.grade = append(p.grade, 1/float64(g))
				p.risk = append(p.risk, 0.5+spread*(2*r.Float64()-1))
			}
			for _, rows := range []int{20, 4000} {
				if g == 64 && (!adverse || rows == 20) && !heavy.On() {
					continue
				}
				for range draws {
					total++
					cells := p.draw(r, rows)
					counts := counted(t, g, cells, "0.1", true)
					for of, truth := range map[risk.Target]*risk.Counts{risk.Rows: counted(t, g, cells, "", false), risk.Population: counted(t, g, p.cells(1e12), "", false)} {
						a := counts.Assess(of, nil)
						share, threshold, area := strayed(a, truth)
						if share {
							shares[of]++
						}
						if threshold || area {
							others[of]++
						}
						if of != risk.Rows || !adverse || rows < 4000 {
							continue
						}
						twinTotal++
						fixed := *counts
						fixed.Order = a.Order
						_, threshold, area = strayed(fixed.Assess(of, nil), truth)
						if threshold {
							twins[0]++
						}
						if area {
							twins[1]++
						}
					}
				}
			}
		}
	}
	t.Logf("of %d: shares %v, thresholds and areas %v; as if fixed, of %d: %v", total, shares, others, twinTotal, twins)
	for _, of := range []risk.Target{risk.Rows, risk.Population} {
		family.AtMost(t, shares[of], total, 0.04)
		family.AtMost(t, others[of], total, 0.01)
	}
	for _, missed := range twins {
		if 4*missed < twinTotal {
			t.Errorf("taken for an order that was fixed before, intervals miss in %v of %d", twins, twinTotal)
		}
	}
}

// counted returns the counts of the cells of g leaves, with noise under replace-one if noised.
func counted(t testing.TB, g int, cells []int64, epsilon string, noised bool) *risk.Counts {
	t.Helper()
	if !noised {
		c, err := risk.Exact(leaves(t, g), cells)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	h, err := learn.NewHistogram(len(cells), privacytest.Decimal(t, epsilon), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Release(t.Context(), cells, noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	c, err := risk.Noisy(leaves(t, g), got, privacytest.Decimal(t, epsilon), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cells returns the cells of the population, scaled to the given number of rows.
func (p people) cells(rows float64) (cells []int64) {
	for i, g := range p.grade {
		cells = append(cells, int64(math.Round(rows*g*p.risk[i])), int64(math.Round(rows*g*(1-p.risk[i]))))
	}
	return append(cells, 0)
}

// Exact counts of leaves give the area by pairs in the order of risks, and thresholds by trying
// each. With a fixed order they are computed in that order.
func TestExactLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		g := 1 + r.IntN(6)
		cells := make([]int64, 2*g+1)
		for i := range cells {
			cells[i] = int64(1 + r.IntN(5))
		}
		c := counted(t, g, cells, "", false)
		if r.IntN(2) == 0 {
			c.Order = r.Perm(g)
			for i := range c.Order {
				c.Order[i]++
			}
		}
		a := c.Assess(risk.Rows, nil)
		if c.Order == nil && !slices.IsSortedFunc(a.Order, func(i, j int) int {
			p, q := cells[2*i-2]*(cells[2*j-2]+cells[2*j-1]), cells[2*j-2]*(cells[2*i-2]+cells[2*i-1])
			return int(p - q)
		}) || c.Order != nil && !slices.Equal(a.Order, c.Order) {
			t.Fatalf("%v: order %v", cells, a.Order)
		}
		pairs, ordered := 0., 0.
		for i, m := range a.Order {
			for j, n := range a.Order {
				both := float64(cells[2*m-2] * cells[2*n-1])
				pairs += both
				if i > j {
					ordered += both
				} else if i == j {
					ordered += both / 2
				}
			}
		}
		if math.Abs(*a.AUC.Value-ordered/pairs) > 1e-9 || a.AUC.Least != *a.AUC.Value || a.AUC.Most != *a.AUC.Value {
			t.Fatalf("%v: area %+v, by pairs %v", cells, *a.AUC, ordered/pairs)
		}
		own := 0
		for i, s := range a.Thresholds {
			hit, positive := 0., 0.
			is := true
			for k, n := range a.Order {
				positive += float64(cells[2*n-2])
				if k >= i {
					hit += float64(cells[2*n-2])
				}
				is = is && (k >= i) == (c.Scale.Grades[n-1].Predicted == 1)
			}
			if s.Own != is || math.Abs(*s.Sensitivity.Value-hit/positive) > 1e-9 {
				t.Fatalf("%v: threshold %d is %+v, of sensitivity %v", cells, i, s, hit/positive)
			}
			if i < g && s.At != a.Order[i] || i == g && s.At != g+1 {
				t.Fatalf("threshold %d is at %d", i, s.At)
			}
			if s.Own {
				own++
			}
		}
		if len(a.Thresholds) != g+1 || own > 1 {
			t.Fatalf("%d thresholds, %d of them its own", len(a.Thresholds), own)
		}
	}
}

// A leaf without counts has no risk. Its place in the order is that of the overall risk.
func TestEmptyLeaf(t *testing.T) {
	c, err := risk.Noisy(leaves(t, 4), bigs(10, 90, -5, 3, 70, 30, 1, 199, 7), privacytest.Decimal(t, "1"), privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Assess(risk.Rows, nil)
	if a.Risks[1].Shares[0].Value != nil || !slices.Equal(a.Order, []int{4, 1, 2, 3}) {
		t.Errorf("order %v, the risk of leaf 2 is %+v", a.Order, a.Risks[1].Shares[0])
	}
	if a.AUC.Value == nil || a.AUC.Least > *a.AUC.Value || a.AUC.Most < *a.AUC.Value || a.Best(learn.ZeroOne).At != 3 {
		t.Errorf("area %+v, best %+v", a.AUC, a.Best(learn.ZeroOne))
	}
	for _, n := range []int{0, risk.MostGrades + 1} {
		if _, err := risk.Leaves(2, make([]int, n)); err == nil {
			t.Errorf("%d leaves are a scale", n)
		}
	}
}
