package synth

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Contrasts of pairs are r·c times the residuals of counts after subtracting row means and column means and
// adding the total mean, for counts of any size. Contrasts of a column of k values are k times the differences from the
// mean count.
func TestContrasts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, k := range []int{1, 2, 5} {
		counts := []int64{7, 0, 30, 2, 900}[:k]
		total := int64(0)
		for _, n := range counts {
			total += n
		}
		for v, x := range contrasts(counts, k) {
			if want := int64(k)*counts[v] - total; x != want {
				t.Errorf("contrast %d of %v is %d, not %d", v, counts, x, want)
			}
		}
	}
	for _, size := range [][2]int{{1, 1}, {1, 3}, {2, 2}, {3, 2}, {4, 7}, {2, 400}} {
		r, c := size[0], size[1]
		counts := make([]int64, r*c)
		for k := range counts {
			counts[k] = random.Int64N(1000)
		}
		got := contrasts(counts, r, c)
		for k, x := range got {
			left := float64(counts[k])
			for j := range c {
				left -= float64(counts[k/c*c+j]) / float64(c)
			}
			for i := range r {
				left -= float64(counts[i*c+k%c]) / float64(r)
			}
			for _, n := range counts {
				left += float64(n) / float64(r*c)
			}
			if math.Abs(float64(x)-left*float64(r*c)) > 1e-6*float64(r*c) {
				t.Fatalf("contrast %d of %d × %d cells is %d, not %g", k, r, c, x, left*float64(r*c))
			}
		}
		for k := range counts {
			counts[k] = math.MaxInt64
		}
		counts[0] = 0
		most := farCount / (4 * int64(r*c))
		if got := contrasts(counts, r, c); slices.Min(got) < -farCount || slices.Max(got) > farCount || got[0] != -most*int64(r-1)*int64(c-1) {
			t.Errorf("of as many rows as there can be in all of %d × %d cells but one contrasts are %d to %d", r, c, slices.Min(got), slices.Max(got))
		}
	}
}

// The maximum change of contrasts, over all added rows and over all rows replaced by others or by
// null rows, is exactly the sensitivity for which the noise is made.
func TestContrastsMove(t *testing.T) {
	squared := func(x, y []int64) (sum int64) {
		for k := range x {
			sum += (x[k] - y[k]) * (x[k] - y[k])
		}
		return sum
	}
	var all [][]int
	for r := 1; r <= 6; r++ {
		all = append(all, []int{r})
		for c := 1; c <= 6; c++ {
			all = append(all, []int{r, c})
		}
	}
	for _, sizes := range all {
		counts := []int64{5}
		for _, size := range sizes {
			counts = slices.Repeat(counts, size)
		}
		with := func(cell int) []int64 {
			counts[cell]++
			defer func() { counts[cell]-- }()
			return contrasts(counts, sizes...)
		}
		var added, replaced int64
		for k := range counts {
			added = max(added, squared(with(k), contrasts(counts, sizes...)))
			for l := range counts {
				replaced = max(replaced, squared(with(k), with(l)))
			}
		}
		replaced = max(replaced, added) // replaced by a null row
		for relation, moves := range map[privacy.Relation]int64{privacy.AddRemove: added, privacy.ReplaceOne: replaced} {
			if got := contrastMoved(relation, sizes...); got.Cmp(big.NewRat(max(moves, 1), 1)) != 0 {
				t.Errorf("%v: a row moves contrasts of %v cells by %d, squared, not %v", relation, sizes, moves, got)
			}
		}
	}
}

// Contrasts are converted to rows, with the variance of their noise in rows.
func TestContrastsInRows(t *testing.T) {
	c := Measurement{
		Axes:   []table.Axis{{Column: 0, Size: 2}, {Column: 1, Size: 3}},
		Sigma2: big.NewRat(72, 1), Counts: []int64{6, -12, 0, 3, 0, 1}, Contrasts: true,
	}
	m := c.marginal(privacy.AddRemove)
	if want := []float64{1, -2, 0, .5, 0, 1. / 6}; !slices.Equal(m.Counts, want) || math.Abs(m.Variance-2) > 1e-12 {
		t.Errorf("%v with a variance of %g", m.Counts, m.Variance)
	}
	// 2·3·1·2 = 12 if a row is added, 2·6·(6-2) = 48 if one is replaced.
	for relation, want := range map[privacy.Relation]*big.Rat{privacy.AddRemove: big.NewRat(1, 12), privacy.ReplaceOne: big.NewRat(1, 3)} {
		if got := c.Cost(relation).Rho; got.Cmp(want) != 0 {
			t.Errorf("%v: a ρ of %v, not %v", relation, got, want)
		}
	}
}
