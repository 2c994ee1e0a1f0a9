package scorecard

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A sphere is the embedding of a class with a limit on the norm into a sphere (see
// class.Embedding). The coordinates are the points of the categories with more than one level,
// followed by a few integers that make all norms equal.
type sphere struct {
	class   *Class
	norms   class.Completion
	varying [][]bool // [attribute][category]: the category has more than one level
	dim     int
	fixed   int64 // the squared norm of the points of the categories with one level
}

// Embedding returns an embedding of the class into a sphere, or nil if there is no limit on the
// norm. A card with the vector of points q is mapped to (q, a), where a consists of at most four
// integers, as few as possible, whose squares sum to R - ‖q‖². R is the maximum squared norm of a
// card. Neel, Roth, Vietri and Wu use the single coordinate √(R - ‖q‖²) instead.
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
		s.varying = append(s.varying, free)
	}
	return s
}

// Sphere returns the dimension, the squared radius and the gap of the sphere. The coordinates are
// integers, so distinct inner products differ by at least 1, the gap.
func (s *sphere) Sphere() class.Sphere {
	return class.Sphere{Dim: s.dim, Square: s.norms.Norm() - s.fixed, Gap: 1}
}

// Embed returns the point on the sphere to which card h is mapped.
func (s *sphere) Embed(h Card) []int64 {
	var out []int64
	for j, v := range h.Points {
		for cat, p := range v {
			if s.varying[j][cat] {
				out = append(out, int64(p))
			}
		}
	}
	return append(out, s.norms.Of(int64(h.Norm()))...)
}

// Linear returns linear terms, on the separator bits, whose cost for a card is the inner product of
// the vector k with the card's point on the sphere, up to a constant that is the same for all
// cards.
func (s *sphere) Linear(k []*big.Int) []*big.Int {
	var terms []*big.Int
	for j, of := range s.class.levels {
		for cat, free := range s.varying[j] {
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
