package conjunction_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/census"
	"github.com/sibyl-dp/sibyl/internal/shareddata"
	"github.com/sibyl-dp/sibyl/search"
	"github.com/sibyl-dp/sibyl/source"
)

// adult returns the census records one by one, 14 attributes, and the class of
// all cells of their marginals.
func adult(t testing.TB) (*conjunction.Class, [][]uint16) {
	data, err := source.Read(context.Background(), shareddata.Path(t, "adult-discrete", "adult.csv"),
		census.Schema(t, "adult-discrete", "binned.toml"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var records [][]uint16
	for i := range data.Len() {
		for range data.Count(i) {
			records = append(records, data.Record(i))
		}
	}
	var attributes []conjunction.Attribute
	for _, n := range data.Sizes() {
		attributes = append(attributes, conjunction.Equal(n))
	}
	c, err := conjunction.New(attributes, conjunction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, records
}

// given returns synthetic records that keep the joint distribution of the hubs,
// and that of the hubs with any one other attribute: each other column is
// permuted among the records that agree on the hubs.
func given(hubs ...int) func([][]uint16) [][]uint16 {
	return func(records [][]uint16) [][]uint16 {
		rng := rand.New(rand.NewPCG(11, 0))
		groups := map[string][]int{}
		var keys []string
		for i, x := range records {
			var key []byte
			for _, j := range hubs {
				key = append(key, byte(x[j]))
			}
			if groups[string(key)] == nil {
				keys = append(keys, string(key))
			}
			groups[string(key)] = append(groups[string(key)], i)
		}
		out := make([][]uint16, len(records))
		for i := range out {
			out[i] = slices.Clone(records[i])
		}
		for j := range records[0] {
			if slices.Contains(hubs, j) {
				continue
			}
			for _, key := range keys {
				group := groups[key]
				for k, from := range rng.Perm(len(group)) {
					out[group[k]][j] = records[group[from]][j]
				}
			}
		}
		return out
	}
}

// resampled returns a bootstrap sample of the records.
func resampled(records [][]uint16) [][]uint16 {
	rng := rand.New(rand.NewPCG(12, 0))
	out := make([][]uint16, len(records))
	for i := range out {
		out[i] = records[rng.IntN(len(records))]
	}
	return out
}

// An instance is the search for the cell of any marginal in which real and
// synthetic records differ most: the difference.
var instances = []struct {
	name      string
	synthetic func([][]uint16) [][]uint16
	gap       int64
}{
	{"independent", given(), -1},
	{"given relationship", given(6), -1},
	{"given relationship, income", given(6, 13), -1},
	{"given education, relationship, income", given(3, 6, 13), -1},
	{"resampled", resampled, -1},
}

// cells returns the problem of the cell with most real records above synthetic
// ones, times sign.
func cells(real, synthetic [][]uint16, sign int64) class.Problem[[]uint16] {
	var p class.Problem[[]uint16]
	for _, x := range real {
		p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{0, -sign}})
	}
	for _, x := range synthetic {
		p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{0, sign}})
	}
	return p
}

// BenchmarkWorstCell finds and proves the cells with the greatest surplus and
// with the greatest lack of real records, from the points on.
func BenchmarkWorstCell(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, real := adult(b)
			synthetic := in.synthetic(real)
			problems := []class.Problem[[]uint16]{cells(real, synthetic, 1), cells(real, synthetic, -1)}
			var nodes int64
			for b.Loop() {
				nodes = 0
				gap := int64(0)
				for _, p := range problems {
					t, err := c.Tree(p)
					if err != nil {
						b.Fatal(err)
					}
					s, err := search.Minimize(context.Background(), t, search.Options{})
					if err != nil {
						b.Fatal(err)
					}
					nodes += s.Nodes
					gap = max(gap, -s.Cost)
				}
				if in.gap >= 0 && gap != in.gap {
					b.Fatalf("gap %d, not %d", gap, in.gap)
				}
				b.ReportMetric(float64(gap), "gap")
			}
			b.ReportMetric(float64(nodes), "nodes/op")
		})
	}
}
