package perturb

import (
	"context"
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/search"
)

// minimizeWide returns a hypothesis that minimizes the noisy cost (see minimizePerturbed), even if noisy costs exceed
// 62 bits. A search tree does not support such costs. They occur if the noise k is very large, which at usual scales
// has a negligible probability. But a mechanism that failed in this case would not satisfy pure DP, since the noise has
// unbounded support.
//
// The function takes three steps (docs/explanation/proofs/rspm.md, section 5):
//
//  1. Divide all costs by a power of two and round them down.
//  2. Enumerate every hypothesis that can be a minimizer despite the rounding.
//  3. Return the one of these with the least exact cost.
func minimizeWide[X, H any](ctx context.Context, c class.Class[X, H], p class.Problem[X], k []*big.Int) (best H, err error) {
	bits := big.NewInt(p.PenaltyUnit()).BitLen()
	for _, v := range k {
		bits = max(bits, v.BitLen())
	}
	for _, pt := range p.Points {
		for _, v := range pt.Cost {
			bits = max(bits, big.NewInt(v).BitLen())
		}
	}
	// Rounding changes the cost of a hypothesis by at most one for each rounded number (noise terms
	// and costs of points), and by at most one for each unit of its penalty.
	free, err := c.Tree(class.Problem[X]{})
	if err != nil {
		return best, err
	}
	off := int64(len(k)+2*len(p.Points)) + free.Ceiling()
	drop := uint(max(0, bits+big.NewInt(off).BitLen()-59))
	tree, err := c.Tree(coarsened(p, k, drop))
	for errors.Is(err, class.ErrRange) && drop < uint(bits) {
		drop++ // the tree of a coded class adds up terms, and the sums may need more bits
		tree, err = c.Tree(coarsened(p, k, drop))
	}
	if err != nil {
		return best, err
	}
	s, err := search.Minimize(ctx, tree, search.Options{})
	if err != nil {
		return best, err
	}
	var least *big.Int
	err = search.Within(ctx, tree, s.Cost+2*off, func(h H) {
		if cost := wideCost(c, p, k, h); least == nil || cost.Cmp(least) < 0 {
			best, least = h, cost
		}
	})
	if err != nil {
		var none H
		return none, err
	}
	return best, nil
}

// coarsened returns a copy of the problem p with the terms k, in which all costs of points, all terms and the penalty
// unit are divided by 2^drop and rounded down. If the penalty unit becomes 0, it is raised to 1.
func coarsened[X any](p class.Problem[X], k []*big.Int, drop uint) class.Problem[X] {
	coarse := class.Problem[X]{Unit: max(1, p.PenaltyUnit()>>drop), Terms: make([]int64, len(k))}
	var t big.Int
	for i, v := range k {
		coarse.Terms[i] = t.Rsh(v, drop).Int64()
	}
	for _, pt := range p.Points {
		pt.Cost[0] >>= drop
		pt.Cost[1] >>= drop
		coarse.Points = append(coarse.Points, pt)
	}
	return coarse
}

// wideCost returns the exact noisy cost of the hypothesis h, which may exceed 64 bits. It is the cost of h on the
// problem p, plus the noise terms in k of the separator bits that are 1 for h.
func wideCost[X, H any](c class.Class[X, H], p class.Problem[X], k []*big.Int, h H) *big.Int {
	cost := new(big.Int).Mul(big.NewInt(p.PenaltyUnit()), big.NewInt(c.Penalty(h)))
	for _, pt := range p.Points {
		v := pt.Cost[0]
		if c.Predict(h, pt.X) {
			v = pt.Cost[1]
		}
		cost.Add(cost, big.NewInt(v))
	}
	for i, set := range class.Separate(c, h) {
		if set {
			cost.Add(cost, k[i])
		}
	}
	return cost
}
