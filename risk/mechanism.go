package risk

import (
	"context"
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// Graded is a hypothesis and the noisy counts of its grades.
type Graded[H any] struct {
	Hypothesis H
	Counts     *Counts
}

// A Mechanism releases a hypothesis by a mechanism that learns, and then the counts of
// the grades of this hypothesis on the same table.
//
// Guarantee: that of the learner and pure ε-DP of the histogram, composed: the grades
// are a function of what was released before, and a row is in one cell whichever they are
// (docs/proofs/risk.md, section 1).
type Mechanism[H any] struct {
	learner   privacy.Mechanism[[]learn.Example[table.Record], H]
	epsilon   privacy.Decimal
	guarantee privacy.Guarantee
	grades    func(H) (Scale, func(table.Record) int)
}

// NewMechanism returns the mechanism that spends epsilon on the counts. grades returns the
// scale of a hypothesis and the grade of a record, of public numbers only.
func NewMechanism[H any](learner privacy.Mechanism[[]learn.Example[table.Record], H], epsilon privacy.Decimal, grades func(H) (Scale, func(table.Record) int)) (*Mechanism[H], error) {
	counts, err := privacy.NewPure(learner.Guarantee().Relation(), epsilon)
	if err != nil {
		return nil, fmt.Errorf("risk: %w", err)
	}
	both, err := privacy.Compose(learner.Guarantee(), counts)
	if err != nil {
		return nil, fmt.Errorf("risk: %w", err)
	}
	return &Mechanism[H]{learner, epsilon, both, grades}, nil
}

// Guarantee returns the guarantee of both releases together.
func (m *Mechanism[H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Release draws the hypothesis, then the counts. It fails where the learner does, or with
// the context's error.
func (m *Mechanism[H]) Release(ctx context.Context, d *table.Table, coins noise.Coins) (Graded[H], error) {
	h, err := m.learner.Release(ctx, learn.Examples(d), coins)
	if err != nil {
		return Graded[H]{}, err
	}
	scale, grade := m.grades(h)
	histogram, err := learn.NewHistogram(scale.Cells(), m.epsilon, m.guarantee.Relation())
	if err != nil {
		return Graded[H]{}, err
	}
	cells, err := histogram.Release(ctx, scale.Count(d, grade), coins)
	if err != nil {
		return Graded[H]{}, err
	}
	counts, err := Noisy(scale, cells, m.epsilon, m.guarantee.Relation())
	return Graded[H]{h, counts}, err
}
