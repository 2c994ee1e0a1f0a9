package table_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// inBatches returns a table.ReadRows that divides the rows, given by column, into batches of up to most rows. Each batch has
// a function of its own, as if each were read by another goroutine.
func inBatches(columns [][]uint16, most int) table.ReadRows {
	return func(ctx context.Context, start func() func([][]uint16)) error {
		for from, rows := 0, len(columns[0]); from < rows; from += most {
			var batch [][]uint16
			for _, column := range columns {
				batch = append(batch, slices.Clone(column[from:min(from+most, rows)]))
			}
			start()(batch)
		}
		return ctx.Err()
	}
}

// On random rows, some of them null records in any column, Streamed and a Table give the answers of tabletest.Scan.
func TestStreamed(t *testing.T) {
	table.StreamedCells(t, 100) // so that some marginals need several passes
	r := rand.New(rand.NewPCG(1, 2))
	for range heavy.Pick(30, 300) {
		outcomes := 2 + r.IntN(2)
		text := "[label]\ncolumn = \"y\"\nvalues = [\"0\", \"1\", \"2\"]\n"
		if outcomes == 2 {
			text = "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n"
		}
		for j := range 1 + r.IntN(5) {
			text += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [", j)
			for v := range 1 + r.IntN(12) {
				text += fmt.Sprintf("\"%d\", ", v)
			}
			text += "]\n"
		}
		s, err := table.ParseSchema("s.toml", strings.NewReader(text))
		must(t, err)
		rows, nulls := r.IntN(6000), r.IntN(3)
		columns := make([][]uint16, len(s.Attributes)+1)
		for j := range columns {
			size := outcomes
			if j < len(s.Attributes) {
				size = s.Sizes()[j]
			}
			for range rows {
				code := uint16(r.IntN(size))
				if r.IntN(30) < nulls {
					code = uint16(size + r.IntN(1<<16-size))
				}
				columns[j] = append(columns[j], code)
			}
		}
		b := s.Builder()
		must(t, b.AddColumns(columns))
		d, err := table.NewStreamed(context.Background(), s, inBatches(columns, 1+r.IntN(5000)))
		must(t, err)
		want, seed := b.Table(), r.Uint64()
		tabletest.Agree(t, d, want, 5, seed)
		tabletest.Agree(t, want, tabletest.Scan{Table: want}, 5, seed)
	}
}

// Totals and sums of weights are the same, with a slice for few totals and with a map for many.
func TestFarTotals(t *testing.T) {
	d := tabulated(t, []int{7, 2, 40}, 3, 3000, 5)
	near := table.Card{Points: [][]int64{{0, 1, 2, 3, 4, 5, 6}, {-2, 0}, make([]int64, 40)}}
	far := table.Card{Points: [][]int64{nil, nil, make([]int64, 40)}}
	const factor = 1 << 40
	for j, points := range near.Points[:2] {
		for _, p := range points {
			far.Points[j] = append(far.Points[j], factor*p)
		}
	}
	ctx := context.Background()
	a, err := d.Totals(ctx, near)
	must(t, err)
	b, err := d.Totals(ctx, far)
	must(t, err)
	if len(a) != 9 || len(b) != len(a) {
		t.Errorf("%d totals and %d far ones", len(a), len(b))
	}
	for total, units := range a {
		if !slices.Equal(units, b[factor*total]) {
			t.Errorf("total %d has %v units, the far one %v", total, units, b[factor*total])
		}
	}
	of := table.Steps{From: []int64{-1, 3}, Values: []int64{5, 7, -11}}
	wide := table.Steps{From: []int64{-factor, 3 * factor}, Values: of.Values}
	x, err := d.Weighted(ctx, []int{2, 0}, table.Weights{Card: near, Of: []table.Steps{of, of, of}})
	must(t, err)
	y, err := d.Weighted(ctx, []int{2, 0}, table.Weights{Card: far, Of: []table.Steps{wide, wide, wide}})
	must(t, err)
	if !slices.Equal(x[0], y[0]) || !slices.Equal(x[1], y[1]) {
		t.Errorf("sums %v, far %v", x, y)
	}
}

// A query fails with the error of reading the rows.
func TestStreamedFails(t *testing.T) {
	s := tabletest.Schema(t, people)
	broken := errors.New("broken")
	var failure error
	columns := make([][]uint16, len(s.Attributes)+1)
	for j := range columns {
		columns[j] = make([]uint16, 10)
	}
	rows := inBatches(columns, 3)
	d, err := table.NewStreamed(context.Background(), s, func(ctx context.Context, start func() func([][]uint16)) error {
		return errors.Join(rows(ctx, start), failure)
	})
	must(t, err)
	failure = broken
	for name, err := range queried(d) {
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := table.NewStreamed(context.Background(), s, func(context.Context, func() func([][]uint16)) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// queried makes a query of each kind, and returns their errors.
func queried(d table.Counts) map[string]error {
	ctx, errs := context.Background(), make(map[string]error)
	var c table.Card
	for _, size := range d.Sizes() {
		c.Points = append(c.Points, make([]int64, size))
	}
	still := table.Steps{Values: []int64{1}}
	of := slices.Repeat([]table.Steps{still}, d.Outcomes())
	axis := table.Axis{Column: 0, Size: d.Sizes()[0]}
	_, errs["marginals"] = d.Marginals(ctx, [][]table.Axis{{axis}})
	_, errs["supports"] = d.Supports(ctx, []table.Axis{axis}, [][]table.Term{{{}}})
	_, errs["totals"] = d.Totals(ctx, c)
	_, errs["weighted"] = d.Weighted(ctx, []int{0}, table.Weights{Card: c, Of: of})
	_, _, errs["moments"] = d.Moments(ctx, table.Moments{Points: c.Points, Factor: still, First: of, Second: still})
	return errs
}
