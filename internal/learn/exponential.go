package learn

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// Exponential is the exponential mechanism over a class: it draws q with
// probability proportional to e^{-λc(q)}, exactly, where c counts the loss over
// the table plus the class's public penalty (Wang, Lei and Fienberg 2016,
// Algorithm 1: penalised empirical risk).
//
// Guarantee: pure ε-DP, and ε-bounded range, with λ = ε/(2C) under replace-one
// and λ = ε/C under add-remove, where one record moves all costs in the same
// direction (docs/explanation/proofs/exponential.md). Costs of persons are means over their rows
// that count, and the same λ holds (docs/explanation/proofs/persons.md). It rests on no assumption about any
// solver; the running time depends on the data.
type Exponential[X, H any] struct {
	// Observe, if set, is told after each release what it cost, which is
	// private: it is for the curator's log and no part of the release.
	Observe func(search.Effort)

	law
	class class.Class[X, H]
}

// NewExponential returns the mechanism.
func NewExponential[X, H any](c class.Class[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Exponential[X, H], error) {
	w, err := newLaw(epsilon, r, l)
	if err != nil {
		return nil, err
	}
	return &Exponential[X, H]{law: w, class: c}, nil
}

// Class returns the class drawn from.
func (m *Exponential[X, H]) Class() class.Class[X, H] { return m.class }

func (m *Exponential[X, H]) objective() Objective[X, H] {
	return Objective[X, H]{m.class, m.guarantee.Relation(), m.loss}
}

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m *Exponential[X, H]) Release(ctx context.Context, d []Example[X], coins noise.Coins) (H, error) {
	var none H
	p, err := m.objective().Problem(d, 1)
	if err != nil {
		return none, err
	}
	t, err := m.class.Tree(p)
	return sample(ctx, t, err, m.perUnit(), m.Observe, coins)
}

// Excess bounds the excess over a table of so many rows. The law has an
// entropy of at most ln|Q|, so the mean excess is at most ln|Q|/λ; and at most
// |Q| hypotheses exceed by t, each with probability at most e^{-λt}
// (docs/explanation/proofs/exponential.md).
func (m *Exponential[X, H]) Excess(rows int64) Excess { return m.ExcessBeyond(rows, 1-Confidence) }

// ExcessBeyond is Excess with Most exceeded with probability at most beta.
func (m *Exponential[X, H]) ExcessBeyond(rows int64, beta float64) Excess {
	lambda, _ := m.lambda.Float64()
	size := LogSize(m.class)
	return m.objective().Within(Excess{size / lambda, (size - math.Log(beta)) / lambda}, rows)
}
