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
	parts []partial
	scale float64 // the growth of a bound that makes a child e times less likely to matter

	last  int
	order [][]int
}

func newLearner[T cell](t *tree[T], b *builder[T]) *learner[T] {
	l := &learner[T]{tree: t, b: b, order: make([][]int, len(t.axes))}
	total := int64(0)
	for _, id := range b.live {
		total += b.weights[id]
	}
	l.scale = max(1, float64(total)/scaleShare)
	for j := range t.axes {
		l.parts = append(l.parts, t.axes[j].start())
	}
	return l
}

// scaleShare is the share of all costs that makes the learner's scale; on
// census data any from 130 to 400 serves about as well.
const scaleShare = 200

// learn decides all steps, and leaves the builder as it is after the last.
func (l *learner[T]) learn() {
	widest := int32(1)
	for _, id := range l.b.live {
		widest = max(widest, l.b.slots[id].n)
	}
	scratch := l.b.add(nil, 0, widest)
	for {
		merges := l.b.merges(scratch)
		bestJ, bestC, best := -1, -1, math.Inf(1)
		open := 0
		for j := range merges {
			found := false
			for c, ops := range merges[j] {
				if l.parts[j].set[c] || len(ops) == 0 && !l.hasTerms(j, c) {
					continue
				}
				found = true
				if s := l.score(ops, j, c); s < best {
					bestJ, bestC, best = j, c, s
				}
			}
			if found {
				open++
				l.last = j
			}
		}
		if open <= 1 {
			break
		}
		ops := merges[bestJ][bestC]
		l.b.commit(ops, bestJ)
		v := l.value(bestJ, bestC)
		run(ops, l.b.arena, l.b.mins, v, math.MaxInt64)
		l.parts[bestJ] = l.tree.axes[bestJ].with(l.parts[bestJ], bestC, v)
		l.order[bestJ] = append(l.order[bestJ], bestC)
		l.tree.steps = append(l.tree.steps, step{bestJ, bestC, ops})
	}
	for j, p := range l.parts {
		for c, set := range p.set {
			if !set {
				l.order[j] = append(l.order[j], c)
			}
		}
	}
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

// score estimates how many children of a decision will matter.
func (l *learner[T]) score(ops []merge, j, c int) float64 {
	sum := 0.0
	room := int64(20 * l.scale)
	for _, v := range l.tree.axes[j].values(l.parts[j], c) {
		grown := run(ops, l.b.arena, l.b.mins, v, room)
		if l.tree.terms != nil {
			lo, _ := l.tree.axes[j].attr.bounds(c)
			grown += l.tree.terms[j][c][v-lo]
		}
		sum += math.Exp(-float64(grown) / l.scale)
	}
	return sum
}
