package scorecard

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A sphere is the embedding of a class with a limit on the norm: the points of
// the categories that have a choice, and the integers that complete the norm.
type sphere struct {
	class *Class
	norms class.Completion
	free  [][]bool // of each attribute: the categories that have a choice
	dim   int
	fixed int64 // the squared norm of the categories without a choice
}

// Embedding returns the map (q, a(‖q‖²)) into a sphere, in which Neel, Roth,
// Vietri and Wu's last coordinate √(R - ‖q‖²) is replaced by as few integers as
// have the same sum of squares, at most four; R is the greatest squared norm of
// a card. Without a limit on the norm it is nil.
func (c *Class) Embedding() class.Embedding[Card] {
	if c.options.Norm == 0 {
		return nil
	}
	s := &sphere{class: c, norms: class.Complete(c.norms)}
	s.dim = s.norms.Squares()
	for _, a := range c.attributes {
		free := make([]bool, a.categories)
		for cat := range free {
			if lo, hi := a.bounds(cat); lo < hi {
				free[cat] = true
				s.dim++
			} else {
				s.fixed += int64(lo) * int64(lo)
			}
		}
		s.free = append(s.free, free)
	}
	return s
}

// Sphere returns the sphere; inner products are integers, so the gap is 1.
func (s *sphere) Sphere() class.Sphere {
	return class.Sphere{Dim: s.dim, Square: s.norms.Norm() - s.fixed, Gap: 1}
}

// Embed returns the point of h.
func (s *sphere) Embed(h Card) []int64 {
	var out []int64
	for j, v := range h.Points {
		for cat, p := range v {
			if s.free[j][cat] {
				out = append(out, int64(p))
			}
		}
	}
	return append(out, s.norms.Of(int64(h.Norm()))...)
}

// Linear spreads ⟨k, ψ(h)⟩ over the bits of each category and of the norm.
func (s *sphere) Linear(k []*big.Int) []*big.Int {
	var terms []*big.Int
	for j, of := range s.class.levels {
		for cat, free := range s.free[j] {
			if !free {
				continue
			}
			levels := of[cat]
			for i, v := range levels[1:] {
				by := big.NewInt(int64(v - levels[i]))
				terms = append(terms, by.Mul(by, k[0]))
			}
			k = k[1:]
		}
	}
	return append(terms, s.norms.Linear(k)...)
}
