// Package oracletest is the test suite for optimization oracles. It compares the answers of an oracle
// with the least cost that enumeration of the class finds.
package oracletest

import (
	"context"
	"errors"
	"math"
	"reflect"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// New is the type of functions that construct the tested oracle for a class.
type New[X, H any] func(class.Enumerable[X, H]) (oracle.Minimizer[X, H], error)

// Run tests the oracle for the class of c on all problems of c.Weird, which are edge cases.
func Run[X, H any](t classtest.T, c classtest.Case[X, H], newOracle New[X, H]) {
	t.Helper()
	Sample(t, c, newOracle, 0, 1)
}

// Sample runs those tests of Run whose index i in the sequence c.Weird(), from 0 on, is such that i - start is a
// multiple of step.
func Sample[X, H any](t classtest.T, c classtest.Case[X, H], newOracle New[X, H], start, step int) {
	t.Helper()
	i := 0
	for name, p := range c.Weird() {
		if (i-start)%step == 0 {
			Problem(t, c, p, newOracle, name)
		}
		i++
	}
}

// Problem tests the oracle for the class of c on the problem p. Failure messages contain name, which
// identifies the problem.
func Problem[X, H any](t classtest.T, c classtest.Case[X, H], p class.Problem[X], newOracle New[X, H], name string) {
	t.Helper()
	o, err := newOracle(c.Class)
	if err != nil {
		t.Fatalf("%v: no oracle: %v", c.Class, err)
	}
	r := &run[X, H]{t: t, c: c, p: p, o: o, name: name}
	if o.Class().String() != c.Class.String() || o.Class().Size().Cmp(c.Class.Size()) != 0 {
		r.failf("the oracle's class is %v", o.Class())
	}
	if _, ok := p.Range(); !ok {
		r.refused(context.Background(), oracle.Budget{}, class.ErrRange)
		return
	}
	r.least = math.MaxInt64
	for h := range c.Class.All() {
		r.least = min(r.least, class.Cost(c.Class, p, h))
	}
	for _, nodes := range []int64{0, 1, 2, 7, 50, 1 << 40} {
		r.answered(oracle.Budget{Nodes: nodes})
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	r.refused(cancelled, oracle.Budget{}, context.Canceled)
}

type run[X, H any] struct {
	t     classtest.T
	c     classtest.Case[X, H]
	p     class.Problem[X]
	o     oracle.Minimizer[X, H]
	name  string
	least int64
}

func (r *run[X, H]) failf(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%v, problem %q: "+format, append([]any{r.c.Class, r.name}, args...)...)
}

// answered calls the oracle with the budget b and checks its answer: it must be a hypothesis of the class with the
// stated cost and, unless the oracle is a heuristic, a minimizer. The oracle may fail only with oracle.ErrFail, and
// only if its kind allows failures.
func (r *run[X, H]) answered(b oracle.Budget) {
	r.t.Helper()
	s, err := r.o.Minimize(context.Background(), r.p, b)
	kind := r.o.Kind().Within(b)
	if err != nil {
		if !errors.Is(err, oracle.ErrFail) || kind == oracle.Exhaustive {
			r.failf("budget %d: %v", b.Nodes, err)
		}
		r.empty(s)
		return
	}
	if !r.c.Class.Contains(s.Hypothesis) {
		r.failf("budget %d: %v is not of the class", b.Nodes, s.Hypothesis)
	}
	if cost := class.Cost(r.c.Class, r.p, s.Hypothesis); cost != s.Cost {
		r.failf("budget %d: %v costs %d, not %d", b.Nodes, s.Hypothesis, cost, s.Cost)
	}
	if kind != oracle.Heuristic && s.Cost != r.least {
		r.failf("budget %d: %v costs %d, the least cost is %d", b.Nodes, s.Hypothesis, s.Cost, r.least)
	}
}

// refused checks that a call of the oracle returns the error want.
func (r *run[X, H]) refused(ctx context.Context, b oracle.Budget, want error) {
	r.t.Helper()
	s, err := r.o.Minimize(ctx, r.p, b)
	if !errors.Is(err, want) {
		r.failf("error %v instead of %v", err, want)
	}
	r.empty(s)
}

// empty checks that the solution s, which the oracle returned together with an error, is the zero value.
func (r *run[X, H]) empty(s oracle.Solution[H]) {
	r.t.Helper()
	if !reflect.ValueOf(s).IsZero() {
		r.failf("failed, and yet answered %v", s)
	}
}
