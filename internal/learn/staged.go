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

// Stages describe a sequence of hypotheses that the exponential mechanism samples one after the
// other, one in each stage. The class of each hypothesis is a public function of the hypotheses
// sampled before.
type Stages[X, H any] interface {
	// Draws returns the number of hypotheses, at least 1. It is the number of stages.
	Draws() int
	// Stage returns the class from which the next hypothesis is sampled at the rate lambda. The
	// parameter drawn holds the hypotheses sampled before. The penalties of the class may depend on
	// lambda. The layout of the class must be the same for all stages.
	Stage(lambda *big.Rat, drawn []H) (class.Class[X, H], error)
	// LeastPrior returns approximately ln p, where p is the minimum prior of a hypothesis of a
	// stage. The prior is e^{-λ·penalty}, divided by the sum of this over all hypotheses of the
	// stage. The bound on the excess that follows holds only if each later stage contains a
	// hypothesis with as many errors as the result of the stage before.
	LeastPrior(lambda *big.Rat) float64
}

// Staged samples one hypothesis in each stage, by Exponential with a share of ε, and releases all of them.
//
// Guarantee: that of the composition of the stages, because each class depends only on hypotheses that are
// released. It is pure ε-DP with the sum of the shares. It is also zCDP with ρ = Σ ε²/8 over the shares
// (docs/explanation/proofs/sparse.md).
type Staged[X, H any] struct {
	// Observe, if not nil, is called after each stage with its work, which is private.
	Observe func(search.Effort)

	stages    Stages[X, H]
	loss      Loss
	shares    []privacy.Decimal // share of ε of each stage
	relation  privacy.Relation
	guarantee privacy.Guarantee
}

const (
	shareDigits = 12  // digits of each stage's share of ε except the last, which is the exact remainder
	mostDigits  = 100 // maximum digits of a decimal, so that the last share is exact
)

// NewStaged returns the mechanism that samples one hypothesis in each of the stages s, with a
// guarantee of ε under the neighbour relation r. Each stage gets an equal share of ε.
func NewStaged[X, H any](s Stages[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Staged[X, H], error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	m := &Staged[X, H]{stages: s, loss: l, relation: r}
	left := epsilon.Rat()
	var parts []privacy.Guarantee
	for rest := s.Draws(); rest > 0; rest-- {
		digits := shareDigits
		if rest == 1 {
			digits = mostDigits
		}
		share, err := privacy.RoundDown(new(big.Rat).Quo(left, new(big.Rat).SetInt64(int64(rest))), digits)
		if err != nil {
			return nil, err
		}
		left.Sub(left, share.Rat())
		part, err := privacy.NewBoundedRange(r, share)
		if err != nil {
			return nil, err
		}
		m.shares, parts = append(m.shares, share), append(parts, part)
		if _, err := s.Stage(Rate(share, r, l), nil); err != nil {
			return nil, err
		}
	}
	var err error
	m.guarantee, err = privacy.Compose(parts...)
	return m, err
}

// Guarantee returns the privacy guarantee, which holds for every release.
func (m *Staged[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Loss returns the loss of each stage, a public parameter.
func (m *Staged[X, H]) Loss() Loss { return m.loss }

// Rates returns the rate λ of each stage. The rates are public parameters.
func (m *Staged[X, H]) Rates() []*big.Rat {
	var rates []*big.Rat
	for _, share := range m.shares {
		rates = append(rates, Rate(share, m.relation, m.loss))
	}
	return rates
}

// Release samples the hypotheses of all stages. It fails with the context's error, or with ErrRows
// before it uses any randomness.
func (m *Staged[X, H]) Release(ctx context.Context, d []Example[X], coins noise.Coins) ([]H, error) {
	p, err := problemOf(m.relation, m.loss, d, 1)
	if err != nil {
		return nil, err
	}
	var drawn []H
	for _, lambda := range m.Rates() {
		stage, err := m.stages.Stage(lambda, drawn)
		if err != nil {
			return nil, err
		}
		h, err := m.sample(ctx, stage, p, lambda, coins)
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, h)
	}
	return drawn, nil
}

// sample samples the hypothesis of one stage by the exponential mechanism with the rate lambda.
func (m *Staged[X, H]) sample(ctx context.Context, stage class.Class[X, H], p class.Problem[X], lambda *big.Rat, coins noise.Coins) (h H, err error) {
	t, err := stage.Tree(p)
	if err != nil {
		return h, fmt.Errorf("learn: %w", err)
	}
	return sample(ctx, t, perUnit(lambda, m.relation), m.Observe, coins)
}

// Excess bounds the excess cost of the last hypothesis on a table with the given number of rows,
// relative to the minimum cost in the first class, where costs do not include penalties. Each bound
// is the sum of the bounds of all stages. The mean excess of a stage is at most ln(1/p)/λ, where p
// is the minimum prior and λ is the rate of the stage. The bounds add up because the minimum cost
// of a stage is at most the cost of the hypothesis sampled before
// (docs/explanation/proofs/sparse.md).
func (m *Staged[X, H]) Excess(rows int64) Excess {
	var e Excess
	for _, rate := range m.Rates() {
		lambda, _ := rate.Float64()
		log := -m.stages.LeastPrior(rate)
		e.Mean += log / lambda
		e.Most += (log - math.Log((1-Confidence)/float64(len(m.shares)))) / lambda
	}
	top := float64(rows) * float64(m.loss.Range())
	return Excess{min(e.Mean, top), min(e.Most, top)}
}
