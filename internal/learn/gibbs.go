package learn

import (
	"context"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// Gibbs is the exponential mechanism with a prior: it samples a hypothesis q with probability
// exactly proportional to p(q)·e^{-λc(q)}. Here c(q) is the cost of q over the table, and p is the
// public prior of the class. Gibbs samples by the partition function of the class, without a
// search.
//
// Guarantee: the same as that of Exponential with the same λ, because the prior is a public factor
// (docs/explanation/proofs/dectree.md).
type Gibbs[X, H any] struct {
	law
	class class.Tractable[X, H]
	costs CostMatrix

	rows int64 // the number of records to which tables are padded
	none X     // the record that pads them
}

// NewGibbs returns the exponential mechanism over the class c and its prior, with a guarantee of ε under the relation
// r. The cost matrix must have as many outcomes as the class predicts.
func NewGibbs[X, H any](c class.Tractable[X, H], epsilon privacy.Decimal, r privacy.Relation, costs CostMatrix) (*Gibbs[X, H], error) {
	if err := costs.predicts(c.Outcomes()); err != nil {
		return nil, err
	}
	w, err := newLaw(epsilon, r, costs.loss)
	if err != nil {
		return nil, err
	}
	return &Gibbs[X, H]{law: w, class: c, costs: costs}, nil
}

// Class returns the class from which m samples.
func (m *Gibbs[X, H]) Class() class.Tractable[X, H] { return m.class }

// Fill makes Release pad tables that have few distinct records: it adds copies of the record x
// until the number of records is rows. The cost of x must be 0 for every hypothesis, so the
// distribution of the result does not change.
//
// If the work for a class is a function of the number of records, the padding makes it the same for
// all tables with at most rows distinct records. Both parameters must be public. For example, rows
// can be the number of rows of the table under replace-one.
func (m *Gibbs[X, H]) Fill(rows int64, x X) { m.rows, m.none = rows, x }

// Release samples a hypothesis. It fails with the context's error, or with ErrRows before it uses any
// randomness.
func (m *Gibbs[X, H]) Release(ctx context.Context, d Records[X], coins noise.Coins) (h H, err error) {
	if err := countable(d); err != nil {
		return h, err
	}
	var records class.Records[X] = costed[X]{d, m.costs}
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

// Excess bounds the excess cost on a table with the given number of rows, in misclassifications,
// relative to the minimum cost in the class. Let p be the minimum prior of a hypothesis. The bounds
// are those of Exponential for a class of 1/p hypotheses, because among all distributions the
// sampled one minimises the mean of c + ln(distribution/prior)/λ, where c is the cost.
func (m *Gibbs[X, H]) Excess(rows int64) Excess {
	lambda, _ := m.lambda.Float64()
	p := m.class.LeastPrior()
	log := logBig(p.Denom()) - logBig(p.Num())
	e, unit := drawn(log, lambda, float64(rows)*float64(m.loss.Range())), float64(m.costs.unit)
	return Excess{e.Mean / unit, e.Most / unit}
}
