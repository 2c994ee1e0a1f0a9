package learn

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// Mixture is the exponential mechanism over a mixed class: it draws q with probability
// proportional to w(q)·e^{-λ(c(q) + a(q))}, exactly, where c counts the loss over the
// table, w is q's public weight and a its public penalty.
//
// Guarantee: that of Exponential, with the same λ, since weight and penalty are public
// factors (docs/explanation/proofs/dectree.md). The running time depends on the data.
type Mixture[X, H any] struct {
	// Observe, if set, is told after each release what it cost, which is private: it is
	// for the curator's log and no part of the release.
	Observe func(search.Effort)

	law
	class class.Mixed[X, H]
}

// NewMixture returns the mechanism.
func NewMixture[X, H any](c class.Mixed[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Mixture[X, H], error) {
	w, err := newLaw(epsilon, r, l)
	if err != nil {
		return nil, err
	}
	return &Mixture[X, H]{law: w, class: c}, nil
}

// Class returns the class drawn from.
func (m *Mixture[X, H]) Class() class.Mixed[X, H] { return m.class }

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m *Mixture[X, H]) Release(ctx context.Context, d []Example[X], coins noise.Coins) (H, error) {
	var none H
	p, err := problemOf(m.guarantee.Relation(), m.loss, d, 1)
	if err != nil {
		return none, err
	}
	lambda := m.perUnit()
	t, err := m.class.Tree(ctx, p, search.Decay(lambda))
	return sample(ctx, t, err, lambda, m.Observe, coins)
}

// Excess bounds the excess of the loss over a table of so many rows, beyond the least of
// the class. It is that of Gibbs for the prior w(q)·e^{-λa(q)} divided by its sum.
func (m *Mixture[X, H]) Excess(rows int64) Excess {
	lambda, _ := m.lambda.Float64()
	log := func(r *big.Rat) float64 { return logBig(r.Num()) - logBig(r.Denom()) }
	parts := m.class.Parts()
	highest := math.Inf(-1) // of the logarithms of the parts' weights
	for _, p := range parts {
		highest = max(highest, log(p.Weight)-lambda*float64(p.Penalty))
	}
	sum, least := 0.0, math.Inf(1)
	for _, p := range parts {
		sum += math.Exp(log(p.Weight) - lambda*float64(p.Penalty) - highest)
		least = min(least, log(p.Least)-lambda*(float64(p.Penalty)+float64(p.Spread)))
	}
	inverse := highest + math.Log(sum) - least // of the least prior
	return drawn(inverse, lambda, float64(rows)*float64(m.loss.Range()))
}
