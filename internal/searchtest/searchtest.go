// Package searchtest is a test suite for certificates of optimality, which every class must pass.
// It checks that a valid certificate is accepted, and that a changed certificate is rejected unless
// it is still a valid proof.
package searchtest

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/search"
)

// Certificates finds a minimum of the problem p over the class of c, with a certificate. It changes
// the certificate in many ways, and checks that each changed certificate is rejected, unless it is
// still a proof. It returns the numbers of changed certificates that were rejected and that were
// accepted.
//
// To check accepted certificates, it visits the whole tree. So the class should have at most some
// hundred hypotheses.
func Certificates[X, H any](t classtest.T, c classtest.Case[X, H], p class.Problem[X]) (refused, taken int) {
	t.Helper()
	honest := Certified(t, c.Class, p)
	r := &run[X, H]{t: t, c: c, p: p, honest: honest, least: math.MaxInt64}
	for h := range c.Class.All() {
		r.least = min(r.least, class.Cost(c.Class, p, h))
	}
	if honest.Cost != r.least {
		t.Fatalf("%v: the search finds cost %d, the least is %d", c.Class, honest.Cost, r.least)
	}
	if err := r.verify(honest); err != nil {
		t.Fatalf("%v: an honest certificate is refused: %v", c.Class, err)
	}
	if !r.proves(honest) {
		t.Fatalf("%v: by enumeration, an honest certificate proves nothing", c.Class)
	}
	r.claims()
	r.bits()
	r.plans()
	return r.refused, r.taken
}

// Certified returns a hypothesis of minimum cost for the problem p, with the certificate that
// proves this.
func Certified[X, H any](t classtest.T, c class.Class[X, H], p class.Problem[X]) search.Solution[H] {
	t.Helper()
	tree, err := c.Tree(p)
	if err != nil {
		t.Fatalf("%v: no tree: %v", c, err)
	}
	s, err := search.Minimize(context.Background(), tree, search.Options{Certify: true})
	if err != nil {
		t.Fatalf("%v: no minimizer: %v", c, err)
	}
	return s
}

type run[X, H any] struct {
	t              classtest.T
	c              classtest.Case[X, H]
	p              class.Problem[X]
	honest         search.Solution[H]
	least          int64
	refused, taken int
}

func (r *run[X, H]) verify(s search.Solution[H]) error {
	return search.Verify(context.Background(), class.Class[X, H](r.c.Class), r.p, s)
}

// judge changes the correct solution, and checks that Verify rejects the result, unless enumeration
// shows that the certificate is still a proof. The text what describes the change in messages.
func (r *run[X, H]) judge(what string, change func(s *search.Solution[H])) {
	r.t.Helper()
	s := r.honest
	cert := *s.Certificate
	cert.Plan, cert.Bits = slices.Clone(cert.Plan), slices.Clone(cert.Bits)
	s.Certificate = &cert
	change(&s)
	switch err := r.verify(s); {
	case err == nil && !r.proves(s):
		r.t.Fatalf("%v: taken with %s", r.c.Class, what)
	case err == nil:
		r.taken++
	case !errors.Is(err, search.ErrCertificate):
		r.t.Fatalf("%v: with %s: %v", r.c.Class, what, err)
	default:
		r.refused++
	}
}

// claims tests solutions whose certificate is unchanged, but which state another hypothesis or
// another cost.
func (r *run[X, H]) claims() {
	r.t.Helper()
	for _, by := range []int64{-1, 1} {
		r.judge("another cost", func(s *search.Solution[H]) { s.Cost += by; s.Certificate.Cost += by })
		r.judge("another cost certified", func(s *search.Solution[H]) { s.Certificate.Cost += by })
	}
	for h := range r.c.Class.All() {
		cost := class.Cost(r.c.Class, r.p, h)
		r.judge("another hypothesis", func(s *search.Solution[H]) { s.Hypothesis = h })
		r.judge("another hypothesis and its cost", func(s *search.Solution[H]) {
			s.Hypothesis, s.Cost, s.Certificate.Cost = h, cost, cost
		})
	}
}

// bits tests certificates with changed bits. A bit states whether a node is split or closed.
func (r *run[X, H]) bits() {
	r.t.Helper()
	for i := range 8 * len(r.honest.Certificate.Bits) {
		r.judge("a bit flipped", func(s *search.Solution[H]) { s.Certificate.Bits[i/8] ^= 1 << (i % 8) })
	}
	r.judge("the root closed", func(s *search.Solution[H]) { s.Certificate.Bits, s.Certificate.Nodes = []byte{0}, 1 })
	r.judge("a node less", func(s *search.Solution[H]) { s.Certificate.Nodes-- })
	r.judge("a node more", func(s *search.Solution[H]) { s.Certificate.Nodes++ })
}

// plans tests certificates with changed plans. The plan determines the shape of the search tree.
func (r *run[X, H]) plans() {
	r.t.Helper()
	for i := range r.honest.Certificate.Plan {
		for _, by := range []int{-1, 1, math.MaxInt >> 23, math.MaxInt} {
			r.judge("another plan", func(s *search.Solution[H]) { s.Certificate.Plan[i] += by })
		}
		r.judge("a plan cut short", func(s *search.Solution[H]) { s.Certificate.Plan = s.Certificate.Plan[:i] })
	}
	r.judge("a longer plan", func(s *search.Solution[H]) { s.Certificate.Plan = append(s.Certificate.Plan, 0) })
	r.judge("the plan reversed", func(s *search.Solution[H]) { slices.Reverse(s.Certificate.Plan) })
}

// proves reports whether the certificate of solution s is a proof, by enumeration (see Proves).
func (r *run[X, H]) proves(s search.Solution[H]) bool {
	r.t.Helper()
	return Proves(r.t, r.c, r.p, s, r.least)
}

// Proves reports whether the certificate of solution s is a proof, by enumeration. It is a proof
// under these conditions:
//
//   - The closed nodes of the certificate cover the class: the numbers of hypotheses below them sum
//     to the size of the class.
//   - No hypothesis below the closed nodes costs less than s.Cost.
//   - s.Cost is the minimum cost of all hypotheses, the parameter lowest.
func Proves[X, H any](t classtest.T, c classtest.Case[X, H], p class.Problem[X], s search.Solution[H], lowest int64) bool {
	t.Helper()
	k, err := c.Class.Checker(p, s.Certificate.Plan)
	if err != nil {
		t.Fatalf("%v: a plan was taken and then refused: %v", c.Class, err)
	}
	leaves := 0
	at := int64(0)
	var visit func() bool
	visit = func() bool {
		if at == s.Certificate.Nodes {
			return false
		}
		split := s.Certificate.Bits[at/8]>>(at%8)&1 == 1
		at++
		if !split {
			below, least := LeastLeaf(t, k)
			leaves += below
			return least >= s.Cost
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
	return visit() && at == s.Certificate.Nodes && s.Cost == lowest && int64(leaves) == c.Class.Size().Int64()
}

// LeastLeaf visits the tree below the current node of a checker. It returns the number of leaves
// and the least bound of a leaf. It checks that no bound of a node is greater than the bounds of
// the leaves below it.
func LeastLeaf(t classtest.T, k class.Checker) (leaves int, least int64) {
	t.Helper()
	n := k.Children()
	if n == 0 {
		return 1, k.Bound()
	}
	least = math.MaxInt64
	for i := range n {
		k.Down(i)
		below, bound := LeastLeaf(t, k)
		k.Up()
		leaves, least = leaves+below, min(least, bound)
	}
	if k.Bound() > least {
		t.Fatalf("bound %d above a leaf's %d", k.Bound(), least)
	}
	return leaves, least
}
