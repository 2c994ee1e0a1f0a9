package scorecard

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A normWalker traverses the search tree of a class with a limit on the norm. It is always at one
// node of the tree.
type normWalker[T cell] struct {
	class.NoMass[Card]
	t              *normTree[T]
	arena, mins    []T
	frames         []normFrame // one for each decision made, from the root
	depth          int
	state          []int32 // [attribute]: the current state of its axis
	values         [][]int // [attribute][category]: the decided values
	recordsDecided int     // the number of decisions after which no record has an undecided category
	exact          int     // the number of decisions after which all cards below have the same cost

	best    [][]int64           // [k][r]: for the categories of the tail from the k-th on, as normLimit.cheapest, including the costs of records; set after the steps
	counted map[string]*big.Int // the cached results of count
}

// A normFrame is the state of a normWalker at one node of the path from the root.
type normFrame struct {
	bound      int64
	fixed      int64   // the part of the bound that decided records and terms contribute
	minima     int64   // at the steps, the part of the bound that the minima of the cost tables contribute
	normLeft   int     // the limit minus the squared norm of the decided points
	normNeeded int     // the least squared norm of the undecided categories
	before     int32   // the previous state of the attribute that the parent decided
	choices    []int32 // the indices of the choices of the next category below which there is a card
	feasible   bool    // whether choices is computed
}

// mostCounted is the maximum number of counts of cards that a normWalker caches.
const mostCounted = 1 << 16

// Walker returns a new walker at the root of the search tree.
func (t *normTree[T]) Walker() class.Walker[Card] {
	n := len(t.limit.order)
	w := &normWalker[T]{
		t: t, arena: slices.Clone(t.arena), mins: slices.Clone(t.mins),
		frames: make([]normFrame, n+1), state: make([]int32, len(t.axes)),
		recordsDecided: len(t.steps) + len(t.tables.byCat), exact: n, counted: map[string]*big.Int{},
	}
	if t.limit.noTerms {
		w.exact = w.recordsDecided
	}
	root := &w.frames[0]
	root.fixed, root.normLeft = t.rootSum, t.limit.norm
	for j, a := range t.axes {
		w.values = append(w.values, make([]int, a.attr.categories))
		root.normNeeded += t.states[j][0].least
	}
	for range t.tables.byCat {
		w.best = append(w.best, make([]int64, t.limit.norm+1))
	}
	w.best = append(w.best, nil)
	for _, id := range t.live {
		root.minima += int64(t.mins[id])
	}
	root.bound = root.fixed + root.minima + t.limit.cheapest[0][root.normLeft]
	if len(t.steps) == 0 {
		w.minimizeTail(root)
	}
	return w
}

// axisState returns the state of attribute j at the current node of the search tree.
func (w *normWalker[T]) axisState(j int) *axisState { return &w.t.states[j][w.state[j]] }

// Bound returns a lower bound on the cost of every card below the current node of the search tree.
func (w *normWalker[T]) Bound() int64 { return w.frames[w.depth].bound }

// Exact reports whether all cards below the node are known to have the same cost.
func (w *normWalker[T]) Exact() bool { return w.depth >= w.exact }

// Children returns the number of children of the current node of the search tree.
func (w *normWalker[T]) Children() int { return len(w.choices()) }

// choices returns the indices of the possible choices for the next category. A choice is possible
// if there is a card below it, because the remaining norm suffices for the other undecided
// categories.
func (w *normWalker[T]) choices() []int32 {
	f := &w.frames[w.depth]
	if f.feasible || w.depth == len(w.t.limit.order) {
		return f.choices
	}
	f.feasible, f.choices = true, f.choices[:0]
	j := w.t.limit.order[w.depth].attribute
	now := w.axisState(j)
	for i, c := range now.choices {
		if c.value*c.value+w.t.states[j][c.next].least+f.normNeeded-now.least <= f.normLeft {
			f.choices = append(f.choices, int32(i))
		}
	}
	return f.choices
}

// Share returns an upper bound on ChildLeaves(i)/Leaves(), the share of child i in the hypotheses below the node.
func (w *normWalker[T]) Share(i int) class.Upper { return class.Ratio(w.ChildLeaves(i), w.Leaves()) }

// Leaves returns the number of cards below the current node of the search tree.
func (w *normWalker[T]) Leaves() *big.Int { return w.count(w.depth, w.frames[w.depth].normLeft) }

// ChildLeaves returns the number of cards below child i of the current node of the search tree.
func (w *normWalker[T]) ChildLeaves(i int) *big.Int {
	j := w.t.limit.order[w.depth].attribute
	c := w.axisState(j).choices[w.choices()[i]]
	now := w.state[j]
	w.state[j] = c.next
	n := w.count(w.depth+1, w.frames[w.depth].normLeft-c.value*c.value)
	w.state[j] = now
	return n
}

// count returns the number of cards that agree with the current states of the attributes, and whose
// undecided categories have a squared norm of at most left. The parameter depth is the number of
// decisions that are made.
func (w *normWalker[T]) count(depth, left int) *big.Int {
	key := binary.AppendUvarint(nil, uint64(depth))
	key = binary.AppendUvarint(key, uint64(left))
	for _, s := range w.state {
		key = binary.AppendUvarint(key, uint64(s))
	}
	if n, ok := w.counted[string(key)]; ok {
		return n
	}
	var ps []openState
	for j := range w.state {
		ps = append(ps, openState{axisState: w.axisState(j)}) // with a limit on the norm, no axis is independent
	}
	total := new(big.Int)
	for _, n := range countNorms(ps, left) {
		total.Add(total, n)
	}
	if len(w.counted) == mostCounted {
		clear(w.counted)
	}
	w.counted[string(key)] = total
	return total
}

// Down moves to child i of the current node of the search tree, unless the lower bound on the costs below this child
// exceeds the limit.
func (w *normWalker[T]) Down(i int, limit int64) (int64, bool) {
	at := w.t.limit.order[w.depth]
	now := w.axisState(at.attribute)
	c := &now.choices[w.choices()[i]]
	next := &w.t.states[at.attribute][c.next]
	from, f := &w.frames[w.depth], &w.frames[w.depth+1]
	f.bound, f.fixed, f.minima = from.bound, from.fixed, from.minima
	f.normLeft = from.normLeft - c.value*c.value
	f.normNeeded = from.normNeeded - now.least + next.least
	f.feasible = false
	tail := w.depth - len(w.t.steps)
	switch {
	case tail < 0:
		f.fixed += w.t.limit.charge(at, c.value)
		w.raise(f, f.fixed+f.minima+w.t.limit.cheapest[w.depth+1][f.normLeft])
		if f.bound > limit {
			return f.bound, false
		}
		room := limit - f.bound
		if room < 0 { // the difference overflowed
			room = math.MaxInt64
		}
		f.minima += w.t.kernel.run(w.t.steps[w.depth].batches, w.arena, w.mins, c.value, f.normLeft, room)
		w.raise(f, f.fixed+f.minima+w.t.limit.cheapest[w.depth+1][f.normLeft])
		if tail == -1 && f.bound <= limit {
			w.minimizeTail(f)
		}
	case w.depth < w.recordsDecided:
		f.fixed += w.cost(tail, c.value)
		w.raise(f, f.fixed+w.best[tail+1][f.normLeft])
	default:
		f.fixed += w.t.limit.charge(at, c.value)
		w.raise(f, f.fixed+w.t.limit.cheapest[w.depth+1][f.normLeft])
	}
	if f.bound > limit {
		return f.bound, false
	}
	f.before = w.state[at.attribute]
	w.state[at.attribute] = c.next
	w.values[at.attribute][at.category] = c.value
	w.depth++
	return f.bound, true
}

// raise sets the lower bound on costs in the frame f to the given bound if that is greater.
func (w *normWalker[T]) raise(f *normFrame, bound int64) { f.bound = max(f.bound, bound) }

// minimizeTail computes the least cost of the decisions that remain after the last step, and raises
// the bound of f to it. This cost is the cost of the records with every category decided, plus the
// costs of the categories of the tail (see the package comment). The categories of the tail depend
// on each other only through the limit on the norm.
func (w *normWalker[T]) minimizeTail(f *normFrame) {
	closed := &w.t.tables.closed
	f.fixed += int64(w.arena[int(closed.at)-closed.lo])
	tail := len(w.t.tables.byCat)
	w.best[tail] = w.t.limit.cheapest[w.recordsDecided][:f.normLeft+1]
	for k := tail - 1; k >= 0; k-- {
		w.best[k] = w.t.limit.prepend(w.best[k], w.best[k+1], w.t.limit.order[len(w.t.steps)+k], func(v int) int64 { return w.cost(k, v) })
	}
	w.raise(f, f.fixed+w.best[0][f.normLeft])
}

// cost returns the cost of giving v points to category k of the tail: the cost of the records with
// this category, plus the charge of the category.
func (w *normWalker[T]) cost(k, v int) int64 {
	c := &w.t.tables.byCat[k]
	return int64(w.arena[int(c.at)+v-c.lo]) + w.t.limit.charge(w.t.limit.order[len(w.t.steps)+k], v)
}

// Up moves to the parent of the current node of the search tree.
func (w *normWalker[T]) Up() {
	w.depth--
	w.state[w.t.limit.order[w.depth].attribute] = w.frames[w.depth+1].before
}

// Hypothesis returns the card at the current node, which must be a leaf of the search tree.
func (w *normWalker[T]) Hypothesis() Card {
	h := Card{}
	for _, v := range w.values {
		h.Points = append(h.Points, slices.Clone(v))
	}
	return h
}
