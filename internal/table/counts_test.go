package table_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// tabulated returns a table of random rows over attributes of the given sizes and an outcome. A
// value is the smaller of two uniform ones. Every second row has the count 2.
func tabulated(t testing.TB, sizes []int, outcomes, rows int, nulls int64) *table.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	b := table.NewBuilderOf(sizes, outcomes)
	for i := range rows {
		var record table.Record
		for _, size := range sizes {
			record = append(record, uint16(min(r.IntN(size), r.IntN(size))))
		}
		must(t, b.AddOutcome(record, r.IntN(outcomes), int64(1+i%2)))
	}
	must(t, b.AddNull(nulls))
	return b.Table()
}

// Table.Marginals agrees with tabletest.Scan on one and several columns, with and without the
// outcome, for tables with several blocks of records and counts of several digits.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		sizes    []int
		outcomes int
		rows     int
	}{
		{[]int{7, 2, 40, 3, 9, 2, 5, 4, 30, 6}, 3, 0},
		{[]int{7, 2, 40, 3, 9, 2, 5, 4, 30, 6}, 3, 1},
		{[]int{7, 2, 40, 3, 9, 2, 5, 4, 30, 6}, 3, 5000},
		{[]int{2, 3}, 2, 5000},
		{[]int{1}, 2, 10},
		{slices.Repeat([]int{300}, 9), 2, 2000},
		{[]int{4, 2, 40, 3, 90}, 64, 100_000},
	} {
		d := tabulated(t, c.sizes, c.outcomes, c.rows, 3)
		if c.rows == 100_000 && d.Len() <= 1<<16 {
			t.Errorf("%d records fit into a block", d.Len())
		}
		tabletest.Agree(t, d, tabletest.Scan{Table: d}, heavy.Pick(8, 50), uint64(c.rows))
	}
}

// Expected by hand: null records are in no cell, and a record contributes its count.
func TestCountsByHand(t *testing.T) {
	b := table.NewBuilderOf([]int{3, 2}, 2)
	must(t, b.AddOutcome(table.Record{2, 0}, 1, 5))
	must(t, b.AddOutcome(table.Record{1, 1}, 0, 2))
	must(t, b.AddOutcome(table.Record{2, 1}, 0, 1))
	must(t, b.AddNull(9))
	d, ctx := b.Table(), context.Background()
	upper := table.Axis{Column: 0, Cells: []uint16{0, 0, 1}, Size: 2}
	got, err := d.Marginals(ctx, [][]table.Axis{{{Column: 0, Size: 3}}, {{Column: 2, Size: 2}, upper}})
	must(t, err)
	if !slices.Equal(got[0], []int64{0, 2, 6}) || !slices.Equal(got[1], []int64{2, 1, 0, 5}) {
		t.Errorf("%v", got)
	}
	all := table.Axis{Column: 1, Cells: []uint16{0, 0}, Size: 1}
	got, err = d.Marginals(ctx, [][]table.Axis{{{Column: 0, Cells: []uint16{0, 0, 0}, Size: 1}, all}})
	must(t, err)
	if !slices.Equal(got[0], []int64{8}) {
		t.Errorf("%v", got)
	}
	of, err := d.Supports(ctx, []table.Axis{upper, {Column: 1, Size: 2}}, [][]table.Term{{{Axis: 0, Cell: 1}}, {{Axis: 0, Cell: 1}, {Axis: 1, Cell: 1}}, {{Axis: 1, Cell: 0}}})
	must(t, err)
	if !slices.Equal(of, []int64{6, 1, 5}) {
		t.Errorf("%v", of)
	}
	totals, err := d.Totals(ctx, table.Card{Points: [][]int64{{0, -3, 4}, {0, 7}}})
	must(t, err)
	if len(totals) != 2 || !slices.Equal(totals[4], []int64{2, 5}) || !slices.Equal(totals[11], []int64{1, 0}) {
		t.Errorf("%v", totals)
	}
}

// If the schema has [person], counts are in units.
func TestCountsOfPersons(t *testing.T) {
	s := tabletest.Schema(t, people+"[person]\ncolumn = \"who\"\nmost = 3\n")
	r, b := rand.New(rand.NewPCG(3, 3)), s.Builder()
	for range 100 {
		var record table.Record
		for _, size := range s.Sizes() {
			record = append(record, uint16(r.IntN(size)))
		}
		must(t, b.AddOutcome(record, r.IntN(s.Outcomes()), 6))
	}
	must(t, b.AddNull(12))
	d := b.Table()
	if d.Weight() != 6 || d.Rows() != 102 {
		t.Fatalf("%d rows of weight %d", d.Rows(), d.Weight())
	}
	tabletest.Agree(t, d, tabletest.Scan{Table: d}, 20, 1)
}

// Counting stops when the context ends.
func TestCountsEnd(t *testing.T) {
	d := tabulated(t, []int{3, 2}, 2, 100, 0)
	ctx, end := context.WithCancel(context.Background())
	end()
	_, a := d.Marginals(ctx, [][]table.Axis{{{Column: 0, Size: 3}}})
	_, b := d.Supports(ctx, []table.Axis{{Column: 0, Size: 3}}, [][]table.Term{{{Axis: 0, Cell: 1}}})
	_, c := d.Totals(ctx, table.Card{Points: [][]int64{{0, 1, 2}, {0, 1}}})
	for _, err := range []error{a, b, c} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// BenchmarkMarginals counts all pairs of 100 columns of 14 values over 100,000 distinct records.
func BenchmarkMarginals(b *testing.B) {
	d := tabulated(b, slices.Repeat([]int{14}, 99), 14, 100_000, 0)
	var of [][]table.Axis
	for j := range 100 {
		for i := range j {
			of = append(of, []table.Axis{{Column: i, Size: 14}, {Column: j, Size: 14}})
		}
	}
	for b.Loop() {
		_, err := d.Marginals(context.Background(), of)
		must(b, err)
	}
}

// BenchmarkSupports counts 16,384 conjunctions of up to five of 20 columns over 100,000
// distinct records.
func BenchmarkSupports(b *testing.B) {
	d := tabulated(b, slices.Repeat([]int{8}, 19), 8, 100_000, 0)
	r := rand.New(rand.NewPCG(2, 2))
	var axes []table.Axis
	for j := range 20 {
		axes = append(axes, table.Axis{Column: j, Size: 8})
	}
	var of [][]table.Term
	for range 1 << 14 {
		columns := r.Perm(20)[:1+r.IntN(5)]
		slices.Sort(columns)
		var terms []table.Term
		for _, j := range columns {
			terms = append(terms, table.Term{Axis: j, Cell: uint16(r.IntN(3))})
		}
		of = append(of, terms)
	}
	for b.Loop() {
		_, err := d.Supports(context.Background(), axes, of)
		must(b, err)
	}
}

// BenchmarkTotals adds up the points of 20 columns over 100,000 distinct records.
func BenchmarkTotals(b *testing.B) {
	d := tabulated(b, slices.Repeat([]int{8}, 20), 2, 100_000, 0)
	var c table.Card
	for range 20 {
		c.Points = append(c.Points, []int64{-3, -2, -1, 0, 1, 2, 3, 4})
	}
	for b.Loop() {
		_, err := d.Totals(context.Background(), c)
		must(b, err)
	}
}
