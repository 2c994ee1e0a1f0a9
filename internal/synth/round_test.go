package synth

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A round counts the values of its term, which are those of one pooled value, in cell 1, and all
// others in cell 0.
func TestTermAxis(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	for range 50 {
		var pools []*cells.Pooling
		for range 3 {
			pool := &cells.Pooling{Size: 1 + r.IntN(4)}
			for range pool.Size + r.IntN(5) {
				pool.Cells = append(pool.Cells, uint16(r.IntN(pool.Size)))
			}
			pools = append(pools, pool)
		}
		term := loglinear.Term{Column: r.IntN(3)}
		term.Value = uint16(r.IntN(pools[term.Column].Size))
		axis := termAxis(term, pools)
		of := pools[term.Column].Cells
		if axis.Column != term.Column || axis.Size != 2 || len(axis.Cells) != len(of) {
			t.Fatalf("an axis %v of %v", axis, term)
		}
		for v, pooled := range of {
			if (pooled == term.Value) != (axis.Cells[v] == 1) || axis.Cells[v] > 1 {
				t.Errorf("value %d of %v, pooled as %d, is in cell %d for the term %d", v, of, pooled, axis.Cells[v], term.Value)
			}
		}
	}
}

// If no conjunction is frequent enough, there are no rounds and the release succeeds.
func TestNoCandidates(t *testing.T) {
	var rows []row
	for a := range 30 {
		for b := range 30 {
			rows = append(rows, row{uint16(a), uint16(b), uint16((a + b) % 30)})
		}
	}
	p := mustPlan(t, Domain{Columns: []Column{{Size: 30}, {Size: 30}, {Size: 30}}, Outcome: true}, Budget{Relation: privacy.AddRemove, Rho: decimal(t, "100"), Rows: 10_000})
	if p.Rounds == 0 {
		t.Fatal("no rounds are planned")
	}
	made, err := NewMechanism(p, Fitting{Options: loglinear.Options{Particles: 3000}}).Release(context.Background(), tabulated(t, []int{30, 30, 30}, rows, 20), noise.Insecure(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Measured.Rounds) != 0 {
		t.Errorf("%d rounds", len(made.Measured.Rounds))
	}
}

// Without noise, the contrasts of any pair of columns are r·c times the residuals of the counts
// after subtracting row and column means.
func TestContrastsOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 20))
	sizes := []int{2, 5, 3, 1, 4}
	rows := random(r, sizes, 60)
	p := mustPlan(t, Domain{Columns: []Column{{Size: 2}, {Size: 5}, {Size: 3}, {Size: 1}, {Size: 4}}, Outcome: true}, Budget{Relation: privacy.AddRemove, Rho: decimal(t, "1e6")})
	p.Rounds = 0
	made, err := NewMechanism(p, Fitting{}).Release(context.Background(), tabulated(t, sizes, rows, 3), &silent{Coins: noise.Insecure(1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range made.Measured.Pairs {
		a, b := pair.Axes[0], pair.Axes[1]
		for x := range a.Size {
			for y := range b.Size {
				cell, row, column := 0, 0, 0
				for _, of := range rows {
					inRow, inColumn := a.Cell(int(of[a.Column])) == x, b.Cell(int(of[b.Column])) == y
					if inRow && inColumn {
						cell++
					}
					if inRow {
						row++
					}
					if inColumn {
						column++
					}
				}
				want := int64(a.Size*b.Size*cell - a.Size*row - b.Size*column + len(rows))
				if got := pair.Counts[x*b.Size+y]; got != want {
					t.Errorf("columns %d and %d, cell %d, %d: %d, not %d", a.Column, b.Column, x, y, got, want)
				}
			}
		}
	}
}

// Expected counts are in units, of which a person has several. They are integers, and within the
// range of released counts.
func TestExpected(t *testing.T) {
	for _, c := range []struct {
		of   float64
		unit int64
		want int64
	}{
		{2.4, 1, 2}, {2.5, 1, 3}, {2.4, 6, 14}, {0.1, 2520, 252}, {0, 6, 0}, {-3, 6, 0}, {math.NaN(), 6, 0},
		{MostCount, 6, MostCount}, {MostCount / 6, 6, MostCount / 6 * 6}, {math.Inf(1), 1, MostCount},
	} {
		if got := expected(loglinear.Conjunction{Expected: c.of}, c.unit); got != c.want {
			t.Errorf("%g of units of %d: %d, not %d", c.of, c.unit, got, c.want)
		}
	}
}
