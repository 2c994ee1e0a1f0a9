package loglinear

import "math"

// pair makes the factor of a marginal of two columns of which so many rows have each
// value. The target is the shrunk table: as variance it has the share of the noise that
// lies in the directions kept.
func pair(m *Marginal, ones [][]float64, total float64) *factor {
	f := newFactor(m.Axes)
	a, b := sums(m.Axes[0], ones[m.Axes[0].Column]), sums(m.Axes[1], ones[m.Axes[1].Column])
	noise := max(m.noise(), 1)
	f.prior = direct * interaction(m.Counts, outer(a, b, total), noise)
	table, rank := shrink(m.Counts, a, b, total, noise)
	f.target, f.variance = table, noise
	copy(f.mean, table)
	f.silent = rank == 0
	if r, c := float64(len(a)-1), float64(len(b)-1); float64(r*c) > 0 {
		// A table of this rank has rank·(r + c - rank) free numbers; half a direction more
		// stands for those too weak to be kept.
		q := min(float64(rank)+.5, r, c)
		f.variance *= float64(q*(r+c-q)) / float64(r*c)
	}
	return f
}

// outer is the table of two independent columns.
func outer(a, b []float64, total float64) []float64 {
	e := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			e = append(e, float64(x*y)/max(total, 1))
		}
	}
	return e
}

// interaction estimates the mean square of what noisy counts add to the logs of expected
// ones: that of count/expected - 1, each weighed by about the inverse of its noise.
func interaction(counts, expected []float64, variance float64) float64 {
	sum, weight := 0.0, 0.0
	for k, e := range expected {
		w := 1 / (e + float64(2*math.Sqrt(variance)))
		r := counts[k] - e
		sum += float64(w * (float64(r*r) - variance))
		weight += float64(w * float64(e*e))
	}
	if weight <= 0 {
		return leastPrior
	}
	return min(max(sum/weight, leastPrior), mostPrior)
}

const (
	leastPrior = 1e-4
	mostPrior  = 9
	direct     = 6 // how much larger log-interactions are, given all columns, than in the pair alone
)
