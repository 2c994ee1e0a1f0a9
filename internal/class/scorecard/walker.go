package scorecard

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker traverses a search tree. It is always at one node, and moves to the node's children and
// to its parent. It has its own copy of the tree's cost tables.
type walker[T cell] struct {
	t           *tree[T]
	arena, mins []T
	levels      []level
	frames      []frame
	depth       int
	state       []int32 // [attribute]: the current state of its axis
	undecided   []int   // [attribute]: the number of undecided categories
	values      [][]int // [attribute][category]: the decided values
	offset      []int   // [attribute]: the offset
	countsUsed  bool
	most        int

	sums    offsetSums // the sums of the node of the path after the last step
	options []option   // the children of the current node, if listed is true
	listed  bool

	weigher weigher
	mass    mass[T] // the result of Mass at the current node, if it was called
}

// A level describes the decision of all nodes at one depth of the search tree, such as the points
// of one category. The children of a node correspond to the possible values of this decision.
type level struct {
	kind      levelKind
	attribute int
	category  int // the decided category, or -1
	tail      int // for levelTail: the index of the category in the tail
	other     int // for levelOffset and levelFree: the index of the attribute in tree.others
}

type levelKind uint8

const (
	levelStep       levelKind = iota // a category, by a step
	levelSum                         // the sum of the offsets of all attributes but the last, and how many of these are used
	levelLastOffset                  // the last attribute's offset
	levelTail                        // a category of the last attribute
	levelOffset                      // the offset of an attribute other than the last; the cost is known
	levelFree                        // a category, which no record has, of an attribute other than the last
	levelLeaf
)

// A frame is the state of a walker at one node of its path from the root of the search tree.
type frame struct {
	bound   int64
	fixed   int64 // the part of the bound that terms and penalties contribute
	before  int32 // the previous state of the attribute that the parent decided
	certain int   // the number of attributes that every card below uses, if countsUsed
	sum     int   // the sum of the offsets of the attributes other than the last that are not yet decided
	used    int   // the number of used attributes among these
	isUsed  bool  // whether the attribute that levelOffset decided last is used
}

// Walker returns a new walker at the root of the search tree.
func (t *tree[T]) Walker() class.Walker[Card] {
	w := &walker[T]{
		t: t, arena: slices.Clone(t.arena), mins: slices.Clone(t.mins), levels: t.levels(),
		state: make([]int32, len(t.axes)), offset: make([]int, len(t.axes)),
		countsUsed: t.class.countsUsed(), most: t.class.most(),
	}
	w.frames = make([]frame, len(w.levels))
	root := &w.frames[0]
	root.fixed = t.rootSum
	for j, a := range t.axes {
		w.values = append(w.values, make([]int, a.attr.categories))
		w.undecided = append(w.undecided, len(t.order[j]))
		if !t.states[j][0].zero {
			w.charge(root, root.certain+1)
		}
	}
	root.bound = root.fixed
	for _, id := range t.live {
		root.bound += int64(t.mins[id])
	}
	if len(t.steps) == 0 {
		root.bound = max(root.bound, root.fixed+w.minimizeOffsets())
	}
	return w
}

// levels returns the decisions that the nodes of the search tree make, one for each depth from the
// root on.
func (t *tree[T]) levels() []level {
	n := len(t.others) + 3
	for _, order := range t.order {
		n += len(order)
	}
	levels := make([]level, 0, n)
	steps := make([]int, len(t.axes))
	for _, s := range t.steps {
		levels = append(levels, level{kind: levelStep, attribute: s.attribute, category: s.category})
		steps[s.attribute]++
	}
	levels = append(levels, level{kind: levelSum, category: -1}, level{kind: levelLastOffset, attribute: t.last, category: -1})
	for i, cat := range t.order[t.last][steps[t.last]:] {
		levels = append(levels, level{kind: levelTail, attribute: t.last, category: cat, tail: i})
	}
	for i, j := range t.others {
		levels = append(levels, level{kind: levelOffset, attribute: j, category: -1, other: i})
		for _, cat := range t.order[j][steps[j]:] {
			levels = append(levels, level{kind: levelFree, attribute: j, category: cat, other: i})
		}
	}
	return append(levels, level{kind: levelLeaf, category: -1})
}

// axisState returns the state of the axis of attribute j at the current node of the search tree.
func (w *walker[T]) axisState(j int) *axisState { return &w.t.states[j][w.state[j]] }

// openState returns the current state of attribute j, together with the number of the attribute's
// undecided categories.
func (w *walker[T]) openState(j int) openState { return openState{w.axisState(j), w.undecided[j]} }

// openStateAfter returns the openState of attribute j after one more of the attribute's categories
// is decided. The parameter next is the index of the new axisState.
func (w *walker[T]) openStateAfter(j int, next int32) openState {
	return openState{&w.t.states[j][next], w.undecided[j] - 1}
}

// charge adds penalties to the bound of frame f when it becomes certain that every card below uses
// at least the given number of attributes: one penalty for each attribute beyond the number that
// was certain before.
func (w *walker[T]) charge(f *frame, certain int) {
	f.fixed += int64(certain-f.certain) * w.t.penalty
	f.certain = certain
}

// Bound returns a lower bound on the cost of every card below the current node of the search tree.
func (w *walker[T]) Bound() int64 { return w.frames[w.depth].bound }

// Exact reports whether all cards below the node are known to have the same cost.
func (w *walker[T]) Exact() bool { return w.levels[w.depth].kind >= levelOffset }

// Children returns the number of children of the current node of the search tree.
func (w *walker[T]) Children() int {
	lv := &w.levels[w.depth]
	switch {
	case lv.kind == levelLeaf:
		return 0
	case lv.kind == levelStep && w.mustBeZero(lv.attribute):
		return 1
	case lv.kind == levelStep:
		return len(w.axisState(lv.attribute).choices)
	case w.countsUsed || lv.kind >= levelOffset:
		return len(w.list())
	case lv.kind == levelSum:
		return len(w.sums.best)
	case lv.kind == levelLastOffset:
		return len(w.axisState(lv.attribute).byOffset)
	default:
		_, n := w.tailChoices()
		return n
	}
}

// mustBeZero reports whether all categories of attribute j must have 0 points, because every card
// below already uses the maximum number of other attributes.
func (w *walker[T]) mustBeZero(j int) bool {
	return w.countsUsed && w.frames[w.depth].certain == w.most && w.axisState(j).zero
}

// stepChoice returns the choice that leads to child i of the current node. The walker must be at a
// level that a step decides.
func (w *walker[T]) stepChoice(i int) *choice {
	j := w.levels[w.depth].attribute
	f := w.axisState(j)
	if w.mustBeZero(j) {
		i = slices.IndexFunc(f.choices, func(c choice) bool { return w.t.states[j][c.next].zero })
	}
	return &f.choices[i]
}

// tailChoices returns the choices for the next category of the last attribute that agree with the
// attribute's offset, which is already decided. They are consecutive: first is the index of the
// first of them, and n is their number.
func (w *walker[T]) tailChoices() (first, n int) {
	f := w.axisState(w.t.last)
	o := w.offset[w.t.last] - f.offLo
	for i := len(f.choices) - 1; i >= 0; i-- {
		if f.choices[i].shareAt[o].Head > 0 {
			first = i
			n++
		}
	}
	return first, n
}

// Share returns an upper bound on the fraction of the hypotheses below the node that are below
// child i.
func (w *walker[T]) Share(i int) class.Upper {
	lv := &w.levels[w.depth]
	if !w.countsUsed {
		switch lv.kind {
		case levelStep:
			return w.axisState(lv.attribute).choices[i].share
		case levelSum:
			return w.sumShare(i)
		case levelLastOffset:
			return w.axisState(lv.attribute).offShare[i]
		case levelTail:
			f := w.axisState(lv.attribute)
			first, _ := w.tailChoices()
			return f.choices[first+i].shareAt[w.offset[lv.attribute]-f.offLo]
		}
	}
	return class.Ratio(w.ChildLeaves(i), w.Leaves())
}

// Leaves returns the number of cards below the current node of the search tree.
func (w *walker[T]) Leaves() *big.Int {
	switch w.levels[w.depth].kind {
	case levelLeaf:
		return one
	case levelStep, levelSum:
		return count(w.openStates(), w.most)
	}
	total := new(big.Int)
	for _, o := range w.list() {
		total.Add(total, o.leaves)
	}
	return total
}

// openStates returns, for every attribute, its state at the current node and the number of its
// undecided categories.
func (w *walker[T]) openStates() []openState {
	ps := make([]openState, len(w.state))
	for j := range ps {
		ps[j] = w.openState(j)
	}
	return ps
}

// ChildLeaves returns the number of cards below child i of the current node.
func (w *walker[T]) ChildLeaves(i int) *big.Int {
	lv := &w.levels[w.depth]
	if lv.kind != levelStep {
		return w.list()[i].leaves
	}
	ps := w.openStates()
	ps[lv.attribute] = w.openStateAfter(lv.attribute, w.stepChoice(i).next)
	return count(ps, w.most)
}

// Down moves to child i of the current node of the search tree, unless the lower bound on the costs
// below this child exceeds the limit. It returns the bound, and reports whether it moved.
func (w *walker[T]) Down(i int, limit int64) (int64, bool) {
	lv := &w.levels[w.depth]
	w.frames[w.depth+1] = w.frames[w.depth]
	switch {
	case lv.kind == levelStep:
		return w.downStep(i, limit)
	case w.countsUsed || lv.kind >= levelOffset:
		return w.downOption(w.list()[i], limit)
	case lv.kind == levelSum:
		return w.downOption(option{value: w.sums.lo + i}, limit)
	case lv.kind == levelLastOffset:
		return w.downOption(option{value: w.axisState(lv.attribute).offLo + i}, limit)
	default:
		first, _ := w.tailChoices()
		c := &w.axisState(lv.attribute).choices[first+i]
		return w.downOption(option{value: c.value, next: c.next}, limit)
	}
}

// downStep implements Down for a node at a step: its children differ in the value of one category.
func (w *walker[T]) downStep(i int, limit int64) (int64, bool) {
	s, f := &w.t.steps[w.depth], &w.frames[w.depth+1]
	fills := w.t.states[s.attribute]
	c := w.stepChoice(i)
	before := f.fixed
	if w.t.terms != nil {
		lo, _ := w.t.axes[s.attribute].attr.bounds(s.category)
		f.fixed += w.t.terms[s.attribute][s.category][c.value-lo]
	}
	if w.axisState(s.attribute).zero && !fills[c.next].zero {
		w.charge(f, f.certain+1)
	}
	f.bound += f.fixed - before
	if f.bound > limit {
		return f.bound, false
	}
	room := limit - f.bound
	if room < 0 { // the difference overflowed
		room = math.MaxInt64
	}
	f.bound += w.t.kernel.run(s.batches, w.arena, w.mins, c.value, 0, room)
	if f.bound > limit {
		return f.bound, false
	}
	f.before = w.state[s.attribute]
	w.state[s.attribute] = c.next
	if w.depth+1 == len(w.t.steps) {
		f.bound = max(f.bound, f.fixed+w.minimizeOffsets())
		if f.bound > limit {
			w.state[s.attribute] = f.before
			return f.bound, false
		}
	}
	w.values[s.attribute][s.category] = c.value
	w.undecided[s.attribute]--
	w.depth++
	w.listed = false
	return f.bound, true
}

// downOption implements Down for a node after the last step: it moves to the child of option o.
func (w *walker[T]) downOption(o option, limit int64) (int64, bool) {
	lv, f := &w.levels[w.depth], &w.frames[w.depth+1]
	j := lv.attribute
	switch lv.kind {
	case levelSum:
		f.sum, f.used = o.value, o.used
		if w.countsUsed {
			certain := o.used
			if !w.axisState(w.t.last).zero {
				certain++
			}
			w.charge(f, certain)
		}
		f.bound = f.fixed + w.sums.best[o.value-w.sums.lo]
	case levelLastOffset:
		if w.axisState(j).zero && o.value != 0 {
			w.charge(f, f.certain+1)
		}
		f.bound = f.fixed + w.closedAt(f.sum+o.value)
		for k := range w.t.tables.byCat {
			f.bound += w.leastAt(k, f.sum)
		}
	case levelTail:
		if w.axisState(j).zero && w.offset[j] == 0 && !w.t.states[j][o.next].zero {
			before := f.fixed
			w.charge(f, f.certain+1)
			f.bound += f.fixed - before
		}
		f.bound += w.costAt(lv.tail, f.sum, w.offset[j]+o.value) - w.leastAt(lv.tail, f.sum)
	case levelOffset:
		f.sum -= o.value
		f.used -= o.used
		f.isUsed = o.used == 1
	}
	if f.bound > limit {
		return f.bound, false
	}
	f.before = w.state[j]
	switch lv.kind {
	case levelLastOffset, levelOffset:
		w.offset[j] = o.value
	case levelTail, levelFree:
		w.state[j] = o.next
		w.undecided[j]--
		w.values[j][lv.category] = o.value
	}
	w.depth++
	w.listed = false
	return f.bound, true
}

// Up moves to the parent of the current node of the search tree.
func (w *walker[T]) Up() {
	f := &w.frames[w.depth]
	w.depth--
	lv := &w.levels[w.depth]
	if lv.kind != levelSum {
		w.state[lv.attribute] = f.before
	}
	if lv.category >= 0 {
		w.undecided[lv.attribute]++
	}
	w.listed = false
}

// Hypothesis returns the card at the current node, which must be a leaf of the search tree.
func (w *walker[T]) Hypothesis() Card {
	h := Card{make([][]int, len(w.t.axes))}
	for j := range h.Points {
		h.Points[j] = make([]int, len(w.values[j]))
		for c, v := range w.values[j] {
			h.Points[j][c] = w.offset[j] + v
		}
	}
	return h
}
