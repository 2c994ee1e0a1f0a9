package charged_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/papers/charged"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

type (
	record   = []uint16
	card     = scorecard.Card
	point    = class.Point[record]
	problem  = class.Problem[record]
	testCase = classtest.Case[record, card]
)

// charge returns the case c with public points on all records of its domain. cost returns the costs of a point.
func charge(t testing.TB, c testCase, cost func(i int) [2]int64) testCase {
	t.Helper()
	var points []point
	for i, x := range c.Domain {
		points = append(points, point{X: x, Cost: cost(i)})
	}
	with, err := charged.New(c.Class, points)
	if err != nil {
		t.Fatal(err)
	}
	return testCase{Class: with.(class.Enumerable[record, card]), Domain: c.Domain}
}

func uneven(i int) [2]int64 { return [2]int64{int64(i * 3 % 5), int64(i % 4)} }

func suite(t testing.TB) classtest.Suite[record, card] {
	fixed := map[string]testCase{}
	for name, c := range scorecardtest.Fixed() {
		if heavy.On() || name == "signs" || name == "at most two with a penalty" { // the trees are those of scorecards
			fixed[name] = charge(t, c, uneven)
		}
	}
	return classtest.Suite[record, card]{
		Fixed: fixed,
		Random: func(draw classtest.Draw) testCase {
			return charge(t, scorecardtest.Random(draw, 300), func(int) [2]int64 {
				return [2]int64{int64(draw(0, 4)), int64(draw(0, 4))}
			})
		},
		Seeds: 30,
		Wrong: "signs",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite(t)) }

func TestCertificates(t *testing.T) {
	for seed := range heavy.Pick(2, 10) {
		draw := classtest.FromSeed(seed)
		c := suite(t).Random(draw)
		searchtest.Certificates(t, c, c.Random(draw))
	}
}

func TestOracles(t *testing.T) {
	oracletest.Own(t, classtest.Suite[record, card]{Fixed: map[string]testCase{"signs": suite(t).Fixed["signs"]}})
}

func TestPartial(t *testing.T) {
	for _, c := range suite(t).Fixed {
		classtest.Partial(t, c)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range suite(t).Fixed {
		classtest.Distance(t, c)
	}
}

// The costs of public points are penalties: the penalty unit of a problem multiplies them.
func TestChargesArePenalties(t *testing.T) {
	plain := scorecardtest.Fixed()["signs"]
	c := charge(t, plain, uneven)
	for h := range c.Class.All() {
		want := plain.Class.Penalty(h)
		for i, x := range plain.Domain {
			if cost := uneven(i); plain.Class.Predict(h, x) {
				want += cost[1]
			} else {
				want += cost[0]
			}
		}
		if got := c.Class.Penalty(h); got != want {
			t.Fatalf("the penalty of %v is %d; want %d", h, got, want)
		}
	}
	for _, unit := range []int64{1, 7} {
		s, err := oracle.Search(c.Class).Minimize(context.Background(), problem{Unit: unit}, oracle.Budget{})
		if err != nil || s.Cost != unit*c.Class.Penalty(s.Hypothesis) {
			t.Errorf("unit %d: minimum cost %d, error %v", unit, s.Cost, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	c := scorecardtest.Fixed()["signs"]
	x := c.Domain[0]
	for name, points := range map[string][]point{
		"negative":           {{X: x, Cost: [2]int64{0, -1}}},
		"too large":          {{X: x, Cost: [2]int64{1<<60 + 1, 0}}},
		"too large together": {{X: x, Cost: [2]int64{1 << 59, 1 << 59}}, {X: x, Cost: [2]int64{1, 0}}},
	} {
		if _, err := charged.New(c.Class, points); err == nil {
			t.Errorf("%s: New returned no error", name)
		}
	}
}

// Costs of public points that exceed 62 bits in the problem's unit are rejected, as penalties are.
func TestChargesBeyondTheRange(t *testing.T) {
	c := charge(t, scorecardtest.Fixed()["signs"], func(i int) [2]int64 { return [2]int64{1 << 40, 0} })
	for _, unit := range []int64{1 << 22, 1 << 40, 1 << 62} {
		if _, err := c.Class.Tree(problem{Unit: unit}); !errors.Is(err, class.ErrRange) {
			t.Errorf("unit %d: %v", unit, err)
		}
		if _, err := c.Class.Checker(problem{Unit: unit}, nil); !errors.Is(err, class.ErrRange) {
			t.Errorf("checker, unit %d: %v", unit, err)
		}
	}
}
