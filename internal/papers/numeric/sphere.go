package numeric

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A sphere is the embedding of a class with NormBits into a sphere. The coordinates of an embedded halfspace are its
// weights, up to four integers that make the squared norm the same for all halfspaces, and one sign for each threshold
// except the least.
type sphere struct {
	class *Class
	norms class.Completion
}

// Embedding returns the map ψ(w, θ) = (w, a(‖w‖²), signs of θ) into a sphere. If NormBits is false, it returns nil. Let
// R be the greatest squared norm of weights of the class. The embedding of Neel, Roth, Vietri and Wu has the last
// coordinate √(R - ‖w‖²), which is not an integer in general. Here a(‖w‖²) replaces it: up to four integers whose
// squares sum to R - ‖w‖².
func (c *Class) Embedding() class.Embedding[Halfspace] {
	if !c.options.NormBits {
		return nil
	}
	return &sphere{c, class.Complete(c.norms)}
}

// Sphere returns the parameters of the sphere. Let d be the number of columns, R the greatest squared norm of weights,
// and |Θ| the number of thresholds. The dimension is d + (number of integers in a) + |Θ| - 1, and the squared norm is R
// + |Θ| - 1. The gap is 1, since inner products are integers.
func (s *sphere) Sphere() class.Sphere {
	signs := len(s.class.thresholds) - 1
	return class.Sphere{Dim: len(s.class.columns) + s.norms.Squares() + signs, Square: s.norms.Norm() + int64(signs), Gap: 1}
}

// Embed returns ψ(h), the point to which the embedding maps h.
func (s *sphere) Embed(h Halfspace) []int64 {
	out := append(append([]int64(nil), h.Weights...), s.norms.Of(h.Norm())...)
	for _, t := range s.class.thresholds[1:] {
		sign := int64(-1)
		if h.Threshold >= t {
			sign = 1
		}
		out = append(out, sign)
	}
	return out
}

// Linear expresses inner products by terms on the separator bits. For every halfspace h, the sum of the terms of those
// of its bits that are 1 is ⟨k, ψ(h)⟩, up to a constant that does not depend on h.
func (s *sphere) Linear(k []*big.Int) []*big.Int {
	c := s.class
	var terms []*big.Int
	times := func(k *big.Int, by int64) *big.Int { return new(big.Int).Mul(k, big.NewInt(by)) }
	for j, col := range c.columns {
		for i, w := range col.Weights[1:] {
			terms = append(terms, times(k[j], w-col.Weights[i]))
		}
	}
	k = k[len(c.columns):]
	for _, sign := range k[s.norms.Squares():] {
		terms = append(terms, times(sign, 2))
	}
	return append(terms, s.norms.Linear(k[:s.norms.Squares()])...)
}
