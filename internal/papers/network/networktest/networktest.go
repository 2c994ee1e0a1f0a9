// Package networktest is the test suite for solvers of cost networks (package network).
package networktest

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/network"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

type record = []uint16

// Scorecards returns a constructor of oracles for classes of scorecards. The oracles use the solver s.
func Scorecards(s network.Solver) oracletest.New[record, scorecard.Card] {
	return func(c class.Enumerable[record, scorecard.Card]) (oracle.Minimizer[record, scorecard.Card], error) {
		return network.New(network.Scorecards(c.(*scorecard.Class)), s), nil
	}
}

// Conjunctions returns a constructor of oracles for classes of conjunctions and disjunctions. The oracles use the
// solver s.
func Conjunctions(s network.Solver) oracletest.New[record, conjunction.Formula] {
	return func(c class.Enumerable[record, conjunction.Formula]) (oracle.Minimizer[record, conjunction.Formula], error) {
		return network.New(network.Conjunctions(c.(*conjunction.Class)), s), nil
	}
}

// Run tests the solver s on small classes of scorecards and conjunctions. The solver must return a minimizer of each
// problem whose range of costs is at most the given number (most), both without a budget and with a large budget.
func Run(t *testing.T, s network.Solver, most int64) {
	t.Run("scorecards", func(t *testing.T) {
		run(t, scorecardtest.Fixed(), scorecardtest.Random, Scorecards(s), most)
	})
	t.Run("conjunctions", func(t *testing.T) {
		run(t, conjunctiontest.Fixed(), conjunctiontest.Random, Conjunctions(s), most)
	})
}

// run tests the oracle o on the fixed classes and on random problems. Calls of solvers are slow, so it makes only a
// part of the tests:
//
//   - It runs the test suite of package oracletest only on the class "all kinds" and on random problems.
//   - On the other classes, it tests only the unusual problems of classtest.Case.Weird. If tests run in full (package
//     heavy), it uses all of them. Otherwise it uses every 30th problem, and different ones for consecutive classes.
func run[H any](t *testing.T, fixed map[string]classtest.Case[record, H], random func(classtest.Draw, int) classtest.Case[record, H], o oracletest.New[record, H], most int64) {
	step := heavy.Pick(30, 1)
	t.Run("suite", func(t *testing.T) { oracletest.Sample(t, fixed["all kinds"], o, 0, step) })
	for k, name := range slices.Sorted(maps.Keys(fixed)) {
		t.Run(name, func(t *testing.T) {
			for problem, p := range fixed[name].Weird() {
				if k++; k%step == 0 {
					answered(t, fixed[name], p, o, most, 0, problem)
				}
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		for seed := range heavy.Pick(1, 20) {
			draw := classtest.FromSeed(seed)
			c := random(draw, 2000)
			p := c.Random(draw)
			oracletest.Problem(t, c, p, o, "random")
			answered(t, c, p, o, most, 1<<40, "random")
		}
	})
}

// answered checks that the oracle, with a budget of the given number of nodes, returns a minimizer of p. It skips
// problems whose range of costs exceeds the given maximum (most).
func answered[H any](t *testing.T, c classtest.Case[record, H], p class.Problem[record], newOracle oracletest.New[record, H], most, nodes int64, name string) {
	t.Helper()
	if bound, ok := p.Range(); !ok || bound > most {
		return
	}
	o, err := newOracle(c.Class)
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.Minimize(context.Background(), p, oracle.Budget{Nodes: nodes})
	if err != nil {
		t.Errorf("%v, problem %q, budget %d: the solver fails: %v", c.Class, name, nodes, err)
	}
	least := int64(math.MaxInt64)
	for h := range c.Class.All() {
		least = min(least, class.Cost(c.Class, p, h))
	}
	if got.Cost != least {
		t.Errorf("%v, problem %q, budget %d: the solver returns the cost %d, but the least cost is %d", c.Class, name, nodes, got.Cost, least)
	}
}

// Misbehaving checks that the solver s, whose program does not behave as it should, returns the error want.
func Misbehaving(t *testing.T, ctx context.Context, s network.Solver, want error) {
	t.Helper()
	c := scorecardtest.Fixed()["signs"]
	p := class.Problem[record]{}
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	o, err := Scorecards(s)(c.Class)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := o.Minimize(ctx, p, oracle.Budget{}); !errors.Is(err, want) {
		t.Errorf("the solver returns the error %v and the answer %v, want the error %v", err, answer, want)
	}
}

// A Starter constructs a solver that runs the given program.
type Starter func(solver.Program) network.Solver

// Script returns a solver that runs a shell script instead of the solver's program.
func (start Starter) Script(t *testing.T, script string) network.Solver {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fake")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return start(solver.Program{Path: path})
}

// Missing checks that a solver whose program does not exist returns oracle.ErrFail and solver.ErrMissing.
func (start Starter) Missing(t *testing.T) {
	s := start(solver.Program{Path: filepath.Join(t.TempDir(), "none")})
	Misbehaving(t, context.Background(), s, oracle.ErrFail)
	Misbehaving(t, context.Background(), s, solver.ErrMissing)
}

// Hangs checks that cancelling the context stops a program that would not end by itself.
func (start Starter) Hangs(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note")
	s := start.Script(t, "echo started >"+note+"; exec sleep 1000")
	ctx, cancel := context.WithCancel(context.Background())
	var noticed parallel.Group
	noticed.Go(func() {
		for ctx.Err() == nil {
			if text, _ := os.ReadFile(note); len(text) > 0 {
				cancel()
			}
			runtime.Gosched()
		}
	})
	Misbehaving(t, ctx, s, context.Canceled)
	cancel()
	noticed.Wait()
}

// Next replaces the values in assignment by the next assignment to the variables of n, in a fixed order. It returns
// false if there is no next assignment.
func Next(n *network.Network, assignment []int) bool {
	for v := range assignment {
		if assignment[v]++; assignment[v] < len(n.Costs[v]) {
			return true
		}
		assignment[v] = 0
	}
	return false
}
