package dual

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the search tree of one problem (class.Tree). Each level decides the category of one attribute.
type tree[H any] struct {
	class     *Class[H]
	points    []point[H]
	order     []int         // the attribute that is decided at each depth
	prices    [][]int64     // the prices that Class.Prices returns
	base      int64         // the smaller cost of each point and the least cost of a category of each attribute, added up
	bound     int64         // the bound of the root
	open      []int32       // the points whose label is unknown at the root
	ceiling   int64         // an upper bound on the cost of every record
	leaves    []*big.Int    // for each depth, the number of leaves below a node of this depth
	shares    []class.Upper // for each depth, the fraction of a node's leaves that are below one child
	priced    []bool        // for each depth, whether categories of an attribute that is decided there or below differ in price
	incumbent []uint16
	cost      int64 // the cost of the incumbent
}

// A point is a hypothesis h of the primal class, with the additional cost of each prediction: over[l] is the cost of
// the prediction l minus the smaller of both costs. So exactly one of over[0] and over[1] is 0.
type point[H any] struct {
	h    H
	over [2]int64
}

func (p *point[H]) weight() int64 { return max(p.over[0], p.over[1]) }

// gather returns the given points whose two costs differ, in decreasing order of weight (the difference of the
// costs). The result least is the sum of the smaller costs of all given points. gather does not merge equal
// hypotheses, since H need not be comparable.
func gather[H any](in []class.Point[H]) (points []point[H], least int64) {
	for _, pt := range in {
		cheaper := min(pt.Cost[0], pt.Cost[1])
		least += cheaper
		if pt.Cost[0] != pt.Cost[1] {
			points = append(points, point[H]{pt.X, [2]int64{pt.Cost[0] - cheaper, pt.Cost[1] - cheaper}})
		}
	}
	slices.SortStableFunc(points, func(p, q point[H]) int { return cmp.Compare(q.weight(), p.weight()) })
	return points, least
}

// Tree returns the search tree of the problem p. Its running time is proportional to the number of points times the
// number of attributes times the number of categories. Most of this time is spent on choosing the order of the
// attributes (arrange).
func (c *Class[H]) Tree(p class.Problem[H]) (class.Tree[[]uint16], error) {
	if _, ok := p.Range(); !ok {
		return nil, class.ErrRange
	}
	t := &tree[H]{class: c}
	points, least := gather(p.Points)
	prices, cheapest := c.Prices(p.Terms)
	t.points, t.prices, t.base = points, prices, least+cheapest
	t.ceiling = t.base
	for i := range points {
		t.ceiling += points[i].weight()
	}
	for j := range prices {
		t.ceiling += slices.Max(prices[j])
	}
	t.incumbent, t.cost = t.descend()
	t.order = t.arrange()
	t.prepareRoot()
	return t, nil
}

// prepareRoot computes the lower bound of the root, the points whose labels are unknown there, and the values that
// all nodes of the same depth share.
func (t *tree[H]) prepareRoot() {
	d := len(t.order)
	t.leaves, t.shares, t.priced = make([]*big.Int, d+1), make([]class.Upper, d), make([]bool, d+1)
	t.leaves[d] = big.NewInt(1)
	for depth := d - 1; depth >= 0; depth-- {
		n := t.class.sizes[t.order[depth]]
		t.leaves[depth] = new(big.Int).Mul(t.leaves[depth+1], big.NewInt(int64(n)))
		t.shares[depth] = class.Quotient(1, uint64(n))
		t.priced[depth] = t.priced[depth+1] || slices.Max(t.prices[t.order[depth]]) > 0
	}
	t.bound = t.base
	x, known := make([]uint16, d), make([]bool, d)
	for i := range t.points {
		if label, ok := class.PredictPartial(t.class.primal, t.points[i].h, x, known); ok {
			t.bound += t.points[i].over[costIndex(label)]
		} else {
			t.open = append(t.open, int32(i))
		}
	}
}

// Layout returns an upper bound on the memory of the search tree for the given number of points: the memory for the
// points with unknown labels at each depth, and for the costs of the categories.
func (c *Class[H]) Layout(records int64) class.Layout {
	categories := int64(0)
	for _, n := range c.sizes {
		categories += int64(n)
	}
	cells := class.Sum(class.Product(records, int64(len(c.sizes)+1)), categories)
	return class.Layout{Cells: cells, Bytes: class.Product(16, cells)}
}

// Plan returns the order in which the levels of the search tree decide the attributes of a record.
func (t *tree[H]) Plan() []int { return t.order }

// Incumbent returns the record that coordinate descent found, and its cost. A search starts with it as its best
// solution.
func (t *tree[H]) Incumbent() ([]uint16, int64) { return slices.Clone(t.incumbent), t.cost }

// Ceiling returns an upper bound on the cost of every record, a hypothesis of the dual class.
func (t *tree[H]) Ceiling() int64 { return t.ceiling }

// Walker returns a walker at the root, with which a search moves through the tree.
func (t *tree[H]) Walker() class.Walker[[]uint16] {
	d := len(t.order)
	w := &walker[H]{t: t, x: make([]uint16, d), known: make([]bool, d), bounds: make([]int64, d+1), open: make([][]int32, d+1)}
	w.bounds[0], w.open[0] = t.bound, t.open
	return w
}

// costIndex returns the index of the label in point.over.
func costIndex(label bool) int {
	if label {
		return 1
	}
	return 0
}

// A walker moves through a tree (class.Walker). Its current node represents all records that agree with x in the
// attributes decided so far.
type walker[H any] struct {
	class.NoMass[[]uint16]
	t      *tree[H]
	depth  int
	x      []uint16
	known  []bool
	bounds []int64   // the bound at each depth
	open   [][]int32 // at each depth, the points whose label is unknown
}

// Children returns the number of children of the current node of the search tree: one for each category of the next
// attribute.
func (w *walker[H]) Children() int {
	if w.depth == len(w.t.order) {
		return 0
	}
	return w.t.class.sizes[w.t.order[w.depth]]
}

func (w *walker[H]) Leaves() *big.Int         { return w.t.leaves[w.depth] }
func (w *walker[H]) ChildLeaves(int) *big.Int { return w.t.leaves[w.depth+1] }
func (w *walker[H]) Share(int) class.Upper    { return w.t.shares[w.depth] }
func (w *walker[H]) Bound() int64             { return w.bounds[w.depth] }

// Exact reports whether all records below the current node have the same cost. This is true if every label is known
// and no undecided attribute has categories of different costs.
func (w *walker[H]) Exact() bool { return len(w.open[w.depth]) == 0 && !w.t.priced[w.depth] }

// Down moves to child i: it sets the next attribute to category i and updates the unknown labels. It returns the
// lower bound of the child. If this bound exceeds the limit, Down does not move and returns false.
func (w *walker[H]) Down(i int, limit int64) (int64, bool) {
	j := w.t.order[w.depth]
	bound := w.bounds[w.depth] + w.t.prices[j][i]
	if bound > limit {
		return bound, false
	}
	w.x[j], w.known[j] = uint16(i), true
	open := w.open[w.depth+1][:0]
	for _, at := range w.open[w.depth] {
		pt := &w.t.points[at]
		label, ok := class.PredictPartial(w.t.class.primal, pt.h, w.x, w.known)
		if !ok {
			open = append(open, at)
			continue
		}
		bound += pt.over[costIndex(label)]
		if bound > limit {
			break
		}
	}
	w.open[w.depth+1] = open
	if bound > limit {
		w.x[j], w.known[j] = 0, false
		return bound, false
	}
	w.depth++
	w.bounds[w.depth] = bound
	return bound, true
}

// Up moves to the parent of the current node of the search tree.
func (w *walker[H]) Up() {
	w.depth--
	j := w.t.order[w.depth]
	w.x[j], w.known[j] = 0, false
}

// Hypothesis returns the record at the current node, which must be a leaf of the search tree.
func (w *walker[H]) Hypothesis() []uint16 { return slices.Clone(w.x) }
