package conjunction

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A walker stands at a node of a tree.
type walker struct {
	class.NoMass[Formula]
	t      *tree
	merger *merger
	nodes  []node // the path, and room for all levels
	level  int
}

// A node is what a walker knows at one level.
type node struct {
	settled int64 // the base and the tolls decided
	bound   int64
	option  int // the option that led here
	rest    int // how many literals may still come
	flock   flock
	split   bool
	parts   []part // of the flock by the atom on the next axis, if split
}

// A part is the records of a flock that have one atom.
type part struct {
	from, to        int32 // in the flock
	total, negative int64
}

// Walker returns a walker at the root.
func (t *tree) Walker() class.Walker[Formula] {
	w := &walker{t: t, merger: newMerger(t.patterns.widest()), nodes: make([]node, len(t.order)+1)}
	for level, j := range t.order {
		w.nodes[level].parts = make([]part, t.class.axes[j].atoms)
	}
	root := &w.nodes[0]
	root.settled, root.rest = t.base, t.class.most()
	root.flock = t.root
	root.bound = root.settled + root.flock.negative()
	return w
}

func (w *walker) node() *node { return &w.nodes[w.level] }

// axis returns the axis that the children of the node decide.
func (w *walker) axis() *axis { return &w.t.class.axes[w.t.order[w.level]] }

// Children returns the number of children: one for each option.
func (w *walker) Children() int {
	if w.level == len(w.t.order) || w.node().rest == 0 {
		return 0
	}
	return 1 + len(w.axis().tests)
}

// Leaves counts the formulas below.
func (w *walker) Leaves() *big.Int { return w.t.counts.of(w.level, w.node().rest) }

// ChildLeaves counts the formulas below child i.
func (w *walker) ChildLeaves(i int) *big.Int {
	return w.t.counts.of(w.level+1, w.node().rest-min(i, 1))
}

// Share bounds the share of child i in the leaves below.
func (w *walker) Share(i int) class.Upper {
	return w.t.counts.share(w.level, w.node().rest, i > 0)
}

// Bound returns the lower bound of the node.
func (w *walker) Bound() int64 { return w.node().bound }

// Exact tells whether all formulas below cost the same: nothing lives and no
// toll is left, or there is only one.
func (w *walker) Exact() bool {
	n := w.node()
	return w.Children() == 0 || len(n.flock.ids) == 0 && w.t.flat[w.level]
}

// split divides the flock of the node by the atom on the next axis.
func (w *walker) split(n *node) {
	if n.split {
		return
	}
	n.split = true
	starts := w.t.patterns.starts[w.level]
	at, end := 0, len(n.flock.ids)
	for a := range n.parts {
		p := part{from: int32(at)}
		for ; at < end && n.flock.ids[at] < starts[a+1]; at++ {
			d := n.flock.d[at]
			p.total += d
			p.negative += min(d, 0)
		}
		p.to = int32(at)
		n.parts[a] = p
	}
}

// Down enters child i if its bound is at most limit.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	n, child := w.node(), &w.nodes[w.level+1]
	w.split(n)
	child.settled = n.settled + w.t.tolls[w.level][i]
	child.option = i
	child.rest = n.rest - min(i, 1)
	child.split = false
	child.flock.clear()
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
	if child.rest == 0 || w.level+1 == len(w.t.order) {
		child.bound = child.settled + w.t.stop[w.level+1] + sum.total
	} else {
		child.bound = child.settled + sum.negative
		if child.bound <= limit {
			w.merge(n, child, test)
			child.bound = child.settled + child.flock.negative()
		}
	}
	if child.bound > limit {
		return child.bound, false
	}
	w.level++
	return child.bound, true
}

// merge fills the flock of a child: the atoms of its test, or all.
func (w *walker) merge(n, child *node, test []uint16) {
	next := w.t.patterns.next[w.level]
	switch {
	case len(test) == 1:
		p := n.parts[test[0]]
		n.flock.slice(p.from, p.to).lower(next, &child.flock)
		return
	case test == nil:
		w.merger.add(n.flock, next)
	default:
		for _, a := range test {
			w.merger.add(n.flock.slice(n.parts[a].from, n.parts[a].to), next)
		}
	}
	w.merger.drain(&child.flock)
}

// Up returns to the parent.
func (w *walker) Up() { w.level-- }

// Hypothesis returns the formula of a leaf.
func (w *walker) Hypothesis() Formula {
	h := Formula{make([]int, len(w.t.order))}
	for level := range w.level {
		h.Tests[w.t.order[level]] = w.nodes[level+1].option
	}
	return h
}
