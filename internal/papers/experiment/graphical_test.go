package experiment

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/graphical"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A still is a random source whose Gaussian noise is 0.
type still struct{ noise.Coins }

func (s still) Draw(law noise.Sampler) *big.Int {
	if _, ok := law.(noise.Gaussian); ok {
		return new(big.Int)
	}
	return s.Coins.Draw(law)
}

// largest returns the maximum difference between a count of rows and the same count of real, over all cells of the
// marginals.
func largest(t *testing.T, real *flat, rows [][]uint16, marginals [][]int) (worst int64) {
	t.Helper()
	made := &flat{sizes: real.sizes, columns: make([][]uint16, len(real.sizes))}
	for _, r := range rows {
		for j, v := range r {
			made.columns[j] = append(made.columns[j], v)
		}
		made.counts = append(made.counts, 1)
	}
	for _, m := range marginals {
		counts := made.marginal(m...)
		for i, n := range real.marginal(m...) {
			worst = max(worst, n-counts[i], counts[i]-n)
		}
	}
	return worst
}

// Without noise and with a large ρ, AIM reproduces the marginals of its workload. MST reproduces a table whose
// dependencies are pairs of columns that form a tree.
func TestGraphicalWithoutNoise(t *testing.T) {
	b := budgetOf(big.NewRat(1000, 1), privacy.AddRemove)
	b.coins = still{b.coins}
	real := flattened(t, "card:3x3:2000:1")
	var pairs, triples [][]int
	for _, p := range real.pairs() {
		pairs = append(pairs, p[:])
		for k := p[1] + 1; k < len(real.sizes); k++ {
			triples = append(triples, []int{p[0], p[1], k})
		}
	}
	rows, err := aim(2)(t.Context(), real, b)
	if err != nil || len(rows) != 2000 || largest(t, real, rows, pairs) > 10 {
		t.Errorf("pairs: %d rows, an error of %d, %v", len(rows), largest(t, real, rows, pairs), err)
	}
	rows, err = aim(3)(t.Context(), real, b)
	if err != nil || len(rows) != 2000 || largest(t, real, rows, triples) > 10 {
		t.Errorf("triples: %d rows, an error of %d, %v", len(rows), largest(t, real, rows, triples), err)
	}
	chain := &flat{sizes: []int{5, 3, 2, 4}, columns: make([][]uint16, 4)}
	for i := range uint16(240) { // the second and the fourth column depend on the first one, and the third on the second
		for j, v := range []uint16{i % 5, i % 5 / 2, min(1, i%5/2), 3 - i%5*3/4} {
			chain.columns[j] = append(chain.columns[j], v)
		}
		chain.counts = append(chain.counts, 10)
	}
	rows, err = mst(t.Context(), chain, b)
	if err != nil || len(rows) != 2400 || largest(t, chain, rows, [][]int{{0, 1}, {1, 2}, {0, 3}}) > 5 {
		t.Errorf("tree: %d rows, an error of %d, %v", len(rows), largest(t, chain, rows, [][]int{{0, 1}, {1, 2}, {0, 3}}), err)
	}
}

// A row changes a score by at most its weight for each cell that it changes.
func TestScoreMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		s := &scored{exact: make([]int64, 4), weight: 1 + random.Int64N(5)}
		shares := make([]float64, 4)
		for c := range shares {
			s.exact[c], shares[c] = random.Int64N(5), random.Float64()
		}
		total, penalty := 10*random.Float64(), random.Float64()
		before := s.score(shares, total, penalty)
		real := -penalty
		for c, n := range s.exact {
			real += math.Abs(float64(n) - shares[c]*total)
		}
		if got := float64(before) / scoreGrid / float64(s.weight); math.Abs(got-real) > 5./scoreGrid {
			t.Fatalf("the score is %v; want %v", got, real)
		}
		s.exact[random.IntN(4)]++
		if added := s.score(shares, total, penalty); max(added-before, before-added) > s.weight*scoreGrid {
			t.Fatalf("the score is %d, with an additional row %d", before, added)
		}
	}
}

// A selection costs ρ = ε²/8, where ε is the range of the privacy loss. This range is twice the rate times the maximum
// change of a cost, since costs may change in both directions.
func TestSelectionRate(t *testing.T) {
	rho := big.NewRat(1, 200) // ε = .2
	for relation, want := range map[privacy.Relation]*big.Rat{privacy.AddRemove: big.NewRat(1, 70), privacy.ReplaceOne: big.NewRat(1, 140)} {
		rate := budgetOf(rho, relation).rate(rho, 7)
		if rate.Cmp(want) > 0 || rate.Cmp(new(big.Rat).Mul(want, big.NewRat(999, 1000))) < 0 {
			t.Errorf("%v: the rate is %v; want %v", relation, rate, want)
		}
	}
}

// A selection prefers large scores. The rate is inversely proportional to the maximum weight of the candidates.
func TestChoose(t *testing.T) {
	b := budgetOf(nil, privacy.AddRemove)
	of := []*scored{{weight: 1}, {weight: 2}}
	hits := 0
	for range 4000 {
		// ε = 2 and the maximum weight is 2, so the rate is 1/(2·scoreGrid). The scores differ by 4·scoreGrid, so the
		// odds are e².
		hits += b.choose(of, []int64{0, 4 * scoreGrid}, big.NewRat(1, 2))
	}
	if share := float64(hits) / 4000; math.Abs(share-1/(1+math.Exp(-2))) > 0.025 {
		t.Errorf("the larger score was selected with frequency %v", share)
	}
}

func TestAimCandidates(t *testing.T) {
	d := &flat{sizes: []int{2, 101, 100, 3}, columns: make([][]uint16, 4)}
	got := map[string]int64{}
	for _, s := range aimCandidates(d, 2) {
		name := ""
		for _, j := range s.columns {
			name += string(rune('a' + j))
		}
		got[name] = s.weight
	}
	// The pair bc has too many cells.
	want := map[string]int64{"a": 3, "b": 2, "c": 2, "d": 3, "ab": 5, "ac": 5, "ad": 6, "bd": 5, "cd": 5}
	if len(got) != len(want) {
		t.Fatal(got)
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s has the weight %d; want %d", name, got[name], w)
		}
	}
	if all := aimCandidates(&flat{sizes: []int{3}, columns: make([][]uint16, 1)}, 2); len(all) != 1 {
		t.Error(all)
	}
	if _, err := aim(2)(t.Context(), &flat{sizes: []int{101, 101}}, budgetOf(big.NewRat(1, 1), privacy.AddRemove)); err == nil || !strings.Contains(err.Error(), "cells") {
		t.Error(err)
	}
}

// Values whose noisy counts are below three standard deviations are merged into one value.
func TestMergeRare(t *testing.T) {
	d := &flat{sizes: []int{4, 2}, columns: [][]uint16{{0, 1, 2, 3}, {0, 1, 0, 1}}, counts: []int64{5, 1, 50, 2}}
	measured := []graphical.Measurement{
		{Columns: []int{0}, Counts: []float64{5, 1, 50, -2}, Variances: []float64{4, 4, 4, 4}},
		{Columns: []int{1}, Counts: []float64{60, 6}, Variances: []float64{4, 4}},
	}
	merged, values := mergeRare(d, measured)
	if !slices.Equal(merged.sizes, []int{2, 2}) || !slices.Equal(merged.columns[0], []uint16{1, 1, 0, 1}) || !slices.Equal(merged.columns[1], []uint16{0, 1, 0, 1}) {
		t.Errorf("%+v", merged)
	}
	if !slices.Equal(values[0][1], []uint16{0, 1, 3}) || !slices.Equal(values[0][0], []uint16{2}) || len(values[1]) != 2 {
		t.Error(values)
	}
	if !slices.Equal(measured[0].Counts, []float64{50, 4}) || !slices.Equal(measured[0].Variances, []float64{4, 12}) {
		t.Error(measured)
	}
}
