package parity_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/search"
)

type solution = search.Solution[parity.Parity]

func verify(c enumerable, p problem, s solution) error {
	return search.Verify(context.Background(), class.Class[record, parity.Parity](c), p, s)
}

func TestVerify(t *testing.T) {
	for _, c := range paritytest.Fixed() {
		for _, p := range c.Weird() {
			if _, ok := p.Range(); !ok {
				continue
			}
			for _, k := range []enumerable{c.Class, inTable(c).Class} {
				if err := verify(k, p, searchtest.Certified(t, k, p)); err != nil {
					t.Errorf("%v, %v: %v", k, p, err)
				}
			}
		}
	}
	for seed := range 500 {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 1<<14)
		p := c.Random(draw)
		if err := verify(c.Class, p, searchtest.Certified(t, c.Class, p)); err != nil {
			t.Errorf("%v, %v: %v", c.Class, p, err)
		}
	}
}

// least returns the least cost by enumeration.
func least(c enumerable, p problem) int64 {
	out := int64(math.MaxInt64)
	for h := range c.All() {
		out = min(out, class.Cost(c, p, h))
	}
	return out
}

// proves reports, by enumeration, whether the closed nodes of the certificate cover the class and
// contain no parity with a cost below that of the certificate.
func proves(t *testing.T, c enumerable, p problem, s solution) bool {
	k, err := c.Checker(p, s.Certificate.Plan)
	if err != nil {
		return false
	}
	at := int64(0)
	var visit func() bool
	visit = func() bool {
		if at == s.Certificate.Nodes {
			return false
		}
		split := s.Certificate.Bits[at/8]>>(at%8)&1 == 1
		at++
		if !split {
			_, cost := leastLeaf(t, k)
			return cost >= s.Cost
		}
		for i := range k.Children() {
			k.Down(i)
			ok := visit()
			k.Up()
			if !ok {
				return false
			}
		}
		return k.Children() > 0
	}
	return visit() && at == s.Certificate.Nodes && s.Cost == least(c, p) && s.Cost == s.Certificate.Cost
}

// leastLeaf walks the complete tree of a checker and returns the number of leaves and the least
// bound of a leaf. It checks that every bound is at most the bounds of the leaves below.
func leastLeaf(t *testing.T, k class.Checker) (leaves int, cost int64) {
	n := k.Children()
	if n == 0 {
		return 1, k.Bound()
	}
	cost = math.MaxInt64
	for i := range n {
		k.Down(i)
		below, c := leastLeaf(t, k)
		k.Up()
		leaves, cost = leaves+below, min(cost, c)
	}
	if k.Bound() > cost {
		t.Fatalf("bound %d above a leaf's %d", k.Bound(), cost)
	}
	return leaves, cost
}

// Verify refuses changed solutions, unless their certificates still prove them.
func TestVerifyRefuses(t *testing.T) {
	refused, taken, tried := 0, 0, 0
	for seed := 0; tried < 30; seed++ {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 500)
		p := c.Random(draw)
		honest := searchtest.Certified(t, c.Class, p)
		if n := honest.Certificate.Nodes; n < 5 || n > 120 {
			continue
		}
		tried++
		try := func(what string, must bool, change func(s *solution)) {
			t.Helper()
			s, cert := honest, *honest.Certificate
			cert.Plan, cert.Bits = slices.Clone(cert.Plan), slices.Clone(cert.Bits)
			s.Certificate = &cert
			change(&s)
			err := verify(c.Class, p, s)
			switch {
			case err == nil && (must || !proves(t, c.Class, p, s)):
				t.Errorf("%v, %v: %s: taken", c.Class, p, what)
			case err == nil:
				taken++
			case !errors.Is(err, search.ErrCertificate):
				t.Errorf("%v, %v: %s: %v", c.Class, p, what, err)
			default:
				refused++
			}
		}
		for i := range honest.Certificate.Nodes {
			try("a bit flipped", false, func(s *solution) { s.Certificate.Bits[i/8] ^= 1 << (i % 8) })
		}
		for _, by := range []int64{-1 << 40, -1, 1, 1 << 40} {
			try("another cost", true, func(s *solution) { s.Cost += by })
			try("another cost twice", true, func(s *solution) { s.Cost += by; s.Certificate.Cost += by })
			try("another cost certified", true, func(s *solution) { s.Certificate.Cost += by })
		}
		try("a node less", true, func(s *solution) { s.Certificate.Nodes-- })
		try("a node more", true, func(s *solution) { s.Certificate.Nodes++ })
		try("no certificate", true, func(s *solution) { s.Certificate = nil })
		try("a parity of other bits", true, func(s *solution) { s.Hypothesis.Bits |= 1 << 63 })
		for h := range c.Class.All() {
			cost := class.Cost(c.Class, p, h)
			try("another parity", cost > honest.Cost, func(s *solution) { s.Hypothesis = h })
			if cost > honest.Cost {
				try("a worse parity and its cost", true, func(s *solution) { s.Hypothesis, s.Cost, s.Certificate.Cost = h, cost, cost })
			}
		}
		for i := range honest.Certificate.Plan {
			for _, by := range []int{-1, 1, math.MaxInt >> 23} {
				try("another plan", false, func(s *solution) { s.Certificate.Plan[i] += by })
			}
			try("bits exchanged", false, func(s *solution) {
				plan := s.Certificate.Plan
				plan[i], plan[0] = plan[0], plan[i]
			})
			try("a shorter plan", true, func(s *solution) { s.Certificate.Plan = s.Certificate.Plan[:i] })
		}
		try("a longer plan", true, func(s *solution) { s.Certificate.Plan = append(s.Certificate.Plan, 0) })
	}
	t.Logf("%d changed solutions refused, %d taken that are still proofs", refused, taken)
	if refused < 10*tried {
		t.Error("hardly any change is refused")
	}
}

func TestCheckerRefuses(t *testing.T) {
	c := bits(t, 3, parity.Options{Affine: true})
	if _, err := c.Checker(problem{}, []int{2, 0, 1}); err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string][]int{
		"none": nil, "too short": {0, 1}, "too long": {0, 1, 2, 3}, "twice": {0, 1, 1}, "negative": {0, 1, -1}, "no bit": {0, 1, 3},
	} {
		if _, err := c.Checker(problem{}, plan); err == nil {
			t.Errorf("%s: plan %v is taken", name, plan)
		}
	}
	if _, err := c.Checker(problem{Terms: []int64{1}}, []int{0, 1, 2}); err == nil {
		t.Error("too few terms are taken")
	}
}

// FuzzPlan passes arbitrary plans to the checker. The checker must either refuse a plan, or walk a
// tree with as many leaves as the class has parities and with the true minimum cost.
func FuzzPlan(f *testing.F) {
	f.Add(1, []byte{0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, seed int, encoded []byte) {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 128)
		p := c.Random(draw)
		var plan []int
		for _, b := range encoded {
			plan = append(plan, int(int8(b)))
		}
		k, err := c.Class.Checker(p, plan)
		if err != nil {
			return
		}
		leaves, cost := leastLeaf(t, k)
		if int64(leaves) != c.Class.Size().Int64() || cost != least(c.Class, p) {
			t.Fatalf("%v, plan %v: %d leaves, the least at %d", c.Class, plan, leaves, cost)
		}
	})
}
