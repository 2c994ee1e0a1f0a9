package risk

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The bounds of a comparison share what all may miss: a part for each statement, either way
// and for the number of rows. Sums of cells are no further off than their bound says, by
// their own law, and the bound is not much wider.
func TestMatrixWidths(t *testing.T) {
	epsilon, err := privacy.ParseDecimal("0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, k := range []int{3, 8, 9} {
			shares, counts := 1+k+k, k*k+1+1+1 // cells, outside, errors, right
			ends := int64(3*shares + 2*counts)
			h, err := learn.NewHistogram(MatrixCells(k), epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			errors, cell := MatrixWidths(k, epsilon, r)
			miss := big.NewRat(2, 20*ends)
			if want := h.HalfWidth(1, miss); cell.Cmp(want) != 0 {
				t.Errorf("%v, %d outcomes: a cell within %v, not %v", r, k, cell, want)
			}
			exact, most := h.HalfWidth(k*k-k, miss), 1.
			if k > 8 {
				most = 1.2
			}
			if ratio := float(errors) / float(exact); ratio < 1 || ratio > most {
				t.Errorf("%v, %d outcomes: errors within %v, which is %.3g times %v", r, k, errors, ratio, exact)
			}
			cells := make([]*big.Int, MatrixCells(k))
			for i := range cells {
				cells[i] = big.NewInt(100000)
			}
			m, err := NoisyMatrix(k, cells, epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			c := m.Compare(Rows)
			inverse, _ := inverse(epsilon, r).Float64()
			l := strayer{1 / inverse, 1, false, math.Log(float64(ends) / 0.05), 0}
			right := h.HalfWidth(k, miss)
			for name, w := range map[string]struct {
				count       Count
				least, most *big.Int
			}{
				"errors": {c.Errors, errors, errors}, "outside": {c.Outside, cell, cell}, "cell": {c.Matrix[1][0], cell, cell},
				"inside": {c.Inside, sum(errors, right), sum(errors, right)},
			} {
				if low, high := less(w.count.Value, w.count.Least), less(w.count.Most, w.count.Value); low.Cmp(w.least) != 0 || high.Cmp(w.most) != 0 {
					t.Errorf("%v, %d outcomes: %s within %v and %v, not %v and %v", r, k, name, low, high, w.least, w.most)
				}
			}
			if got, want := c.Accuracy, l.share(cells2(k, k), cells2(k*k-k, k*k-k)); text(got) != text(want) {
				t.Errorf("%v, %d outcomes: accuracy %s, want %s", r, k, text(got), text(want))
			}
		}
	}
}

func cells2(rows, n int) cells { return cells{100000 * float64(rows), n} }

func sum(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }

func less(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
