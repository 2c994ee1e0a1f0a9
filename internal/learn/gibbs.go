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
// proportional to p(q)·e^{-λc(q)}, exactly, where c counts what the table is charged and
// p is the public prior of the class. The class is drawn from through its mass, not
// searched.
//
// Guarantee: that of Exponential, with the same λ, since the prior is a public factor
// (docs/explanation/proofs/dectree.md).
type Gibbs[X, H any] struct {
	law
	class  class.Summed[X, H]
	charge Charge

	rows int64 // that tables are filled up to
	none X     // by this
}

// NewGibbs returns the mechanism. The charge is for the outcomes that the class predicts.
func NewGibbs[X, H any](c class.Summed[X, H], epsilon privacy.Decimal, r privacy.Relation, charge Charge) (*Gibbs[X, H], error) {
	if err := charge.predicts(c.Outcomes()); err != nil {
		return nil, err
	}
	w, err := newLaw(epsilon, r, charge.loss)
	if err != nil {
		return nil, err
	}
	return &Gibbs[X, H]{law: w, class: c, charge: charge}, nil
}

// Class returns the class drawn from.
func (m *Gibbs[X, H]) Class() class.Summed[X, H] { return m.class }

// Fill has tables of fewer distinct records filled up to so many rows, by copies of x that
// cost nothing. A class whose work follows from the number of records then does as much for
// every table of so many rows, which is public under replace-one; x is public too. The law
// is the same.
func (m *Gibbs[X, H]) Fill(rows int64, x X) { m.rows, m.none = rows, x }

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m *Gibbs[X, H]) Release(ctx context.Context, d Records[X], coins noise.Coins) (h H, err error) {
	if err := countable(d); err != nil {
		return h, err
	}
	var records class.Records[X] = charged[X]{d, m.charge}
	if int64(d.Len()) < m.rows {
		records = filled[X]{records, int(m.rows), m.none, m.class.Outcomes()}
	}
	lambda := m.perUnit()
	mass, err := m.class.Mass(ctx, records, search.Decay(lambda))
	if err != nil {
		return h, fmt.Errorf("learn: %w", err)
	}
	return search.Sample(ctx, class.Final(mass), lambda, coins)
}

// Excess bounds the excess over a table of so many rows, in errors, beyond the least cost in the
// class. It is that of Exponential over 1/p hypotheses, p the least prior, since the law has
// the least mean of c + ln(law/prior)/λ.
func (m *Gibbs[X, H]) Excess(rows int64) Excess {
	lambda, _ := m.lambda.Float64()
	p := m.class.LeastPrior()
	log := logBig(p.Denom()) - logBig(p.Num())
	e, unit := drawn(log, lambda, float64(rows)*float64(m.loss.Range())), float64(m.charge.unit)
	return Excess{e.Mean / unit, e.Most / unit}
}
