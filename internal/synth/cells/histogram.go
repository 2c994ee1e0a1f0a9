package cells

import (
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Histogram is what was released of one column: a noisy count of each value.
type Histogram struct {
	Counts   []float64
	Variance float64 // of the noise of each count
	Ordered  bool    // the values stand in an order
}

// Total estimates the number of rows that all histograms count, each weighed by the
// inverse variance of its sum. It is at least 0.
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

// A Pooling puts the values of a column together that are too rare to be told apart.
type Pooling struct {
	Cells    []uint16  // the pooled value of each value
	Size     int       // how many pooled values there are
	Ordered  bool      // the pooled values stand in the order of the values
	Counts   []float64 // of each value: not negative, their sum is the total
	Variance float64   // of the noise that each count had
}

// Marginal is the histogram of the pooled values.
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
