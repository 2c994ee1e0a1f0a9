package search_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// A counted tree counts the calls of its walker's methods, and stops the test if there are too many.
type counted struct {
	*explicitTree
	t     *testing.T
	asked *int
	most  int
}

type countedWalker struct {
	explicitWalker
	counted
}

func (c counted) Walker() class.Walker[int] {
	return &countedWalker{explicitWalker{path: []*explicit{c.root}}, c}
}

func (c counted) ask() {
	if *c.asked++; *c.asked > c.most {
		c.t.Fatalf("more than %d calls of Down and ChildLeaves", c.most)
	}
}

func (w *countedWalker) Down(i int, limit int64) (int64, bool) {
	w.ask()
	return w.explicitWalker.Down(i, limit)
}

func (w *countedWalker) ChildLeaves(i int) *big.Int {
	w.ask()
	return w.explicitWalker.ChildLeaves(i)
}

// node returns a node with the bound and the children.
func node(bound int64, children ...*explicit) *explicit {
	n := &explicit{bound: bound, children: children}
	for _, c := range children {
		n.leaves += c.leaves
	}
	for _, c := range children {
		c.share = class.Quotient(uint64(c.leaves), uint64(n.leaves))
	}
	return n
}

// row returns n nodes.
func row(n int, make func(i int64) *explicit) (out []*explicit) {
	for i := range n {
		out = append(out, make(int64(i)))
	}
	return out
}

func leaf(cost int64) *explicit { return &explicit{bound: cost, leaves: 1} }

// The number of visited nodes is at most a constant multiple of the number of necessary ones, for any
// rate, costs and sizes of nodes. This holds even if walks often find a cheaper hypothesis or a heavier
// node.
func TestSampleEndsSoon(t *testing.T) {
	const n = 10_000
	deep := node(0, leaf(7), leaf(8))
	for range n {
		deep = node(0, deep)
	}
	for name, v := range map[string]struct {
		root      *explicit
		incumbent int64
		lambda    *big.Rat
		most      int
	}{
		"each leaf better than the one before": {
			node(0, row(n, func(i int64) *explicit { return leaf(n - i) })...), n, big.NewRat(1, n), 5 * n},
		"each node far heavier than the one before": {
			node(-500*n, row(n, func(i int64) *explicit { return leaf((n - i) * 40) })...), 40, big.NewRat(1, 1), 60 * n},
		"costs of 2^60 at a rate of 2^-60": {
			node(0, row(100, func(int64) *explicit {
				return node(0, row(100, func(int64) *explicit { return node(0, leaf(1<<60)) })...)
			})...), 1 << 60, big.NewRat(1, 1<<60), 2_000},
		"much below one node": {
			node(0, node(0, row(n, func(i int64) *explicit { return leaf(3 + i%50) })...), leaf(3)), 3, big.NewRat(2, 1), 40 * n},
		"a chain of nodes": {deep, 7, big.NewRat(5, 1), 40 * n},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			tree := counted{&explicitTree{root: v.root, costs: []int64{v.incumbent}}, t, &asked, v.most}
			if _, _, err := search.SampleEffort(context.Background(), ceilinged{tree}, v.lambda, noise.Insecure(1)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A ceilinged tree returns a ceiling above all 61-bit costs.
type ceilinged struct{ counted }

func (ceilinged) Ceiling() int64 { return 1 << 61 }
