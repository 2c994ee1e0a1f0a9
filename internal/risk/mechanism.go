package risk

import (
	"context"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Graded is a hypothesis and the noisy counts of its grades.
type Graded[H any] struct {
	Hypothesis H
	Counts     *Counts
}

// A Mechanism releases a hypothesis by a mechanism that learns, and then the counts of
// the grades of this hypothesis on the same data.
//
// Guarantee: that of the learner and pure ε-DP of the histogram, composed: the grades
// are a function of what was released before, and a row is in one cell whichever they are
// (docs/explanation/proofs/risk.md, section 1).
type Mechanism[D table.Counts, H any] struct {
	learner   privacy.Mechanism[D, H]
	epsilon   privacy.Decimal
	guarantee privacy.Guarantee
	grades    func(H) Grading
}

// NewMechanism returns the mechanism that spends epsilon on the counts. grades returns how a
// hypothesis grades, of public numbers only.
func NewMechanism[D table.Counts, H any](learner privacy.Mechanism[D, H], epsilon privacy.Decimal, grades func(H) Grading) (*Mechanism[D, H], error) {
	counts, err := privacy.NewPure(learner.Guarantee().Relation(), epsilon)
	if err != nil {
		return nil, fmt.Errorf("risk: %w", err)
	}
	both, err := privacy.Compose(learner.Guarantee(), counts)
	if err != nil {
		return nil, fmt.Errorf("risk: %w", err)
	}
	return &Mechanism[D, H]{learner, epsilon, both, grades}, nil
}

// Guarantee returns the guarantee of both releases together.
func (m *Mechanism[D, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Release draws the hypothesis, then the counts. It fails where the learner does, or as the data
// does.
func (m *Mechanism[D, H]) Release(ctx context.Context, d D, coins noise.Coins) (Graded[H], error) {
	h, err := m.learner.Release(ctx, d, coins)
	if err != nil {
		return Graded[H]{}, err
	}
	grading := m.grades(h)
	histogram, err := learn.NewHistogram(grading.Scale.Cells(), m.epsilon, m.guarantee.Relation())
	if err != nil {
		return Graded[H]{}, err
	}
	exact, err := grading.Count(ctx, d)
	if err != nil {
		return Graded[H]{}, err
	}
	cells, err := histogram.Release(ctx, exact, coins)
	if err != nil {
		return Graded[H]{}, err
	}
	counts, err := Noisy(grading.Scale, cells, m.epsilon, m.guarantee.Relation())
	return Graded[H]{h, counts}, err
}
