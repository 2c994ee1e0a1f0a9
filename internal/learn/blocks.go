package learn

import (
	"math"
	"slices"
)

// An ordered attribute with many categories usually has too few rows in each category. There are
// two cases:
//
//   - Rows are spread evenly over adjacent categories. Then the attribute is probably a
//     measurement, and the log-odds change little from one category to the next. They are estimated
//     for blocks of adjacent categories, and smoothed.
//   - A few categories have most rows. Then the attribute is called rough: these categories are
//     amounts that many people share, and their log-odds differ from those of their neighbours.
//     They are estimated separately.

const (
	blocks      = mostGroups // the number of equal blocks into which the categories are divided, before heavy categories become blocks of their own
	mostExcess  = .5         // the maximum share of the variation between adjacent categories of an attribute that is not rough
	mostExtreme = 2          // the number of standard deviations that such a variation can have by chance
	leastHeavy  = 6          // the minimum number of standard deviations of noise for a heavy category
	differences = 1.5        // the variance of a number less the mean of its neighbours, for independent numbers of variance 1
	leastShare  = 1e-10      // the minimum share of the rows of a category that a block predicts for each label
)

// heavy returns the number of rows above which a category counts as heavy. A heavy category, such
// as the most frequent value of a column, is not joined with its neighbours in a block. Noise alone
// would hardly exceed this number, and at most as many categories exceed it as there are equal
// blocks.
func (c *cells) heavy() float64 {
	rows, variance := 0.0, 0.0
	for k, n := range c.noisy {
		rows, variance = rows+n, max(variance, 2*c.variances[k])
	}
	sorted := slices.Sorted(slices.Values(c.noisy))
	return max(rows/blocks, leastHeavy*math.Sqrt(variance), sorted[len(sorted)-1-blocks])
}

// rough reports whether the numbers of rows of adjacent categories differ so strongly that the
// categories should not be estimated in blocks. It compares each category with the mean of its two
// neighbours, unless one of the three is heavy. The excess is the sum of the squared differences,
// minus the sum that noise and the sampling of rows alone would cause. The excess must exceed two
// thresholds:
//
//   - mostExtreme standard deviations, which it rarely exceeds by chance,
//   - the share mostExcess of the sum that is expected if the numbers of adjacent categories are
//     independent.
func (c *cells) rough() bool {
	heavy := c.heavy()
	var excess, variance, squares float64
	for k := 1; k < len(c.noisy)-1; k++ {
		before, n, after := c.noisy[k-1], c.noisy[k], c.noisy[k+1]
		if max(before, n, after) > heavy {
			continue
		}
		difference := n - (before+after)/2
		expected := differences*2*c.variances[k] + max(n+(before+after)/4, 0) // by noise, and by the sampling of rows
		excess += difference*difference - expected
		variance += 4 * expected * expected // about that of the sum: the differences of neighbours are correlated
		squares += differences * (n*n - 2*c.variances[k])
	}
	return excess > mostExcess*squares && excess > mostExtreme*math.Sqrt(variance)
}

// inBlocks estimates the log-odds of ordered categories in blocks of adjacent categories. The
// log-odds of a category are the sum of the log-odds of its block, which are smoothed along their
// order, and a difference. The differences have a common prior variance.
func (c *cells) inBlocks() []float64 {
	of, parts := c.divide()
	common := parts.smooth(parts.prior())
	own := &cells{}
	for k := range c.noisy {
		no, yes := c.counts(k)
		share := 1 / (1 + math.Exp(-logit(c.shares[k])-common[of[k]]))
		own.add(no, yes, min(max(share, leastShare), 1-leastShare), c.variances[k])
	}
	odds := own.separate()
	for k := range odds {
		odds[k] = clampOdds(odds[k] + common[of[k]])
	}
	return odds
}

// divide divides ordered categories into blocks of adjacent categories. It returns the index of the
// block of each category, and the noisy counts of the blocks. A heavy category is a block of its
// own.
func (c *cells) divide() (of []int, parts *cells) {
	heavy := c.heavy()
	length := (len(c.noisy) + blocks - 1) / blocks
	parts = &cells{ordered: true}
	of = make([]int, len(c.noisy))
	all := indices(len(of))
	for from := 0; from < len(of); {
		to := from
		for ; to < len(of) && to < from+length && (to == from || max(c.noisy[to], c.noisy[to-1]) <= heavy); to++ {
			of[to] = len(parts.rows)
		}
		no, yes, variance := c.union(all[from:to])
		parts.add(no, yes, c.shares[from], variance)
		from = to
	}
	return of, parts
}
