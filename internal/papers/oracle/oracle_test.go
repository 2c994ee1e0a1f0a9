package oracle_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
	"github.com/sibyl-dp/sibyl/search"
	"pgregory.net/rapid"
)

type (
	record     = []uint16
	problem    = class.Problem[record]
	enumerable = class.Enumerable[record, any]
	minimizer  = oracle.Minimizer[record, any]
	solution   = oracle.Solution[any]
)

var oracles = map[string]oracletest.New[record, any]{
	"exhaustive": oracle.Exhaust[record, any],
	"search":     func(c enumerable) (minimizer, error) { return oracle.Search(c), nil },
}

// In the short form, consecutive classes have different problems.
func TestOraclesWeird(t *testing.T) {
	fixed := everytest.Fixed()
	for name, newOracle := range oracles {
		for k, of := range slices.Sorted(maps.Keys(fixed)) {
			t.Run(name+"/"+of, func(t *testing.T) { oracletest.Sample(t, fixed[of], newOracle, k, heavy.Pick(3, 1)) })
		}
	}
}

// randomSearch checks the oracle Search on a random problem.
func randomSearch(t classtest.T, draw classtest.Draw) {
	names := everytest.Names()
	c := everytest.Random(names[draw(0, len(names)-1)], draw, 2000)
	oracletest.Problem(t, c, c.Random(draw), oracles["search"], "random")
}

func TestSearchRandom(t *testing.T) {
	for seed := range heavy.Pick(600, 2000) {
		randomSearch(t, classtest.FromSeed(seed))
	}
}

func TestSearchRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		randomSearch(t, func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
	})
}

func FuzzSearch(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { randomSearch(t, classtest.FromBytes(data)) })
}

func TestExhaustRefusesLargeClasses(t *testing.T) {
	c, err := scorecard.New(scorecard.Uniform([]int{8, 8}, -1, 1), scorecard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oracle.Exhaust(c); err == nil {
		t.Error("Exhaust accepted a class of 3^16 hypotheses")
	}
}

func TestSearchSaysWhyItFailed(t *testing.T) {
	c := everytest.Fixed()["scorecard/signs"]
	p := c.Random(classtest.FromSeed(1))
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	_, err := oracle.Search(c.Class).Minimize(context.Background(), p, oracle.Budget{Nodes: 1})
	if !errors.Is(err, oracle.ErrFail) || !errors.Is(err, search.ErrBudget) {
		t.Errorf("a budget of one node: error %v", err)
	}
}

// Exhaust uses one node for each hypothesis. With a budget of one node less, it fails on every problem.
func TestExhaustCountsHypotheses(t *testing.T) {
	c := everytest.Fixed()["scorecard/signs"].Class
	o, err := oracle.Exhaust(c)
	if err != nil {
		t.Fatal(err)
	}
	size := c.Size().Int64()
	for nodes, ok := range map[int64]bool{0: true, size: true, size - 1: false, 1: false} {
		if _, err := o.Minimize(context.Background(), problem{}, oracle.Budget{Nodes: nodes}); ok != (err == nil) || !ok && !errors.Is(err, oracle.ErrFail) {
			t.Errorf("%d nodes for %d hypotheses: %v", nodes, size, err)
		}
	}
}

func TestPenaltiesBeyondTheRange(t *testing.T) {
	c, err := scorecard.New(scorecard.Uniform([]int{2, 1}, 0, 1), scorecard.Options{Penalty: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	for name, newOracle := range oracles {
		o, err := newOracle(class.Erase(c).(enumerable))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Minimize(context.Background(), problem{Unit: 1 << 36}, oracle.Budget{}); err != nil {
			t.Errorf("%s: penalties of 2^61 were refused: %v", name, err)
		}
		for _, unit := range []int64{1<<36 + 1, 1 << 50, 1 << 62} {
			if _, err := o.Minimize(context.Background(), problem{Unit: unit}, oracle.Budget{}); !errors.Is(err, class.ErrRange) {
				t.Errorf("%s: penalties beyond 2^61: error %v", name, err)
			}
		}
	}
}

func TestKindWithinBudget(t *testing.T) {
	for _, c := range []struct {
		kind  oracle.Kind
		nodes int64
		want  oracle.Kind
	}{
		{oracle.Exhaustive, 0, oracle.Exhaustive},
		{oracle.Exhaustive, 1, oracle.Certifiable},
		{oracle.Certifiable, 0, oracle.Certifiable},
		{oracle.Heuristic, 1, oracle.Heuristic},
	} {
		if got := c.kind.Within(oracle.Budget{Nodes: c.nodes}); got != c.want {
			t.Errorf("kind %d with a budget of %d nodes has the kind %d; want %d", c.kind, c.nodes, got, c.want)
		}
	}
}

// wrong is a correct oracle whose answers are modified.
type wrong struct {
	minimizer
	change func(ctx context.Context, p problem, b oracle.Budget) (solution, error)
}

func (w wrong) Minimize(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
	return w.change(ctx, p, b)
}

func TestOracleSuiteFails(t *testing.T) {
	c := everytest.Fixed()["scorecard/signs"]
	first := func(p problem) solution {
		for h := range c.Class.All() {
			return solution{Hypothesis: h, Cost: class.Cost(c.Class, p, h)}
		}
		panic("an empty class")
	}
	good := oracle.Search(c.Class)
	for name, change := range map[string]func(ctx context.Context, p problem, b oracle.Budget) (solution, error){
		"an unproved answer when the budget ends": func(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
			s, err := good.Minimize(ctx, p, b)
			if errors.Is(err, oracle.ErrFail) {
				return first(p), nil
			}
			return s, err
		},
		"an answer along with the failure": func(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
			s, err := good.Minimize(ctx, p, b)
			if errors.Is(err, oracle.ErrFail) {
				return first(p), err
			}
			return s, err
		},
		"a cost too low": func(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
			s, err := good.Minimize(ctx, p, b)
			if err == nil {
				s.Cost--
			}
			return s, err
		},
		"a hypothesis of another class": func(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
			s, err := good.Minimize(ctx, p, b)
			if err == nil {
				s.Hypothesis.(scorecard.Card).Points[0][0] += 5
			}
			return s, err
		},
		"no regard to the context": func(_ context.Context, p problem, b oracle.Budget) (solution, error) {
			return good.Minimize(context.Background(), p, b)
		},
		"giving up without a budget": func(context.Context, problem, oracle.Budget) (solution, error) {
			return solution{}, oracle.ErrFail
		},
		"no regard to the range": func(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
			if _, ok := p.Range(); !ok {
				return first(p), nil
			}
			return good.Minimize(ctx, p, b)
		},
		"no regard to the terms": func(ctx context.Context, p problem, b oracle.Budget) (solution, error) {
			without := p
			without.Terms = nil
			s, err := good.Minimize(ctx, without, b)
			if err == nil {
				s.Cost = class.Cost(c.Class, p, s.Hypothesis)
			}
			return s, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				oracletest.Run(r, c, func(enumerable) (minimizer, error) { return wrong{good, change}, nil })
			}))
		})
	}
}
