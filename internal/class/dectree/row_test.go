package dectree

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// A row determines the columns of a record and the record's category of each attribute, for groups
// with any number of categories.
func TestRow(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for _, categories := range [][]int{{2, 4, 10}, {300, 2, 2, 2, 700}, {256, 1, 257, 3}, {1, 2}} {
		var attributes []Attribute
		for _, n := range categories {
			attributes = append(attributes, Attribute{Categories: n})
		}
		var all records
		for range 200 {
			x := make([]uint16, len(categories))
			for j, n := range categories {
				x[j] = uint16(random.IntN(n))
			}
			all = append(all, class.Charged[[]uint16]{X: x, Costs: []int64{0, 1}})
		}
		m := newMass(mustNew(t, attributes, 1, 2), all, decayOf(1), portable[int32]())
		columns := make([]int32, len(m.plan.groups))
		for i, r := range all {
			m.layout.columns(m.row(int32(i)), columns)
			for k, g := range m.plan.groups {
				if want := m.plan.firstColumn[k] + m.plan.category(g, r.X); int(columns[k]) != want {
					t.Fatalf("%v, %v: column %d of group %d, not %d", categories, r.X, columns[k], k, want)
				}
			}
			for j := range categories {
				if got := m.column(j).at(int32(i)); got != r.X[j] {
					t.Fatalf("%v, %v: category %d of attribute %d", categories, r.X, got, j)
				}
			}
		}
	}
}

// A mass uses at most the memory per record that its layout states, including memory that is not
// collected yet.
func TestLayoutHolds(t *testing.T) {
	attributes := []Attribute{{Categories: 2}, {Categories: 4}, {Categories: 10}, {Categories: 300}, {Categories: 2}}
	const few, many = 1000, 41_000
	for depth := 1; depth <= 3; depth++ {
		c := mustNew(t, attributes, depth, 2)
		taken := func(records int) float64 {
			all := some(attributes, records)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := c.Mass(t.Context(), all, decayOf(1))
			if err != nil {
				t.Fatal(err)
			}
			d := m.Descend()
			for range 2 {
				if _, err := d.Weights(t.Context()); err != nil {
					t.Fatal(err)
				}
				d.Take(2)
			}
			runtime.ReadMemStats(&after)
			return float64(after.TotalAlloc - before.TotalAlloc)
		}
		each := (taken(many) - taken(few)) / (many - few)
		if most := float64(c.Layout(many).Bytes-c.Layout(few).Bytes) / (many - few); each > most {
			t.Errorf("depth %d: %.1f bytes a record, and the layout says %.1f", depth, each, most)
		}
	}
}

// some returns random records for which predicting 0 costs nothing.
func some(attributes []Attribute, records int) class.Listed[[]uint16] {
	random := rand.New(rand.NewPCG(4, 2))
	all := make(class.Listed[[]uint16], records)
	for i := range all {
		x := make([]uint16, len(attributes))
		for j, a := range attributes {
			x[j] = uint16(random.IntN(a.Categories))
		}
		all[i] = class.Charged[[]uint16]{X: x, Costs: []int64{0, 1}}
	}
	return all
}

// BenchmarkMemory reports the memory per record of a mass of many records.
func BenchmarkMemory(b *testing.B) {
	attributes := make([]Attribute, 20)
	for j := range attributes {
		attributes[j].Categories = []int{2, 4, 10, 30, 100}[j%5]
	}
	const records = 1_000_000
	all, c := some(attributes, records), mustNew(b, attributes, 2, 2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if _, err := c.Mass(b.Context(), all, decayOf(1)); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/records, "B/record")
}
