package mip

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// Slack is by how much the lower bound that a solver reports may exceed the
// true one: costs are integers, so a bound less Slack is rounded up to the next
// integer.
const Slack = 0.25

// Why an answer is not taken. What is wrong with it depends on private records,
// so no number is told.
var (
	errLarge  = errors.New("the problem has numbers above 2^31")
	errStatus = errors.New("no optimum is stated")
	errFormat = errors.New("the answer cannot be read")
	errPoint  = errors.New("the point is no halfspace of the class")
	errBound  = errors.New("the bound is not the cost of the point")
)

// A Solver solves integer programs: CBC or HiGHS.
type Solver interface {
	// String names the solver.
	String() string
	// solve returns an optimal point, or an error where the solver does not
	// state that it has found one; nodes limits its search, 0 does not.
	solve(ctx context.Context, p *program, nodes int64) (answer, error)
}

// An answer is what a solver found.
type answer struct {
	point []float64 // of each variable
	bound float64   // on the objective, from below
}

// New returns the oracle that asks the solver. It is Certifiable: it gives an
// answer only where the exact cost of what the solver found is the bound that
// the solver reports, rounded up after Slack is taken off. A budget's nodes are
// the solver's.
//
// That bound comes from floating-point arithmetic, which nothing checks; the
// oracle is oracle.Floating. It also fails, with oracle.ErrFail, on numbers
// above 2^31 in costs or weighted sums, which solvers cannot tell apart well.
func New(c *numeric.Class, s Solver) oracle.Minimizer[[]int64, numeric.Halfspace] {
	return &minimizer{c, s}
}

type minimizer struct {
	class  *numeric.Class
	solver Solver
}

func (m *minimizer) Class() class.Class[[]int64, numeric.Halfspace] { return m.class }

func (m *minimizer) Kind() oracle.Kind { return oracle.Certifiable }

// FloatBound says that answers rest on a bound found in floating point.
func (m *minimizer) FloatBound() bool { return true }

func (m *minimizer) Minimize(ctx context.Context, p class.Problem[[]int64], b oracle.Budget) (oracle.Solution[numeric.Halfspace], error) {
	var none oracle.Solution[numeric.Halfspace]
	if _, ok := m.class.Spread(p); !ok {
		return none, class.ErrRange
	}
	fail := func(why error) (oracle.Solution[numeric.Halfspace], error) {
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		return none, fmt.Errorf("%w: %v: %w", oracle.ErrFail, m.solver, why)
	}
	f, ok := formulate(m.class, p)
	if !ok {
		return fail(errLarge)
	}
	a, err := m.solver.solve(ctx, &f.program, b.Nodes)
	if err != nil {
		return fail(err)
	}
	h, ok := f.halfspace(a.point)
	if !ok {
		return fail(errPoint)
	}
	cost := class.Cost(m.class, p, h)
	if least := math.Ceil(a.bound - Slack); !(math.Abs(least) <= 2*mostNumber) || f.constant+int64(least) != cost {
		return fail(errBound)
	}
	return oracle.Solution[numeric.Halfspace]{Hypothesis: h, Cost: cost}, nil
}

var _ oracle.Floating = (*minimizer)(nil)
