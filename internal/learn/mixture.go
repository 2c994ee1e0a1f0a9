package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// Mixture is the exponential mechanism over a class.Mixed, a union of classes that are searched and
// classes that have a prior. It samples a hypothesis q with probability exactly proportional to
// w(q)·e^{-λ(c(q) + a(q))}. Here c(q) is the sum of the loss of q over the table, w(q) is the
// public weight of q, and a(q) is its public penalty.
//
// Guarantee: that of Exponential with the same λ, because the weight and the factor e^{-λa(q)} are
// public (docs/explanation/proofs/dectree.md). The running time depends on the data.
type Mixture[X, H any] struct {
	// Observe, if not nil, is called after each release with its work, which is private: it is
	// for the curator's log and not part of the release.
	Observe func(search.Effort)

	law
	class class.Mixed[X, H]
}

// NewMixture returns the exponential mechanism over a mixed class, with a guarantee of ε under the
// relation r.
func NewMixture[X, H any](c class.Mixed[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Mixture[X, H], error) {
	w, err := newLaw(epsilon, r, l)
	if err != nil {
		return nil, err
	}
	return &Mixture[X, H]{law: w, class: c}, nil
}

// Class returns the class from which m samples.
func (m *Mixture[X, H]) Class() class.Mixed[X, H] { return m.class }

// Release samples a hypothesis from the mixed class. It fails with the context's error, or with
// ErrRows before it uses any randomness.
func (m *Mixture[X, H]) Release(ctx context.Context, d []Example[X], coins noise.Coins) (H, error) {
	var none H
	p, err := problemOf(m.guarantee.Relation(), m.loss, d, 1)
	if err != nil {
		return none, err
	}
	lambda := m.perUnit()
	t, err := m.class.Tree(ctx, p, search.Decay(lambda))
	if err != nil {
		return none, fmt.Errorf("learn: %w", err)
	}
	return sample(ctx, t, lambda, m.Observe, coins)
}

// Excess bounds the excess loss on a table with the given number of rows, relative to the minimum
// loss in the class. The bounds are those of Gibbs for a prior proportional to the public weight
// times e^{-λ·penalty}, where λ is the rate.
func (m *Mixture[X, H]) Excess(rows int64) Excess {
	lambda, _ := m.lambda.Float64()
	log := func(r *big.Rat) float64 { return logBig(r.Num()) - logBig(r.Denom()) }
	parts := m.class.Parts()
	highest := math.Inf(-1) // maximum of the logarithms of the parts' weights
	for _, p := range parts {
		highest = max(highest, log(p.Weight)-lambda*float64(p.Penalty))
	}
	sum, least := 0.0, math.Inf(1)
	for _, p := range parts {
		sum += math.Exp(log(p.Weight) - lambda*float64(p.Penalty) - highest)
		least = min(least, log(p.Least)-lambda*(float64(p.Penalty)+float64(p.Spread)))
	}
	inverse := highest + math.Log(sum) - least // -ln of the minimum prior
	return drawn(inverse, lambda, float64(rows)*float64(m.loss.Range()))
}
