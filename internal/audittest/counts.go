package audittest

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

// TwoLabels returns copies of the shapes with two labels only: it changes every label above 1 to 1.
func TwoLabels(shapes []audit.Shape) (two []audit.Shape) {
	for _, s := range shapes {
		rows := s.Rows
		s.Labels, s.Rows = 2, nil
		for _, of := range rows {
			s.Add(of.X, min(of.Label, 1), of.Count)
		}
		two = append(two, s)
	}
	return two
}

// A recorder is a random source that records the noise that a mechanism draws.
type recorder struct {
	noise.Coins
	noise []*big.Int
}

func (r *recorder) Draw(law noise.Sampler) *big.Int {
	value := r.Coins.Draw(law)
	r.noise = append(r.noise, new(big.Int).Set(value))
	return value
}

// CountsOf returns the number of rows of each category with each label. The attributes are in order; for each category,
// the count with label 0 comes first, then the count with label 1.
func CountsOf(d *table.Table) []int64 {
	sizes := d.Sizes()
	first, cells := make([]int, len(sizes)), 0
	for j, n := range sizes {
		first[j], cells = cells, cells+2*n
	}
	counts := make([]int64, cells)
	for i := range d.Len() {
		for j, code := range d.Record(i, nil) {
			counts[first[j]+2*int(code)+d.Outcome(i)] += d.Count(i)
		}
	}
	return counts
}

// OfCategories runs a mechanism whose release should depend on the table only through noisy counts:
// those of CountsOf, each with one draw of noise. In the returned audit.Release, the numbers are
// these counts plus the noise, and the text is the mechanism's release. So audit.Couple rejects a
// mechanism whose release depends on anything else in the table.
func OfCategories(d *table.Table, c noise.Coins, release func(noise.Coins) (any, error)) (out audit.Release, err error) {
	return OfCounts(CountsOf(d), c, release)
}

// OfCounts is OfCategories for any list of counts. The mechanism must draw the noise in the order
// of this list.
func OfCounts(counts []int64, c noise.Coins, release func(noise.Coins) (any, error)) (out audit.Release, err error) {
	recording := &recorder{Coins: c}
	released, err := release(recording)
	if err != nil {
		return out, err
	}
	out.Rest, out.Numbers = fmt.Sprint(released), Bigs(counts...)
	for i, k := range recording.noise[:min(len(recording.noise), len(counts))] {
		out.Numbers[i].Add(out.Numbers[i], k)
	}
	return out, nil
}
