package mip_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/mip"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric/numerictest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

type (
	record     = []int64
	problem    = class.Problem[record]
	enumerable = class.Enumerable[record, numeric.Halfspace]
	minimizer  = oracle.Minimizer[record, numeric.Halfspace]
)

// solvers contains functions that return the solvers under test, or skip the test if a solver is not installed.
var solvers = map[string]func(t testing.TB) mip.Solver{"CBC": findCBC, "HiGHS": findHiGHS}

func findCBC(t testing.TB) mip.Solver {
	p, err := solver.Find("cbc")
	if err != nil {
		shareddata.Missing(t, "the solver CBC is missing; install coinor-cbc: "+err.Error())
	}
	return mip.CBC(p)
}

// findHiGHS returns the solver with the executable that SIBYL_HIGHS names, with highs on PATH, or with the npm
// package highs in NODE_PATH, whichever it finds first.
func findHiGHS(t testing.TB) mip.Solver {
	name := os.Getenv("SIBYL_HIGHS")
	if name == "" {
		name = "highs"
		for _, directory := range filepath.SplitList(os.Getenv("NODE_PATH")) {
			if _, err := os.Stat(filepath.Join(directory, "highs", "package.json")); err == nil {
				name, _ = filepath.Abs(filepath.Join("testdata", "highs"))
			}
		}
	}
	p, err := solver.Find(name)
	if err != nil {
		shareddata.Missing(t, "the solver HiGHS is missing; set SIBYL_HIGHS to its executable, or NODE_PATH to where the npm package highs is: "+err.Error())
	}
	return mip.HiGHS(p)
}

func newOracle(s mip.Solver) oracletest.New[record, numeric.Halfspace] {
	return func(c enumerable) (minimizer, error) { return mip.New(c.(*numeric.Class), s), nil }
}

func TestOracles(t *testing.T) {
	for name, find := range solvers {
		t.Run(name, func(t *testing.T) {
			s := find(t)
			if name == "HiGHS" { // which starts slowly
				c := numerictest.Fixed()["norm and penalty"]
				for seed := range heavy.Pick(1, 2) {
					oracletest.Problem(t, c, c.Random(classtest.FromSeed(seed)), newOracle(s), "random")
				}
				return
			}
			of := []string{"norm and penalty"}
			if heavy.On() { // TestAnswers runs similar random problems
				of = append(of, "signed", "at most two, penalty")
			}
			for _, of := range of {
				t.Run(of, func(t *testing.T) { oracletest.Sample(t, numerictest.Fixed()[of], newOracle(s), 2, heavy.Pick(9, 1)) })
			}
		})
	}
}

func TestScorecards(t *testing.T) {
	for name, find := range solvers {
		t.Run(name, func(t *testing.T) {
			s := find(t)
			newOracle := func(c class.Enumerable[[]uint16, scorecard.Card]) (oracle.Minimizer[[]uint16, scorecard.Card], error) {
				return mip.Scorecards(c.(*scorecard.Class), s)
			}
			if name == "CBC" && heavy.On() { // which starts sooner
				oracletest.Run(t, scorecardtest.Fixed()["signs"], newOracle)
			}
			for seed := range heavy.Pick(1, 3) {
				c := scorecardtest.Fixed()["positive"]
				oracletest.Problem(t, c, c.Random(classtest.FromSeed(seed)), newOracle, "random")
			}
		})
	}
}

// Without a budget and with moderate numbers, the oracle returns a minimizer.
func TestAnswers(t *testing.T) {
	for name, find := range solvers {
		t.Run(name, func(t *testing.T) {
			s := find(t)
			seeds := heavy.Pick(10, 60)
			if name == "HiGHS" {
				seeds = heavy.Pick(2, 8)
			}
			for seed := range seeds {
				draw := classtest.FromSeed(seed)
				c := numerictest.Random(draw, 2000)
				p := c.Random(draw)
				if bound, _ := p.Range(); bound > 1<<20 {
					continue
				}
				sure, err := oracle.Search(c.Class).Minimize(context.Background(), p, oracle.Budget{})
				if err != nil {
					t.Fatal(err)
				}
				found, err := mip.New(c.Class.(*numeric.Class), s).Minimize(context.Background(), p, oracle.Budget{})
				if err != nil {
					t.Errorf("seed %d: %v, %v: %v", seed, c.Class, p, err)
				} else if found.Cost != sure.Cost {
					t.Errorf("seed %d: %v, %v: the solver's cost is %d; the minimum cost is %d", seed, c.Class, p, found.Cost, sure.Cost)
				}
			}
		})
	}
}

func TestLargeNumbersFail(t *testing.T) {
	c := numerictest.Fixed()["signed"]
	o := mip.New(c.Class.(*numeric.Class), findCBC(t))
	p := problem{Points: []class.Point[record]{{X: c.Domain[0], Cost: [2]int64{0, 1<<31 + 1}}, {X: c.Domain[1], Cost: [2]int64{1, 0}}}}
	if _, err := o.Minimize(context.Background(), p, oracle.Budget{}); !errors.Is(err, oracle.ErrFail) {
		t.Error(err)
	}
	huge, err := numeric.New([]numeric.Column{numeric.Bounded(0, 1<<40, 1), numeric.Bounded(0, 1<<40, 1)}, []int64{5}, numeric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p = problem{Points: []class.Point[record]{{X: record{1<<40 - 1, 3}, Cost: [2]int64{1, 0}}}}
	if _, err := mip.New(huge, findCBC(t)).Minimize(context.Background(), p, oracle.Budget{}); !errors.Is(err, oracle.ErrFail) {
		t.Error(err)
	}
}

func TestMissingSolverFails(t *testing.T) {
	c := numerictest.Fixed()["binary"].Class.(*numeric.Class)
	for _, s := range []mip.Solver{mip.CBC(solver.Program{Path: "/no/solver"}), mip.HiGHS(solver.Program{Path: "/no/solver"})} {
		if _, err := mip.New(c, s).Minimize(context.Background(), problem{}, oracle.Budget{}); !errors.Is(err, oracle.ErrFail) || !errors.Is(err, solver.ErrMissing) {
			t.Error(err)
		}
	}
}

func TestKind(t *testing.T) {
	o := mip.New(numerictest.Fixed()["binary"].Class.(*numeric.Class), mip.CBC(solver.Program{}))
	if o.Kind() != oracle.Certifiable || !oracle.FloatBound(o) {
		t.Errorf("wrong kind %v or FloatBound %v", o.Kind(), oracle.FloatBound(o))
	}
}
