package scorecard

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Norm returns the squared Euclidean norm of all points.
func (h Card) Norm() int {
	norm := 0
	for _, v := range h.Points {
		norm += square(v)
	}
	return norm
}

// square returns the squared norm of a vector.
func square(v []int) int {
	sum := 0
	for _, p := range v {
		sum += p * p
	}
	return sum
}

// root returns ⌊√n⌋.
func root(n int) int {
	r := int(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

// Norms returns the squared norms that cards of the class have, ascending, or
// nil without a limit; the caller must not change them.
func (c *Class) Norms() []int64 { return c.norms }

// countNorms returns how many completions of the prospects have each squared
// norm of what is left to decide, up to most.
func countNorms(ps []prospect, most int) []*big.Int {
	ways := []*big.Int{one}
	var t big.Int
	for _, p := range ps {
		if len(p.byNorm) == 0 {
			return nil
		}
		next := make([]*big.Int, min(len(ways)+len(p.byNorm)-1, most+1))
		for s := range next {
			next[s] = new(big.Int)
		}
		for a, n := range ways {
			for b, m := range p.byNorm {
				if a+b < len(next) && n.Sign() > 0 && m.Sign() > 0 {
					next[a+b].Add(next[a+b], t.Mul(n, m))
				}
			}
		}
		ways = next
	}
	return ways
}

// normCosts returns what the problem's terms make each squared norm up to the
// limit cost: math.MaxInt64 where no card has it.
func (c *Class) normCosts(terms []int64) []int64 {
	costs := make([]int64, c.options.Norm+1)
	if terms == nil {
		return costs
	}
	terms = terms[len(terms)-len(c.norms)+1:]
	for s := range costs {
		costs[s] = math.MaxInt64
	}
	sum := int64(0)
	for i, s := range c.norms {
		if i > 0 {
			sum += terms[i-1]
		}
		costs[s] = sum
	}
	return costs
}

// A sphere is the embedding of a class with a limit on the norm: the points of
// the categories that have a choice, and the integers that complete the norm.
type sphere struct {
	class *Class
	norms class.Completion
	free  [][]bool // of each attribute: the categories that have a choice
	dim   int
	fixed int64 // the squared norm of all others
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
	for j, a := range s.class.attributes {
		for cat, free := range s.free[j] {
			if !free {
				continue
			}
			levels := a.levels(cat)
			for i, v := range levels[1:] {
				by := big.NewInt(int64(v - levels[i]))
				terms = append(terms, by.Mul(by, k[0]))
			}
			k = k[1:]
		}
	}
	return append(terms, s.norms.Linear(k)...)
}
