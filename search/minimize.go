package search

import (
	"context"
	"errors"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// ErrBudget reports that a search reached its maximum number of nodes without a proof.
var ErrBudget = errors.New("search: the node budget ran out before the minimum was proved")

// Options are parameters of Minimize. The zero value sets no limit and requests no certificate.
type Options struct {
	// Nodes is the maximum number of nodes to visit; 0 means no limit. It is a count, not a time,
	// so that the result does not depend on the machine.
	Nodes int64
	// Certify requests a certificate, which proves that the cost of the solution is the minimum.
	Certify bool
}

// A Solution is a hypothesis with a proof that no hypothesis of the class has a lower cost.
type Solution[H any] struct {
	Hypothesis  H
	Cost        int64
	Nodes       int64        // number of visited nodes, which is private
	Certificate *Certificate // nil unless requested
}

// Minimize finds a hypothesis of minimum cost by depth-first branch and bound, starting from the tree's
// incumbent. If several hypotheses have minimum cost, it may return any of them. It fails with ErrBudget
// or the context's error, and then returns no solution.
func Minimize[H any](ctx context.Context, t class.Tree[H], o Options) (Solution[H], error) {
	s := &minimizer[H]{ctx: ctx, w: t.Walker(), budget: o.Nodes}
	s.best.Hypothesis, s.best.Cost = t.Incumbent()
	if s.budget <= 0 {
		s.budget = math.MaxInt64
	}
	if o.Certify {
		s.cover = new(cover)
	}
	expand := s.w.Bound() < s.best.Cost
	s.cover.mark(expand)
	if expand {
		if err := s.visit(); err != nil {
			return Solution[H]{}, err
		}
	}
	s.best.Nodes = s.nodes
	if o.Certify {
		s.best.Certificate = s.cover.certificate(s.best.Cost, t.Plan())
	}
	return s.best, nil
}

type minimizer[H any] struct {
	ctx    context.Context
	w      class.Walker[H]
	best   Solution[H]
	nodes  int64
	budget int64
	cover  *cover
}

// visit searches below the walker's node, whose bound is less than the best cost.
func (s *minimizer[H]) visit() error {
	if s.w.Exact() {
		// Every leaf below has this cost, so the node is closed in the certificate.
		cost := s.w.Bound()
		depth := 0
		for s.w.Children() > 0 {
			s.w.Down(0, cost)
			depth++
		}
		s.best.Hypothesis, s.best.Cost = s.w.Hypothesis(), cost
		for range depth {
			s.w.Up()
		}
		return nil
	}
	for i := range s.w.Children() {
		if s.nodes >= s.budget {
			return ErrBudget
		}
		s.nodes++
		if s.nodes&0xfff == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		_, entered := s.w.Down(i, s.best.Cost-1)
		expand := entered && !s.w.Exact()
		s.cover.mark(expand)
		if !entered {
			continue
		}
		err := s.visit()
		s.w.Up()
		if err != nil {
			return err
		}
	}
	return nil
}
