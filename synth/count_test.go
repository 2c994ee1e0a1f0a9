package synth

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/synth/cells"
	"github.com/sibyl-dp/sibyl/synth/loglinear"
	"github.com/sibyl-dp/sibyl/table"
)

// row is a row of a table with its outcome last.
type row []uint16

// tabulated returns the table of rows over columns of these sizes, the last of them the
// outcome, each row as often as it is listed.
func tabulated(t testing.TB, sizes []int, rows []row, nulls int64) *table.Table {
	t.Helper()
	last := len(sizes) - 1
	b := table.NewBuilderOf(sizes[:last], sizes[last])
	for _, r := range rows {
		if err := b.AddOutcome(r[:last], int(r[last]), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(nulls); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// random returns so many rows, uniform over values that are at most the column's own number.
func random(r *rand.Rand, sizes []int, n int) []row {
	rows := make([]row, n)
	for i := range rows {
		for _, size := range sizes {
			rows[i] = append(rows[i], uint16(min(r.IntN(size), r.IntN(size))))
		}
	}
	return rows
}

func axes(of []int, sizes []int, cellsOf map[int]loglinear.Axis) []loglinear.Axis {
	var all []loglinear.Axis
	for _, j := range of {
		a, coarse := cellsOf[j]
		if !coarse {
			a = loglinear.Axis{Column: j, Size: sizes[j]}
		}
		all = append(all, a)
	}
	return all
}

// Counts are those of rows one by one, over one column and over several, with the outcome and
// without, on more records than a block has.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	sizes := []int{7, 2, 40, 3, 9, 2, 5, 4, 30, 6, 3}
	coarse := map[int]loglinear.Axis{
		2: {Column: 2, Size: 3, Cells: slices.Repeat([]uint16{2, 0, 1, 1}, 10)},
		8: {Column: 8, Size: 2, Cells: slices.Repeat([]uint16{1, 0, 0}, 10)},
	}
	var marginals [][]loglinear.Axis
	for j := range sizes {
		marginals = append(marginals, axes([]int{j}, sizes, nil), axes([]int{j}, sizes, coarse))
		for i := range j {
			marginals = append(marginals, axes([]int{i, j}, sizes, nil), axes([]int{i, j}, sizes, coarse))
		}
	}
	marginals = append(marginals, axes([]int{0, 2, 8, 10}, sizes, coarse), axes([]int{1, 2, 3}, sizes, nil))
	for _, n := range []int{0, 1, 5000} {
		rows := random(r, sizes, n)
		rows = append(rows, rows[:n/2]...) // some twice
		p := private{tabulated(t, sizes, rows, 3), len(sizes), true}
		got, err := p.count(context.Background(), marginals)
		if err != nil {
			t.Fatal(err)
		}
		for m, of := range marginals {
			want := make([]int64, len(got[m]))
			for _, r := range rows {
				at := 0
				for _, a := range of {
					at = at*a.Size + int(cell(a, int(r[a.Column])))
				}
				want[at]++
			}
			if !slices.Equal(got[m], want) {
				t.Fatalf("%d rows, marginal %v: %v, not %v", len(rows), of, got[m], want)
			}
		}
	}
}

// Groups hold each marginal once.
func TestGroups(t *testing.T) {
	var marginals [][]loglinear.Axis
	for b := range 40 {
		for a := range b {
			marginals = append(marginals, []loglinear.Axis{{Column: a, Size: 200}, {Column: b, Size: 200}})
		}
	}
	seen := make([]int, len(marginals))
	for _, g := range group(marginals) {
		n := 0
		for _, m := range g {
			seen[m]++
			n += cellsOf(marginals[m])
		}
		if n > groupCells || len(g) == 0 {
			t.Errorf("a group of %d marginals has %d cells", len(g), n)
		}
	}
	for m, n := range seen {
		if n != 1 {
			t.Errorf("marginal %d is counted %d times", m, n)
		}
	}
}

// The rows of conjunctions of pooled values are those of rows one by one, on more records
// than a block has and with counts of several digits.
func TestSupports(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	sizes := []int{4, 2, 40, 3, 90, 2}
	pools := make([]*cells.Pooling, len(sizes))
	for j, size := range sizes {
		pools[j] = &cells.Pooling{Size: (size + 1) / 2}
		for v := range size {
			pools[j].Cells = append(pools[j].Cells, uint16(v/2))
		}
	}
	var of []loglinear.Conjunction
	for range 60 {
		var c loglinear.Conjunction
		for j := range sizes {
			if r.IntN(2) == 0 {
				c.Terms = append(c.Terms, loglinear.Term{Column: j, Value: uint16(r.IntN(min(pools[j].Size, 3)))})
			}
		}
		if len(c.Terms) > 0 {
			of = append(of, c)
		}
	}
	for _, n := range []int{0, 1, 80000} {
		rows := random(r, sizes, n)
		for range 3 {
			rows = append(rows, rows[:len(rows)/3]...)
		}
		p := private{tabulated(t, sizes, rows, 3), len(sizes), true}
		got, err := p.supports(context.Background(), of, pools)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range of {
			want := int64(0)
			for _, r := range rows {
				if !slices.ContainsFunc(c.Terms, func(t loglinear.Term) bool { return pools[t.Column].Cells[r[t.Column]] != t.Value }) {
					want++
				}
			}
			if got[i] != want {
				t.Fatalf("%d rows: %d satisfy %v, not %d", len(rows), got[i], c.Terms, want)
			}
		}
		if n == 80000 && p.table.Len() <= 64*blockWords {
			t.Error("all records fit into a block")
		}
	}
}
