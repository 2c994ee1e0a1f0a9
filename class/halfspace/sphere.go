package halfspace

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A sphere is the embedding of a class with bits of the norm: the weights, the
// squares that complete their squared norm to R, and a sign for each threshold
// but the least.
type sphere struct {
	class    *Class
	complete map[int64][]int64 // of each squared norm s, integers whose squares add up to R - s
	squares  int               // how many
}

// Embedding returns the map (w, a(‖w‖²), signs of θ) into a sphere, in which
// Neel, Roth, Vietri and Wu's last coordinate √(R - ‖w‖²) is replaced by as few
// integers as have the same sum of squares, at most four; R is the greatest
// squared norm of weights of the class. Without NormBits it is nil.
func (c *Class) Embedding() class.Embedding[Halfspace] {
	if !c.options.NormBits {
		return nil
	}
	s := &sphere{class: c}
	for !s.completed() {
		s.squares++
	}
	return s
}

// completed finds the sums of squares; it fails where s.squares are too few,
// which four never are (Lagrange).
func (s *sphere) completed() bool {
	s.complete = map[int64][]int64{}
	most := s.class.norms[len(s.class.norms)-1]
	for _, norm := range s.class.norms {
		a, ok := sumOfSquares(most-norm, s.squares)
		if !ok {
			return false
		}
		s.complete[norm] = a
	}
	return true
}

// sumOfSquares writes n as the sum of so many squares, the greatest first, if
// that can be done.
func sumOfSquares(n int64, squares int) ([]int64, bool) {
	if squares == 0 {
		return nil, n == 0
	}
	for a := int64(math.Sqrt(float64(n))) + 1; a >= 0; a-- {
		if a*a > n {
			continue
		}
		if rest, ok := sumOfSquares(n-a*a, squares-1); ok {
			return append([]int64{a}, rest...), true
		}
	}
	return nil, false
}

// Sphere returns d + squares + |Θ| - 1 dimensions and R + |Θ| - 1; inner
// products are integers, so the gap is 1.
func (s *sphere) Sphere() class.Sphere {
	c := s.class
	signs := len(c.thresholds) - 1
	return class.Sphere{Dim: len(c.columns) + s.squares + signs, Square: c.norms[len(c.norms)-1] + int64(signs), Gap: 1}
}

// Embed returns the point of h.
func (s *sphere) Embed(h Halfspace) []int64 {
	out := append(append([]int64(nil), h.Weights...), s.complete[h.Norm()]...)
	for _, t := range s.class.thresholds[1:] {
		sign := int64(-1)
		if h.Threshold >= t {
			sign = 1
		}
		out = append(out, sign)
	}
	return out
}

// Linear spreads ⟨k, ψ(h)⟩ over the unary bits: of each weight, of the
// threshold, and of the norm.
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
	for _, sign := range k[s.squares:] {
		terms = append(terms, times(sign, 2))
	}
	for i, norm := range c.norms[1:] {
		step := new(big.Int)
		for b, a := range s.complete[norm] {
			step.Add(step, times(k[b], a-s.complete[c.norms[i]][b]))
		}
		terms = append(terms, step)
	}
	return terms
}
