package numeric

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker moves through the search tree of a problem over halfspaces (class.Walker).
type walker struct {
	class.NoMass[Halfspace]
	t      *tree
	frames []frame
	depth  int
	theta  int64 // the threshold, if it is decided
}

// A frame is a node on the path from the root to the walker's current node. Frame 0 is the root. In frame k+1, the
// threshold and k weights are decided.
type frame struct {
	state  *state
	bound  int64
	fixed  int64   // the costs of the decisions by terms and penalties; a part of the bound
	regret int64   // the sum of |d| over the records whose prediction is decided and the more expensive one; a part of the bound
	open   []int32 // the records whose prediction is not decided
	total  []int64 // for each open record, its weighted sum over the decided columns
	at     int     // the index of the last decision
}

// Walker returns a walker at the root, with which a search moves through the tree.
func (t *tree) Walker() class.Walker[Halfspace] {
	w := &walker{t: t, frames: make([]frame, len(t.levels)+1)}
	n := len(t.d)
	for i := range w.frames {
		w.frames[i].open = make([]int32, 0, n)
		w.frames[i].total = make([]int64, 0, n)
	}
	root := &w.frames[0]
	root.bound = t.floor + t.root.least + slices.Min(t.charge.Threshold)
	for i := range n {
		root.open = append(root.open, int32(i))
		root.total = append(root.total, 0)
	}
	return w
}

// Children returns the number of children of the current node of the search tree.
func (w *walker) Children() int {
	if w.depth == 0 {
		return len(w.t.class.thresholds)
	}
	return len(w.frames[w.depth].state.choices)
}

// Leaves returns the number of halfspaces below the current node of the search tree.
func (w *walker) Leaves() *big.Int {
	if w.depth == 0 {
		return w.t.class.size
	}
	return w.frames[w.depth].state.leaves
}

// ChildLeaves returns the number of halfspaces below child i of the current node of the search tree.
func (w *walker) ChildLeaves(i int) *big.Int {
	if w.depth == 0 {
		return w.t.root.leaves
	}
	return w.frames[w.depth].state.choices[i].next.leaves
}

// Share returns an upper bound on the fraction of the node's halfspaces that are below child i.
func (w *walker) Share(i int) class.Upper {
	if w.depth == 0 {
		return w.t.share
	}
	return w.frames[w.depth].state.choices[i].share
}

// Bound returns a lower bound on the cost of every halfspace below the current node of the search tree.
func (w *walker) Bound() int64 { return w.frames[w.depth].bound }

// Exact reports whether the walker knows that all halfspaces below the current node have the same cost, which is then
// the bound of the node.
func (w *walker) Exact() bool {
	f := &w.frames[w.depth]
	return w.depth > 0 && len(f.open) == 0 && f.state.least == f.state.most
}

// Down computes the lower bound of child i, and moves to the child if this bound is at most limit. It returns the
// bound, and reports whether it moved. If the bound exceeds limit, Down may stop early and return a smaller lower
// bound that also exceeds limit.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	t, from, f := w.t, &w.frames[w.depth], &w.frames[w.depth+1]
	f.regret, f.open, f.total = from.regret, f.open[:0], f.total[:0]
	theta, weight := w.theta, int64(0)
	var value []int64
	if w.depth == 0 {
		f.state, f.at = t.root, i
		f.fixed = t.charge.Threshold[i]
		theta = t.class.thresholds[i]
		value = t.d // the values have no effect, since weight is 0
	} else {
		c := &from.state.choices[i]
		j := t.order[w.depth-1]
		f.state, f.at = c.next, c.at
		f.fixed = from.fixed + t.charge.Weight[j][c.at]
		weight = t.class.columns[j].Weights[c.at]
		value = t.levels[w.depth-1].value
	}
	rest := &t.levels[w.depth]
	floor := t.floor + f.fixed + f.state.least
	if f.bound = floor + f.regret; f.bound > limit {
		return f.bound, false
	}
	for o, r := range from.open {
		total := from.total[o] + weight*value[r]
		label, decided := rest.label(f.state, r, total-theta)
		if !decided {
			f.open = append(f.open, r)
			f.total = append(f.total, total)
			continue
		}
		if d := t.d[r]; (d > 0) == label {
			f.regret += max(d, -d)
			if f.bound = floor + f.regret; f.bound > limit {
				return f.bound, false
			}
		}
	}
	w.theta = theta
	w.depth++
	return f.bound, true
}

// label returns the prediction for record r if it can prove that all completions of the state s make the same
// prediction. The result decided reports whether it can. The parameter margin is the weighted sum over the decided
// columns minus the threshold.
func (l *level) label(s *state, r int32, margin int64) (label, decided bool) {
	switch {
	case s.idle:
		return margin >= 0, true
	case margin+l.low[r] >= 0:
		return true, true
	case margin+l.high[r] < 0:
		return false, true
	case !s.tight || l.square[r] == math.MaxUint64:
		return false, false
	}
	// By the Cauchy-Schwarz inequality, the square of the weighted sum of the undecided columns is at
	// most this product.
	mostHi, mostLo := bits.Mul64(uint64(s.norm), l.square[r])
	hi, lo := bits.Mul64(uint64(max(margin, -margin)), uint64(max(margin, -margin)))
	switch {
	case hi > mostHi || hi == mostHi && lo > mostLo:
		return margin > 0, true
	case hi == mostHi && lo == mostLo:
		return true, margin >= 0
	default:
		return false, false
	}
}

// Up moves to the parent of the current node of the search tree.
func (w *walker) Up() { w.depth-- }

// Hypothesis returns the halfspace at the current node, which must be a leaf of the search tree.
func (w *walker) Hypothesis() Halfspace {
	h := Halfspace{Weights: make([]int64, len(w.t.order)), Threshold: w.theta}
	for k, j := range w.t.order {
		h.Weights[j] = w.t.class.columns[j].Weights[w.frames[k+2].at]
	}
	return h
}
