package robust

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// PRSMA is the private robust subsampling meta-algorithm (Neel, Roth and Wu
// 2018, Theorem 8, with other thresholds and constants). It runs a base
// mechanism many times on each of K random parts of the table. A part passes if
// none of its runs failed; if enough parts passed, noise included, it returns
// one run of a part that did, and otherwise ⊥.
//
// Guarantee: (ε, δ)-DP under replace-one, as PRSMAPlan.Check derives it, however
// the base's oracle fails: on records, on noise, at random
// (docs/explanation/proofs/prsma.md). It assumes no exact oracle; it needs one that never
// gives an unproved answer as proved, and whose calls do not influence each
// other: budgets of nodes, no caches, no warm starts. There is none under
// add-remove: n and the size of the parts are public.
//
// With an oracle that never gives up, PRSMA buys nothing: the base on the whole
// table with all of ε is better and pure.
type PRSMA[X, H any] struct {
	// Observe, if set, is told during a release how far it is, from the
	// goroutine of Release. That is private: it is for the curator's own
	// terminal or log, and no part of the release.
	Observe func(PRSMAProgress)

	// Grouping, if set, has the table divided group by group. The law of a release is the same.
	Grouping Grouping[X]

	base      Trial[X, H]
	plan      PRSMAPlan
	guarantee privacy.Approximate
}

// An Answer is what PRSMA releases.
type Answer[H any] struct {
	Hypothesis H    // the zero value where OK is false
	OK         bool // false for ⊥
}

// A Trial is a mechanism whose runs may fail.
type Trial[X, H any] interface {
	// Guarantee is what a run promises if it were to give a perfect oracle's
	// answer wherever it fails: pure, under replace-one. The privacy.ExactOracle
	// in it is what PRSMA removes.
	Guarantee() privacy.Guarantee
	// Draw takes all random choices of one run on the examples and returns the
	// run. The law of its result is a function of the multiset of records, not
	// of the order of the examples. Runs may be made at the same time, do not
	// influence each other, and fail with any error.
	Draw(d []learn.Example[X], coins noise.Coins) func(context.Context) (H, error)
	// Excess bounds the excess over a table of so many rows of a run on a
	// random part of it.
	Excess(rows, part int64) learn.Excess
}

// A PRSMAProgress tells how far a release is.
type PRSMAProgress struct {
	Parts, Passed int   // parts finished, and how many of them passed
	Calls         int64 // runs made
	Left          int64 // runs still to be made, if none of them fails
}

// NewPRSMA returns the mechanism. It fails with ErrPlan for a plan that proves
// no (ε, δ) with δ < 1, or whose ε′ the base does not keep; and with
// privacy.ErrRelation for a base under add-remove.
func NewPRSMA[X, H any](base Trial[X, H], plan PRSMAPlan) (*PRSMA[X, H], error) {
	bounds, err := plan.Check()
	if err != nil {
		return nil, err
	}
	promise := base.Guarantee()
	if !promise.Relation().Replaces() {
		return nil, fmt.Errorf("robust: PRSMA needs a base under replace-one: %w", privacy.ErrRelation)
	}
	if err := learn.OfRows(promise.Relation(), "PRSMA"); err != nil {
		return nil, err
	}
	epsilon, err := privacy.Epsilon(promise, privacy.Decimal{})
	if err != nil {
		return nil, fmt.Errorf("%w: the base is not pure: %w", ErrPlan, err)
	}
	if epsilon.Cmp(plan.BaseEpsilon) > 0 {
		return nil, fmt.Errorf("%w: the base has ε = %v, and the plan %v", ErrPlan, epsilon, plan.BaseEpsilon)
	}
	assumes := slices.DeleteFunc(promise.Assumes(), func(a privacy.Assumption) bool { return a == privacy.ExactOracle })
	g, err := privacy.NewApproximate(privacy.ReplaceOne, bounds.Epsilon, bounds.Delta, assumes...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return &PRSMA[X, H]{base: base, plan: plan, guarantee: g}, nil
}

// Guarantee returns the guarantee, which holds for every release.
func (m *PRSMA[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Plan returns the public parameters.
func (m *PRSMA[X, H]) Plan() PRSMAPlan { return m.plan }

// Excess bounds the excess over a table of so many rows of an answer that is
// not ⊥, when no run fails: that of a run on a part.
func (m *PRSMA[X, H]) Excess(rows int64) learn.Excess {
	return m.base.Excess(rows, rows/int64(m.plan.Parts))
}

// ErrPlanRows reports a table with more rows than the plan's n. The rows that
// are in no example are null records, which take their places in the parts.
var ErrPlanRows = errors.New("robust: the table has more rows than PRSMA was planned for")
