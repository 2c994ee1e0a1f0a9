package learn

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A boxTree is the box of weights, halved along its longest side down to single
// points. It is a class.Tree.
type boxTree struct {
	space  BoxSpace
	points []boxPoint
	rows   int64
}

// A boxPoint is an example turned by its label: its loss is that of the score w·x.
type boxPoint struct {
	x     []int64
	count int64
}

func newBoxTree(s BoxSpace, d []Example[[]int64]) *boxTree {
	t := &boxTree{space: s}
	for _, e := range d {
		x := make([]int64, s.Dim)
		for j := range min(len(e.X), s.Dim) {
			x[j] = min(max(e.X[j], -s.Feature), s.Feature)
			if !e.Label {
				x[j] = -x[j]
			}
		}
		t.points = append(t.points, boxPoint{x, e.Count})
		t.rows += e.Count
	}
	return t
}

// cost returns the loss and the penalty of w.
func (t *boxTree) cost(w []int64) (cost int64) {
	for _, p := range t.points {
		cost += p.count * t.space.Loss[t.place(p, w)]
	}
	for _, v := range w {
		cost += t.space.Ridge * v * v
	}
	return cost
}

// place returns where in the table the score of p is.
func (t *boxTree) place(p boxPoint, w []int64) int64 {
	s := int64(len(t.space.Loss) / 2)
	for j, v := range w {
		s += v * p.x[j]
	}
	return s
}

// bound returns a lower bound on the cost of all points of the box lo..hi, which
// is the cost of a single point: that of the tangent at the middle. A tangent
// slope of a convex table at a score is the difference to the next.
func (t *boxTree) bound(lo, hi []int64) int64 {
	middle := make([]int64, len(lo))
	for j := range lo {
		middle[j] = lo[j] + (hi[j]-lo[j])/2
	}
	bound, slopes := int64(0), make([]int64, len(lo))
	loss := t.space.Loss
	for _, p := range t.points {
		i := t.place(p, middle)
		bound += p.count * loss[i]
		i = min(i, int64(len(loss))-2)
		slope := p.count * (loss[i+1] - loss[i])
		for j, x := range p.x {
			slopes[j] += slope * x
		}
	}
	for j, g := range slopes {
		bound += leastTangent(g, t.space.Ridge, lo[j], hi[j], middle[j])
	}
	return bound
}

// leastTangent returns the least g·(v - m) + r·v² of the integers v in lo..hi.
func leastTangent(g, r, lo, hi, m int64) int64 {
	at := func(v int64) int64 { return g*(v-m) + r*v*v }
	if r == 0 {
		return min(at(lo), at(hi))
	}
	v := -g / (2 * r) // the integers around the vertex are within one of it
	least := at(min(max(v, lo), hi))
	for _, u := range []int64{v - 1, v + 1} {
		least = min(least, at(min(max(u, lo), hi)))
	}
	return least
}

func (t *boxTree) Plan() []int { return nil }

// Ceiling returns an upper bound on every cost.
func (t *boxTree) Ceiling() int64 {
	most := int64(0)
	for _, v := range t.space.Loss {
		most = max(most, v)
	}
	return t.rows*most + t.space.ceiling()
}

// Incumbent descends from 0 along the axes, by ever smaller steps.
func (t *boxTree) Incumbent() ([]int64, int64) {
	w := make([]int64, t.space.Dim)
	cost := t.cost(w)
	for step := t.space.Weight; step > 0; {
		better := false
		for j := range w {
			for _, d := range []int64{-step, step} {
				if v := w[j]; v+d >= -t.space.Weight && v+d <= t.space.Weight {
					w[j] = v + d
					if c := t.cost(w); c < cost {
						cost, better = c, true
						continue
					}
					w[j] = v
				}
			}
		}
		if !better {
			step /= 2
		}
	}
	return w, cost
}

func (t *boxTree) Walker() class.Walker[[]int64] {
	root := boxNode{lo: make([]int64, t.space.Dim), hi: make([]int64, t.space.Dim), leaves: big.NewInt(1)}
	for j := range root.lo {
		root.lo[j], root.hi[j] = -t.space.Weight, t.space.Weight
	}
	root.leaves = volume(root.lo, root.hi)
	root.bound = t.bound(root.lo, root.hi)
	return &boxWalker{tree: t, path: []boxNode{root}}
}

// A boxNode is the box of the points lo..hi.
type boxNode struct {
	lo, hi []int64
	bound  int64
	leaves *big.Int
}

func volume(lo, hi []int64) *big.Int {
	n := big.NewInt(1)
	for j := range lo {
		n.Mul(n, big.NewInt(hi[j]-lo[j]+1))
	}
	return n
}

// half returns half i of the node, without its bound.
func (n boxNode) half(i int) boxNode {
	longest := 0
	for j := range n.lo {
		if n.hi[j]-n.lo[j] > n.hi[longest]-n.lo[longest] {
			longest = j
		}
	}
	middle := n.lo[longest] + (n.hi[longest]-n.lo[longest])/2
	h := boxNode{lo: append([]int64(nil), n.lo...), hi: append([]int64(nil), n.hi...)}
	if i == 0 {
		h.hi[longest] = middle
	} else {
		h.lo[longest] = middle + 1
	}
	h.leaves = volume(h.lo, h.hi)
	return h
}

func (n boxNode) single() bool { return n.leaves.IsInt64() && n.leaves.Int64() == 1 }

// boxWalker is a class.Walker.
type boxWalker struct {
	tree *boxTree
	path []boxNode // from the root
}

func (w *boxWalker) node() *boxNode { return &w.path[len(w.path)-1] }

func (w *boxWalker) Children() int {
	if w.node().single() {
		return 0
	}
	return 2
}

func (w *boxWalker) Leaves() *big.Int           { return w.node().leaves }
func (w *boxWalker) ChildLeaves(i int) *big.Int { return w.node().half(i).leaves }
func (w *boxWalker) Share(i int) uint64         { return class.Share(w.ChildLeaves(i), w.Leaves()) }
func (w *boxWalker) Bound() int64               { return w.node().bound }
func (w *boxWalker) Exact() bool                { return w.node().single() }
func (w *boxWalker) Up()                        { w.path = w.path[:len(w.path)-1] }
func (w *boxWalker) Hypothesis() []int64        { return append([]int64(nil), w.node().lo...) }

func (w *boxWalker) Down(i int, limit int64) (int64, bool) {
	h := w.node().half(i)
	h.bound = max(w.node().bound, w.tree.bound(h.lo, h.hi))
	if h.bound > limit {
		return h.bound, false
	}
	w.path = append(w.path, h)
	return h.bound, true
}
