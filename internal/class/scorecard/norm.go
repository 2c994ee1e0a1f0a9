package scorecard

import (
	"math"
	"math/big"
)

// Norm returns the squared Euclidean norm of card h: the sum of the squares of all its points.
func (h Card) Norm() int {
	norm := 0
	for _, v := range h.Points {
		norm += square(v)
	}
	return norm
}

// square returns the squared Euclidean norm of the vector v of points.
func square(v []int) int {
	sum := 0
	for _, p := range v {
		sum += p * p
	}
	return sum
}

// root returns ⌊√n⌋, the integer square root of n.
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

// Norms returns the squared norms of the cards of the class in ascending order, or nil if the class
// has no limit on the norm. The caller must not change the result.
func (c *Class) Norms() []int64 { return c.norms }

// countNorms counts the ways to decide all undecided categories of the attribute states ps, by the
// squared norm of these categories. Element s of the result is the count for the squared norm s, up
// to the given maximum.
func countNorms(ps []openState, most int) []*big.Int {
	counts := []*big.Int{one}
	var t big.Int
	for _, p := range ps {
		if len(p.byNorm) == 0 {
			return nil
		}
		next := make([]*big.Int, min(len(counts)+len(p.byNorm)-1, most+1))
		for s := range next {
			next[s] = new(big.Int)
		}
		for a, n := range counts {
			for b, m := range p.byNorm {
				if a+b < len(next) && n.Sign() > 0 && m.Sign() > 0 {
					next[a+b].Add(next[a+b], t.Mul(n, m))
				}
			}
		}
		counts = next
	}
	return counts
}

// normCosts returns the cost that the linear terms of a problem assign to each squared norm of a
// card, from 0 to the limit. If no card has a norm, its cost is math.MaxInt64. If terms is nil, all
// costs are 0.
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
