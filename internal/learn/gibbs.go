package learn

import (
	"context"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// Gibbs is the exponential mechanism with a prior: it draws q with probability
// proportional to p(q)·e^{-λc(q)}, exactly, where c counts the loss over the table and
// p is the public prior of the class. The class is drawn from through its mass, not
// searched.
//
// Guarantee: that of Exponential, with the same λ, since the prior is a public factor
// (docs/proofs/dectree.md).
type Gibbs[X, H any] struct {
	law
	class class.Summed[X, H]

	rows int64 // that tables are filled up to
	none X     // by this
}

// NewGibbs returns the mechanism, for a class of two outcomes.
func NewGibbs[X, H any](c class.Summed[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Gibbs[X, H], error) {
	if c.Outcomes() != 2 {
		return nil, fmt.Errorf("learn: a loss by its kind is for two outcomes, and the class has %d", c.Outcomes())
	}
	return newGibbs(c, epsilon, r, l)
}

func newGibbs[X, H any](c class.Summed[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Gibbs[X, H], error) {
	w, err := newLaw(epsilon, r, l)
	if err != nil {
		return nil, err
	}
	return &Gibbs[X, H]{law: w, class: c}, nil
}

// Class returns the class drawn from.
func (m *Gibbs[X, H]) Class() class.Summed[X, H] { return m.class }

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m *Gibbs[X, H]) Release(ctx context.Context, d Records[X], coins noise.Coins) (H, error) {
	return m.draw(ctx, d, m.loss.byKind(), coins)
}

// Fill has tables of fewer distinct records filled up to so many rows, by copies of x that
// cost nothing. A class whose work follows from the number of records then does as much for
// every table of so many rows, which is public under replace-one; x is public too. The law
// is the same.
func (m *Gibbs[X, H]) Fill(rows int64, x X) { m.rows, m.none = rows, x }

func (m *Gibbs[X, H]) draw(ctx context.Context, d Records[X], c charge, coins noise.Coins) (H, error) {
	var none H
	if err := countable(d); err != nil {
		return none, err
	}
	var records class.Records[X] = charged[X]{d, c}
	if int64(d.Len()) < m.rows {
		records = filled[X]{records, int(m.rows), m.none, m.class.Outcomes()}
	}
	lambda := m.perUnit()
	mass, err := m.class.Mass(ctx, records, search.Decay(lambda))
	if err != nil {
		return none, fmt.Errorf("learn: %w", err)
	}
	return search.Draw(ctx, mass, lambda, coins)
}

// Excess bounds the excess over a table of so many rows, beyond the least cost in the
// class. It is that of Exponential over 1/p hypotheses, p the least prior, since the law has
// the least mean of c + ln(law/prior)/λ.
func (m *Gibbs[X, H]) Excess(rows int64) Excess {
	lambda, _ := m.lambda.Float64()
	p := m.class.LeastPrior()
	log := logBig(p.Denom()) - logBig(p.Num())
	return drawn(log, lambda, float64(rows)*float64(m.loss.Range()))
}

// GibbsOutcomes is Gibbs over records with one of the class's outcomes, two or more: c
// counts the wrong predictions.
type GibbsOutcomes[X, H any] struct{ *Gibbs[X, H] }

// NewGibbsOutcomes returns the mechanism.
func NewGibbsOutcomes[X, H any](c class.Summed[X, H], epsilon privacy.Decimal, r privacy.Relation) (GibbsOutcomes[X, H], error) {
	m, err := newGibbs(c, epsilon, r, ZeroOne)
	return GibbsOutcomes[X, H]{m}, err
}

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m GibbsOutcomes[X, H]) Release(ctx context.Context, d Records[X], coins noise.Coins) (H, error) {
	return m.draw(ctx, d, byError(m.class.Outcomes()), coins)
}
