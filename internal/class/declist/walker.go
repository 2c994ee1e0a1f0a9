package declist

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker stands at a node of a tree.
type walker struct {
	class.NoMass[List]
	t      *tree
	frames []frame
	depth  int
	levels []*level // of "more" at each number of rules; made when first needed
	used   []int    // antecedents of the prefix, ascending
	gone   bitset   // scratch
}

// A frame is a node on the walker's path.
type frame struct {
	kind       kind
	goal       int // how many rules the lists below have, 0 for any number
	rules      int // d
	antecedent int // of the last rule, -1 for none
	label      int // of the last rule; of the list that ends at the root the opposite of its default
	above      int // unused antecedents above the last
	bound      int64
	paid       int64 // what the prefix costs: base, captured records, charges
	left       sum   // what either default costs on the records left
	more       int64 // of a prefix: a bound on the lists that are longer
}

type kind uint8

const (
	atPrefix kind = iota
	atMore
	atEnd
)

func (w *walker) at() *frame { return &w.frames[w.depth] }

// Bound returns the lower bound of the node.
func (w *walker) Bound() int64 { return w.at().bound }

// Exact tells whether all lists below cost the same.
func (w *walker) Exact() bool {
	f := w.at()
	c := w.t.charges
	return w.single(f) || f.left == sum{} && (c.free || c.even && f.goal > 0)
}

// single tells whether the node is a single list.
func (w *walker) single(f *frame) bool {
	return f.kind == atEnd || f.kind == atPrefix && f.rules == w.longest(f)
}

// longest returns how many rules the lists below have at most.
func (w *walker) longest(f *frame) int {
	if f.goal > 0 {
		return f.goal
	}
	return w.t.rules
}

// ways counts what begins with a prefix that has a goal, or with 0 none.
func (w *walker) ways(goal int) *ways {
	if goal > 0 {
		return &w.t.class.counts.goals[goal]
	}
	return &w.t.class.counts.ways
}

// goalOf returns the goal of a child "more".
func (w *walker) goalOf(f *frame, i int) int {
	if f.rules == 0 && w.t.class.counts.goals != nil {
		return i - f.ends() + 1
	}
	return f.goal
}

// ends returns how many lists end at a prefix that others begin with.
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

// Children returns the number of children.
func (w *walker) Children() int {
	f := w.at()
	switch {
	case w.single(f):
		return 0
	case f.kind == atMore:
		return f.above + w.unused()
	case f.rules == 0 && w.t.class.counts.goals != nil:
		return f.ends() + w.t.rules
	default:
		return f.ends() + 1
	}
}

// unused returns r, the number of unused antecedents.
func (w *walker) unused() int { return len(w.t.class.antecedents) - len(w.used) }

// uses tells whether the prefix has antecedent a.
func (w *walker) uses(a int) bool {
	_, used := slices.BinarySearch(w.used, a)
	return used
}

// count returns the number of lists below the node.
func (w *walker) count() *count {
	f := w.at()
	c := w.ways(f.goal)
	switch {
	case w.single(f):
		return &one
	case f.kind == atMore:
		return &c.more[f.rules][f.above]
	case f.rules == 0:
		return &w.t.class.counts.root
	default:
		return &c.whole[f.rules][f.above]
	}
}

// childCount returns the number of lists below child i.
func (w *walker) childCount(i int) *count {
	f := w.at()
	switch {
	case f.kind == atMore:
		return &w.ways(f.goal).whole[f.rules+1][w.aboveBehind(i)]
	case i < f.ends():
		return &one
	default:
		return &w.ways(w.goalOf(f, i)).more[f.rules][f.above]
	}
}

// Leaves counts the lists below.
func (w *walker) Leaves() *big.Int { return w.count().n }

// ChildLeaves counts the lists below child i.
func (w *walker) ChildLeaves(i int) *big.Int { return w.childCount(i).n }

// Share bounds the share of child i in the lists below.
func (w *walker) Share(i int) class.Upper { return w.childCount(i).upper.Over(w.count().upper) }

// aboveBehind returns how many unused antecedents are above that of child i of
// "more".
func (w *walker) aboveBehind(i int) int {
	above := w.at().above
	if i < above {
		return above - 1 - i
	}
	return w.unused() - 1 - (i - above)
}

// rule returns the rule that child i of "more" adds.
func (w *walker) rule(i int) (a, y int) {
	f := w.at()
	first := f.antecedent + 1
	a, y = first+i, f.label
	if i >= f.above {
		first = 0
		a, y = i-f.above, 1-f.label
	}
	for _, u := range w.used {
		if first <= u && u <= a {
			a++
		}
	}
	return a, y
}

// Down enters child i if its bound is at most limit.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	f, child := w.at(), &w.frames[w.depth+1]
	switch {
	case f.kind == atMore:
		a, y := w.rule(i)
		if bound := max(f.bound, w.extend(f, child, a, y)); bound > limit {
			return bound, false
		}
		child.bound = max(f.bound, child.bound)
		child.above = w.aboveBehind(i)
		at, _ := slices.BinarySearch(w.used, a)
		w.used = slices.Insert(w.used, at, a)
	case i < f.ends():
		*child = *f
		child.kind = atEnd
		if f.rules == 0 {
			child.label = 1 - i
			child.paid += w.t.charges.empty(i)
		}
		child.bound = child.paid + child.left[1-child.label]
	default:
		*child = *f
		child.kind = atMore
		child.goal = w.goalOf(f, i)
		child.bound = max(f.bound, f.more)
		if child.goal > f.goal {
			child.bound = max(f.bound, f.paid+w.t.charges.least[child.goal])
		}
		if child.bound > limit {
			return child.bound, false
		}
		if f.rules > 0 && f.rules+1 == w.longest(child) {
			if bound := w.glance(child, limit); bound > limit {
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

// extend makes the frame of the prefix with rule (a, y) more, and returns its
// bound without regard to the parent's.
func (w *walker) extend(f, child *frame, a, y int) int64 {
	t, lv := w.t, w.levels[f.rules]
	d := f.rules + 1
	s := lv.sums[a]
	child.kind, child.goal, child.rules, child.antecedent, child.label = atPrefix, f.goal, d, a, y
	child.paid = f.paid + s[y] + t.charges.of(f.rules, a, y)
	child.left = sum{f.left[0] - s[0], f.left[1] - s[1]}
	child.more = math.MaxInt64
	child.bound = child.paid + child.left[1-y]
	if d < w.longest(child) {
		child.more = child.paid + w.leastBehind(lv, child)
		child.bound = min(child.bound, child.more)
		if child.goal > 0 {
			child.bound = child.more
		}
	}
	return child.bound
}

// leastBehind returns a lower bound on what one more rule or several add to
// what the prefix has paid.
func (w *walker) leastBehind(lv *level, f *frame) int64 {
	k, c := w.longest(f)-f.rules, w.t.charges
	best, n := int64(math.MaxInt64), 1
	if c.free || f.goal > 0 {
		n = k // the more rules the less is left
	}
	for ; n <= k; n++ {
		left := min(lv.behind(f.antecedent, 0, f.left[0], n), lv.behind(f.antecedent, 1, f.left[1], n))
		if left == 0 && f.goal == 0 {
			return min(best, c.from[f.rules+n]-c.least[f.rules])
		}
		best = min(best, c.least[f.rules+n]-c.least[f.rules]+left)
	}
	return best
}

// open sums up the records that are left at "more", and raises its bound to the
// least of its children's.
func (w *walker) open(f *frame) {
	d := f.rules
	if w.levels[d] == nil {
		w.levels[d] = w.t.newLevel(d)
	}
	if d > 0 {
		w.capture(w.levels[d-1].records, f.antecedent)
		w.levels[d].leave(w.t, w.levels[d-1], w.gone)
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

// Up returns to the parent.
func (w *walker) Up() {
	if f := w.at(); f.kind == atPrefix {
		at, _ := slices.BinarySearch(w.used, f.antecedent)
		w.used = slices.Delete(w.used, at, at+1)
	}
	w.depth--
}

// Hypothesis returns the list at a node without children.
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
