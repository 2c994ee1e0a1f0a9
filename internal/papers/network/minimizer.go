package network

import (
	"context"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// An Encoding represents the optimization problems of a class as networks.
type Encoding[X, H any] interface {
	// Class returns the class whose problems are encoded.
	Class() class.Class[X, H]
	// Encode returns the network of p. The problem p must be one for which the class's Tree returns
	// no error.
	Encode(p class.Problem[X]) *Network
	// Decode returns the hypothesis that a valid assignment of a network from Encode represents. If
	// the assignment is forbidden, the hypothesis need not be in the class.
	Decode(assignment []int) H
}

// A Solver finds assignments of minimum cost for networks.
type Solver interface {
	// Solve returns an allowed assignment and its cost, which the solver claims to be the least
	// cost of all allowed assignments. The caller guarantees that some allowed assignment costs at
	// most incumbent. Solve fails with oracle.ErrFail or with the context's error.
	Solve(ctx context.Context, n *Network, incumbent int64, b oracle.Budget) (assignment []int, cost int64, err error)
}

// New returns an oracle that encodes problems as networks by the encoding e and solves the networks by the solver s.
// The kind of the oracle is Certifiable: it verifies the cost of the solver's assignment, but relies on the solver's
// claim that no assignment has a smaller cost.
func New[X, H any](e Encoding[X, H], s Solver) oracle.Minimizer[X, H] {
	return &minimizer[X, H]{e, s}
}

type minimizer[X, H any] struct {
	encoding Encoding[X, H]
	solver   Solver
}

func (m *minimizer[X, H]) Class() class.Class[X, H] { return m.encoding.Class() }

func (m *minimizer[X, H]) Kind() oracle.Kind { return oracle.Certifiable }

// Minimize encodes the problem, solves the network and decodes the answer. It gives the solver an upper bound on the
// least cost: the cost of the incumbent of the class's search tree.
func (m *minimizer[X, H]) Minimize(ctx context.Context, p class.Problem[X], b oracle.Budget) (oracle.Solution[H], error) {
	var none oracle.Solution[H]
	if err := ctx.Err(); err != nil {
		return none, err
	}
	tree, err := m.Class().Tree(p)
	if err != nil {
		return none, err
	}
	_, incumbent := tree.Incumbent()
	n := m.encoding.Encode(p)
	assignment, claimed, err := m.solver.Solve(ctx, n, incumbent, b)
	if err != nil {
		return none, err
	}
	if !n.Valid(assignment) {
		return none, fmt.Errorf("%w: the solver's answer is not an assignment of values to all variables", oracle.ErrFail)
	}
	h := m.encoding.Decode(assignment)
	if !m.Class().Contains(h) {
		return none, fmt.Errorf("%w: the solver's answer is a hypothesis that is not in the class", oracle.ErrFail)
	}
	if cost := class.Cost(m.Class(), p, h); cost != claimed || cost > incumbent {
		return none, fmt.Errorf("%w: the cost of the solver's answer differs from the cost that the solver claims", oracle.ErrFail)
	}
	return oracle.Solution[H]{Hypothesis: h, Cost: claimed}, nil
}
