package conjunction

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker traverses a search tree. It is always at one node, and moves to the node's children and
// to its parent.
type walker struct {
	class.NoMass[Formula]
	t      *tree
	merger *merger
	nodes  []node // nodes[level] is the node of the path at this level; allocated for all levels
	level  int
}

// A node is the state of a walker at one node of its path from the root of the search tree.
type node struct {
	settled   int64 // the tree's base plus the optionCosts of the chosen options
	bound     int64
	option    int // the child number of the node, which is the chosen option of the parent's axis
	remaining int // the number of literals that may still be added
	live      liveSet
	split     bool
	parts     []part // the live records partitioned by their atoms on the next axis; valid if split is set
}

// A part is the range of those live patterns that have the same atom on the next axis. The field
// total is the sum of their cost differences d, and the field negative is the sum of the negative
// ones.
type part struct {
	from, to        int32 // indices into the live set
	total, negative int64
}

// Walker returns a new walker at the root of the search tree.
func (t *tree) Walker() class.Walker[Formula] {
	w := &walker{t: t, merger: newMerger(t.patterns.widest()), nodes: make([]node, len(t.order)+1)}
	for level, j := range t.order {
		w.nodes[level].parts = make([]part, t.class.axes[j].atoms)
	}
	root := &w.nodes[0]
	root.settled, root.remaining = t.base, t.class.most()
	root.live = t.root
	root.bound = root.settled + root.live.negative()
	return w
}

func (w *walker) node() *node { return &w.nodes[w.level] }

// axis returns the axis that the children of the current node of the search tree decide.
func (w *walker) axis() *axis { return &w.t.class.axes[w.t.order[w.level]] }

// Children returns the number of children: one for each option of the next axis, or 0 at a single
// formula.
func (w *walker) Children() int {
	if w.level == len(w.t.order) || w.node().remaining == 0 {
		return 0
	}
	return 1 + len(w.axis().tests)
}

// Leaves returns the number of formulas below the current node of the search tree.
func (w *walker) Leaves() *big.Int { return w.t.counts.of(w.level, w.node().remaining) }

// ChildLeaves returns the number of formulas below child i of the current node of the search tree.
func (w *walker) ChildLeaves(i int) *big.Int {
	return w.t.counts.of(w.level+1, w.node().remaining-min(i, 1))
}

// Share returns an upper bound on the fraction of the hypotheses below the node that are below
// child i.
func (w *walker) Share(i int) class.Upper {
	return w.t.counts.share(w.level, w.node().remaining, i > 0)
}

// Bound returns a lower bound on the cost of every formula below the current node of the search tree.
func (w *walker) Bound() int64 { return w.node().bound }

// Exact reports whether all formulas below the node are known to have the same cost. This holds if
// there is only one formula, or if no record is live and all further options cost 0.
func (w *walker) Exact() bool {
	n := w.node()
	return w.Children() == 0 || len(n.live.ids) == 0 && w.t.free[w.level]
}

// split partitions the live records of node n by their atoms on the axis that the children of n
// decide.
func (w *walker) split(n *node) {
	if n.split {
		return
	}
	n.split = true
	starts := w.t.patterns.starts[w.level]
	at, end := 0, len(n.live.ids)
	for a := range n.parts {
		p := part{from: int32(at)}
		for ; at < end && n.live.ids[at] < starts[a+1]; at++ {
			d := n.live.d[at]
			p.total += d
			p.negative += min(d, 0)
		}
		p.to = int32(at)
		n.parts[a] = p
	}
}

// Down moves to child i of the current node of the search tree, below this child exceeds the limit.
// It returns the bound, and reports whether it moved.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	n, child := w.node(), &w.nodes[w.level+1]
	w.split(n)
	child.settled = n.settled + w.t.optionCosts[w.level][i]
	child.option = i
	child.remaining = n.remaining - min(i, 1)
	child.split = false
	child.live.clear()
	var test []uint16
	var sum part
	if i > 0 {
		test = w.axis().tests[i-1]
		for _, a := range test {
			sum.total += n.parts[a].total
			sum.negative += n.parts[a].negative
		}
	} else {
		for _, p := range n.parts {
			sum.total += p.total
			sum.negative += p.negative
		}
	}
	if child.remaining == 0 || w.level+1 == len(w.t.order) {
		child.bound = child.settled + w.t.emptyCost[w.level+1] + sum.total
	} else {
		child.bound = child.settled + sum.negative
		if child.bound <= limit {
			w.merge(n, child, test)
			child.bound = child.settled + child.live.negative()
		}
	}
	if child.bound > limit {
		return child.bound, false
	}
	w.level++
	return child.bound, true
}

// merge computes the live records of a child of node n. If test is nil, these are all live records
// of n. Otherwise they are those whose atom on the next axis is in the list test.
func (w *walker) merge(n, child *node, test []uint16) {
	next := w.t.patterns.next[w.level]
	switch {
	case len(test) == 1:
		p := n.parts[test[0]]
		n.live.slice(p.from, p.to).advance(next, &child.live)
		return
	case test == nil:
		w.merger.add(n.live, next)
	default:
		for _, a := range test {
			w.merger.add(n.live.slice(n.parts[a].from, n.parts[a].to), next)
		}
	}
	w.merger.drain(&child.live)
}

// Up moves to the parent of the current node of the search tree.
func (w *walker) Up() { w.level-- }

// Hypothesis returns the formula at the current node, which must be a leaf of the search tree.
func (w *walker) Hypothesis() Formula {
	h := Formula{make([]int, len(w.t.order))}
	for level := range w.level {
		h.Tests[w.t.order[level]] = w.nodes[level+1].option
	}
	return h
}
