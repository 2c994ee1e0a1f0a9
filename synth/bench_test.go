package synth

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/synth/cells"
	"github.com/sibyl-dp/sibyl/synth/loglinear"
)

// BenchmarkCount counts all pairs of 100 columns of 14 values over 100,000 distinct records.
func BenchmarkCount(b *testing.B) {
	sizes := slices.Repeat([]int{14}, 100)
	p := private{tabulated(b, sizes, random(rand.New(rand.NewPCG(1, 1)), sizes, 100_000), 0), 100, true}
	var of [][]loglinear.Axis
	for _, pair := range uniform(100, 14).pairs() {
		of = append(of, axes(pair[:], sizes, nil))
	}
	for b.Loop() {
		if _, err := p.count(context.Background(), of); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNoise draws the noise of as many counts as 100 columns have pairs with 200 cells.
func BenchmarkNoise(b *testing.B) {
	s := &session{coins: noise.Crypto()}
	law := noiseFor(privacy.AddRemove, decimal(b, "0.000002").Rat())
	for b.Loop() {
		for range 4950 * 200 {
			s.noisy(7, law)
		}
	}
}

// BenchmarkSupports counts 16,384 conjunctions of up to five of 20 columns over 100,000
// distinct records.
func BenchmarkSupports(b *testing.B) {
	sizes := slices.Repeat([]int{8}, 20)
	p := private{tabulated(b, sizes, random(rand.New(rand.NewPCG(1, 1)), sizes, 100_000), 0), 20, true}
	r := rand.New(rand.NewPCG(2, 2))
	var of []loglinear.Conjunction
	for range mostCandidates {
		var c loglinear.Conjunction
		for range 5 {
			t := loglinear.Term{Column: r.IntN(20), Value: uint16(r.IntN(3))}
			if !slices.ContainsFunc(c.Terms, func(u loglinear.Term) bool { return u.Column == t.Column }) {
				c.Terms = append(c.Terms, t)
			}
		}
		slices.SortFunc(c.Terms, compareTerms)
		of = append(of, c)
	}
	var pools []*cells.Pooling
	for range sizes {
		pools = append(pools, &cells.Pooling{Cells: []uint16{0, 1, 2, 3, 4, 5, 6, 7}, Size: 8})
	}
	for b.Loop() {
		if _, err := p.supports(context.Background(), of, pools); err != nil {
			b.Fatal(err)
		}
	}
}
