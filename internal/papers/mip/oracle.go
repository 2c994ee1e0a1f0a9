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

// Slack is the maximum error that the oracle tolerates in a solver's lower bound. The oracle subtracts Slack from the
// bound and rounds the result up to an integer, since costs are integers.
const Slack = 0.25

// These errors are the reasons for which the oracle fails. They contain no numbers of the problem, since these depend
// on private records.
var (
	errLarge  = errors.New("the numbers of the problem exceed 2^31, the limit for reliable solutions")
	errStatus = errors.New("the solver does not report an optimum")
	errFormat = errors.New("the solver's output is malformed")
	errPoint  = errors.New("the solver's weights do not form a halfspace of the class")
	errBound  = errors.New("the solver's lower bound differs from the exact cost of its weights")
)

// A Solver solves integer programs. CBC and HiGHS are solvers.
type Solver interface {
	// String returns the name of the solver.
	String() string
	// solve returns the point that the solver reports as optimal for p, with the solver's lower
	// bound. It returns an error if the solver reports no optimum. The parameter nodes limits the
	// number of search nodes of the solver; 0 means no limit.
	solve(ctx context.Context, p *program, nodes int64) (answer, error)
}

// An answer is the point that a solver reports as optimal.
type answer struct {
	point []float64 // the value of each variable
	bound float64   // a lower bound on the objective
}

// New returns an oracle for the class c that uses the solver s. Budget.Nodes limits the search nodes of the solver.
//
// The kind of the oracle is Certifiable. The oracle computes the exact cost of the halfspace that the solver returns.
// It returns this halfspace only if the cost equals the solver's lower bound, reduced by Slack and rounded up to an
// integer. The solver computes the bound in floating point, and nothing verifies it, so the oracle implements
// oracle.Floating.
//
// The oracle returns oracle.ErrFail if costs or weighted sums exceed 2^31, since solvers are unreliable for larger
// numbers.
func New(c *numeric.Class, s Solver) oracle.Minimizer[[]int64, numeric.Halfspace] {
	return &minimizer{c, s}
}

type minimizer struct {
	class  *numeric.Class
	solver Solver
}

func (m *minimizer) Class() class.Class[[]int64, numeric.Halfspace] { return m.class }

func (m *minimizer) Kind() oracle.Kind { return oracle.Certifiable }

// FloatBound returns true, because answers rely on a lower bound that is computed in floating point.
func (m *minimizer) FloatBound() bool { return true }

func (m *minimizer) Minimize(ctx context.Context, p class.Problem[[]int64], b oracle.Budget) (oracle.Solution[numeric.Halfspace], error) {
	var none oracle.Solution[numeric.Halfspace]
	if _, ok := m.class.Spread(p); !ok {
		return none, class.ErrRange
	}
	fail := func(why error) (oracle.Solution[numeric.Halfspace], error) {
		return none, oracle.Failure(ctx, fmt.Errorf("%v: %w", m.solver, why))
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
