package search_test

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// An explicit is a node of an explicitly stored tree.
type explicit struct {
	children []*explicit
	id       int   // at a leaf, the number of the hypothesis
	bound    int64 // at a leaf, the cost
	leaves   int64
	share    class.Upper // an upper bound on the fraction of the parent's leaves
}

// explicitTree implements class.Tree for an explicit root.
type explicitTree struct {
	root      *explicit
	costs     []int64
	incumbent int
}

// grow builds a random tree over hypotheses with the given costs, which are numbered from id. The bound
// of a node is the least cost below it minus a random slack, but at least the bound of the parent.
func grow(rng *rand.Rand, costs []int64, id int, floor int64, slack int) *explicit {
	n := &explicit{id: id, leaves: int64(len(costs))}
	if len(costs) == 1 && rng.IntN(4) > 0 {
		n.bound = costs[0]
		return n
	}
	n.bound = max(floor, slices.Min(costs)-int64(rng.IntN(slack+1)))
	for len(costs) > 0 {
		k := 1 + rng.IntN(len(costs))
		child := grow(rng, costs[:k], id, n.bound, slack)
		child.share = class.Quotient(uint64(child.leaves), uint64(n.leaves))
		n.children = append(n.children, child)
		costs, id = costs[k:], id+k
	}
	return n
}

func newExplicit(seed uint64, hypotheses, spread, slack int) *explicitTree {
	rng := rand.New(rand.NewPCG(seed, 0))
	costs := make([]int64, hypotheses)
	for i := range costs {
		costs[i] = int64(rng.IntN(spread)) - 5
	}
	return &explicitTree{grow(rng, costs, 0, -1000, slack), costs, rng.IntN(hypotheses)}
}

func (t *explicitTree) Walker() class.Walker[int] { return &explicitWalker{path: []*explicit{t.root}} }
func (t *explicitTree) Plan() []int               { return nil }
func (t *explicitTree) Incumbent() (int, int64)   { return t.incumbent, t.costs[t.incumbent] }
func (t *explicitTree) Ceiling() int64            { return slices.Max(t.costs) }

type explicitWalker struct {
	class.NoMass[int]
	path []*explicit
}

func (w *explicitWalker) at() *explicit              { return w.path[len(w.path)-1] }
func (w *explicitWalker) Children() int              { return len(w.at().children) }
func (w *explicitWalker) Leaves() *big.Int           { return big.NewInt(w.at().leaves) }
func (w *explicitWalker) ChildLeaves(i int) *big.Int { return big.NewInt(w.at().children[i].leaves) }
func (w *explicitWalker) Bound() int64               { return w.at().bound }
func (w *explicitWalker) Exact() bool                { return w.Children() == 0 }
func (w *explicitWalker) Up()                        { w.path = w.path[:len(w.path)-1] }
func (w *explicitWalker) Hypothesis() int            { return w.at().id }

func (w *explicitWalker) Share(i int) class.Upper { return w.at().children[i].share }

// If Down does not enter the child, it returns the least bound that is valid.
func (w *explicitWalker) Down(i int, limit int64) (int64, bool) {
	c := w.at().children[i]
	if c.bound > limit {
		return limit + 1, false
	}
	w.path = append(w.path, c)
	return c.bound, true
}
