package search_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/search"
)

// Minimize visits the children of the nodes whose bound is less than the best cost so far. It needs as many
// nodes as it reports, and it returns a certificate only on request.
func TestMinimizeVisits(t *testing.T) {
	tree := &explicitTree{costs: []int64{10}, root: node(0,
		node(3, leaf(9), leaf(5)), // both leaves lower the best cost
		leaf(7),
		node(4, leaf(4), leaf(6)), // the second leaf is refused
		node(4, leaf(8)),          // the best cost is equal to the bound
	)}
	const nodes = 8 // four children of the root, and four leaves of the two nodes that are entered
	for budget := int64(-1); budget < nodes+3; budget++ {
		s, err := search.Minimize(context.Background(), tree, search.Options{Nodes: budget})
		if 0 < budget && budget < nodes {
			if !errors.Is(err, search.ErrBudget) || s != (search.Solution[int]{}) {
				t.Errorf("with %d nodes: %+v, %v", budget, s, err)
			}
		} else if err != nil || s != (search.Solution[int]{Cost: 4, Nodes: nodes}) {
			t.Errorf("with %d nodes: %+v, %v", budget, s, err)
		}
	}
}

// A certificate has a bit for the root and for each visited node, in order. It is 1 if the node is split.
func TestMinimizeCertifies(t *testing.T) {
	tree := &explicitTree{costs: []int64{10}, root: node(0, node(3, leaf(9), leaf(5)), leaf(7), node(4, leaf(4), leaf(6)), node(4, leaf(8)))}
	s, err := search.Minimize(context.Background(), tree, search.Options{Certify: true})
	if c := s.Certificate; err != nil || c.Cost != 4 || c.Nodes != 9 || len(c.Bits) != 2 || c.Bits[0] != 0b100011 || c.Bits[1] != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Minimize visits no node if the incumbent costs as much as the bound of the root.
func TestMinimizeIncumbent(t *testing.T) {
	tree := &explicitTree{costs: []int64{3}, root: node(3, leaf(3), leaf(4))}
	s, err := search.Minimize(context.Background(), tree, search.Options{Certify: true})
	if err != nil || s.Nodes != 0 || s.Cost != 3 || s.Certificate.Nodes != 1 || s.Certificate.Bits[0] != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Minimize asks for the error of the context once in 4096 nodes, and the search continues if there is none.
func TestMinimizeHeedsContext(t *testing.T) {
	tree := &explicitTree{costs: []int64{10}, root: node(0, row(10_000, func(i int64) *explicit { return leaf(9 - i/9999) })...)}
	const calls = 1 << 20
	ctx := &patience{t.Context(), calls}
	if s, err := search.Minimize(ctx, tree, search.Options{}); err != nil || s.Cost != 8 || ctx.left != calls-2 {
		t.Errorf("cost %d, %v, %d calls", s.Cost, err, calls-ctx.left)
	}
	for left := range 2 {
		ctx := &patience{t.Context(), left}
		if s, err := search.Minimize(ctx, tree, search.Options{}); !errors.Is(err, context.Canceled) || s != (search.Solution[int]{}) {
			t.Errorf("a context that ends at call %d: %+v, %v", left+1, s, err)
		}
	}
}

// Within yields a tree of one hypothesis if its cost is at most the limit.
func TestWithinOneHypothesis(t *testing.T) {
	tree := &explicitTree{costs: []int64{5}, root: leaf(5)}
	for limit := int64(math.MinInt64); limit < 7; limit = max(limit+1, 3) {
		found := 0
		if err := search.Within(context.Background(), tree, limit, func(int) { found++ }); err != nil || found != map[bool]int{true: 1}[limit >= 5] {
			t.Errorf("limit %d: %d hypotheses, %v", limit, found, err)
		}
	}
}
