package table_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/table"
)

// TestBuilder compares tables of few and of many categories, the packed kind
// and the other, with a map, in any order and merged from parts.
func TestBuilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 4).Draw(t, "sizes")
		if rapid.Bool().Draw(t, "wide") {
			sizes = append(sizes, 65535, 65535, 65535, 65535)
		}
		outcomes := rapid.SampledFrom([]int{2, 3, table.MostOutcomes}).Draw(t, "outcomes")
		type row struct {
			record  table.Record
			outcome int
			count   int64
		}
		var rows []row
		want, nulls := make(map[string]int64), int64(0)
		for range rapid.IntRange(0, 200).Draw(t, "rows") {
			r := row{outcome: rapid.IntRange(0, outcomes-1).Draw(t, "outcome"), count: rapid.Int64Range(0, 3).Draw(t, "count")}
			for _, size := range sizes {
				r.record = append(r.record, uint16(rapid.IntRange(0, min(size, 4)-1).Draw(t, "code")))
			}
			rows = append(rows, r)
			want[fmt.Sprint(r.record, r.outcome)] += r.count
		}
		one := table.NewBuilderOf(sizes, outcomes)
		parts := []*table.Builder{table.NewBuilderOf(sizes, outcomes), table.NewBuilderOf(sizes, outcomes)}
		for _, r := range rows {
			must(t, one.AddOutcome(r.record, r.outcome, r.count))
		}
		for i := range rows {
			r := rows[len(rows)-1-i]
			must(t, parts[i%2].AddOutcome(r.record, r.outcome, r.count))
		}
		nulls = rapid.Int64Range(0, 5).Draw(t, "nulls")
		must(t, one.AddNull(nulls))
		must(t, parts[1].AddNull(nulls))
		must(t, parts[0].Merge(parts[1]))
		got := one.Table()
		if !got.Equal(parts[0].Table()) {
			t.Fatal("the order of the rows shows")
		}
		n := nulls
		for i := range got.Len() {
			key := fmt.Sprint(got.Record(i), got.Outcome(i))
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
	})
}

func before(t *table.Table, i, k int) bool {
	if c := slices.Compare(t.Record(i), t.Record(k)); c != 0 {
		return c < 0
	}
	return t.Outcome(i) < t.Outcome(k)
}

func must(t interface{ Fatal(...any) }, err error) {
	if err != nil {
		t.Fatal(err)
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
