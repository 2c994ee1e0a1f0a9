package conjunction_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
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

func verify(c conjunctiontest.Case, p problem, s solution) error {
	return search.Verify(context.Background(), class.Class[record, conjunction.Formula](c.Class), p, s)
}

func TestVerify(t *testing.T) {
	try := func(c conjunctiontest.Case, p problem) {
		t.Helper()
		if _, ok := p.Range(); !ok {
			return
		}
		if err := verify(c, p, searchtest.Certified(t, c.Class, p)); err != nil {
			t.Errorf("%v, %v: %v", c.Class, p, err)
		}
	}
	for _, c := range conjunctiontest.Fixed() {
		for _, p := range c.Weird() {
			try(c, p)
		}
	}
	for seed := range 500 {
		draw := classtest.FromSeed(seed)
		c := conjunctiontest.Random(draw, 1<<20)
		try(c, c.Random(draw))
	}
}

// copyOf returns a deep copy of s.
func copyOf(s solution) solution {
	cert := *s.Certificate
	cert.Plan, cert.Bits = slices.Clone(cert.Plan), slices.Clone(cert.Bits)
	s.Certificate = &cert
	s.Hypothesis.Tests = slices.Clone(s.Hypothesis.Tests)
	return s
}

// TestVerifyRefuses changes certificates, plans, costs and hypotheses. Verify must refuse the
// results.
func TestVerifyRefuses(t *testing.T) {
	tried := 0
	for seed := range 200 {
		draw := classtest.FromSeed(seed)
		c := conjunctiontest.Random(draw, 2000)
		p := c.Random(draw)
		good := searchtest.Certified(t, c.Class, p)
		if good.Certificate.Nodes < 10 {
			continue
		}
		tried++
		for what, change := range map[string]func(s *solution){
			"a lower cost":             func(s *solution) { s.Cost-- },
			"a lower cost certified":   func(s *solution) { s.Cost--; s.Certificate.Cost-- },
			"a higher cost certified":  func(s *solution) { s.Cost++; s.Certificate.Cost++ },
			"a node less":              func(s *solution) { s.Certificate.Nodes-- },
			"all closed":               func(s *solution) { clear(s.Certificate.Bits) },
			"no plan":                  func(s *solution) { s.Certificate.Plan = nil },
			"a short plan":             func(s *solution) { s.Certificate.Plan = s.Certificate.Plan[1:] },
			"a long plan":              func(s *solution) { s.Certificate.Plan = append(s.Certificate.Plan, 0) },
			"a plan of no attribute":   func(s *solution) { s.Certificate.Plan[0] = len(s.Certificate.Plan) },
			"a plan of a negative one": func(s *solution) { s.Certificate.Plan[0] = -1 },
			"a hypothesis of no class": func(s *solution) { s.Hypothesis.Tests[0] = 99 },
			"an attribute less":        func(s *solution) { s.Hypothesis.Tests = s.Hypothesis.Tests[1:] },
			"no certificate":           func(s *solution) { s.Certificate = nil },
			"a plan that repeats itself": func(s *solution) {
				s.Certificate.Plan = append(s.Certificate.Plan[:len(s.Certificate.Plan)-1], s.Certificate.Plan[0], s.Certificate.Plan[0])[:len(s.Certificate.Plan)]
			},
		} {
			if what == "a plan that repeats itself" && len(good.Certificate.Plan) == 1 {
				continue
			}
			s := copyOf(good)
			change(&s)
			if err := verify(c, p, s); !errors.Is(err, search.ErrCertificate) {
				t.Errorf("%v, %v, %s: %v", c.Class, p, what, err)
			}
		}
		for h := range c.Class.All() {
			s := copyOf(good)
			s.Hypothesis = h
			s.Cost = class.Cost(c.Class, p, h)
			s.Certificate.Cost = s.Cost
			if err := verify(c, p, s); (err == nil) != (s.Cost == good.Cost) {
				t.Errorf("%v, %v: a formula of cost %d, where the least is %d: %v", c.Class, p, s.Cost, good.Cost, err)
			}
		}
	}
	if tried < 10 {
		t.Errorf("only %d certificates are large enough", tried)
	}
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
