package scorecard

import (
	"math"
)

// A learner finds the order of the steps: it follows the incumbent's path, and
// at each step takes the category whose decision promises the smallest tree.
// Floating point steers the order only; it has no part in any bound or law.
type learner[T cell] struct {
	tree  *tree[T]
	b     *builder[T]
	known []partial // of each attribute: what is decided
	set   [][]bool  // the categories decided, the references among them
	scale float64   // the growth of a bound that makes a child e times less likely to matter

	last  int
	order [][]int

	left int // with a limit on the norm: what the decided points leave
}

// newLearner returns a learner with a scale of the given share of all costs.
func newLearner[T cell](t *tree[T], b *builder[T], share int64) *learner[T] {
	l := &learner[T]{tree: t, b: b, order: make([][]int, len(t.axes))}
	total := int64(0)
	for _, id := range b.live {
		total += b.weights[id]
	}
	l.scale = max(1, float64(total)/float64(share))
	if t.limit != nil {
		l.left = t.limit.norm
	}
	for j := range t.axes {
		a := &t.axes[j]
		l.known = append(l.known, a.start())
		l.set = append(l.set, make([]bool, a.attr.categories))
		if a.gauge {
			l.set[j][a.ref] = true
		}
	}
	return l
}

// shares are the shares of all costs that make a learner's scale. Which is
// best differs from problem to problem, several times over in nodes, and cannot
// be told but by trying.
var shares = []int64{130, 60, 200, 30, 250, 90}

// learn decides all steps, and leaves the builder as it is after the last.
func (l *learner[T]) learn() {
	widest := int32(1)
	for _, id := range l.b.live {
		widest = max(widest, l.b.slots[id].n)
	}
	scratch := l.b.add(-1, widest, reach{})
	candidates := make([][]candidate[T], len(l.known))
	for j := range candidates {
		for c := range l.set[j] {
			candidates[j] = append(candidates[j], candidate[T]{attribute: j, category: c})
		}
	}
	for {
		l.b.collect(candidates, scratch)
		best := l.choose(candidates)
		if best == nil {
			break
		}
		j, c := best.attribute, best.category
		batches := l.b.commit(best)
		v := l.value(j, c)
		l.left -= v * v
		l.tree.kernel.run(batches, l.b.arena, l.b.mins, v, l.left, math.MaxInt64)
		l.known[j] = l.tree.axes[j].with(l.known[j], c, v)
		l.set[j][c] = true
		l.order[j] = append(l.order[j], c)
		l.tree.steps = append(l.tree.steps, step[T]{j, c, batches})
	}
	for j := range l.set {
		for c, set := range l.set[j] {
			if !set {
				l.order[j] = append(l.order[j], c)
			}
		}
	}
}

// choose returns the candidate of least score, or nil when only one attribute
// is left, which it notes as the last.
func (l *learner[T]) choose(candidates [][]candidate[T]) *candidate[T] {
	var best *candidate[T]
	open := 0
	for j := range candidates {
		found := false
		for c := range candidates[j] {
			cd := &candidates[j][c]
			if l.set[j][c] || cd.empty() && !l.hasTerms(j, c) {
				continue
			}
			found = true
			if l.score(cd, best); best == nil || cd.score < best.score {
				best = cd
			}
		}
		if found {
			open++
			l.last = j
		}
	}
	if open <= 1 {
		return nil
	}
	return best
}

// hasTerms tells whether terms tell the contributions of a category apart.
func (l *learner[T]) hasTerms(j, c int) bool {
	if l.tree.terms == nil {
		return false
	}
	for _, cost := range l.tree.terms[j][c] {
		if cost != 0 {
			return true
		}
	}
	return false
}

// value returns the incumbent's value of category c of attribute j.
func (l *learner[T]) value(j, c int) int {
	v := l.tree.incumbent.Points[j][c]
	if a := &l.tree.axes[j]; a.gauge {
		v -= l.tree.incumbent.Points[j][a.ref]
	}
	return v
}

// score estimates how many children of a decision will matter. It stops at
// what exceeds the best score so far.
func (l *learner[T]) score(c *candidate[T], best *candidate[T]) {
	c.score = 0
	room := int64(20 * l.scale)
	charge := l.charge(c)
	for _, v := range l.tree.axes[c.attribute].values(l.known[c.attribute], c.category) {
		charged := charge(v)
		if charged >= room {
			continue
		}
		grown := charged + l.tree.kernel.run(c.batches, l.b.arena, l.b.mins, v, l.left-v*v, room-charged)
		c.score += math.Exp(-float64(grown) / l.scale)
		if best != nil && c.score >= best.score {
			return
		}
	}
}

// charge returns by how much a decision for a value raises the charges of a
// bound.
func (l *learner[T]) charge(c *candidate[T]) func(v int) int64 {
	switch {
	case l.tree.limit != nil:
		return l.tree.limit.raised(place{c.attribute, c.category}, l.left, func(d place) bool { return l.set[d.attribute][d.category] })
	case l.tree.terms != nil:
		lo, _ := l.tree.axes[c.attribute].attr.bounds(c.category)
		return func(v int) int64 { return l.tree.terms[c.attribute][c.category][v-lo] }
	default:
		return func(int) int64 { return 0 }
	}
}
