package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// checkCard proves that the tables differ on the scorecard q by the given difference, and that no scorecard of the
// class o has a greater difference. Otherwise it returns an error that wraps errRefuted, or the context's error.
//
// For every set of columns, checkCard sums the weights of the records (see Pair.weigh) in each cell of the marginal. It
// then enumerates the points of all columns except the one with the most groups. For each choice of these points, the
// best points of each group of this one column can be found separately.
func (p *Pair) checkCard(ctx context.Context, q rule.Points, difference int64, o Cards) error {
	if !o.has(p, q) {
		return fmt.Errorf("%w: the query is not a scorecard of the class", errRefuted)
	}
	if d := p.difference(p.count(q)); d != difference {
		return fmt.Errorf("%w: the query has a difference of %d/%d between the tables, but the search reported another difference", errRefuted, d, p.total)
	}
	for order := 1; order <= min(o.Most, len(p.columns)); order++ {
		all, _ := sets(len(p.columns), order, Sample{})
		for _, set := range all {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			slices.SortStableFunc(set, func(a, b int) int { return o.groups(p.sizes[b]) - o.groups(p.sizes[a]) })
			if d := newCardChecker(p, o, set).greatest(difference); d > difference {
				return fmt.Errorf("%w: a scorecard has the difference %d/%d between the tables, more than the search reported", errRefuted, d, p.total)
			}
		}
	}
	return nil
}

// has reports whether the query q is one of the scorecards that o describes for the columns of the tables.
func (o Cards) has(p *Pair, q rule.Points) bool {
	if q.Threshold != o.Threshold || q.Start != 0 || len(q.Of) != len(p.columns) {
		return false
	}
	used := 0
	for j, of := range q.Of {
		if of == nil {
			continue
		}
		if used++; used > o.Most || len(of) != p.sizes[j] {
			return false
		}
		for v, points := range of {
			if abs(int64(points)) > int64(o.Points) || v > 0 && points != of[v-1] && o.group(uint16(v), len(of)) == o.group(uint16(v-1), len(of)) {
				return false
			}
		}
	}
	return true
}

// A cardChecker finds the greatest difference between the tables for all scorecards on one set of columns, by
// enumerating the points of the scorecards.
type cardChecker struct {
	cards  Cards
	groups []int   // by column, its number of groups; the first column has the most
	sums   []int64 // by cell, Σ w; cells are ordered by the group of the first column, then by those of the others
	totals []int   // by cell of the other columns, its total
}

func newCardChecker(p *Pair, o Cards, set []int) *cardChecker {
	k := &cardChecker{cards: o}
	cells := 1
	for _, j := range set {
		k.groups = append(k.groups, o.groups(p.sizes[j]))
		cells *= o.groups(p.sizes[j])
	}
	k.sums, k.totals = make([]int64, cells), make([]int, cells/k.groups[0])
	for i := range p.Len() {
		cell := 0
		for n, j := range set {
			cell = cell*k.groups[n] + o.group(p.codes[j][i], p.sizes[j])
		}
		k.sums[cell] += p.weigh(i)
	}
	return k
}

// greatest returns the greatest difference of a scorecard on these columns if it exceeds the parameter enough.
// Otherwise it may return any number up to enough.
func (k *cardChecker) greatest(enough int64) int64 {
	up, down := int64(0), int64(0)
	for _, sum := range k.sums {
		up += max(sum, 0)
		down -= min(sum, 0)
	}
	if max(up, down) <= enough {
		return max(up, down)
	}
	return k.try(1, 0, len(k.totals))
}

// try enumerates the points of group g and of the later groups of column n, and those of all later columns. The points
// of all earlier groups and columns are fixed. It returns the greatest difference between the tables. The parameter
// cells is the number of combinations of groups of the columns from n on.
func (k *cardChecker) try(n, g, cells int) int64 {
	if n == len(k.groups) {
		return k.best()
	}
	if g == k.groups[n] {
		return k.try(n+1, 0, cells/k.groups[n])
	}
	each, most := cells/k.groups[n], int64(0)
	for points := -k.cards.Points; points <= k.cards.Points; points++ {
		k.count(g, each, cells, points)
		most = max(most, k.try(n, g+1, cells))
		k.count(g, each, cells, -points)
	}
	return most
}

// count adds points to the total of each cell that belongs to group g of one column. In the list of cells, the cells of
// the column's groups 0, 1, and so on follow each other, and this pattern repeats. The parameter each is the number of
// adjacent cells of one group, and cells is that of all groups together.
func (k *cardChecker) count(g, each, cells, points int) {
	for from := g * each; from < len(k.totals); from += cells {
		for i := from; i < from+each; i++ {
			k.totals[i] += points
		}
	}
}

// best returns the greatest difference between the tables over all points of the first column. The points of the other
// columns are those that the totals currently contain.
func (k *cardChecker) best() int64 {
	up, down := int64(0), int64(0)
	for g := range k.groups[0] {
		sums := k.sums[g*len(k.totals):]
		var high, low int64
		for points := -k.cards.Points; points <= k.cards.Points; points++ {
			sum := int64(0)
			for i, total := range k.totals {
				if total+points >= k.cards.Threshold {
					sum += sums[i]
				}
			}
			if points == -k.cards.Points {
				high, low = sum, sum
			}
			high, low = max(high, sum), min(low, sum)
		}
		up += high
		down += low
	}
	return max(up, -down)
}
