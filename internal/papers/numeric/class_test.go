package numeric_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric/numerictest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/search"
)

func TestParametersRefused(t *testing.T) {
	one := []numeric.Column{numeric.Bounded(0, 1, 1)}
	wide := make([]numeric.Column, 100)
	for j := range wide {
		wide[j] = numeric.Bounded(0, 1, 1000)
	}
	weights := func(w ...int64) []numeric.Column { return []numeric.Column{{Lo: 0, Hi: 1, Weights: w}} }
	for name, c := range map[string]struct {
		columns    []numeric.Column
		thresholds []int64
		options    numeric.Options
	}{
		"no columns":              {nil, []int64{0}, numeric.Options{}},
		"too many columns":        {make([]numeric.Column, 1<<10+1), []int64{0}, numeric.Options{}},
		"no values":               {[]numeric.Column{numeric.Bounded(1, 0, 1)}, []int64{0}, numeric.Options{}},
		"values too small":        {[]numeric.Column{numeric.Bounded(-1<<63, 0, 1)}, []int64{0}, numeric.Options{}},
		"values too large":        {[]numeric.Column{numeric.Bounded(0, 1<<60+1, 0)}, []int64{0}, numeric.Options{}},
		"overflow":                {[]numeric.Column{numeric.Bounded(0, 1<<60, 2)}, []int64{0}, numeric.Options{}},
		"overflow of a sum":       {[]numeric.Column{numeric.Bounded(0, 1<<59, 1), numeric.Bounded(-1<<59-1, 0, 1)}, []int64{0}, numeric.Options{}},
		"no weights":              {weights(), []int64{0}, numeric.Options{}},
		"too many weights":        {[]numeric.Column{numeric.Bounded(0, 1, 1<<11)}, []int64{0}, numeric.Options{}},
		"weights in any order":    {weights(1, 0), []int64{0}, numeric.Options{}},
		"a weight twice":          {weights(1, 1), []int64{0}, numeric.Options{}},
		"a weight too large":      {weights(1<<20 + 1), []int64{0}, numeric.Options{}},
		"a weight too small":      {weights(-1<<20 - 1), []int64{0}, numeric.Options{}},
		"no thresholds":           {one, nil, numeric.Options{}},
		"thresholds in any order": {one, []int64{1, 0}, numeric.Options{}},
		"a threshold twice":       {one, []int64{1, 1}, numeric.Options{}},
		"a threshold too large":   {one, []int64{1<<60 + 1}, numeric.Options{}},
		"a threshold too small":   {one, []int64{-1 << 63}, numeric.Options{}},
		"a negative penalty":      {one, []int64{0}, numeric.Options{Penalty: -1}},
		"a penalty too large":     {one, []int64{0}, numeric.Options{Penalty: 1<<40 + 1}},
		"a negative norm":         {one, []int64{0}, numeric.Options{Norm: -1}},
		"a negative number":       {one, []int64{0}, numeric.Options{Most: -1}},
		"no halfspace by norm":    {weights(2), []int64{0}, numeric.Options{Norm: 3}},
		"no halfspace by number":  {append(weights(2), weights(1)...), []int64{0}, numeric.Options{Most: 1}},
		"too much to count":       {wide, []int64{0}, numeric.Options{Norm: 1 << 22}},
	} {
		if c, err := numeric.New(c.columns, c.thresholds, c.options); err == nil {
			t.Errorf("%s: New accepted %v", name, c)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

// The size of a class with a limit on the norm is the number of integer points in a ball. The test uses the paper's
// class of the census records, with d = 23 and squared norms of at most 23, and counts the points by another
// recursion, over dimensions and squared norms.
func TestSizeOfABall(t *testing.T) {
	const d, r, b = 23, 23, 4
	columns := slices.Repeat([]numeric.Column{numeric.Bounded(0, 1, b)}, d)
	c, err := numeric.New(columns, []int64{1}, numeric.Options{Norm: r})
	if err != nil {
		t.Fatal(err)
	}
	ways := make([]*big.Int, r+1)
	for s := range ways {
		ways[s] = new(big.Int)
	}
	ways[0].SetInt64(1)
	for range d {
		for s := r; s >= 0; s-- {
			for w := int64(1); w*w <= int64(s); w++ {
				ways[s].Add(ways[s], new(big.Int).Lsh(ways[s-int(w*w)], 1))
			}
		}
	}
	sum := new(big.Int)
	for _, n := range ways {
		sum.Add(sum, n)
	}
	if c.Size().Cmp(sum) != 0 {
		t.Errorf("size %v; want %v", c.Size(), sum)
	}
	t.Logf("%v halfspaces: %v", sum, c)
}

func TestContains(t *testing.T) {
	c := numerictest.Fixed()["norm"].Class
	for _, test := range []struct {
		h    numeric.Halfspace
		want bool
	}{
		{numeric.Halfspace{Weights: []int64{1, -1, 1}, Threshold: 1}, true},
		{numeric.Halfspace{Weights: []int64{0, 0, 0}, Threshold: 0}, true},
		{numeric.Halfspace{Weights: []int64{2, 0, 0}, Threshold: 1}, false},
		{numeric.Halfspace{Weights: []int64{1, -1, 1}, Threshold: 2}, false},
		{numeric.Halfspace{Weights: []int64{1, -1}, Threshold: 1}, false},
		{numeric.Halfspace{Weights: []int64{1, 0, 0, 0}, Threshold: 1}, false},
		{numeric.Halfspace{Weights: []int64{3, 0, 0}, Threshold: 1}, false},
		{numeric.Halfspace{}, false},
	} {
		if c.Contains(test.h) != test.want {
			t.Errorf("Contains(%v) = %v", test.h, !test.want)
		}
	}
}

// Any linear function of the weights is a sum of terms on unary bits, up to a constant.
func TestUnaryBitsCarryLinearCosts(t *testing.T) {
	for _, c := range numerictest.Fixed() {
		columns := c.Class.(*numeric.Class).Columns()
		var terms []int64
		eta := func(j int) int64 { return int64(5*j - 3) }
		for j, col := range columns {
			for i, w := range col.Weights[1:] {
				terms = append(terms, eta(j)*(w-col.Weights[i]))
			}
		}
		terms = append(terms, make([]int64, class.SeparatorBits(c.Class)-len(terms))...)
		for h := range c.Class.All() {
			want := int64(0)
			for j, col := range columns {
				want += eta(j) * (h.Weights[j] - col.Weights[0])
			}
			got := class.Cost(c.Class, problem{Terms: terms}, h) - c.Class.Penalty(h)
			if got != want {
				t.Fatalf("%v, %v: the terms cost %d; want %d", c.Class, h, got, want)
			}
		}
	}
}

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

func TestOraclesRandom(t *testing.T) {
	for seed := range 100 {
		draw := classtest.FromSeed(seed)
		c := numerictest.Random(draw, 1000)
		p := c.Random(draw)
		oracletest.Problem(t, c, p, oracle.Exhaust, "random")
		oracletest.Problem(t, c, p, oracletest.BySearch, "random")
	}
}

func TestPenaltiesBeyondTheRange(t *testing.T) {
	c, err := numeric.New([]numeric.Column{numeric.Bounded(0, 1, 1), numeric.Bounded(0, 1, 1)}, []int64{0}, numeric.Options{Penalty: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for unit, ok := range map[int64]bool{1 << 30: true, 1<<30 + 1: false, 1 << 62: false} {
		p := problem{Unit: unit}
		tr, err := c.Tree(p)
		if ok != (err == nil) || !ok && !errors.Is(err, class.ErrRange) {
			t.Errorf("unit %d: the tree's error is %v", unit, err)
		}
		plan := []int{0, 1}
		if ok {
			plan = tr.Plan()
		}
		if _, err := c.Checker(p, plan); ok != (err == nil) || !ok && !errors.Is(err, class.ErrRange) {
			t.Errorf("unit %d: the checker's error is %v", unit, err)
		}
	}
}

func TestCheckerRefusesPlans(t *testing.T) {
	c := numerictest.Fixed()["signed"].Class
	for _, plan := range [][]int{nil, {0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}, {0, 1, 2, 3}} {
		if _, err := c.Checker(problem{}, plan); err == nil {
			t.Errorf("Checker accepted the plan %v", plan)
		}
	}
}

func TestCertificates(t *testing.T) {
	refused, taken := 0, 0
	for seed := range 300 {
		draw := classtest.FromSeed(seed)
		c := numerictest.Random(draw, 3000)
		p := c.Random(draw)
		own := class.Class[record, numeric.Halfspace](c.Class)
		verify := func(s search.Solution[numeric.Halfspace]) error {
			return search.Verify(context.Background(), own, p, s)
		}
		s := searchtest.Certified(t, c.Class, p)
		if err := verify(s); err != nil {
			t.Fatalf("%v, %v: %v", c.Class, p, err)
		}
		least := s.Cost
		for h := range c.Class.All() {
			least = min(least, class.Cost(own, p, h))
		}
		if least != s.Cost {
			t.Fatalf("%v, %v: the cost %d was certified, but the minimum is %d", c.Class, p, s.Cost, least)
		}
		must := func(what string, change func(s *search.Solution[numeric.Halfspace], cert *search.Certificate)) {
			tampered, cert := s, *s.Certificate
			cert.Plan, cert.Bits = slices.Clone(cert.Plan), slices.Clone(cert.Bits)
			tampered.Certificate = &cert
			change(&tampered, &cert)
			if err := verify(tampered); !errors.Is(err, search.ErrCertificate) {
				t.Errorf("%v, %v: %s: %v", c.Class, p, what, err)
			}
		}
		must("a cost too low", func(s *search.Solution[numeric.Halfspace], cert *search.Certificate) { s.Cost--; cert.Cost-- })
		must("another cost certified", func(_ *search.Solution[numeric.Halfspace], cert *search.Certificate) { cert.Cost++ })
		must("a node more", func(_ *search.Solution[numeric.Halfspace], cert *search.Certificate) { cert.Nodes++ })
		must("a plan too short", func(_ *search.Solution[numeric.Halfspace], cert *search.Certificate) { cert.Plan = cert.Plan[1:] })
		must("no plan", func(_ *search.Solution[numeric.Halfspace], cert *search.Certificate) { cert.Plan[0] += 99 })
		must("a foreign halfspace", func(s *search.Solution[numeric.Halfspace], _ *search.Certificate) { s.Hypothesis.Threshold += 99 })
		for h := range c.Class.All() {
			if cost := class.Cost(own, p, h); cost > least {
				must("a worse halfspace", func(s *search.Solution[numeric.Halfspace], cert *search.Certificate) {
					s.Hypothesis, s.Cost, cert.Cost = h, cost, cost
				})
			}
		}
		// A certificate with another plan or a flipped bit may still prove the true cost, but most do not.
		for i := range s.Certificate.Nodes {
			cert := *s.Certificate
			cert.Bits = slices.Clone(cert.Bits)
			cert.Bits[i/8] ^= 1 << (i % 8)
			tampered := s
			tampered.Certificate = &cert
			if verify(tampered) != nil {
				refused++
			} else {
				taken++
			}
		}
	}
	t.Logf("%d certificates with a flipped bit refused, %d taken that are still proofs", refused, taken)
	if refused < 10*taken {
		t.Error("too few changed certificates were refused")
	}
}

// Down and Up do not allocate memory.
func TestWalkerAllocatesNothing(t *testing.T) {
	c := numerictest.Fixed()["norm and penalty"]
	var p problem
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	tr, err := c.Class.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	w := tr.Walker()
	if n := testing.AllocsPerRun(100, func() {
		depth := 0
		for ; w.Children() > 0; depth++ {
			w.Down(depth%w.Children(), 1<<62)
		}
		for range depth {
			w.Up()
		}
	}); n > 0 {
		t.Errorf("Down and Up allocate %v times per run", n)
	}
}
