package conjunction_test

import (
	"errors"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/search"
)

type (
	solution = search.Solution[conjunction.Formula]
)

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

// randomSearch checks Minimize on a random problem.
func randomSearch(t classtest.T, draw classtest.Draw) {
	c := conjunctiontest.Random(draw, 3000)
	oracletest.Problem(t, c, c.Random(draw), oracletest.BySearch, "random")
}

func TestSearchRandom(t *testing.T) {
	for seed := range 300 {
		randomSearch(t, classtest.FromSeed(seed))
	}
}

func FuzzSearch(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { randomSearch(t, classtest.FromBytes(data)) })
}

func TestCheckerRefuses(t *testing.T) {
	c := conjunctiontest.Fixed()["cells of marginals"].Class
	for name, in := range map[string]struct {
		p    problem
		plan []int
	}{
		"an attribute twice":      {problem{}, []int{0, 1, 1}},
		"an attribute left":       {problem{}, []int{0, 1}},
		"no such attribute":       {problem{}, []int{0, 1, 3}},
		"a record too short":      {problem{Points: []class.Point[record]{{X: record{0, 0}}}}, []int{0, 1, 2}},
		"a category out of range": {problem{Points: []class.Point[record]{{X: record{0, 0, 2}}}}, []int{0, 1, 2}},
		"too few terms":           {problem{Terms: []int64{1}}, []int{0, 1, 2}},
	} {
		if _, err := c.Checker(in.p, in.plan); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	far := problem{Points: []class.Point[record]{{X: record{0, 0, 0}, Cost: [2]int64{1 << 61, 1}}}}
	if _, err := c.Checker(far, []int{0, 1, 2}); !errors.Is(err, class.ErrRange) {
		t.Errorf("costs beyond 62 bits: %v", err)
	}
}

func TestPenaltiesBeyondTheRange(t *testing.T) {
	c, err := conjunction.New([]literal.Attribute{literal.Positive(), literal.Positive()}, conjunction.Options{Penalty: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[int64]error{1 << 36: nil, 1<<36 + 1: class.ErrRange, 1 << 62: class.ErrRange} {
		p := problem{Unit: unit}
		if _, err := c.Tree(p); !errors.Is(err, want) {
			t.Errorf("unit %d: the tree says %v", unit, err)
		}
		if _, err := c.Tabulate(p); !errors.Is(err, want) {
			t.Errorf("unit %d: the table says %v", unit, err)
		}
	}
}
