package declist_test

import (
	"errors"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/declist/declisttest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

func TestSearchRandom(t *testing.T) {
	for seed := range heavy.Pick(120, 300) {
		draw := classtest.FromSeed(seed)
		c := declisttest.Random(draw, 3000)
		oracletest.Problem(t, c, c.Random(draw), oracletest.BySearch, "random")
	}
}

func TestCheckerRefuses(t *testing.T) {
	c, err := declist.New([]literal.Attribute{literal.Equal(3), literal.Equal(2)}, declist.Options{Rules: 2})
	if err != nil {
		t.Fatal(err)
	}
	one := func(x record, cost int64) problem {
		return problem{Points: []class.Point[record]{{X: x, Cost: [2]int64{cost, 0}}}}
	}
	for what, bad := range map[string]struct {
		p    problem
		plan []int
	}{
		"a plan":                  {one(record{0, 0}, 1), []int{0}},
		"a record too short":      {one(record{0}, 1), nil},
		"a record too long":       {one(record{0, 0, 0}, 1), nil},
		"a category out of range": {one(record{0, 2}, 1), nil},
		"too few terms":           {problem{Terms: []int64{1}}, nil},
	} {
		if _, err := c.Checker(bad.p, bad.plan); err == nil || errors.Is(err, class.ErrRange) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if _, err := c.Checker(one(record{0, 0}, 1<<61+1), nil); !errors.Is(err, class.ErrRange) {
		t.Errorf("costs beyond 62 bits: %v", err)
	}
	if _, err := c.Checker(one(record{2, 1}, 1), nil); err != nil {
		t.Errorf("a good problem is refused: %v", err)
	}
}

// Penalties are included in the range check.
func TestRangeOfPenalties(t *testing.T) {
	c, err := declist.New([]literal.Attribute{literal.Equal(4)}, declist.Options{Rules: 2, Penalty: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Tree(problem{Unit: 1 << 40}); err != nil {
		t.Errorf("penalties of 2^61: %v", err)
	}
	for _, unit := range []int64{1<<40 + 1, 1 << 50, 1 << 62} {
		if _, err := c.Tree(problem{Unit: unit}); !errors.Is(err, class.ErrRange) {
			t.Errorf("penalties beyond 2^61: %v", err)
		}
	}
}
