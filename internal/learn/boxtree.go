package learn

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A boxTree is the search tree (class.Tree) over the integer weight vectors of a box. Each node
// splits its box into two along one axis. The leaves are boxes with a single point.
type boxTree struct {
	space  BoxSpace
	points []boxPoint
	rows   int64
	lambda float64 // approximate rate, used only by the search for tangents
}

// A boxPoint is a distinct feature vector of the table. It holds the non-zero features (the array
// x) with their columns, and the number of rows with this vector for each label.
type boxPoint struct {
	column []int
	x      []int64
	count  [2]int64
}

func newBoxTree(s BoxSpace, d []Example[[]int64], lambda float64) *boxTree {
	t := &boxTree{space: s, lambda: lambda}
	number := map[string]int{}
	for _, e := range d {
		p := s.point(e.X)
		var key []byte
		for i, j := range p.column {
			key = binary.AppendVarint(binary.AppendVarint(key, int64(j)), p.x[i])
		}
		i, known := number[string(key)]
		if !known {
			i = len(t.points)
			number[string(key)] = i
			t.points = append(t.points, p)
		}
		label := 0
		if e.Label {
			label = 1
		}
		t.points[i].count[label] += e.Count
		t.rows += e.Count
	}
	return t
}

// score returns the score of point p: the inner product of the weights w and the features of p.
func (p *boxPoint) score(w []float64) (s float64) {
	for i, j := range p.column {
		s += w[j] * float64(p.x[i])
	}
	return s
}

// point returns the boxPoint of an example, without its counts. It clips the features to the limits
// Feature and Norm of the space.
func (s BoxSpace) point(features []int64) (p boxPoint) {
	left := s.Norm
	if left == 0 {
		left = math.MaxInt64
	}
	for j, v := range features[:min(len(features), s.Dim)] {
		most := min(s.Feature, left)
		if v = min(max(v, -most), most); v != 0 {
			left -= max(v, -v)
			p.column = append(p.column, j)
			p.x = append(p.x, v)
		}
	}
	return p
}

// cost returns the cost of the weights w on the table: the loss plus the ridge penalty.
func (t *boxTree) cost(w []int64) (cost int64) {
	loss, zero := t.space.Loss, len(t.space.Loss)/2
	for _, p := range t.points {
		s := 0
		for i, j := range p.column {
			s += int(w[j] * p.x[i])
		}
		cost += p.count[1]*loss[zero+s] + p.count[0]*loss[zero-s]
	}
	for _, v := range w {
		cost += t.space.Ridge * v * v
	}
	return cost
}

func (t *boxTree) Plan() []int { return nil }

// Ceiling returns an upper bound on the cost of every weight vector in the box.
func (t *boxTree) Ceiling() int64 {
	most := int64(0)
	for _, v := range t.space.Loss {
		most = max(most, v)
	}
	return t.rows*most + t.space.ceiling()
}

// Incumbent returns weights with a low cost, and this cost. It finds them by coordinate descent with decreasing
// step lengths. The descent starts from the approximate minimum over all real weights, rounded to integers.
func (t *boxTree) Incumbent() ([]int64, int64) {
	w := make([]int64, t.space.Dim)
	for j, v := range t.root().tangent.at {
		w[j] = int64(math.Round(v))
	}
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
	return &boxWalker{tree: t, path: []*boxNode{t.root()}}
}

// A boxNode is a node of the search tree: the box of the integer points from lo to hi.
type boxNode struct {
	lo, hi  []int64
	leaves  *big.Int
	bound   int64
	low     int64 // the bound of the tangent
	tangent *tangent
	axis    int   // the axis along which the node is split
	cut     int64 // the last coordinate, along this axis, of the first part
	child   [2]*boxNode
}

func (t *boxTree) root() *boxNode {
	n := &boxNode{lo: make([]int64, t.space.Dim), hi: make([]int64, t.space.Dim)}
	for j := range n.lo {
		n.lo[j], n.hi[j] = -t.space.Weight, t.space.Weight
	}
	n.leaves = volume(n.lo, n.hi)
	flat := make([]float64, t.space.Dim)
	n.tangent = t.touch(n.lo, n.hi, &tangent{at: flat, bend: flat})
	n.low = n.tangent.least(t.space.Ridge, n.lo, n.hi)
	n.bound = n.low
	n.choose()
	return n
}

func volume(lo, hi []int64) *big.Int {
	n := big.NewInt(1)
	for j := range lo {
		if hi[j] > lo[j] {
			n.Mul(n, big.NewInt(hi[j]-lo[j]+1))
		}
	}
	return n
}

// choose sets the axis and the cut at which the box of node n is split into two parts. It chooses
// the axis with the greatest product of the curvature of the cost and the squared width of the box.
// The cut is as near as possible to the point of the tangent, but leaves each part at least about a
// quarter of the width.
func (n *boxNode) choose() {
	most := math.Inf(-1)
	for j, lo := range n.lo {
		width := float64(n.hi[j] - lo)
		if v := n.tangent.bend[j] * width * width; width > 0 && v > most {
			most, n.axis = v, j
		}
	}
	lo, hi := n.lo[n.axis], n.hi[n.axis]
	quarter := (hi - lo) / 4
	n.cut = min(max(int64(math.Floor(n.tangent.at[n.axis])), lo+quarter), hi-1-quarter)
}

// side returns the range lo..hi of child i, 0 or 1, along the axis at which the box of node n is
// cut.
func (n *boxNode) side(i int) (lo, hi int64) {
	if i == 0 {
		return n.lo[n.axis], n.cut
	}
	return n.cut + 1, n.hi[n.axis]
}

func (n *boxNode) leavesOf(i int) *big.Int {
	lo, hi := n.side(i)
	leaves := new(big.Int).Mul(n.leaves, big.NewInt(hi-lo+1))
	return leaves.Quo(leaves, big.NewInt(n.hi[n.axis]-n.lo[n.axis]+1))
}

// quick returns a lower bound on the cost in child i of node n. It computes the bound from the
// tangent of n, without the data.
func (n *boxNode) quick(i int, ridge int64) int64 {
	lo, hi := n.side(i)
	slope := n.tangent.slopes[n.axis]
	return max(n.bound, n.low+leastParabola(slope, ridge, lo, hi)-leastParabola(slope, ridge, n.lo[n.axis], n.hi[n.axis]))
}

// part returns child i of node n. The parameter bound is a lower bound on the cost in the child
// that is already known.
func (t *boxTree) part(n *boxNode, i int, bound int64) *boxNode {
	h := &boxNode{lo: slices.Clone(n.lo), hi: slices.Clone(n.hi), leaves: n.leavesOf(i), bound: bound, tangent: n.tangent}
	h.lo[n.axis], h.hi[n.axis] = n.side(i)
	if h.single() {
		h.bound = t.cost(h.lo)
		return h
	}
	if at := h.tangent.at[n.axis]; at < float64(h.lo[n.axis]) || at > float64(h.hi[n.axis]) {
		h.tangent = t.touch(h.lo, h.hi, n.tangent)
	}
	h.low = h.tangent.least(t.space.Ridge, h.lo, h.hi)
	h.bound = max(h.bound, h.low)
	h.choose()
	return h
}

func (n *boxNode) single() bool { return n.leaves.IsInt64() && n.leaves.Int64() == 1 }

// A boxWalker traverses a boxTree. It caches the nodes that it computes, up to a maximum number of
// nodes. A node is a function of its path only, so the cache does not change any result.
type boxWalker struct {
	class.NoMass[[]int64]
	tree *boxTree
	path []*boxNode // nodes from the root to the current one
	kept int
}

// mostKept limits the cache of nodes to about 50 MB: the number of cached nodes times the number of
// weights is at most mostKept.
const mostKept = 1 << 20

func (w *boxWalker) node() *boxNode { return w.path[len(w.path)-1] }

func (w *boxWalker) Children() int {
	if w.node().single() {
		return 0
	}
	return 2
}

func (w *boxWalker) Leaves() *big.Int           { return w.node().leaves }
func (w *boxWalker) ChildLeaves(i int) *big.Int { return w.node().leavesOf(i) }
func (w *boxWalker) Share(i int) class.Upper    { return class.Ratio(w.ChildLeaves(i), w.Leaves()) }
func (w *boxWalker) Bound() int64               { return w.node().bound }
func (w *boxWalker) Exact() bool                { return w.node().single() }
func (w *boxWalker) Up()                        { w.path = w.path[:len(w.path)-1] }
func (w *boxWalker) Hypothesis() []int64        { return append([]int64(nil), w.node().lo...) }

func (w *boxWalker) Down(i int, limit int64) (int64, bool) {
	parent := w.node()
	bound := parent.quick(i, w.tree.space.Ridge)
	if bound > limit {
		return bound, false
	}
	child := parent.child[i]
	if child == nil {
		child = w.tree.part(parent, i, bound)
		if w.kept < mostKept/len(child.lo) {
			parent.child[i] = child
			w.kept++
		}
	}
	if child.bound > limit {
		return child.bound, false
	}
	w.path = append(w.path, child)
	return child.bound, true
}
