package declist

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker traverses a search tree. It is always at one node, and moves to the node's children and
// to its parent. It stores a frame for each node of the path from the root.
type walker struct {
	class.NoMass[List]
	t        *tree
	frames   []frame
	depth    int
	levels   []*level // [d]: the level of the node "more" after a prefix of d rules; allocated when first needed
	used     []int    // the antecedents of the rules of the prefix, in ascending order
	captured bitset   // scratch memory, see findCaptured
}

// A frame is the state of a walker at one node of its path from the root of the search tree.
type frame struct {
	kind        kind
	goal        int // the number of rules that all lists below the node have, or 0 for no goal
	rules       int // d, the number of rules of the prefix
	antecedent  int // the antecedent of the last rule, or -1 if there are no rules
	label       int // the label of the last rule; for an empty list, the opposite of its default
	unusedAbove int // the number of unused antecedents greater than the last rule's antecedent
	bound       int64
	settled     int64 // the cost that the prefix decides: base, captured records and charges
	left        sum   // [z]: the cost of label z on the records of U
	longer      int64 // for a prefix: a lower bound on the cost of the lists with further rules
}

type kind uint8

const (
	atPrefix kind = iota
	atMore
	atEnd
)

func (w *walker) at() *frame { return &w.frames[w.depth] }

// Bound returns a lower bound on the cost of every list below the current node of the search tree.
func (w *walker) Bound() int64 { return w.at().bound }

// Exact reports whether all lists below the node are known to have the same cost.
func (w *walker) Exact() bool {
	f := w.at()
	c := w.t.charges
	return w.single(f) || f.left == sum{} && (c.zero || c.uniform && f.goal > 0)
}

// single reports whether only one decision list is below the node of frame f.
func (w *walker) single(f *frame) bool {
	return f.kind == atEnd || f.kind == atPrefix && f.rules == w.longest(f)
}

// longest returns the maximum number of rules in a list below node f.
func (w *walker) longest(f *frame) int {
	if f.goal > 0 {
		return f.goal
	}
	return w.t.rules
}

// prefixCounts returns the table of the numbers of lists that begin with a prefix. If the parameter
// goal is positive, these are only the lists with exactly this number of rules.
func (w *walker) prefixCounts(goal int) *prefixCounts {
	if goal > 0 {
		return &w.t.class.counts.goals[goal]
	}
	return &w.t.class.counts.prefixCounts
}

// goalOf returns the number of rules that all lists below child i of the prefix f must have (see
// tree), or 0 if they may have different numbers. The child must be a node "more".
func (w *walker) goalOf(f *frame, i int) int {
	if f.rules == 0 && w.t.class.counts.goals != nil {
		return i - f.ends() + 1
	}
	return f.goal
}

// ends returns the number of decision lists whose rules are exactly those of the prefix f. There
// must be other lists below the node of f.
func (f *frame) ends() int {
	switch {
	case f.rules == 0:
		return 2
	case f.goal > 0:
		return 0
	default:
		return 1
	}
}

// Children returns the number of children of the current node of the search tree.
func (w *walker) Children() int {
	f := w.at()
	switch {
	case w.single(f):
		return 0
	case f.kind == atMore:
		return f.unusedAbove + w.unused()
	case f.rules == 0 && w.t.class.counts.goals != nil:
		return f.ends() + w.t.rules
	default:
		return f.ends() + 1
	}
}

// unused returns the number of antecedents that no rule of the current prefix has.
func (w *walker) unused() int { return len(w.t.class.antecedents) - len(w.used) }

// uses reports whether a rule of the current prefix has the antecedent a.
func (w *walker) uses(a int) bool {
	_, used := slices.BinarySearch(w.used, a)
	return used
}

// count returns the number of decision lists below the current node of the search tree.
func (w *walker) count() *count {
	f := w.at()
	c := w.prefixCounts(f.goal)
	switch {
	case w.single(f):
		return &one
	case f.kind == atMore:
		return &c.longer[f.rules][f.unusedAbove]
	case f.rules == 0:
		return &w.t.class.counts.root
	default:
		return &c.all[f.rules][f.unusedAbove]
	}
}

// childCount returns the number of decision lists below child i of the current node of the search tree.
func (w *walker) childCount(i int) *count {
	f := w.at()
	switch {
	case f.kind == atMore:
		return &w.prefixCounts(f.goal).all[f.rules+1][w.unusedAboveChild(i)]
	case i < f.ends():
		return &one
	default:
		return &w.prefixCounts(w.goalOf(f, i)).longer[f.rules][f.unusedAbove]
	}
}

// Leaves returns the number of lists below the current node of the search tree.
func (w *walker) Leaves() *big.Int { return w.count().n }

// ChildLeaves returns the number of lists below child i of the current node of the search tree.
func (w *walker) ChildLeaves(i int) *big.Int { return w.childCount(i).n }

// Share returns an upper bound on the fraction of the hypotheses below the node that are below
// child i.
func (w *walker) Share(i int) class.Upper { return w.childCount(i).upper.Over(w.count().upper) }

// unusedAboveChild returns the field unusedAbove of child i of a node "more": the number of
// antecedents that are greater than the antecedent of the rule that the child adds, and that no
// rule of the child has.
func (w *walker) unusedAboveChild(i int) int {
	above := w.at().unusedAbove
	if i < above {
		return above - 1 - i
	}
	return w.unused() - 1 - (i - above)
}

// rule returns the antecedent a and the label y of the rule that child i of a node "more" (see
// tree) adds to the prefix.
func (w *walker) rule(i int) (a, y int) {
	f := w.at()
	first := f.antecedent + 1
	a, y = first+i, f.label
	if i >= f.unusedAbove {
		first = 0
		a, y = i-f.unusedAbove, 1-f.label
	}
	for _, u := range w.used {
		if first <= u && u <= a {
			a++
		}
	}
	return a, y
}

// Down moves to child i of the current node of the search tree, below this child exceeds the limit.
// It returns the bound, and reports whether it moved.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	f, child := w.at(), &w.frames[w.depth+1]
	switch {
	case f.kind == atMore:
		a, y := w.rule(i)
		if bound := max(f.bound, w.extend(f, child, a, y)); bound > limit {
			return bound, false
		}
		child.bound = max(f.bound, child.bound)
		child.unusedAbove = w.unusedAboveChild(i)
		at, _ := slices.BinarySearch(w.used, a)
		w.used = slices.Insert(w.used, at, a)
	case i < f.ends():
		*child = *f
		child.kind = atEnd
		if f.rules == 0 {
			child.label = 1 - i
			child.settled += w.t.charges.empty(i)
		}
		child.bound = child.settled + child.left[1-child.label]
	default:
		*child = *f
		child.kind = atMore
		child.goal = w.goalOf(f, i)
		child.bound = max(f.bound, f.longer)
		if child.goal > f.goal {
			child.bound = max(f.bound, f.settled+w.t.charges.leastFirst[child.goal])
		}
		if child.bound > limit {
			return child.bound, false
		}
		if f.rules > 0 && f.rules+1 == w.longest(child) {
			if bound := w.quickBound(child, limit); bound > limit {
				return bound, false
			}
		}
		w.open(child)
	}
	if child.bound > limit {
		return child.bound, false
	}
	w.depth++
	return child.bound, true
}

// extend computes the frame child, the prefix of f with one more rule: antecedent a and label y. It
// sets all fields of child except unusedAbove. It returns the bound of the new prefix, which may be
// less than the bound of f.
func (w *walker) extend(f, child *frame, a, y int) int64 {
	t, lv := w.t, w.levels[f.rules]
	d := f.rules + 1
	s := lv.sums[a]
	child.kind, child.goal, child.rules, child.antecedent, child.label = atPrefix, f.goal, d, a, y
	child.settled = f.settled + s[y] + t.charges.of(f.rules, a, y)
	child.left = sum{f.left[0] - s[0], f.left[1] - s[1]}
	child.longer = math.MaxInt64
	child.bound = child.settled + child.left[1-y]
	if d < w.longest(child) {
		child.longer = child.settled + w.leastAfter(lv, child)
		child.bound = min(child.bound, child.longer)
		if child.goal > 0 {
			child.bound = child.longer
		}
	}
	return child.bound
}

// leastAfter returns a lower bound on the cost that at least one further rule and the default add
// to the cost f.settled of the prefix f. The parameter lv is the level of the prefix without its
// last rule.
func (w *walker) leastAfter(lv *level, f *frame) int64 {
	k, c := w.longest(f)-f.rules, w.t.charges
	best, n := int64(math.MaxInt64), 1
	if c.zero || f.goal > 0 {
		n = k // without charges, the bound for k rules is the least; with a goal, all lists below have k further rules
	}
	for ; n <= k; n++ {
		left := min(lv.leftAfter(f.antecedent, 0, f.left[0], n), lv.leftAfter(f.antecedent, 1, f.left[1], n))
		if left == 0 && f.goal == 0 {
			return min(best, c.leastFrom[f.rules+n]-c.leastFirst[f.rules])
		}
		best = min(best, c.leastFirst[f.rules+n]-c.leastFirst[f.rules]+left)
	}
	return best
}

// open prepares frame f, a node "more", for visits of its children. It computes the level of the
// node, and raises the bound of f to the least bound of a child.
func (w *walker) open(f *frame) {
	d := f.rules
	if w.levels[d] == nil {
		w.levels[d] = w.t.newLevel(d)
	}
	if d > 0 {
		w.findCaptured(w.levels[d-1].records, f.antecedent)
		w.levels[d].shrink(w.t, w.levels[d-1], w.captured)
	}
	var child frame
	least := int64(math.MaxInt64)
	for i := range 2 {
		y, from := f.label, f.antecedent+1
		if i == 1 {
			y, from = 1-f.label, 0
		}
		for a := from; a < len(w.t.class.antecedents); a++ {
			if !w.uses(a) {
				least = min(least, w.extend(f, &child, a, y))
			}
		}
	}
	f.bound = max(f.bound, least)
}

// Up moves to the parent of the current node of the search tree.
func (w *walker) Up() {
	if f := w.at(); f.kind == atPrefix {
		at, _ := slices.BinarySearch(w.used, f.antecedent)
		w.used = slices.Delete(w.used, at, at+1)
	}
	w.depth--
}

// Hypothesis returns the list of a node without children.
func (w *walker) Hypothesis() List {
	h := List{Default: w.at().label == 0}
	for _, f := range w.frames[1 : w.depth+1] {
		if f.kind == atPrefix {
			h.Rules = append(h.Rules, Rule{f.antecedent, f.label == 1})
		}
	}
	return h
}

var _ class.Walker[List] = (*walker)(nil)
