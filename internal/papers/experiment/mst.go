package experiment

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/papers/graphical"
)

// mst is the synthesizer MST (McKenna, Miklau and Sheldon, Winning the NIST contest: a scalable and
// general approach to differentially private synthetic data, 2021). It has three steps, each with a third of ρ:
//
//   - It measures every one-way marginal, and merges values that are rare in comparison with the noise.
//   - It selects pairs of columns that form a spanning tree, by the exponential mechanism.
//   - It measures the marginals of these pairs.
//
// The implementation differs from the authors' in two ways: it uses the optimizer of package graphical, and it
// rounds noise and scores so that their distributions are exact.
func mst(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
	n := int64(len(d.sizes))
	var measured []graphical.Measurement
	for j := range d.sizes {
		measured = append(measured, b.measurement(d, []int{j}, b.share(1, 3*n)))
	}
	d, values := mergeRare(d, measured)
	independent, err := graphical.Fit(ctx, d.sizes, measured, nil, lastAccuracy)
	if err != nil {
		return nil, err
	}
	var candidates []*scored
	var scores []int64
	for _, p := range d.pairs() {
		s := &scored{p[:], d.marginal(p[:]...), 1}
		candidates = append(candidates, s)
		scores = append(scores, s.score(independent.Marginal(p[:]), independent.Total(), 0))
	}
	component := make([]int, n)
	for j := range component {
		component[j] = j
	}
	for range n - 1 {
		var joining []*scored
		var of []int64
		for i, c := range candidates {
			if component[c.columns[0]] != component[c.columns[1]] {
				joining, of = append(joining, c), append(of, scores[i])
			}
		}
		pair := joining[b.choose(joining, of, b.share(1, 3*(n-1)))].columns
		measured = append(measured, b.measurement(d, pair, b.share(1, 3*(n-1))))
		from, to := component[pair[0]], component[pair[1]]
		for j, c := range component {
			if c == from {
				component[j] = to
			}
		}
	}
	model, err := graphical.Fit(ctx, d.sizes, measured, independent, lastAccuracy)
	if err != nil {
		return nil, err
	}
	rows := modelRows(model, b)
	for _, r := range rows {
		for j, v := range r {
			of := values[j][v]
			r[j] = of[b.random.IntN(len(of))]
		}
	}
	return rows, nil
}

// mergeRare merges the rare values of each column into one value, both in the table and in the measurements of the
// columns. A value is rare if its noisy count is less than three standard deviations of the noise. mergeRare returns
// the merged table, and for each column the old values of each new value.
func mergeRare(d *flat, measured []graphical.Measurement) (*flat, [][][]uint16) {
	merged := &flat{counts: d.counts}
	values := make([][][]uint16, len(d.sizes))
	for j := range measured {
		m := &measured[j]
		var rare []uint16
		var counts, variances []float64
		rest, variance := 0.0, 0.0
		of := make([]uint16, len(m.Counts))
		for v, n := range m.Counts {
			if n < 3*math.Sqrt(m.Variances[v]) {
				rare, rest, variance = append(rare, uint16(v)), rest+n, variance+m.Variances[v]
				continue
			}
			of[v] = uint16(len(counts))
			values[j] = append(values[j], []uint16{uint16(v)})
			counts, variances = append(counts, n), append(variances, m.Variances[v])
		}
		if len(rare) > 0 {
			for _, v := range rare {
				of[v] = uint16(len(counts))
			}
			values[j] = append(values[j], rare)
			counts, variances = append(counts, rest), append(variances, variance)
		}
		m.Counts, m.Variances = counts, variances
		merged.sizes = append(merged.sizes, len(counts))
		column := make([]uint16, len(d.columns[j]))
		for i, v := range d.columns[j] {
			column[i] = of[v]
		}
		merged.columns = append(merged.columns, column)
	}
	return merged, values
}
