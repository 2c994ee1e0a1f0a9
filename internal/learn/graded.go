package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// GibbsGraded is Gibbs over a class that predicts one of GradedLevels levels: that the risk of
// a positive label is 10, 35, 65 or 90 %. c is the squared error of these risks, less its least
// and in the unit of the greatest, so that the most that a row costs is 1 as for an error: what
// ranks people well is preferred, and not only what tells them apart at one half.
//
// Guarantee: that of Gibbs for errors, since a row moves the difference of two costs by as
// much (docs/proofs/dectree.md, section 9).
type GibbsGraded[X, H any] struct{ *Gibbs[X, H] }

// GradedLevels is how many levels there are.
const GradedLevels = 4

// gradedLoss is what a row costs by how far the level lies from its label, in parts of
// gradedUnit.
var gradedLoss = [GradedLevels]int64{0, 9, 33, gradedUnit}

const gradedUnit = 64

// GradedOutcome is the more likely of two outcomes at a level.
func GradedOutcome(level int) int { return level / (GradedLevels / 2) }

// NewGibbsGraded returns the mechanism, for a class of GradedLevels outcomes.
func NewGibbsGraded[X, H any](c class.Summed[X, H], epsilon privacy.Decimal, r privacy.Relation) (GibbsGraded[X, H], error) {
	if c.Outcomes() != GradedLevels {
		return GibbsGraded[X, H]{}, fmt.Errorf("learn: a graded loss is for %d levels, and the class has %d outcomes", GradedLevels, c.Outcomes())
	}
	m, err := newGibbs(c, epsilon, r, Loss{FalsePositive: gradedUnit, FalseNegative: gradedUnit})
	return GibbsGraded[X, H]{m}, err
}

// gradedCharge is gradedLoss by outcome.
func gradedCharge() charge {
	positive := slices.Clone(gradedLoss[:])
	slices.Reverse(positive)
	return charge{gradedLoss[:], positive}
}

// Release draws a hypothesis. It fails with the context's error, or with ErrRows
// before any draw.
func (m GibbsGraded[X, H]) Release(ctx context.Context, d Records[X], coins noise.Coins) (H, error) {
	return m.draw(ctx, d, gradedCharge(), coins)
}

// Excess is that of Gibbs, of the graded loss in errors.
func (m GibbsGraded[X, H]) Excess(rows int64) Excess {
	e := m.Gibbs.Excess(rows)
	return Excess{e.Mean / gradedUnit, e.Most / gradedUnit}
}
