package cells

import (
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Histogram holds the released noisy counts of the values of one column.
type Histogram struct {
	Counts   []float64
	Variance float64 // variance of the noise of each count
	Ordered  bool    // whether the values have an order
}

// Total estimates the number of rows: the mean of the sums of the histograms, weighted by the
// inverse variances of their noise. It is at least 0.
func Total(of []Histogram) float64 {
	sum, weight := 0.0, 0.0
	for _, h := range of {
		if len(h.Counts) == 0 {
			continue
		}
		s := 0.0
		for _, c := range h.Counts {
			s += c
		}
		w := 1 / (float64(len(h.Counts)) * max(h.Variance, 1e-9))
		sum += float64(w * s)
		weight += w
	}
	if weight == 0 {
		return 0
	}
	return max(0, sum/weight)
}

// Shrunk returns the histogram with its counts moved towards their mean, if noise explains more than a
// quarter of their squared deviations from it: entirely if it explains all of them, as the estimator of
// James and Stein (1961) would. With less noise, the projection of Pool removes enough of it.
func (h Histogram) Shrunk() Histogram {
	mean := 0.0
	for _, c := range h.Counts {
		mean += c / float64(len(h.Counts))
	}
	squares := 0.0
	for _, c := range h.Counts {
		squares += float64((c - mean) * (c - mean))
	}
	noise := float64(h.Variance * float64(len(h.Counts)-1))
	if noise <= squares/4 {
		return h
	}
	keep := max(0, (1-noise/squares)/.75)
	counts := make([]float64, len(h.Counts))
	for v, c := range h.Counts {
		counts[v] = mean + float64(keep*(c-mean))
	}
	h.Counts = counts
	return h
}

// A Pooling merges values of a column that are too rare to be distinguished from noise.
type Pooling struct {
	Cells    []uint16  // the pooled value of each value
	Size     int       // the number of pooled values
	Ordered  bool      // whether the pooled values are in the order of the values
	Counts   []float64 // estimated count of each value: nonnegative, their sum is the total
	Variance float64   // variance of the noise of each count before projection
}

// Marginal returns the counts of the pooled values, as a marginal of the column.
func (p *Pooling) Marginal(column int) loglinear.Marginal {
	m := loglinear.Marginal{
		Axes:      []table.Axis{{Column: column, Size: p.Size}},
		Counts:    make([]float64, p.Size),
		Variances: make([]float64, p.Size),
	}
	for v, c := range p.Cells {
		m.Counts[c] += p.Counts[v]
		m.Variances[c] += p.Variance
	}
	return m
}
