package learn

import (
	"cmp"
	"math"
	"slices"
)

// Most categories of an attribute with many categories have hardly any rows, and a card would list
// points for each of them. So categories with similar estimates of their log-odds are merged into
// groups. After the noisy counts, a release treats a group like one category.

const (
	mostGroups   = 64      // the maximum number of groups of the categories of an attribute
	mostAdjacent = 1 << 12 // the maximum number of runs of categories that are compared; if there are more, adjacent ones are merged in pairs first
	leastRows    = 1e-3    // the minimum number of rows with which a category enters a weighted mean
)

// expand converts lists by group to lists by category: each category gets the element of its group.
// groups[j][c] is the group of category c of attribute j, and of[j][g] is the element of group g of
// attribute j.
func expand[T any](groups [][]int, of [][]T) [][]T {
	all := make([][]T, len(of))
	for j, items := range of {
		for _, g := range groups[j] {
			all[j] = append(all[j], items[g])
		}
	}
	return all
}

// indices returns 0, 1, …, n-1.
func indices(n int) []int {
	of := make([]int, n)
	for k := range of {
		of[k] = k
	}
	return of
}

// grouped merges the categories of an attribute into at most mostGroups groups of similar log-odds,
// given in odds. It returns the group of each category, the noisy counts of the groups, and the
// log-odds of the groups, which are weighted means of the log-odds of their categories. The groups
// of an ordered attribute are ranges of adjacent categories.
func (c *cells) grouped(odds []float64) (of []int, groups *cells, means []float64) {
	order := indices(len(odds))
	if !c.ordered {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(odds[a], odds[b]) })
	}
	precisions := c.precisions()
	runs := make([]run, len(order))
	for i, k := range order {
		runs[i] = run{i, precisions[k], odds[k]}
	}
	runs = merged(runs, mostGroups)
	of, groups = make([]int, len(order)), &cells{ordered: c.ordered}
	for g, r := range runs {
		next := len(order)
		if g+1 < len(runs) {
			next = runs[g+1].first
		}
		categories := order[r.first:next]
		for _, k := range categories {
			of[k] = g
		}
		no, yes, variance := c.union(categories)
		groups.add(no, yes, c.shares[0], variance)
		means = append(means, r.odds)
	}
	return of, groups, means
}

// A run is a range of adjacent categories in a sorted list, which may be merged into one group.
type run struct {
	first  int     // the index of the first item
	weight float64 // the sum of the weights of the categories
	odds   float64 // the weighted mean of their log-odds
}

// with returns the run of categories that results from merging r and the run after it, next.
func (r run) with(next run) run {
	weight := r.weight + next.weight
	return run{r.first, weight, (r.weight*r.odds + next.weight*next.odds) / weight}
}

// loss returns the increase of the weighted squared error of the log-odds of categories if the run
// r and the run after it, next, are merged.
func (r run) loss(next run) float64 {
	difference := r.odds - next.odds
	return r.weight / (r.weight + next.weight) * next.weight * difference * difference
}

// merged merges adjacent runs of categories until at most the given number remains. While there are
// more than mostAdjacent runs, it merges all of them in pairs. Then it repeatedly merges the two
// neighbours whose merging increases the weighted squared error least (Ward 1963). The weights of
// the runs must be positive. merged overwrites runs.
func merged(runs []run, most int) []run {
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
	return runs
}

// precisions returns a weight for the log-odds of each category: its number of rows, reduced by two
// factors. The first factor is proportional to the information that the noisy counts of both labels
// give about the log-odds. The second factor reduces the weight further if noise could explain the
// number of rows.
func (c *cells) precisions() []float64 {
	weights := make([]float64, len(c.noisy))
	for k, n := range c.noisy {
		v := 2 * c.variances[k]
		n = max(n, .01*math.Sqrt(v), leastRows)
		weights[k] = n * (n / (n + 1.75*v)) * (n * n / (n*n + 4*v))
	}
	return weights
}
