package conjunction_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// adult returns the census records with 14 attributes, and the class of conjunctions that are the
// cells of all their marginals.
func adult(t testing.TB) (*conjunction.Class, [][]uint16) {
	data, err := source.Read(context.Background(), shareddata.Path(t, "adult-discrete", "adult.csv"),
		census.Schema(t, "adult-discrete", "binned.toml"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var records [][]uint16
	for i := range data.Len() {
		for range data.Count(i) {
			records = append(records, data.Record(i, nil))
		}
	}
	var attributes []literal.Attribute
	for _, n := range data.Sizes() {
		attributes = append(attributes, literal.Equal(n))
	}
	c, err := conjunction.New(attributes, conjunction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, records
}

// given returns a function that generates records from real records. The generated records have the
// same joint distribution of the hubs, and of the hubs together with any one other attribute. To
// achieve this, the function permutes each other column among the records that agree on the hubs.
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

// An instance is a way to generate records. The worst cell of all marginals is the cell in which
// the numbers of real and generated records differ most. gap is this difference.
var instances = []struct {
	name      string
	synthetic func([][]uint16) [][]uint16
	gap       int64
}{
	{"independent", given(), 13668},
	{"given relationship", given(6), 2588},
	{"given relationship, income", given(6, 13), 2618},
	{"given education, relationship, income", given(3, 6, 13), 2545},
	{"resampled", resampled, 334},
}

// cells returns the problem in which the cost of a cell is its number of generated records minus
// its number of real records, times sign.
func cells(real, synthetic [][]uint16, sign int64) problem {
	var p problem
	for _, x := range real {
		p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{0, -sign}})
	}
	for _, x := range synthetic {
		p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{0, sign}})
	}
	return p
}

// worst returns proven minimizers for both signs, the greatest absolute difference, and the number
// of visited nodes.
func worst(t testing.TB, c *conjunction.Class, problems []problem, o search.Options) (found []solution, gap, nodes int64) {
	for _, p := range problems {
		tree, err := c.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := search.Minimize(context.Background(), tree, o)
		if err != nil {
			t.Fatal(err)
		}
		found, gap, nodes = append(found, s), max(gap, -s.Cost), nodes+s.Nodes
	}
	return found, gap, nodes
}

// TestWorstCell finds the worst cells of all marginals of the census, and verifies their
// certificates.
func TestWorstCell(t *testing.T) {
	c, real := adult(t)
	if c.Size().String() != "4074474700800" {
		t.Errorf("%v cells", c.Size())
	}
	synthetic := instances[0].synthetic(real)
	problems := []problem{cells(real, synthetic, 1), cells(real, synthetic, -1)}
	found, gap, _ := worst(t, c, problems, search.Options{Certify: true})
	if gap != instances[0].gap {
		t.Errorf("gap %d, not %d", gap, instances[0].gap)
	}
	for i, p := range problems {
		if err := search.Verify(context.Background(), class.Class[record, conjunction.Formula](c), p, found[i]); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkWorstCell builds the trees, then finds the cells with the greatest surplus and the
// greatest deficit of real records, with proofs.
func BenchmarkWorstCell(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, real := adult(b)
			synthetic := in.synthetic(real)
			problems := []problem{cells(real, synthetic, 1), cells(real, synthetic, -1)}
			var nodes int64
			for b.Loop() {
				var gap int64
				if _, gap, nodes = worst(b, c, problems, search.Options{}); gap != in.gap {
					b.Fatalf("gap %d, not %d", gap, in.gap)
				}
			}
			b.ReportMetric(float64(nodes), "nodes/op")
		})
	}
}

// BenchmarkSample builds the tree and samples a cell from the exponential mechanism with λ = 1/2.
func BenchmarkSample(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, real := adult(b)
			p := cells(real, in.synthetic(real), 1)
			coins := noise.Crypto()
			for b.Loop() {
				tree, err := c.Tree(p)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := search.Sample(context.Background(), tree, big.NewRat(1, 2), coins); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
