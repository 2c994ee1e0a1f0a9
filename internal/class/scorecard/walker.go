package scorecard

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker stands at a node of a tree.
type walker[T cell] struct {
	t           *tree[T]
	arena, mins []T
	levels      []level
	frames      []frame
	depth       int
	state       []int32 // of each attribute: its filling
	left        []int   // of each attribute: how many categories are to be decided
	values      [][]int // of each attribute: its decided values, by category
	offset      []int   // of each attribute
	tracked     bool
	most        int

	sums    offsetSums // of the node at the end of the steps
	options []option   // of the node at hand, if listed
	listed  bool

	weigher weigher
	mass    mass[T] // of the node at hand, if weighed
}

// A level is what the children of a node decide.
type level struct {
	kind      levelKind
	attribute int
	category  int // -1 for none
	tail      int // levelTail: the place of the category in the tail
	other     int // levelOffset and levelFree: the place of the attribute among those but the last
}

type levelKind uint8

const (
	levelStep       levelKind = iota // a category, by a step
	levelSum                         // the sum of the offsets of all attributes but the last, and how many of these are used
	levelLastOffset                  // the last attribute's offset
	levelTail                        // a category of the last attribute
	levelOffset                      // the offset of another attribute, the cost being known
	levelFree                        // a category without records
	levelLeaf
)

// A frame is a node on the walker's path.
type frame struct {
	bound   int64
	fixed   int64 // of the bound: terms and penalties
	before  int32 // the state of the attribute that led here, as it was
	certain int   // attributes that are surely used, where that is tracked
	sum     int   // of offsets: what the attributes but the last have still to come to
	used    int   // how many used ones are still to come among them
	isUsed  bool  // the other attribute at hand
}

// Walker returns a walker at the root.
func (t *tree[T]) Walker() class.Walker[Card] {
	w := &walker[T]{
		t: t, arena: slices.Clone(t.arena), mins: slices.Clone(t.mins), levels: t.levels(),
		state: make([]int32, len(t.axes)), offset: make([]int, len(t.axes)),
		tracked: t.class.tracked(), most: t.class.most(),
	}
	w.frames = make([]frame, len(w.levels))
	root := &w.frames[0]
	root.fixed = t.rootSum
	for j, a := range t.axes {
		w.values = append(w.values, make([]int, a.attr.categories))
		w.left = append(w.left, len(t.order[j]))
		if !t.fills[j][0].zero {
			w.charge(root, root.certain+1)
		}
	}
	root.bound = root.fixed
	for _, id := range t.live {
		root.bound += int64(t.mins[id])
	}
	if len(t.steps) == 0 {
		root.bound = max(root.bound, root.fixed+w.close())
	}
	return w
}

// levels lists what is decided at each depth.
func (t *tree[T]) levels() []level {
	var levels []level
	taken := make([]int, len(t.axes))
	for _, s := range t.steps {
		levels = append(levels, level{kind: levelStep, attribute: s.attribute, category: s.category})
		taken[s.attribute]++
	}
	levels = append(levels, level{kind: levelSum, category: -1}, level{kind: levelLastOffset, attribute: t.last, category: -1})
	for i, cat := range t.order[t.last][taken[t.last]:] {
		levels = append(levels, level{kind: levelTail, attribute: t.last, category: cat, tail: i})
	}
	for i, j := range t.others {
		levels = append(levels, level{kind: levelOffset, attribute: j, category: -1, other: i})
		for _, cat := range t.order[j][taken[j]:] {
			levels = append(levels, level{kind: levelFree, attribute: j, category: cat, other: i})
		}
	}
	return append(levels, level{kind: levelLeaf, category: -1})
}

// filling returns the state of attribute j.
func (w *walker[T]) filling(j int) *filling { return &w.t.fills[j][w.state[j]] }

// prospect returns the state of attribute j and what is left of it.
func (w *walker[T]) prospect(j int) prospect { return prospect{w.filling(j), w.left[j]} }

// behind returns what attribute j would come to with a category more decided.
func (w *walker[T]) behind(j int, next int32) prospect {
	return prospect{&w.t.fills[j][next], w.left[j] - 1}
}

// charge sets the number of surely used attributes and their penalties.
func (w *walker[T]) charge(f *frame, certain int) {
	f.fixed += int64(certain-f.certain) * w.t.penalty
	f.certain = certain
}

// Bound returns the lower bound of the node.
func (w *walker[T]) Bound() int64 { return w.frames[w.depth].bound }

// Exact tells whether all cards below cost the same.
func (w *walker[T]) Exact() bool { return w.levels[w.depth].kind >= levelOffset }

// Children returns the number of children.
func (w *walker[T]) Children() int {
	lv := &w.levels[w.depth]
	switch {
	case lv.kind == levelLeaf:
		return 0
	case lv.kind == levelStep && w.mustBeZero(lv.attribute):
		return 1
	case lv.kind == levelStep:
		return len(w.filling(lv.attribute).choices)
	case w.tracked || lv.kind >= levelOffset:
		return len(w.list())
	case lv.kind == levelSum:
		return len(w.sums.best)
	case lv.kind == levelLastOffset:
		return len(w.filling(lv.attribute).byOffset)
	default:
		_, n := w.tailChoices()
		return n
	}
}

// mustBeZero tells whether attribute j must stay unused because all that may
// be used surely are.
func (w *walker[T]) mustBeZero(j int) bool {
	return w.tracked && w.frames[w.depth].certain == w.most && w.filling(j).zero
}

// stepChoice returns the choice that child i of a step takes.
func (w *walker[T]) stepChoice(i int) *choice {
	j := w.levels[w.depth].attribute
	f := w.filling(j)
	if w.mustBeZero(j) {
		i = slices.IndexFunc(f.choices, func(c choice) bool { return w.t.fills[j][c.next].zero })
	}
	return &f.choices[i]
}

// tailChoices returns the first choice for a category of the last attribute
// that its offset allows, and how many there are.
func (w *walker[T]) tailChoices() (first, n int) {
	f := w.filling(w.t.last)
	o := w.offset[w.t.last] - f.offLo
	for i := len(f.choices) - 1; i >= 0; i-- {
		if f.choices[i].shareAt[o].Head > 0 {
			first = i
			n++
		}
	}
	return first, n
}

// Share bounds the share of child i in the leaves below.
func (w *walker[T]) Share(i int) class.Upper {
	lv := &w.levels[w.depth]
	if !w.tracked {
		switch lv.kind {
		case levelStep:
			return w.filling(lv.attribute).choices[i].share
		case levelSum:
			return w.sumShare(i)
		case levelLastOffset:
			return w.filling(lv.attribute).offShare[i]
		case levelTail:
			f := w.filling(lv.attribute)
			first, _ := w.tailChoices()
			return f.choices[first+i].shareAt[w.offset[lv.attribute]-f.offLo]
		}
	}
	return class.Ratio(w.ChildLeaves(i), w.Leaves())
}

// Leaves counts the cards below.
func (w *walker[T]) Leaves() *big.Int {
	switch w.levels[w.depth].kind {
	case levelLeaf:
		return one
	case levelStep, levelSum:
		return count(w.prospects(), w.most)
	}
	total := new(big.Int)
	for _, o := range w.list() {
		total.Add(total, o.leaves)
	}
	return total
}

// prospects returns that of every attribute.
func (w *walker[T]) prospects() []prospect {
	ps := make([]prospect, len(w.state))
	for j := range ps {
		ps[j] = w.prospect(j)
	}
	return ps
}

// ChildLeaves counts the cards below child i.
func (w *walker[T]) ChildLeaves(i int) *big.Int {
	lv := &w.levels[w.depth]
	if lv.kind != levelStep {
		return w.list()[i].leaves
	}
	ps := w.prospects()
	ps[lv.attribute] = w.behind(lv.attribute, w.stepChoice(i).next)
	return count(ps, w.most)
}

// Down enters child i if its bound is at most limit.
func (w *walker[T]) Down(i int, limit int64) (int64, bool) {
	lv := &w.levels[w.depth]
	w.frames[w.depth+1] = w.frames[w.depth]
	switch {
	case lv.kind == levelStep:
		return w.downStep(i, limit)
	case w.tracked || lv.kind >= levelOffset:
		return w.downOption(w.list()[i], limit)
	case lv.kind == levelSum:
		return w.downOption(option{value: w.sums.lo + i}, limit)
	case lv.kind == levelLastOffset:
		return w.downOption(option{value: w.filling(lv.attribute).offLo + i}, limit)
	default:
		first, _ := w.tailChoices()
		c := &w.filling(lv.attribute).choices[first+i]
		return w.downOption(option{value: c.value, next: c.next}, limit)
	}
}

// downStep decides a category by the step of this depth.
func (w *walker[T]) downStep(i int, limit int64) (int64, bool) {
	s, f := &w.t.steps[w.depth], &w.frames[w.depth+1]
	fills := w.t.fills[s.attribute]
	c := w.stepChoice(i)
	before := f.fixed
	if w.t.terms != nil {
		lo, _ := w.t.axes[s.attribute].attr.bounds(s.category)
		f.fixed += w.t.terms[s.attribute][s.category][c.value-lo]
	}
	if w.filling(s.attribute).zero && !fills[c.next].zero {
		w.charge(f, f.certain+1)
	}
	f.bound += f.fixed - before
	if f.bound > limit {
		return f.bound, false
	}
	room := limit - f.bound
	if room < 0 { // beyond 64 bits
		room = math.MaxInt64
	}
	f.bound += w.t.kernel.run(s.batches, w.arena, w.mins, c.value, 0, room)
	if f.bound > limit {
		return f.bound, false
	}
	f.before = w.state[s.attribute]
	w.state[s.attribute] = c.next
	if w.depth+1 == len(w.t.steps) {
		f.bound = max(f.bound, f.fixed+w.close())
		if f.bound > limit {
			w.state[s.attribute] = f.before
			return f.bound, false
		}
	}
	w.values[s.attribute][s.category] = c.value
	w.left[s.attribute]--
	w.depth++
	w.listed = false
	return f.bound, true
}

// downOption enters a child behind the steps.
func (w *walker[T]) downOption(o option, limit int64) (int64, bool) {
	lv, f := &w.levels[w.depth], &w.frames[w.depth+1]
	j := lv.attribute
	switch lv.kind {
	case levelSum:
		f.sum, f.used = o.value, o.used
		if w.tracked {
			certain := o.used
			if !w.filling(w.t.last).zero {
				certain++
			}
			w.charge(f, certain)
		}
		f.bound = f.fixed + w.sums.best[o.value-w.sums.lo]
	case levelLastOffset:
		if w.filling(j).zero && o.value != 0 {
			w.charge(f, f.certain+1)
		}
		f.bound = f.fixed + w.closedAt(f.sum+o.value)
		for k := range w.t.open.byCat {
			f.bound += w.leastAt(k, f.sum)
		}
	case levelTail:
		if w.filling(j).zero && w.offset[j] == 0 && !w.t.fills[j][o.next].zero {
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
		w.left[j]--
		w.values[j][lv.category] = o.value
	}
	w.depth++
	w.listed = false
	return f.bound, true
}

// Up returns to the parent.
func (w *walker[T]) Up() {
	f := &w.frames[w.depth]
	w.depth--
	lv := &w.levels[w.depth]
	if lv.kind != levelSum {
		w.state[lv.attribute] = f.before
	}
	if lv.category >= 0 {
		w.left[lv.attribute]++
	}
	w.listed = false
}

// Hypothesis returns the card of a leaf.
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
