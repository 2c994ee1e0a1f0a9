package risk

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Graded is a released hypothesis, together with noisy counts of the rows with each grade (see Grade) and
// outcome.
type Graded[H any] struct {
	Hypothesis H
	Counts     *Counts
}

// A Mechanism first releases a hypothesis by a learner, and then, for the same data, noisy counts of the rows with
// each grade that the hypothesis assigns (see Grade) and each outcome.
//
// Guarantee: the composition of the learner's guarantee and the pure ε-DP of the histogram. The grades are a
// function of the released hypothesis, and each row falls into exactly one cell, whatever the grades are
// (docs/explanation/proofs/risk.md, section 1).
type Mechanism[D table.Counts, H any] struct {
	learner   privacy.Mechanism[D, H]
	epsilon   privacy.Decimal
	guarantee privacy.Guarantee
	grades    func(H) Grading
}

// NewMechanism returns a mechanism that runs the learner and then releases counts, which consume the given ε. The
// function grades returns the grading that a hypothesis defines. It may depend only on the hypothesis and on public
// parameters.
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

// Guarantee returns the guarantee of the two releases together: the hypothesis and the noisy counts.
func (m *Mechanism[D, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Release samples the hypothesis, and then the noisy counts. It returns the errors of the learner and of the data.
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
	if err != nil {
		return Graded[H]{}, err
	}
	if m.guarantee.Relation().Replaces() {
		counts.Rows = big.NewInt(d.Rows())
	}
	return Graded[H]{h, counts}, nil
}
