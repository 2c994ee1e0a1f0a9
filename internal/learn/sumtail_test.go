package learn

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// HalfWidth compares with miss exactly. If miss equals the bound on the probability of leaving -w..w, it
// returns w. For any smaller miss it returns at least w + 1.
func TestHalfWidthKeepsMiss(t *testing.T) {
	m, err := NewHistogram(3, privacytest.Decimal(t, "0.7"), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	little := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 3000))
	for _, cells := range []int{1, 2, 3} {
		tail := newSumTail(m.law(), cells)
		for _, w := range []int64{0, 1, 2, 7, 8, 30} {
			miss, _ := tail.beyond(big.NewInt(w)).Rat(nil)
			if got := m.HalfWidth(cells, miss); got.Int64() != w {
				t.Errorf("%d cells: %v, not %d", cells, got, w)
			}
			if got := m.HalfWidth(cells, miss.Sub(miss, little)); got.Int64() != w+1 {
				t.Errorf("%d cells, a little less: %v, not %d", cells, got, w+1)
			}
		}
	}
}

// A histogram has from 1 to MostCells cells.
func TestHistogramSizes(t *testing.T) {
	for cells, taken := range map[int]bool{-1: false, 0: false, 1: true, MostCells - 1: true, MostCells: true, MostCells + 1: false} {
		if _, err := NewHistogram(cells, privacytest.Decimal(t, "1"), privacy.AddRemove); (err == nil) != taken {
			t.Errorf("%d cells: %v", cells, err)
		}
	}
}
