package copula

import (
	"math"
	"sort"

	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// A Normal is a table of the standard normal distribution, truncated to the interval from -Most to Most. Its zero
// value is invalid; use NewNormal.
type Normal struct {
	density, below []float64 // at -Most + i·step
	first          []int     // by part, the index of the first element of below that is at least part/parts
}

// Most is the largest absolute value of a variable in the table of a Normal.
const Most = 6

const (
	step  = 1. / 64
	parts = 256 // number of parts of the interval 0..1 of probabilities, for a quick search
)

// NewNormal computes a table of the standard normal distribution.
func NewNormal() *Normal {
	n := &Normal{}
	for x := -float64(Most); x <= Most; x += step {
		n.density = append(n.density, portable.Exp(-float64(x*x)/2)/math.Sqrt(2*math.Pi))
	}
	n.below = make([]float64, len(n.density))
	for i := range n.below[1:] {
		n.below[i+1] = n.below[i] + float64(step/2*(n.density[i]+n.density[i+1]))
	}
	for part := range parts {
		n.first = append(n.first, sort.SearchFloat64s(n.below, float64(part)/parts))
	}
	n.first = append(n.first, len(n.below)-1)
	return n
}

// quantile returns the p-quantile of the standard normal distribution, clamped to ±Most, and the density at this
// quantile. It interpolates linearly in the table.
func (n *Normal) quantile(p float64) (x, density float64) {
	p = float64(p * n.below[len(n.below)-1])
	part := int(p * parts)
	begin := n.first[part]
	i := max(begin+sort.SearchFloat64s(n.below[begin:n.first[part+1]], p), 1)
	between := (p - n.below[i-1]) / (n.below[i] - n.below[i-1])
	x = -Most + float64((float64(i-1)+between)*step)
	return x, n.density[i-1] + float64(between*(n.density[i]-n.density[i-1]))
}

// probability returns the probability that a standard normal variable is less than x.
func (n *Normal) probability(x float64) float64 {
	at := float64((min(max(x, -Most), Most) + Most) / step)
	i := min(int(at), len(n.below)-2)
	return (n.below[i] + float64((at-float64(i))*(n.below[i+1]-n.below[i]))) / n.below[len(n.below)-1]
}

// Scores returns the normal score of each value of a column, given the number of rows with each value. If all rows
// are sorted by value, the rows with one value lie between two quantiles of the standard normal distribution. The
// score is the mean of the distribution between these quantiles. Only the first values, as many as the parameter
// ordered says, have an order. All others, such as the code of a missing number, get the score 0.
func (n *Normal) Scores(counts []float64, ordered int) []float64 {
	scores, total := make([]float64, len(counts)), 0.0
	for _, rows := range counts[:ordered] {
		total += rows
	}
	below := 0.0
	_, density := n.quantile(0)
	for v, rows := range counts[:ordered] {
		p := 0.0
		if total > 0 {
			p = rows / total
		}
		below = min(below+p, 1)
		x, next := n.quantile(below)
		if scores[v] = x; p > 1e-9 {
			scores[v] = (density - next) / p
		}
		density = next
	}
	return scores
}
