package declist

import (
	"math"
	"slices"
)

// A candidate is a decision list that the beam search may extend. It consists of the rules in the
// field rules and the default that canonical form requires; cost is its cost.
type candidate struct {
	path  []int // child indices from the root
	rules []Rule
	cost  int64
	left  sum // [z]: the cost of label z on the records that no rule captures
}

// beamWidth is the maximum number of candidates of each length that the beam search keeps.
const beamWidth = 100

// beam searches for a decision list of low cost by beam search over prefixes of increasing length. It stops at the
// first length at which no prefix improves the cost, and returns the best list found.
func (t *tree) beam() List {
	w := t.Walker().(*walker)
	best, least := List{}, t.total[0]+t.charges.empty(0)
	if one := t.total[1] + t.charges.empty(1); one < least {
		best, least = List{Default: true}, one
	}
	at := []candidate{{}}
	for range t.rules {
		var longer []candidate
		for _, c := range at {
			longer = w.extensions(c, longer)
		}
		if len(at[0].rules) > 0 && longer[0].cost-t.base >= least {
			break
		}
		if cost := longer[0].cost - t.base; cost < least {
			best, least = withDefault(longer[0].rules), cost
		}
		at = longer
	}
	return best
}

// extensions extends the candidate c by each possible rule and adds the results to the list best,
// which is sorted by cost and keeps the beamWidth cheapest candidates. Of several candidates with
// equal costs it keeps only one, because they mostly capture the same records.
func (w *walker) extensions(c candidate, best []candidate) []candidate {
	for _, i := range c.path {
		w.Down(i, math.MaxInt64)
	}
	more := w.Children() - 1
	w.Down(more, math.MaxInt64)
	var child frame
	for i := range w.Children() {
		a, y := w.rule(i)
		w.extend(w.at(), &child, a, y)
		n := candidate{cost: child.settled + child.left[1-y], left: child.left}
		if len(best) == beamWidth && n.cost >= best[beamWidth-1].cost {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, n, func(p, q candidate) int {
			if p.cost <= q.cost {
				return -1
			}
			return 1
		})
		if slices.ContainsFunc(best[:at], func(o candidate) bool { return o.cost == n.cost && o.left == n.left }) {
			continue
		}
		n.path = append(c.path[:len(c.path):len(c.path)], more, i)
		n.rules = append(c.rules[:len(c.rules):len(c.rules)], Rule{a, y == 1})
		best = slices.Insert(best, at, n)
		best = best[:min(len(best), beamWidth)]
	}
	for w.depth > 0 {
		w.Up()
	}
	return best
}
