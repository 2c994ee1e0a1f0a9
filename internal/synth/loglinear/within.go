package loglinear

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/copula"
	"github.com/sibyl-dp/sibyl/internal/synth/portable"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A pair of columns is measured over cells that contain several values of a column. The factor of the pair says nothing
// about these values: given the cells, they would be independent. The functions of this file estimate their dependence
// for columns with orders, such as intervals of a number. They assume that the numbers have the joint distribution of a
// normal vector after an increasing transformation of each column (a normal copula). The correlations of this vector
// follow from the estimated tables of all pairs together.

// orders sets the field within of the pairs of ordered columns. The slice scores has the normal scores of the values, by
// column; they are nil for columns without an order.
func (f *Fit) orders(scores [][]float64) {
	place := make([]int, len(f.sizes)) // by column with an order, its index among these columns
	k := 0
	for c := range scores {
		if scores[c] != nil {
			place[c] = k
			k++
		}
	}
	var pairs []scoredPair
	for _, g := range f.pairs {
		a, b := g.axes[0].Column, g.axes[1].Column
		if x, y := scores[a], scores[b]; !g.dropped && x != nil && y != nil {
			pairs = append(pairs, scoredPair{g, place[a], place[b], [2][]float64{x, y}, [2][]float64{f.meanScores(g.axes[0], x), f.meanScores(g.axes[1], y)}})
		}
	}
	correlations, noise := make([]float64, k*k), 0.0
	for i := range k {
		correlations[i*k+i] = 1
	}
	for _, p := range pairs {
		rho, variance := p.correlation(f.total)
		correlations[p.i*k+p.j], correlations[p.j*k+p.i] = rho, rho
		noise += variance / float64(len(pairs))
	}
	precision := copula.Inverse(correlations, k, ridge*math.Sqrt(noise))
	for _, p := range pairs {
		if w := -precision[p.i*k+p.j]; math.Abs(w) >= leastWithin {
			p.setWithin(w)
		}
	}
}

// A scoredPair is the factor of two ordered columns, with the normal scores of their values.
type scoredPair struct {
	*factor
	i, j   int          // the indices of the two columns among the columns with orders
	scores [2][]float64 // by axis, the score of each value
	means  [2][]float64 // by axis, the mean score of the rows in each cell
}

const (
	leastWithin     = .02 // weaker interactions within cells are left out
	mostCorrelation = .9  // given larger correlations, the values of a cell are too few for the density of the normal vector
	ridge           = 2   // added to eigenvalues of a matrix of estimated correlations, in standard deviations of the noise
)

// orderedValues returns the number of ordered values of column c. It returns 0 if no values are ordered, or only one.
func orderedValues(ordered []int, c int) int {
	if ordered == nil || ordered[c] < 2 {
		return 0
	}
	return ordered[c]
}

// correlation estimates the correlation ρ of the normal copula of a pair from the factor's target, and returns the
// variance of the noise of this estimate. The parameter total is the number of rows.
func (p scoredPair) correlation(total float64) (rho, variance float64) {
	c := p.axes[1].Size
	var variances [2]float64
	covariance, squares := 0.0, 0.0
	for k, n := range p.target {
		x, y := p.means[0][k/c], p.means[1][k%c]
		covariance += float64(n * float64(x*y))
		squares += float64(float64(x*x) * float64(y*y))
		variances[0] += float64(n * float64(x*x))
		variances[1] += float64(n * float64(y*y))
	}
	a, b := share(variances[0], total), share(variances[1], total)
	rho = min(max(copula.Correlation(share(covariance, total), a, b), -mostCorrelation), mostCorrelation)
	linear := float64(a * b)
	scale := share(1, float64(linear*total))
	return rho, float64(p.variance * float64(squares*float64(scale*scale)))
}

// meanScores returns, for each cell of an axis, the mean score of the rows in the cell, given the score of each
// value.
func (f *Fit) meanScores(a table.Axis, scores []float64) []float64 {
	counts := f.ones[a.Column].target
	weighted := make([]float64, len(counts))
	for v, n := range counts {
		weighted[v] = float64(n * scores[v])
	}
	means, rows := sums(a, weighted), sums(a, counts)
	for k := range means {
		means[k] = share(means[k], rows[k])
	}
	return means
}

// setWithin sets the fixed interactions of the pair's values within cells. In the normal copula, the log-interaction
// of two values with the scores x and y is w·x·y, plus terms of single columns. The factor already has this
// interaction for the mean scores of the cells, so setWithin adds only the difference.
func (p scoredPair) setWithin(w float64) {
	a, b := p.axes[0], p.axes[1]
	for u, x := range p.scores[0] {
		for v, y := range p.scores[1] {
			d := float64(x*y) - float64(p.means[0][a.Cell(u)]*p.means[1][b.Cell(v)])
			p.within = append(p.within, float32(portable.Exp(min(max(float64(w*d), -most), most))))
		}
	}
}

// multiplyWithin multiplies a table for sampling one column of the pair g (see table) by the pair's fixed
// interactions, and scales each line to at most 1. The table t has one line of the given width for each value of the
// other column. The parameter drawn is the number of the sampled column's axis.
func (f *Fit) multiplyWithin(g *factor, drawn int, t []float32, width int) {
	if g.within == nil {
		return
	}
	own, other := f.sizes[g.axes[drawn].Column], f.sizes[g.axes[1-drawn].Column]
	for v := range other {
		line := t[v*width:][:own]
		for u := range line {
			if drawn == 0 {
				line[u] *= g.within[u*other+v]
			} else {
				line[u] *= g.within[v*own+u]
			}
		}
		top := slices.Max(line)
		for u := range line {
			line[u] /= top
		}
	}
}
