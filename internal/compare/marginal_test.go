package compare

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Errors equal those that are computed cell by cell. Large marginals, which are sorted, are included.
func TestErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	for _, sizes := range [][]int{{2, 3, 4, 2}, {3}, {5, 1, 2}, {3000, 2000, 4}} {
		s := schemaOf(t, sizes...)
		a, b := rowsOf(t, r, s, 70, .5), rowsOf(t, r, s, 45, .4)
		p := pairOf(t, s, a, b)
		for order := 1; order <= len(sizes); order++ {
			e, err := p.Errors(ctx, order, Sample{})
			if err != nil || int64(len(e.Marginals)) != e.Of || e.Of != binomial(len(sizes), order) {
				t.Fatalf("%+v, %v", e, err)
			}
			mean, cell := 0., 0.
			for _, m := range e.Marginals {
				shares := map[string]float64{}
				for i := range p.Len() {
					var key []byte
					for _, j := range m.Columns {
						key = append(key, byte(p.codes[j][i]>>8), byte(p.codes[j][i]))
					}
					shares[string(key)] += float64(p.counts[0][i])/70 - float64(p.counts[1][i])/45
				}
				l1, most := 0., 0.
				for _, d := range shares {
					l1 += math.Abs(d)
					most = max(most, math.Abs(d))
				}
				if math.Abs(l1-m.L1) > 1e-12 || math.Abs(most-m.Cell) > 1e-12 {
					t.Errorf("%+v; by definition %v and %v", m, l1, most)
				}
				if p.share(p.difference(p.count(m.Worst.Rule()))) != m.Cell || len(m.Worst) != order {
					t.Errorf("%+v", m)
				}
				mean += l1 / float64(len(e.Marginals))
				cell = max(cell, most)
			}
			if math.Abs(mean-e.MeanL1) > 1e-12 || math.Abs(cell-e.Worst.Cell) > 1e-12 {
				t.Errorf("%v and %v; %v and %v by definition", e.MeanL1, e.Worst, mean, cell)
			}
		}
	}
}

// A sample has the requested number of different sets, and depends only on the seed.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := schemaOf(t, slices.Repeat([]int{2}, 12)...)
	p := pairOf(t, s, rowsOf(t, r, s, 70, .5), rowsOf(t, r, s, 70, .5))
	one, of := sets(len(p.sizes), 3, Sample{50, 1})
	again, _ := sets(len(p.sizes), 3, Sample{50, 1})
	other, _ := sets(len(p.sizes), 3, Sample{50, 2})
	if of != 220 || len(one) != 50 || !slices.EqualFunc(one, again, slices.Equal) || slices.EqualFunc(one, other, slices.Equal) {
		t.Errorf("%v of %d", one, of)
	}
	for i, set := range one {
		if i > 0 && slices.Compare(one[i-1], set) >= 0 || set[0] < 0 || set[0] >= set[1] || set[1] >= set[2] || set[2] > 11 {
			t.Errorf("%v", one)
		}
	}
	if all, _ := sets(len(p.sizes), 2, Sample{66, 0}); len(all) != 66 {
		t.Errorf("%d sets", len(all))
	}
	if none, of := sets(len(p.sizes), 13, Sample{}); none != nil || of != 0 {
		t.Errorf("%v of %d", none, of)
	}
}
