package learn

import (
	"context"
	"fmt"
	"math/big"

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
// direction (docs/proofs/exponential.md). Costs of persons are means over their rows
// that count, and the same λ holds (docs/proofs/persons.md). It rests on no assumption about any
// solver; the running time depends on the data.
type Exponential[X, H any] struct {
	// Observe, if set, is told after each release what it cost, which is
	// private: it is for the curator's log and no part of the release.
	Observe func(search.Effort)

	class     class.Class[X, H]
	loss      Loss
	guarantee privacy.BoundedRange
	lambda    *big.Rat
}

// NewExponential returns the mechanism.
func NewExponential[X, H any](c class.Class[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Exponential[X, H], error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	g, err := privacy.NewBoundedRange(r, epsilon)
	if err != nil {
		return nil, err
	}
	return &Exponential[X, H]{class: c, loss: l, guarantee: g, lambda: Rate(epsilon, r, l)}, nil
}

// Rate returns λ of the exponential mechanism, for a unit of cost of a person where the
// relation is of persons.
func Rate(epsilon privacy.Decimal, r privacy.Relation, l Loss) *big.Rat {
	c := l.Range()
	if r.Replaces() {
		c *= 2
	}
	return new(big.Rat).Quo(epsilon.Rat(), new(big.Rat).SetInt64(c))
}

// Guarantee returns the guarantee, which holds for every release.
func (m *Exponential[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class drawn from.
func (m *Exponential[X, H]) Class() class.Class[X, H] { return m.class }

// Loss returns what is counted, a public parameter.
func (m *Exponential[X, H]) Loss() Loss { return m.loss }

// Rate returns λ, a public parameter.
func (m *Exponential[X, H]) Rate() *big.Rat { return new(big.Rat).Set(m.lambda) }

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m *Exponential[X, H]) Release(ctx context.Context, d []Example[X], coins noise.Coins) (H, error) {
	var none H
	p, err := problemOf(m.guarantee.Relation(), m.loss, d, 1)
	if err != nil {
		return none, err
	}
	t, err := m.class.Tree(p)
	if err != nil {
		return none, fmt.Errorf("learn: %w", err)
	}
	h, effort, err := search.SampleEffort(ctx, t, perUnit(m.lambda, m.guarantee.Relation()), coins)
	if m.Observe != nil {
		m.Observe(effort)
	}
	return h, err
}
