package learn

import (
	"math"
	"slices"
)

// An ordered attribute with many categories would be a long list of points, most of them for categories with hardly any
// rows. So a released card has runs of adjacent categories with equal points, at most mostRuns for each such attribute.

const (
	mostRuns     = 128     // the maximum number of runs of an attribute
	mostAdjacent = 1 << 12 // before runs are compared, pairs of adjacent ones are merged until this number is left
	leastRows    = 1e-3    // the minimum number of rows of a category in its weight
)

// A run is a range of adjacent categories with the same points.
type run struct {
	first  int     // the first category
	weight float64 // the sum of the weights of the categories
	points float64 // the weighted mean of their points
}

// with returns the run of the categories of r and of the next run.
func (r run) with(next run) run {
	weight := r.weight + next.weight
	return run{r.first, weight, (r.weight*r.points + next.weight*next.points) / weight}
}

// loss returns the increase of the weighted squared error if r and the next run are merged.
func (r run) loss(next run) float64 {
	difference := r.points - next.points
	return r.weight / (r.weight + next.weight) * next.weight * difference * difference
}

// inRuns replaces the points of attributes with weights such that they have at most mostRuns runs.
func (e *encoding) inRuns(p Points) Points {
	for j, weights := range e.weights {
		if weights != nil {
			p.Points[j] = merged(p.Points[j], weights, mostRuns)
		}
	}
	return p
}

// merged returns points with at most most runs. It repeatedly merges the two adjacent runs whose merging increases the
// squared error least, weighted by the given positive weights (Ward 1963).
func merged(points []int, weights []float64, most int) []int {
	runs := make([]run, len(points))
	for k, w := range weights {
		runs[k] = run{k, w, float64(points[k])}
	}
	for len(runs) > mostAdjacent {
		for i := range len(runs) / 2 {
			runs[i] = runs[2*i].with(runs[2*i+1])
		}
		if n := len(runs); n%2 == 1 {
			runs[n/2] = runs[n-1]
		}
		runs = runs[:(len(runs)+1)/2]
	}
	for len(runs) > most {
		best, least := 0, math.Inf(1)
		for i := range len(runs) - 1 {
			if loss := runs[i].loss(runs[i+1]); loss < least {
				best, least = i, loss
			}
		}
		runs[best] = runs[best].with(runs[best+1])
		runs = slices.Delete(runs, best+1, best+2)
	}
	of := make([]int, len(points))
	for i, r := range runs {
		for k := r.first; k < len(of) && (i+1 == len(runs) || k < runs[i+1].first); k++ {
			of[k] = int(math.Round(r.points))
		}
	}
	return of
}

// precisions returns, for each category, a weight of its log-odds: about its number of rows n, but less if noise of
// variance v could explain n. The first factor is proportional to the information that the noisy counts of both labels have
// about the log-odds. The second one further reduces the weights of numbers of rows that are hardly significant.
func (c *cells) precisions() []float64 {
	weights := make([]float64, len(c.noisy))
	for k, n := range c.noisy {
		v := 2 * c.variances[k]
		n = max(n, .01*math.Sqrt(v), leastRows)
		weights[k] = n * (n / (n + 1.75*v)) * (n * n / (n*n + 4*v))
	}
	return weights
}
