package numeric

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A sphere is the embedding of a class with NormBits into a sphere. The coordinates of an embedded halfspace are:
//
//   - its weights
//   - up to four integers, which make the squared norm of the weights and these integers the same for all halfspaces
//   - one sign for each threshold except the least
type sphere struct {
	class *Class
	norms class.Completion
}

// Embedding returns an embedding ψ of the class into a sphere, or nil if NormBits is false. The embedded point of a
// halfspace consists of its weights w, up to four integers, and one sign for each threshold except the least. The
// squares of the integers sum to R - ‖w‖², where R is the maximum squared norm of weights of the class. So all
// embedded points have the same norm.
//
// The embedding of Neel, Roth, Vietri and Wu has the single coordinate √(R - ‖w‖²), which is not an integer in
// general, in place of the integers.
func (c *Class) Embedding() class.Embedding[Halfspace] {
	if !c.options.NormBits {
		return nil
	}
	return &sphere{c, class.Complete(c.norms)}
}

// Sphere returns the dimension, the squared norm and the gap of the sphere. The dimension is d + a + |Θ| - 1, where d
// is the number of columns, a is the number of integers that complete the norm (see Embedding), and |Θ| is the number
// of thresholds. The squared norm is R + |Θ| - 1, where R is the maximum squared norm of weights. The gap is 1, since
// inner products are integers.
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

// Linear expresses the inner product of the vector k with embedded points as terms on the separator bits. For every
// halfspace h, the terms of its bits that are 1 sum to ⟨k, ψ(h)⟩, up to a constant that is the same for all
// halfspaces.
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
