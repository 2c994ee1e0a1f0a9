package cells

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Histogram holds the released noisy counts of the values of one column.
type Histogram struct {
	Counts   []float64
	Variance float64 // variance of the noise of each count
	Ordered  bool    // whether the values have an order
	Free     []bool  // by value: whether no rule restricts it; nil if no rule restricts the column
	First    bool    // whether Pool makes runs as for models in the first file format: with a fraction of all rows

	// Estimates are estimates of the exact counts with small errors (see Shrunk). If they are nil, Pool estimates
	// the exact counts by a projection of Counts.
	Estimates []float64
}

// Total estimates the number of rows of the table. The sum of a histogram's counts is one estimate of it. Total
// returns the mean of these estimates, weighted by the inverses of their variances, and raised to 0 if it is
// negative.
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

// Shrunk returns the histograms with estimates of their exact counts, which usually have smaller errors than the
// noisy counts. The estimates are nonnegative, and their sum is total in each histogram. There are two methods:
//
//   - By default, Shrunk sets Estimates to posterior means. The prior is the distribution of small exact counts,
//     which is estimated from the noisy counts of all columns together.
//   - If a column is smoothed, or if there are too few small counts to estimate the prior, Shrunk shrinks Counts
//     towards their mean (see the method shrunk).
func Shrunk(of []Histogram, total float64) []Histogram {
	var small loglinear.Deconvolution
	balanced := make([][]float64, len(of))
	for j, h := range of {
		if !h.smoothed() {
			balanced[j] = h.balanced(total)
		}
		for _, z := range balanced[j] {
			small.Add(z)
		}
	}
	known := small.Fit()
	of = slices.Clone(of)
	for j := range of {
		h := &of[j]
		if !known || h.smoothed() {
			h.Counts = h.shrunk(total)
			continue
		}
		for v, z := range balanced[j] {
			balanced[j][v] = float64(small.Mean(z) * h.deviation())
		}
		h.Estimates = simplex.Project(balanced[j], total)
	}
	return of
}

// balanced adds a constant to all counts so that their sum is total, and returns the results in units of the standard
// deviation of the noise of a count.
func (h Histogram) balanced(total float64) []float64 {
	for _, c := range h.Counts {
		total -= c
	}
	of := make([]float64, len(h.Counts))
	for v, c := range h.Counts {
		of[v] = (c + total/float64(len(of))) / h.deviation()
	}
	return of
}

// deviation returns the standard deviation of the noise of a count of the histogram.
func (h Histogram) deviation() float64 { return math.Sqrt(max(h.Variance, 1e-9)) }

// smoothed reports whether the column is ordered and has many values, so that its counts are smoothed.
func (h Histogram) smoothed() bool { return h.Ordered && len(h.Counts) >= manyValues }

// shrunk projects the counts to nonnegative numbers whose sum is total, and then shrinks them towards their mean: it
// multiplies their deviations from the mean by 1 - f√f, or by 0 if f ≥ 1. Here f is the expected sum of squares of
// the noise, divided by the sum of the squared deviations. (James and Stein (1961) multiply by 1 - f.) The projection
// has already removed the noise of values without rows, so f includes only the noise of values whose projected count
// is positive.
//
// If smoothed returns true, shrunk first smooths the counts of adjacent values, and f includes only the noise that is
// expected to remain after the smoothing.
func (h Histogram) shrunk(total float64) []float64 {
	smoothed, counts, noise := h.smoothed(), h.Counts, 0.0
	if smoothed {
		counts, noise = smooth(counts, h.Variance)
	}
	counts = simplex.Project(counts, total)
	mean := total / float64(len(counts))
	squares, positive := 0.0, 0
	for _, c := range counts {
		squares += float64((c - mean) * (c - mean))
		if c > 0 {
			positive++
		}
	}
	if !smoothed {
		noise = h.Variance * float64(max(positive-1, 0))
	}
	keep := 0.0
	if noise < squares {
		f := noise / squares
		keep = 1 - float64(f*math.Sqrt(f))
	}
	for v, c := range counts {
		counts[v] = mean + float64(keep*(c-mean))
	}
	return counts
}

// A Pooling maps the values of a column to pooled values: it merges values that are too rare to be distinguished from
// noise.
type Pooling struct {
	Cells    []uint16  // the pooled value of each value
	Size     int       // the number of pooled values
	Ordered  bool      // whether the pooled values are in the order of the values
	Counts   []float64 // estimated count of each value; they are nonnegative and sum to the total
	Variance float64   // variance of the noise of each count before projection
}

// Marginal returns the estimated counts of the pooled values, as a one-way marginal of the given column.
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
