package table_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// TestBuilder compares a Builder with a map, for short and long records, in any order, and merged
// from parts. It uses the usual limits and limits that a few rows reach.
func TestBuilder(t *testing.T) {
	t.Run("limits", func(t *testing.T) { rapid.Check(t, testBuilder) })
	t.Run("low", func(t *testing.T) {
		table.Limits(t, 64, 40, 50)
		rapid.Check(t, testBuilder)
	})
}

// A row is a record with an outcome and a count.
type row struct {
	record  table.Record
	outcome int
	count   int64
}

// drawSizes draws attribute sizes such that some records need more than one word, and some fields
// end near a word's end.
func drawSizes(t *rapid.T) []int {
	sizes := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 4).Draw(t, "sizes")
	if n := rapid.IntRange(0, 6).Draw(t, "wide"); n > 2 {
		wide := rapid.SampledFrom([]int{1 << 16, 1<<16 - 1, 1 << 15, 200, 256, 257})
		sizes = slices.Concat(sizes, rapid.SliceOfN(wide, n, 3*n).Draw(t, "more"))
		sizes = append(sizes, rapid.SliceOfN(rapid.IntRange(1, 9), 0, 9).Draw(t, "last")...)
	}
	return sizes
}

// drawRows draws rows with few distinct codes, the least and the greatest code among them. The
// first code may be the same in all rows.
func drawRows(t *rapid.T, sizes []int, outcomes int, counts *rapid.Generator[int64]) []row {
	same := rapid.IntRange(0, len(sizes)).Draw(t, "same")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
		r := row{outcome: rapid.IntRange(0, outcomes-1).Draw(t, "outcome"), count: counts.Draw(t, "count")}
		for j, size := range sizes {
			code := 0
			if j >= same {
				code = rapid.IntRange(0, min(size, 4)-1).Draw(t, "code")
			}
			if code == 3 {
				code = size - 1
			}
			r.record = append(r.record, uint16(code))
		}
		return r
	}), 0, 200).Draw(t, "rows")
}

func testBuilder(t *rapid.T) {
	sizes := drawSizes(t)
	outcomes := rapid.SampledFrom([]int{2, 3, table.MostOutcomes}).Draw(t, "outcomes")
	counts := rapid.SampledFrom([]*rapid.Generator[int64]{
		rapid.Just(int64(1)), rapid.Int64Range(0, 3), rapid.Int64Range(1, 1<<40),
	}).Draw(t, "counts")
	rows := drawRows(t, sizes, outcomes, counts)
	want := make(map[string]int64)
	one := table.NewBuilderOf(sizes, outcomes)
	parts := []*table.Builder{table.NewBuilderOf(sizes, outcomes), table.NewBuilderOf(sizes, outcomes)}
	for _, r := range rows {
		want[fmt.Sprint(r.record, r.outcome)] += r.count
		must(t, one.AddOutcome(r.record, r.outcome, r.count))
	}
	for i := range rows {
		r := rows[len(rows)-1-i]
		must(t, parts[i%2].AddOutcome(r.record, r.outcome, r.count))
		if i%50 == 0 {
			parts[0].Table() // must not change the result
		}
	}
	nulls := rapid.Int64Range(0, 5).Draw(t, "nulls")
	must(t, one.AddNull(nulls))
	must(t, parts[0].AddNull(nulls/2))
	must(t, parts[1].AddNull(nulls-nulls/2))
	must(t, parts[0].Merge(parts[1]))
	if left := parts[1].Table(); left.Rows() != 0 || left.Len() != 0 || left.Nulls() != 0 {
		t.Fatal("a builder that was merged into another is not empty")
	}
	got := one.Table()
	if !got.Equal(parts[0].Table()) {
		t.Fatal("the order of the rows shows")
	}
	n := nulls
	for i := range got.Len() {
		key := fmt.Sprint(got.Record(i, nil), got.Outcome(i))
		if got.Count(i) != want[key] {
			t.Fatalf("%s: %d times, want %d", key, got.Count(i), want[key])
		}
		n += want[key]
		want[key] = 0
		if got.Label(i) != (got.Outcome(i) == 1) || got.Outcomes() != outcomes {
			t.Fatalf("outcome %d of %d has the label %v", got.Outcome(i), got.Outcomes(), got.Label(i))
		}
		if i > 0 && !before(got, i-1, i) {
			t.Fatalf("record %d is out of order", i)
		}
	}
	for key, left := range want {
		if left > 0 {
			t.Fatalf("%s is missing", key)
		}
	}
	if got.Nulls() != nulls || got.Rows() != n {
		t.Fatalf("%d rows, %d null ones; want %d and %d", got.Rows(), got.Nulls(), n, nulls)
	}
	checkCodes(t, got)
}

// checkCodes compares the codes read by column with those read by record, starting at every record.
func checkCodes(t *rapid.T, d *table.Table) {
	for from := range d.Len() {
		into := make([]uint16, min(d.Len()-from, 20))
		for j := range len(d.Sizes()) + 1 {
			d.Codes(j, from, into)
			for i, code := range into {
				want := uint16(d.Outcome(from + i))
				if j < len(d.Sizes()) {
					want = d.Record(from+i, nil)[j]
				}
				if code != want {
					t.Fatalf("code %d of column %d of record %d, not %d", code, j, from+i, want)
				}
			}
		}
	}
}

// TestAddColumns compares rows added by columns with rows added one by one.
func TestAddColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := drawSizes(t)
		outcomes := rapid.SampledFrom([]int{2, 3, table.MostOutcomes}).Draw(t, "outcomes")
		rows := drawRows(t, sizes, outcomes, rapid.Int64Range(1, 9))
		want, got := table.NewBuilderOf(sizes, outcomes), table.NewBuilderOf(sizes, outcomes)
		columns := make([][]uint16, len(sizes)+1)
		for _, r := range rows {
			outside := rapid.IntRange(-9, len(sizes)).Draw(t, "outside")
			for range r.count {
				for j, code := range append(slices.Clone(r.record), uint16(r.outcome)) {
					if j == outside {
						code = uint16(min(append(sizes, outcomes)[j]+rapid.IntRange(0, 1).Draw(t, "by")<<15, 1<<16-1))
					}
					columns[j] = append(columns[j], code)
				}
			}
			if outside >= 0 && append(sizes, outcomes)[outside] < 1<<16 {
				must(t, want.AddNull(r.count))
				continue
			}
			if outside >= 0 { // an attribute of 1<<16 codes has no code outside
				r.record[outside] = 1<<16 - 1
			}
			must(t, want.AddOutcome(r.record, r.outcome, r.count))
		}
		must(t, got.AddColumns(columns))
		if !got.Table().Equal(want.Table()) {
			t.Fatal("rows added by columns are not those added one by one")
		}
	})
}

// TestManyRows counts more records than a Builder buffers, each once and twice.
func TestManyRows(t *testing.T) {
	table.Limits(t, 64, 300, 200)
	for _, sizes := range [][]int{{10000}, {1, 1 << 16, 1 << 16, 1 << 16, 1 << 16, 10000}} {
		b := table.NewBuilder(sizes)
		r := make(table.Record, len(sizes))
		for i := range 10000 {
			r[len(r)-1] = uint16(i * 7919 % 10000 / 2)
			must(t, b.Add(r, false, 1+int64(i%2)))
		}
		got := b.Table()
		for i := range got.Len() {
			if code := got.Record(i, r)[len(r)-1]; int(code) != i || got.Count(i) != 3 {
				t.Fatalf("record %d has the code %d, %d times", i, code, got.Count(i))
			}
		}
		if got.Len() != 5000 || got.Rows() != 15000 {
			t.Errorf("%d records of %d rows", got.Len(), got.Rows())
		}
	}
}

func TestTableStays(t *testing.T) {
	table.Limits(t, 64, 40, 50)
	for _, sizes := range [][]int{{256, 256}, {256, 256, 256, 1 << 16, 1 << 16, 1 << 16, 2}} {
		b := table.NewBuilder(sizes)
		add := func(from, to int) {
			for i := from; i < to; i++ {
				r := make(table.Record, len(sizes))
				r[0], r[1] = uint16(i*7%256), uint16(i*11%256)
				must(t, b.Add(r, i%3 == 0, 1))
			}
		}
		add(0, 500)
		first := b.Table()
		again := b.Table()
		add(500, 1000)
		second := b.Table()
		add(0, 1000)
		b.Table()
		b = table.NewBuilder(sizes)
		add(0, 500)
		if !first.Equal(b.Table()) || !again.Equal(first) {
			t.Error("a table changed as its builder went on")
		}
		add(500, 1000)
		if !second.Equal(b.Table()) {
			t.Error("a table that was taken changed what came after it")
		}
	}
}

func before(t *table.Table, i, k int) bool {
	if c := slices.Compare(t.Record(i, nil), t.Record(k, nil)); c != 0 {
		return c < 0
	}
	return t.Outcome(i) < t.Outcome(k)
}

func must(t interface{ Fatal(...any) }, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// TestGreatCounts reads counts at the boundaries of the byte widths.
func TestGreatCounts(t *testing.T) {
	for _, most := range []int64{1, 2, 1<<8 - 1, 1 << 8, 1<<16 - 1, 1 << 16, 1<<32 - 1, 1 << 32, 1 << 57} {
		b := table.NewBuilder([]int{30})
		want := func(i int) int64 { return max(most-int64(i), 1) }
		for i := range 30 {
			must(t, b.AddOutcome(table.Record{uint16(i)}, 0, want(i)))
		}
		got := b.Table()
		for i := range got.Len() {
			if n := want(i); got.Count(i) != n {
				t.Fatalf("%d times, not %d", got.Count(i), n)
			}
		}
	}
}

func TestBuilderRefuses(t *testing.T) {
	b := table.NewBuilder([]int{2, 3})
	for _, err := range []error{
		b.Add(table.Record{0}, false, 1),
		b.Add(table.Record{0, 3}, false, 1),
		b.Add(table.Record{0, 0}, false, -1),
		b.AddOutcome(table.Record{0, 0}, 2, 1),
		b.AddOutcome(table.Record{0, 0}, -1, 1),
		b.AddNull(-1),
		b.AddColumns([][]uint16{{0}, {0}}),
		b.AddColumns([][]uint16{{0}, {0}, {0, 1}}),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
	must(t, b.Add(table.Record{1, 2}, true, math.MaxInt64-1))
	must(t, b.AddNull(1))
	if err := b.Add(table.Record{1, 2}, true, 1); !errors.Is(err, table.ErrTooManyRows) {
		t.Errorf("got %v, want ErrTooManyRows", err)
	}
	if err := b.AddColumns([][]uint16{{1}, {2}, {1}}); !errors.Is(err, table.ErrTooManyRows) {
		t.Errorf("got %v, want ErrTooManyRows", err)
	}
	if err := b.Merge(b); !errors.Is(err, table.ErrTooManyRows) {
		t.Errorf("got %v, want ErrTooManyRows", err)
	}
	if got := b.Table(); got.Rows() != math.MaxInt64 || got.Nulls() != 1 || got.Count(0) != math.MaxInt64-1 {
		t.Errorf("a refused row changed the table: %d rows, %d null ones", got.Rows(), got.Nulls())
	}
}

func TestEmptyTable(t *testing.T) {
	got := table.NewBuilder([]int{2}).Table()
	if got.Rows() != 0 || got.Nulls() != 0 || got.Len() != 0 {
		t.Errorf("%+v", got)
	}
}

func BenchmarkAdd(b *testing.B) {
	for name, sizes := range map[string][]int{"short": {5, 5, 4, 3, 2, 2, 4}, "long": {5, 5, 4, 3, 65535, 65535, 65535, 65535}} {
		b.Run(name, func(b *testing.B) {
			builder, r := table.NewBuilder(sizes), make(table.Record, len(sizes))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				for j, size := range sizes {
					r[j] = uint16((i >> j) % min(size, 5))
				}
				if err := builder.Add(r, i%2 == 0, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
