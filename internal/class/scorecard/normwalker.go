package scorecard

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A normWalker stands at a node of the tree of a class with a limit on the norm.
type normWalker[T cell] struct {
	class.NoMass[Card]
	t           *normTree[T]
	arena, mins []T
	frames      []normFrame // one for each decision made, the root first
	depth       int
	state       []int32 // of each attribute: its filling
	values      [][]int // of each attribute: its decided values, by category
	end         int     // how many decisions leave no record undecided
	exact       int     // how many leave no cost open

	best  [][]int64 // from the end of the steps on, as normLimit.cheapest, with the records
	known map[string]*big.Int
}

// A normFrame is a node on the path.
type normFrame struct {
	bound    int64
	fixed    int64 // of the bound: the decided records and terms
	slots    int64 // of the bound, at the steps: the slots' minima
	left     int   // of the norm
	least    int   // of the norm: what the undecided categories take at least
	before   int32 // the state of the attribute that led here, as it was
	choices  []int32
	feasible bool // choices are known: those that leave a completion
}

// mostKnown is how many counts a walker remembers.
const mostKnown = 1 << 16

// Walker returns a walker at the root.
func (t *normTree[T]) Walker() class.Walker[Card] {
	n := len(t.limit.order)
	w := &normWalker[T]{
		t: t, arena: slices.Clone(t.arena), mins: slices.Clone(t.mins),
		frames: make([]normFrame, n+1), state: make([]int32, len(t.axes)),
		end: len(t.steps) + len(t.open.byCat), exact: n, known: map[string]*big.Int{},
	}
	if t.limit.plain {
		w.exact = w.end
	}
	root := &w.frames[0]
	root.fixed, root.left = t.rootSum, t.limit.norm
	for j, a := range t.axes {
		w.values = append(w.values, make([]int, a.attr.categories))
		root.least += t.fills[j][0].least
	}
	for range t.open.byCat {
		w.best = append(w.best, make([]int64, t.limit.norm+1))
	}
	w.best = append(w.best, nil)
	for _, id := range t.live {
		root.slots += int64(t.mins[id])
	}
	root.bound = root.fixed + root.slots + t.limit.cheapest[0][root.left]
	if len(t.steps) == 0 {
		w.close(root)
	}
	return w
}

// filling returns the state of attribute j.
func (w *normWalker[T]) filling(j int) *filling { return &w.t.fills[j][w.state[j]] }

// Bound returns the lower bound of the node.
func (w *normWalker[T]) Bound() int64 { return w.frames[w.depth].bound }

// Exact tells whether all cards below cost the same.
func (w *normWalker[T]) Exact() bool { return w.depth >= w.exact }

// Children returns the number of children.
func (w *normWalker[T]) Children() int { return len(w.choices()) }

// choices lists the choices of the category at hand below which there is a card:
// those for which the norm suffices.
func (w *normWalker[T]) choices() []int32 {
	f := &w.frames[w.depth]
	if f.feasible || w.depth == len(w.t.limit.order) {
		return f.choices
	}
	f.feasible, f.choices = true, f.choices[:0]
	j := w.t.limit.order[w.depth].attribute
	now := w.filling(j)
	for i, c := range now.choices {
		if c.value*c.value+w.t.fills[j][c.next].least+f.least-now.least <= f.left {
			f.choices = append(f.choices, int32(i))
		}
	}
	return f.choices
}

// Share bounds the share of child i in the leaves below.
func (w *normWalker[T]) Share(i int) class.Upper { return class.Ratio(w.ChildLeaves(i), w.Leaves()) }

// Leaves counts the cards below.
func (w *normWalker[T]) Leaves() *big.Int { return w.count(w.depth, w.frames[w.depth].left) }

// ChildLeaves counts the cards below child i.
func (w *normWalker[T]) ChildLeaves(i int) *big.Int {
	j := w.t.limit.order[w.depth].attribute
	c := w.filling(j).choices[w.choices()[i]]
	now := w.state[j]
	w.state[j] = c.next
	n := w.count(w.depth+1, w.frames[w.depth].left-c.value*c.value)
	w.state[j] = now
	return n
}

// count returns how many completions of a squared norm of at most left the
// states of the attributes have after so many decisions.
func (w *normWalker[T]) count(depth, left int) *big.Int {
	key := binary.AppendUvarint(nil, uint64(depth))
	key = binary.AppendUvarint(key, uint64(left))
	for _, s := range w.state {
		key = binary.AppendUvarint(key, uint64(s))
	}
	if n, ok := w.known[string(key)]; ok {
		return n
	}
	var ps []prospect
	for j := range w.state {
		ps = append(ps, prospect{filling: w.filling(j)}) // of no free axis
	}
	total := new(big.Int)
	for _, n := range countNorms(ps, left) {
		total.Add(total, n)
	}
	if len(w.known) == mostKnown {
		clear(w.known)
	}
	w.known[string(key)] = total
	return total
}

// Down enters child i if its bound is at most limit.
func (w *normWalker[T]) Down(i int, limit int64) (int64, bool) {
	at := w.t.limit.order[w.depth]
	now := w.filling(at.attribute)
	c := &now.choices[w.choices()[i]]
	next := &w.t.fills[at.attribute][c.next]
	from, f := &w.frames[w.depth], &w.frames[w.depth+1]
	f.bound, f.fixed, f.slots = from.bound, from.fixed, from.slots
	f.left = from.left - c.value*c.value
	f.least = from.least - now.least + next.least
	f.feasible = false
	tail := w.depth - len(w.t.steps)
	switch {
	case tail < 0:
		f.fixed += w.t.limit.charge(at, c.value)
		w.raise(f, f.fixed+f.slots+w.t.limit.cheapest[w.depth+1][f.left])
		if f.bound > limit {
			return f.bound, false
		}
		room := limit - f.bound
		if room < 0 { // beyond 64 bits
			room = math.MaxInt64
		}
		f.slots += w.t.kernel.run(w.t.steps[w.depth].batches, w.arena, w.mins, c.value, f.left, room)
		w.raise(f, f.fixed+f.slots+w.t.limit.cheapest[w.depth+1][f.left])
		if tail == -1 && f.bound <= limit {
			w.close(f)
		}
	case w.depth < w.end:
		f.fixed += w.cost(tail, c.value)
		w.raise(f, f.fixed+w.best[tail+1][f.left])
	default:
		f.fixed += w.t.limit.charge(at, c.value)
		w.raise(f, f.fixed+w.t.limit.cheapest[w.depth+1][f.left])
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

// raise raises the bound of a frame to one more that is valid.
func (w *normWalker[T]) raise(f *normFrame, bound int64) { f.bound = max(f.bound, bound) }

// close works out, at the end of the steps, the least cost of what is left: the
// records with everything decided, and those of each category of the last
// attribute, whose points are held together by the norm only.
func (w *normWalker[T]) close(f *normFrame) {
	closed := &w.t.open.closed
	f.fixed += int64(w.arena[int(closed.at)-closed.lo])
	tail := len(w.t.open.byCat)
	w.best[tail] = w.t.limit.cheapest[w.end][:f.left+1]
	for k := tail - 1; k >= 0; k-- {
		w.best[k] = w.t.limit.before(w.best[k], w.best[k+1], w.t.limit.order[len(w.t.steps)+k], func(v int) int64 { return w.cost(k, v) })
	}
	w.raise(f, f.fixed+w.best[0][f.left])
}

// cost returns the cost of the records of the k-th category of the tail, and of
// its terms, when it contributes v.
func (w *normWalker[T]) cost(k, v int) int64 {
	c := &w.t.open.byCat[k]
	return int64(w.arena[int(c.at)+v-c.lo]) + w.t.limit.charge(w.t.limit.order[len(w.t.steps)+k], v)
}

// Up returns to the parent.
func (w *normWalker[T]) Up() {
	w.depth--
	w.state[w.t.limit.order[w.depth].attribute] = w.frames[w.depth+1].before
}

// Hypothesis returns the card of a leaf.
func (w *normWalker[T]) Hypothesis() Card {
	h := Card{}
	for _, v := range w.values {
		h.Points = append(h.Points, slices.Clone(v))
	}
	return h
}
