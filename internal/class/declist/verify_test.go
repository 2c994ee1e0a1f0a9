package declist_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/declist/declisttest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/search"
)

type solution = search.Solution[declist.List]

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

func TestSearchRandom(t *testing.T) {
	for seed := range heavy.Pick(120, 300) {
		draw := classtest.FromSeed(seed)
		c := declisttest.Random(draw, 3000)
		oracletest.Problem(t, c, c.Random(draw), oracletest.BySearch, "random")
	}
}

func verify(c declisttest.Case, p problem, s solution) error {
	return search.Verify(context.Background(), class.Class[record, declist.List](c.Class), p, s)
}

// TestVerify checks that honest proofs are accepted, and compares the verdict on changed proofs
// with the true minimum: no false claim may be accepted.
func TestVerify(t *testing.T) {
	refused := 0
	for seed := range heavy.Pick(80, 200) {
		draw := classtest.FromSeed(seed)
		c := declisttest.Random(draw, 600)
		p := c.Random(draw)
		s := searchtest.Certified(t, c.Class, p)
		if err := verify(c, p, s); err != nil {
			t.Fatalf("%v, %v: %v", c.Class, p, err)
		}
		least := int64(math.MaxInt64)
		var hs []declist.List
		for h := range c.Class.All() {
			hs = append(hs, h)
			least = min(least, class.Cost(class.Class[record, declist.List](c.Class), p, h))
		}
		if s.Cost != least {
			t.Fatalf("%v, %v: cost %d, the least is %d", c.Class, p, s.Cost, least)
		}
		judge := func(what string, s solution) {
			t.Helper()
			err := verify(c, p, s)
			if err == nil && s.Cost != least {
				t.Fatalf("%v, %v: %s is taken, though the least cost is %d", c.Class, p, what, least)
			}
			if err != nil {
				refused++
			}
		}
		must := func(what string, s solution) {
			t.Helper()
			if err := verify(c, p, s); !errors.Is(err, search.ErrCertificate) {
				t.Fatalf("%v, %v: %s: error %v", c.Class, p, what, err)
			}
		}
		with := func(change func(s *solution)) solution {
			other, certificate := s, *s.Certificate
			certificate.Bits = slices.Clone(certificate.Bits)
			other.Certificate = &certificate
			change(&other)
			return other
		}
		for i := range min(s.Certificate.Nodes, 64) {
			judge("a bit flipped", with(func(s *solution) { s.Certificate.Bits[i/8] ^= 1 << (i % 8) }))
		}
		for range 20 {
			h := hs[draw(0, len(hs)-1)]
			cost := class.Cost(class.Class[record, declist.List](c.Class), p, h)
			if cost != least {
				must("another list", with(func(s *solution) { s.Hypothesis = h }))
				must("another list and its cost", with(func(s *solution) { s.Hypothesis, s.Cost, s.Certificate.Cost = h, cost, cost }))
			}
		}
		must("another cost", with(func(s *solution) { s.Cost--; s.Certificate.Cost-- }))
		must("a plan", with(func(s *solution) { s.Certificate.Plan = []int{0} }))
		must("no certificate", with(func(s *solution) { s.Certificate = nil }))
		must("a node more", with(func(s *solution) { s.Certificate.Nodes++ }))
		must("a list of no class", with(func(s *solution) { s.Hypothesis = declist.List{Rules: []declist.Rule{{Antecedent: 99}}, Default: true} }))
	}
	if refused == 0 {
		t.Error("no flipped bit is refused")
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
