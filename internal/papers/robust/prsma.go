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

// PRSMA is the private robust subsampling meta-algorithm (Neel, Roth and Wu 2018, Theorem 8, with
// other thresholds and constants). It runs a base mechanism R times on each of K random parts of
// the table. A part passes if none of its runs fails. If the noisy number of passed parts reaches a
// threshold, PRSMA releases the result of the first run on a random passed part. Otherwise it releases
// ⊥.
//
// Guarantee: (ε, δ)-DP under replace-one, as PRSMAPlan.Check derives it. It holds even if calls of the
// base's oracle fail, whether failures depend on the records, on the noise or on chance
// (docs/explanation/proofs/prsma.md). It has two requirements:
//
//   - The oracle never presents an unproved answer as proved.
//   - The calls of the oracle do not influence each other: the oracle uses budgets of nodes rather than
//     of time, no shared caches and no warm starts.
//
// There is no guarantee under add-remove, since n and the size of the parts are public.
//
// With an oracle that never fails, PRSMA has no advantage: the base mechanism with the whole ε on
// the whole table has less noise and a pure guarantee.
type PRSMA[X, H any] struct {
	// Observe, if set, receives the progress of a release, in the goroutine of Release. The
	// progress is private: only the curator may see it, and it must not be released.
	Observe func(PRSMAProgress)

	// Grouping, if set, makes Release partition the table group by group. The distribution of a
	// release does not depend on the grouping.
	Grouping Grouping[X]

	base      Trial[X, H]
	plan      PRSMAPlan
	guarantee privacy.Approximate
}

// An Answer is the output of PRSMA: a hypothesis, or ⊥ for none.
type Answer[H any] struct {
	Hypothesis H    // the zero value if OK is false
	OK         bool // false for ⊥
}

// A Trial is a base mechanism of PRSMA, whose runs may fail.
type Trial[X, H any] interface {
	// Guarantee returns the guarantee that a run has if the oracle is exact. It must be pure and
	// under replace-one. PRSMA drops its assumption privacy.ExactOracle.
	Guarantee() privacy.Guarantee
	// Draw samples all randomness of one run on the examples d, and returns a function that executes
	// the run. The distribution of the run's result depends only on the multiset of records, not on
	// the order of the examples. Runs may be executed concurrently. They do not influence each other,
	// and may fail with any error.
	Draw(d []learn.Example[X], coins noise.Coins) func(context.Context) (H, error)
	// Excess bounds the excess of the result of a run. The table has the given number of rows, and
	// the run uses a random part of them, whose number of rows is part. The excess is over the whole
	// table.
	Excess(rows, part int64) learn.Excess
}

// A PRSMAProgress describes the progress of a release.
type PRSMAProgress struct {
	Parts, Passed int   // the number of finished parts, and the number of passed parts among them
	Calls         int64 // the number of runs executed so far
	Left          int64 // the number of remaining runs if none of them fails
}

// NewPRSMA returns PRSMA with the given base mechanism and plan. It returns ErrPlan if no (ε, δ) with δ < 1 follows
// from the plan, if the guarantee of the base is not pure, or if its ε exceeds the plan's ε′. It returns
// privacy.ErrRelation if the relation of the base is add-remove, and another error if neighbours differ in all rows
// of a person.
func NewPRSMA[X, H any](base Trial[X, H], plan PRSMAPlan) (*PRSMA[X, H], error) {
	bounds, err := plan.Check()
	if err != nil {
		return nil, err
	}
	promise := base.Guarantee()
	if !promise.Relation().Replaces() {
		return nil, fmt.Errorf("robust: PRSMA requires a base mechanism whose relation is replace-one: %w", privacy.ErrRelation)
	}
	if err := learn.OfRows(promise.Relation(), "PRSMA"); err != nil {
		return nil, err
	}
	epsilon, err := privacy.Epsilon(promise, privacy.Decimal{})
	if err != nil {
		return nil, fmt.Errorf("%w: the guarantee of the base mechanism is not pure: %w", ErrPlan, err)
	}
	if epsilon.Cmp(plan.BaseEpsilon) > 0 {
		return nil, fmt.Errorf("%w: the base mechanism has ε = %v, which exceeds the plan's ε′ = %v", ErrPlan, epsilon, plan.BaseEpsilon)
	}
	assumes := slices.DeleteFunc(promise.Assumes(), func(a privacy.Assumption) bool { return a == privacy.ExactOracle })
	g, err := privacy.NewApproximate(privacy.ReplaceOne, bounds.Epsilon, bounds.Delta, assumes...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	return &PRSMA[X, H]{base: base, plan: plan, guarantee: g}, nil
}

// Guarantee returns the (ε, δ) guarantee of a release.
func (m *PRSMA[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Plan returns the public parameters of the mechanism.
func (m *PRSMA[X, H]) Plan() PRSMAPlan { return m.plan }

// Excess bounds the excess cost of a released hypothesis over a table with the given number of rows, if no run fails.
// This is the bound for one run on one part.
func (m *PRSMA[X, H]) Excess(rows int64) learn.Excess {
	return m.base.Excess(rows, rows/int64(m.plan.Parts))
}

// ErrPlanRows is returned for a table with more rows than the plan's n. A table may have fewer rows: the missing rows
// are then null records, which are distributed over the parts like other rows.
var ErrPlanRows = errors.New("robust: the table has more rows than the plan of PRSMA allows")
