package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// Exponential is the exponential mechanism over a class: it samples a hypothesis q with probability
// exactly proportional to e^{-λc(q)}. The cost c(q) is the sum of the loss of q over the table,
// plus the public penalty of q in the class (Wang, Lei and Fienberg 2016, Algorithm 1: penalised
// empirical risk).
//
// Guarantee: pure ε-DP, and ε-bounded range (see privacy.BoundedRange). Let C be the range of the
// loss. The rate is λ = ε/(2C) under replace-one, and λ = ε/C under add-remove. Under add-remove,
// one record changes all costs in the same direction, so the factor 2 is not needed
// (docs/explanation/proofs/exponential.md). If neighbouring tables differ in a person, λ is the
// same. The cost of a person is then the mean of the losses over those rows of the person that the
// contribution bound keeps (docs/explanation/proofs/persons.md).
//
// The guarantee assumes nothing about a solver. The running time depends on the data.
type Exponential[X, H any] struct {
	// Observe, if not nil, is called after each release with its work, which is private: it is
	// for the curator's log and not part of the release.
	Observe func(search.Effort)

	law
	class class.Class[X, H]
}

// NewExponential returns the exponential mechanism over the class c for the loss l, with a
// guarantee of ε under the neighbour relation r.
func NewExponential[X, H any](c class.Class[X, H], epsilon privacy.Decimal, r privacy.Relation, l Loss) (*Exponential[X, H], error) {
	w, err := newLaw(epsilon, r, l)
	if err != nil {
		return nil, err
	}
	return &Exponential[X, H]{law: w, class: c}, nil
}

// Class returns the class from which m samples.
func (m *Exponential[X, H]) Class() class.Class[X, H] { return m.class }

func (m *Exponential[X, H]) objective() Objective[X, H] {
	return Objective[X, H]{m.class, m.guarantee.Relation(), m.loss}
}

// Release samples a hypothesis. It fails with the context's error, or with ErrRows before it uses any
// randomness.
func (m *Exponential[X, H]) Release(ctx context.Context, d []Example[X], coins noise.Coins) (H, error) {
	var none H
	p, err := m.objective().Problem(d, 1)
	if err != nil {
		return none, err
	}
	t, err := m.class.Tree(p)
	if err != nil {
		return none, fmt.Errorf("learn: %w", err)
	}
	return sample(ctx, t, m.perUnit(), m.Observe, coins)
}

// Excess bounds the excess on a table with the given number of rows. Let |Q| be the size of the class, and λ the
// rate. Two facts lead to the bounds (docs/explanation/proofs/exponential.md):
//
//   - The mean excess is at most ln|Q|/λ, because the entropy of the sampled distribution is at most ln|Q|.
//   - The excess is t or more with probability at most |Q|·e^{-λt}, because each hypothesis with such an excess is
//     sampled with probability at most e^{-λt}.
func (m *Exponential[X, H]) Excess(rows int64) Excess { return m.ExcessBeyond(rows, 1-Confidence) }

// ExcessBeyond returns the bounds of Excess for a probability other than 5 %: the excess exceeds
// the bound Most with probability at most beta.
func (m *Exponential[X, H]) ExcessBeyond(rows int64, beta float64) Excess {
	lambda, _ := m.lambda.Float64()
	size := LogSize(m.class)
	return m.objective().Within(Excess{size / lambda, (size - math.Log(beta)) / lambda}, rows)
}
