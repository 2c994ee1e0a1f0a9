package loglinear

import (
	"math"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A pair of columns is measured over cells that contain several values of a column. The factor of the pair says nothing
// about these values: given the cells, they would be independent. The functions of this file estimate their dependence
// for columns with orders, such as intervals of a number. They assume that the numbers have the joint distribution of a
// normal vector after an increasing transformation of each column (a normal copula). The correlations of this vector
// follow from the estimated tables of all pairs together.

// orders assigns a normal score to each value of the columns with orders, and sets the field within of their pairs.
func (f *Fit) orders(ordered []int) {
	place := make([]int, len(f.sizes)) // by column with an order, its index among these columns
	scores := make([][]float64, len(f.sizes))
	standard := newNormal()
	k := 0
	for c := range f.sizes {
		if orderedValues(ordered, c) > 0 {
			scores[c] = standard.scores(f.ones[c].target, ordered[c])
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
	precision := inverse(correlations, k, ridge*math.Sqrt(noise))
	for _, p := range pairs {
		if w := -precision[p.i*k+p.j]; math.Abs(w) >= leastWithin {
			p.setWithin(w)
		}
	}
}

// A scoredPair is the factor of two columns with orders.
type scoredPair struct {
	*factor
	i, j   int          // the indices of the two columns among the columns with orders
	scores [2][]float64 // by axis, the score of each value
	means  [2][]float64 // by axis, the mean score of the rows in each cell
}

const (
	leastWithin     = .02 // weaker interactions within cells are left out
	mostCorrelation = .9  // given larger correlations, the values of a cell are too few for the density of the normal vector
	leastEigenvalue = .02 // smaller eigenvalues, after the addition, are raised to this number
	ridge           = 2   // added to eigenvalues of a matrix of estimated correlations, in standard deviations of the noise
)

// orderedValues returns the number of ordered values of column c, or 0 if it has fewer than two or no order.
func orderedValues(ordered []int, c int) int {
	if ordered == nil || ordered[c] < 2 {
		return 0
	}
	return ordered[c]
}

// correlation estimates the correlation ρ of the normal copula from the target of a pair, and returns the variance of
// the noise in this estimate. The parameter total is the number of rows.
//
// The estimate follows from the covariance of the mean scores of cells. Let a and b be the variances of the mean
// scores in the columns. The covariance is about a·b·ρ for small ρ, and √(a·b) for ρ = 1 if both columns have the
// same cells. In between, it is taken to be a·b·ρ + (√(a·b) - a·b)·ρ⁷. For 3 to 16 cells with equal numbers of rows
// and ρ up to .95, the error of ρ is then at most .03.
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
	covariance = share(covariance, total)
	linear := share(float64(variances[0]*variances[1]), float64(total*total))
	rest := math.Sqrt(linear) - linear
	high := mostCorrelation
	for range 30 {
		middle := (rho + high) / 2
		cube := float64(float64(middle*middle) * middle)
		if float64(linear*middle)+float64(rest*float64(float64(cube*cube)*middle)) < math.Abs(covariance) {
			rho = middle
		} else {
			high = middle
		}
	}
	scale := share(1, float64(linear*total))
	return math.Copysign(rho, covariance), float64(p.variance * float64(squares*float64(scale*scale)))
}

// meanScores returns the mean score of the rows in each cell of an axis, given the score of each value.
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

// setWithin sets the field within of the pair. In the normal copula, the log-interaction of two values with the scores x
// and y is w·x·y, plus terms of single columns. The factor of the pair has this interaction for the mean scores of the
// cells, so only the difference is added.
func (p scoredPair) setWithin(w float64) {
	a, b := p.axes[0], p.axes[1]
	for u, x := range p.scores[0] {
		for v, y := range p.scores[1] {
			d := float64(x*y) - float64(p.means[0][a.Cell(u)]*p.means[1][b.Cell(v)])
			p.within = append(p.within, float32(exp(min(max(float64(w*d), -most), most))))
		}
	}
}

// inverse returns the inverse of a k × k matrix of estimated correlations, with changed eigenvalues. Negative
// eigenvalues become 0, ridge is added to all of them, and the result is divided by 1 + ridge. Without a ridge, the
// noise of small eigenvalues would dominate the inverse.
func inverse(correlations []float64, k int, ridge float64) []float64 {
	values, vectors := symmetric(correlations, k)
	of := make([]float64, k*k)
	for e, x := range values {
		x = (1 + ridge) / max(float64(max(x, 0)+ridge), leastEigenvalue)
		for i := range k {
			for j := range k {
				of[i*k+j] += float64(x * float64(vectors[e][i]*vectors[e][j]))
			}
		}
	}
	return of
}

// scores returns a normal score for each value of a column. Suppose that all rows are sorted by value. Then the rows
// with a value lie between two quantiles of the standard normal distribution, and the score is the mean of the
// distribution between them. Only the first values have an order; their number is the parameter ordered. All others,
// such as that of missing numbers, have the score 0.
func (n *normal) scores(counts []float64, ordered int) []float64 {
	scores, total := make([]float64, len(counts)), 0.0
	for _, rows := range counts[:ordered] {
		total += rows
	}
	below := 0.0
	_, density := n.quantile(0)
	for v, rows := range counts[:ordered] {
		p := share(rows, total)
		below = min(below+p, 1)
		x, next := n.quantile(below)
		if scores[v] = x; p > 1e-9 {
			scores[v] = (density - next) / p
		}
		density = next
	}
	return scores
}

// A normal tabulates the standard normal distribution.
type normal struct{ density, below []float64 } // at -most + i·normalStep, where most is normalMost

const (
	normalStep = 1. / 64
	normalMost = 6
)

func newNormal() *normal {
	n := &normal{}
	for x := -float64(normalMost); x <= normalMost; x += normalStep {
		n.density = append(n.density, exp(-float64(x*x)/2)/math.Sqrt(2*math.Pi))
	}
	n.below = make([]float64, len(n.density))
	for i := range n.below[1:] {
		n.below[i+1] = n.below[i] + float64(normalStep/2*(n.density[i]+n.density[i+1]))
	}
	return n
}

// quantile returns the number x below which a standard normal variable is with probability p, and its density at x. It
// interpolates, and x is within ±normalMost.
func (n *normal) quantile(p float64) (x, density float64) {
	p = float64(p * n.below[len(n.below)-1])
	i := max(sort.SearchFloat64s(n.below, p), 1)
	part := (p - n.below[i-1]) / (n.below[i] - n.below[i-1])
	x = -normalMost + float64((float64(i-1)+part)*normalStep)
	return x, n.density[i-1] + float64(part*(n.density[i]-n.density[i-1]))
}

// multiplyWithin multiplies the factors of a table for sampling one column of a pair by the field within, and scales
// each line to at most 1. The table has a line of the given width for each value of the other column. The parameter
// drawn is the axis of the sampled column.
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
