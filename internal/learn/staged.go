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

// Stages are classes of which the exponential mechanism draws one hypothesis after the other,
// each from a class that depends on those drawn before. All of it is public.
type Stages[X, H any] interface {
	// Draws returns how many are drawn, at least 1.
	Draws() int
	// Stage returns the class of the draw after those drawn, at the rate λ, by which it may
	// charge its hypotheses. Its layout is the same for all draws.
	Stage(lambda *big.Rat, drawn []H) (class.Class[X, H], error)
	// LeastPrior returns ln of the least share that one hypothesis of a stage has of all
	// e^{-λ·penalty}, about; and some hypothesis of each later stage errs as often as what
	// was drawn before.
	LeastPrior(lambda *big.Rat) float64
}

// Staged draws from stages, each time by Exponential with a share of ε, and releases all that
// is drawn.
//
// Guarantee: that of the composition, since each draw is from a class made of those released
// before: pure ε-DP, the sum of the shares, and ρ = Σ ε²/8 (docs/explanation/proofs/sparse.md).
type Staged[X, H any] struct {
	// Observe, if set, is told after each draw what it cost, which is private.
	Observe func(search.Effort)

	stages    Stages[X, H]
	loss      Loss
	shares    []privacy.Decimal // of ε, by draw
	relation  privacy.Relation
	guarantee privacy.Guarantee
}

const (
	shareDigits = 12  // of each share but the last, which is all that remains
	mostDigits  = 100 // of a decimal, so that the last share is exact
)

// NewStaged returns the mechanism, whose draws have equal shares of ε.
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

// Guarantee returns the guarantee, which holds for every release.
func (m *Staged[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Loss returns what is counted, a public parameter.
func (m *Staged[X, H]) Loss() Loss { return m.loss }

// Rates returns λ of each draw, public parameters.
func (m *Staged[X, H]) Rates() []*big.Rat {
	var rates []*big.Rat
	for _, share := range m.shares {
		rates = append(rates, Rate(share, m.relation, m.loss))
	}
	return rates
}

// Release draws all hypotheses. It fails with the context's error, or with ErrRows before any
// draw.
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
		t, err := stage.Tree(p)
		h, err := sample(ctx, t, err, perUnit(lambda, m.relation), m.Observe, coins)
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, h)
	}
	return drawn, nil
}

// Excess bounds the excess of the last hypothesis over a table of so many rows, beyond the
// least cost, without charges, in the first class: the excesses of all draws add up, each at
// most ln(1/p)/λ on average, p the least prior, and no stage begins worse than the one before
// ended (docs/explanation/proofs/sparse.md).
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
