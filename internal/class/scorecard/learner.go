package scorecard

import (
	"math"
)

// A learner determines the order in which the steps of a search tree decide categories. It follows
// the path from the root to the incumbent. At each step it greedily chooses the category whose
// decision is estimated to give the smallest tree. Floating-point arithmetic affects only the
// order, not the bounds or the distribution of samples.
type learner[T cell] struct {
	tree     *tree[T]
	b        *builder[T]
	partials []partial // the decided part of each attribute
	set      [][]bool  // [attribute][category]: the category is decided, or is the reference category
	scale    float64   // the increase of a bound that makes a child e times less likely to be visited

	last  int
	order [][]int

	normLeft int // with a limit on the norm: the limit minus the squared norm of the decided points
}

// newLearner returns a learner of the order of steps. It sets the scale to Σ|d|/share, but at least
// 1. The sum is over all records, and d is the difference between the costs of the two predictions
// of a record.
func newLearner[T cell](t *tree[T], b *builder[T], share int64) *learner[T] {
	l := &learner[T]{tree: t, b: b, order: make([][]int, len(t.axes))}
	total := int64(0)
	for _, id := range b.live {
		total += b.weights[id]
	}
	l.scale = max(1, float64(total)/float64(share))
	if t.limit != nil {
		l.normLeft = t.limit.norm
	}
	for j := range t.axes {
		a := &t.axes[j]
		l.partials = append(l.partials, a.start())
		l.set = append(l.set, make([]bool, a.attr.categories))
		if a.refCoded {
			l.set[j][a.ref] = true
		}
	}
	return l
}

// scaleShares holds the values that bestOrder tries for the parameter share of newLearner. The best
// value differs between problems, and the number of nodes of the tree can vary several-fold between
// values.
var scaleShares = []int64{130, 60, 200, 30, 250, 90}

// learn chooses all steps of the tree, one after another. Afterwards the tables of the builder are
// those after the last step.
func (l *learner[T]) learn() {
	widest := int32(1)
	for _, id := range l.b.live {
		widest = max(widest, l.b.costTables[id].n)
	}
	scratch := l.b.add(-1, widest, totalRange{})
	candidates := make([][]candidate[T], len(l.partials))
	for j := range candidates {
		for c := range l.set[j] {
			candidates[j] = append(candidates[j], candidate[T]{attribute: j, category: c})
		}
	}
	for {
		l.b.collectMerges(candidates, scratch)
		best := l.choose(candidates)
		if best == nil {
			break
		}
		j, c := best.attribute, best.category
		batches := l.b.commit(best)
		v := l.value(j, c)
		l.normLeft -= v * v
		l.tree.kernel.run(batches, l.b.arena, l.b.mins, v, l.normLeft, math.MaxInt64)
		l.partials[j] = l.tree.axes[j].decide(l.partials[j], c, v)
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

// choose returns the candidate with the least score for the next step. It ignores categories on
// which the cost does not depend, because no record has them and they have no terms. If at most one
// attribute has other undecided categories, choose returns nil, and stores this attribute in
// l.last.
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

// hasTerms reports whether the linear terms of the problem depend on the points of category c of
// attribute j.
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

// value returns the value that the best known card, the incumbent, gives to category c of attribute
// j: the points, or with reference coding the difference from the points of the reference category.
func (l *learner[T]) value(j, c int) int {
	v := l.tree.incumbent.Points[j][c]
	if a := &l.tree.axes[j]; a.refCoded {
		v -= l.tree.incumbent.Points[j][a.ref]
	}
	return v
}

// score computes the score of candidate c: an estimate of how many children a search visits after
// the candidate's category is decided. It stops as soon as the score is at least the score of the
// candidate best, which may be nil.
func (l *learner[T]) score(c *candidate[T], best *candidate[T]) {
	c.score = 0
	limit := int64(20 * l.scale)
	charge := l.charge(c)
	for _, v := range l.tree.axes[c.attribute].values(l.partials[c.attribute], c.category) {
		charged := charge(v)
		if charged >= limit {
			continue
		}
		grown := charged + l.tree.kernel.run(c.batches, l.b.arena, l.b.mins, v, l.normLeft-v*v, limit-charged)
		c.score += math.Exp(-float64(grown) / l.scale)
		if best != nil && c.score >= best.score {
			return
		}
	}
}

// charge returns a function that maps a value v to the increase of the lower bound that terms and
// the limit on the norm cause if the category of candidate c is decided with value v.
func (l *learner[T]) charge(c *candidate[T]) func(v int) int64 {
	switch {
	case l.tree.limit != nil:
		return l.tree.limit.increase(coordinate{c.attribute, c.category}, l.normLeft, func(d coordinate) bool { return l.set[d.attribute][d.category] })
	case l.tree.terms != nil:
		lo, _ := l.tree.axes[c.attribute].attr.bounds(c.category)
		return func(v int) int64 { return l.tree.terms[c.attribute][c.category][v-lo] }
	default:
		return func(int) int64 { return 0 }
	}
}
