package search_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/search"
)

type (
	record   = []uint16
	problem  = class.Problem[record]
	solution = search.Solution[any]
)

func verify(c everytest.Case, p problem, s solution) error {
	return search.Verify(context.Background(), class.Class[record, any](c.Class), p, s)
}

func cost(c everytest.Case, p problem, h any) int64 {
	return class.Cost(class.Class[record, any](c.Class), p, h)
}

func TestVerify(t *testing.T) {
	try := func(c everytest.Case, p problem) {
		t.Helper()
		if _, ok := p.Range(); !ok {
			return
		}
		if err := verify(c, p, searchtest.Certified(t, c.Class, p)); err != nil {
			t.Errorf("%v, %v: %v", c.Class, p, err)
		}
	}
	for _, c := range everytest.Fixed() {
		for _, p := range c.Weird() {
			try(c, p)
		}
	}
	for _, name := range everytest.Names() {
		for seed := range heavy.Pick(80, 200) {
			draw := classtest.FromSeed(seed)
			c := everytest.Random(name, draw, 500)
			try(c, c.Random(draw))
		}
	}
}

// TestVerifyEveryClass verifies changed certificates of every class.
func TestVerifyEveryClass(t *testing.T) {
	for _, name := range everytest.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			for seed := range heavy.Pick(5, 30) {
				draw := classtest.FromSeed(seed)
				c := everytest.Random(name, draw, 256)
				n, _ := searchtest.Certificates(t, c, c.Random(draw))
				refused += n
			}
			if refused == 0 {
				t.Error("nothing is refused")
			}
		})
	}
}

// An instance is a class and a problem with a small, nontrivial certificate.
type instance struct {
	c     everytest.Case
	p     problem
	s     solution
	costs map[int]int64 // the cost of every hypothesis, by its index in All
	least int64
}

func instances(t *testing.T) (out []instance) {
	for seed := 0; len(out) < 40; seed++ {
		draw := classtest.FromSeed(seed)
		c := everytest.Random("scorecard", draw, 500)
		in := instance{c: c, p: c.Random(draw), costs: map[int]int64{}, least: math.MaxInt64}
		in.s = searchtest.Certified(t, c.Class, in.p)
		if n := in.s.Certificate.Nodes; n < 10 || n > 120 {
			continue
		}
		for h := range c.Class.All() {
			in.costs[len(in.costs)] = cost(c, in.p, h)
			in.least = min(in.least, cost(c, in.p, h))
		}
		if in.least != in.s.Cost {
			t.Fatalf("minimiser %v costs %d, the least cost is %d", in.s.Hypothesis, in.s.Cost, in.least)
		}
		out = append(out, in)
	}
	return out
}

// copyOf returns a deep copy of s.
func copyOf(s solution) solution {
	cert := *s.Certificate
	cert.Plan, cert.Bits = slices.Clone(cert.Plan), slices.Clone(cert.Bits)
	s.Certificate = &cert
	return s
}

func (in instance) mustRefuse(t *testing.T, s solution, what string) {
	t.Helper()
	if err := verify(in.c, in.p, s); !errors.Is(err, search.ErrCertificate) {
		t.Errorf("%v, %v, %s: %v", in.c.Class, in.p, what, err)
	}
}

// judge reports whether Verify refuses the solution. Verify must refuse it, unless its certificate still
// proves it.
func (in instance) judge(t *testing.T, s solution, what string) (refused bool) {
	t.Helper()
	err := verify(in.c, in.p, s)
	if err != nil && !errors.Is(err, search.ErrCertificate) {
		t.Error(err)
	}
	if err == nil && !searchtest.Proves(t, in.c, in.p, s, in.least) {
		t.Errorf("%v, %v, %s: taken", in.c.Class, in.p, what)
	}
	return err != nil
}

func TestVerifyRefusesFlippedBits(t *testing.T) {
	refused, taken := 0, 0
	for _, in := range instances(t) {
		for i := range 8 * len(in.s.Certificate.Bits) {
			s := copyOf(in.s)
			s.Certificate.Bits[i/8] ^= 1 << (i % 8)
			if int64(i) >= s.Certificate.Nodes {
				in.mustRefuse(t, s, "padding flipped")
			} else if in.judge(t, s, "a bit flipped") {
				refused++
			} else {
				taken++
			}
		}
	}
	t.Logf("%d certificates with a flipped bit refused, %d taken that are still proofs", refused, taken)
	if refused < 10*taken {
		t.Error("hardly any flipped bit is refused")
	}
}

func TestVerifyRefusesOtherBits(t *testing.T) {
	for _, in := range instances(t) {
		for what, change := range map[string]func(c *search.Certificate){
			"a node less":      func(c *search.Certificate) { c.Nodes-- },
			"a node more":      func(c *search.Certificate) { c.Nodes++ },
			"no nodes":         func(c *search.Certificate) { c.Nodes = 0 },
			"negative nodes":   func(c *search.Certificate) { c.Nodes = -8 },
			"the least nodes":  func(c *search.Certificate) { c.Nodes = math.MinInt64 },
			"the most nodes":   func(c *search.Certificate) { c.Nodes = math.MaxInt64 },
			"a byte less":      func(c *search.Certificate) { c.Bits = c.Bits[:len(c.Bits)-1] },
			"a byte more":      func(c *search.Certificate) { c.Bits = append(c.Bits, 0) },
			"eight more nodes": func(c *search.Certificate) { c.Bits, c.Nodes = append(c.Bits, 0), c.Nodes+8 },
			"no bits":          func(c *search.Certificate) { c.Bits = nil },
			"nothing":          func(c *search.Certificate) { *c = search.Certificate{} },
			"all closed":       func(c *search.Certificate) { clear(c.Bits) },
			"all split": func(c *search.Certificate) {
				for i := range c.Bits {
					c.Bits[i] = 0xff
				}
			},
		} {
			s := copyOf(in.s)
			change(s.Certificate)
			in.mustRefuse(t, s, what)
		}
		s := copyOf(in.s)
		s.Certificate.Bits, s.Certificate.Nodes = []byte{0}, 1
		in.judge(t, s, "the root closed")
		s.Certificate = nil
		in.mustRefuse(t, s, "no certificate")
	}
}

func TestVerifyRefusesOtherCosts(t *testing.T) {
	for _, in := range instances(t) {
		for _, by := range []int64{-1 << 62, -1, 1, 1 << 62} {
			s := copyOf(in.s)
			s.Cost += by
			in.mustRefuse(t, s, "another cost claimed")
			s.Certificate.Cost = s.Cost
			in.mustRefuse(t, s, "another cost claimed twice")
			s.Cost = in.s.Cost
			in.mustRefuse(t, s, "another cost certified")
		}
	}
}

func TestVerifyRefusesOtherHypotheses(t *testing.T) {
	for _, in := range instances(t) {
		i := 0
		for h := range in.c.Class.All() {
			s := copyOf(in.s)
			s.Hypothesis = h
			if in.costs[i] == in.least {
				if err := verify(in.c, in.p, s); err != nil {
					t.Errorf("%v, %v: another minimiser %v: %v", in.c.Class, in.p, h, err)
				}
			} else {
				in.mustRefuse(t, s, "another hypothesis")
				s.Cost, s.Certificate.Cost = in.costs[i], in.costs[i]
				in.mustRefuse(t, s, "a worse hypothesis and its cost")
			}
			i++
		}
		s := copyOf(in.s)
		card, ok := in.s.Hypothesis.(scorecard.Card)
		if !ok {
			continue
		}
		for what, points := range map[string][][]int{
			"no hypothesis":             nil,
			"an attribute less":         card.Points[1:],
			"an attribute more":         append(card.Points[:len(card.Points):len(card.Points)], []int{0}),
			"points beyond all classes": append([][]int{slices.Repeat([]int{9}, len(card.Points[0]))}, card.Points[1:]...),
		} {
			s.Hypothesis = scorecard.Card{Points: points}
			in.mustRefuse(t, s, what)
		}
	}
}

func TestVerifyRefusesOtherPlans(t *testing.T) {
	refused := 0
	for _, in := range instances(t) {
		try := func(change func(plan []int) []int) {
			s := copyOf(in.s)
			s.Certificate.Plan = change(s.Certificate.Plan)
			if in.judge(t, s, "another plan") {
				refused++
			}
		}
		n := len(in.s.Certificate.Plan)
		for i := range n {
			for _, by := range []int{-1, 1, math.MaxInt >> 23} {
				try(func(plan []int) []int { plan[i] += by; return plan })
			}
			try(func(plan []int) []int { plan[i], plan[n-1-i] = plan[n-1-i], plan[i]; return plan })
			try(func(plan []int) []int { return plan[:i] })
		}
		try(func(plan []int) []int { return append(plan, 0) })
	}
	if refused == 0 {
		t.Error("no plan is refused")
	}
}

// TestVerifyTakesNoFalseClaim tries all short certificates for hypotheses whose cost is not minimum.
// Verify must refuse them.
func TestVerifyTakesNoFalseClaim(t *testing.T) {
	c, err := scorecard.New(scorecard.Uniform([]int{1, 2}, 0, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	in := classtest.Erase(scorecardtest.Case{Class: c, Domain: classtest.Records([]int{1, 2})})
	p := problem{Points: []class.Point[record]{{X: record{0, 0}, Cost: [2]int64{1, 0}}, {X: record{0, 1}, Cost: [2]int64{0, 2}}}}
	best := searchtest.Certified(t, in.Class, p)
	for h := range c.All() {
		if cost(in, p, h) == best.Cost {
			continue
		}
		s := copyOf(best)
		s.Hypothesis, s.Cost = h, cost(in, p, h)
		for nodes := range 12 {
			for bits := range 1 << nodes {
				s.Certificate = &search.Certificate{Cost: s.Cost, Plan: best.Certificate.Plan, Nodes: int64(nodes), Bits: []byte{byte(bits), byte(bits >> 8)}[:(nodes+7)/8]}
				if err := verify(in, p, s); err == nil {
					t.Fatalf("%v at cost %d is taken with %d nodes and bits %b; the least cost is %d", h, s.Cost, nodes, bits, best.Cost)
				}
			}
		}
	}
}

func TestVerifyHeedsRangeAndContext(t *testing.T) {
	in := instances(t)[0]
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := search.Verify(cancelled, class.Class[record, any](in.c.Class), in.p, in.s); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	far := problem{Points: []class.Point[record]{{X: in.c.Domain[0], Cost: [2]int64{1 << 62, 0}}}}
	if err := verify(in.c, far, in.s); !errors.Is(err, class.ErrRange) {
		t.Errorf("costs beyond 62 bits: %v", err)
	}
}
