package declist

import (
	"math"
	"slices"
)

// A candidate is a prefix that a beam follows, and what the list costs that
// ends there.
type candidate struct {
	path  []int // from the root
	rules []Rule
	cost  int64
	left  sum
}

// beamWidth is how many prefixes of each length are followed.
const beamWidth = 100

// beam goes down the tree with the best few prefixes of every length, until one
// length brings nothing better, and returns the best list met.
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
			best, least = ended(longer[0].rules), cost
		}
		at = longer
	}
	return best
}

// extensions merges the prefixes of one rule more into the best known, the
// cheapest first. Of those that leave equal costs one is kept: they mostly
// capture the same records.
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
		n := candidate{cost: child.paid + child.left[1-y], left: child.left}
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
