package scorecard

import "slices"

// gentlest returns the vector of least norm.
func (a *Attribute) gentlest() []int {
	if !a.oneHot() {
		return slices.MinFunc(a.vectors, func(v, w []int) int { return square(v) - square(w) })
	}
	return slices.Repeat([]int{min(max(0, a.lo), a.hi)}, a.categories)
}

// A way is the cheapest to give some categories points: those of the last of
// them, and the place of the way for the others.
type way struct {
	cost           int64
	points, before int
}

// cheapestOfNorm returns one-hot vectors with a squared norm of at most so much,
// the cheapest of each norm among them.
func (a *Attribute) cheapestOfNorm(options []categoryCost, most int) [][]int {
	order := slices.Clone(a.ordered)
	for c := range a.categories {
		if !slices.Contains(a.ordered, c) {
			order = append(order, c)
		}
	}
	// A way's place is its norm, times the points that the last ordered category
	// may have, plus its points, as far as these bind the next.
	width := a.hi - a.lo + 1
	impossible := slices.Repeat([]way{{cost: none}}, (most+1)*width)
	ways := [][]way{slices.Clone(impossible)}
	ways[0][0].cost = 0
	for i, c := range order {
		next := slices.Clone(impossible)
		for at, w := range ways[i] {
			if w.cost == none {
				continue
			}
			norm, last := at/width, at%width
			for p := last; p < width; p++ {
				points := a.lo + p
				if norm+points*points > most {
					continue
				}
				to := (norm + points*points) * width
				if i+1 < len(a.ordered) {
					to += p
				}
				if cost := w.cost + options[c].cost[points-options[c].lo]; cost < next[to].cost {
					next[to] = way{cost, points, at}
				}
			}
		}
		ways = append(ways, next)
	}
	var out [][]int
	for at, w := range ways[len(order)] {
		if w.cost == none {
			continue
		}
		v := make([]int, a.categories)
		for i := len(order) - 1; i >= 0; i-- {
			v[order[i]] = ways[i+1][at].points
			at = ways[i+1][at].before
		}
		out = append(out, v)
	}
	return out
}
