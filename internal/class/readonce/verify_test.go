package readonce_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/readonce/readoncetest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/search"
)

type solution = search.Solution[readonce.Formula]

func TestVerify(t *testing.T) {
	ctx := context.Background()
	for seed := range 30 {
		draw := classtest.FromSeed(seed)
		c := readoncetest.Random(draw)
		p := c.Random(draw)
		s := searchtest.Certified(t, c.Class, p)
		of := class.Class[record, readonce.Formula](c.Class)
		if err := search.Verify(ctx, of, p, s); err != nil {
			t.Errorf("%v, %v: %v", c.Class, p, err)
		}
		for what, change := range map[string]func(s *solution){
			"a lower cost":         func(s *solution) { s.Cost--; s.Certificate.Cost-- },
			"a higher cost":        func(s *solution) { s.Cost++; s.Certificate.Cost++ },
			"a plan":               func(s *solution) { s.Certificate.Plan = []int{0} },
			"another gate":         func(s *solution) { s.Hypothesis.Gate ^= 1 },
			"no formula":           func(s *solution) { s.Hypothesis.Inputs = nil },
			"an input that is not": func(s *solution) { s.Hypothesis.Inputs[0] = 99 },
			"a worse formula": func(s *solution) {
				for q := range c.Class.All() {
					if cost := class.Cost(of, p, q); cost > s.Cost {
						s.Hypothesis, s.Cost, s.Certificate.Cost = q, cost, cost
						return
					}
				}
				s.Hypothesis.Inputs = nil
			},
		} {
			wrong, cert := s, *s.Certificate
			cert.Bits = slices.Clone(cert.Bits)
			wrong.Certificate = &cert
			wrong.Hypothesis.Inputs = slices.Clone(s.Hypothesis.Inputs)
			change(&wrong)
			if err := search.Verify(ctx, of, p, wrong); !errors.Is(err, search.ErrCertificate) {
				t.Errorf("%v, %v: %s: %v", c.Class, p, what, err)
			}
		}
	}
}
