package robust

import (
	"context"
	"errors"
	"fmt"
	"math/big"
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
// (docs/proofs/prsma.md). It assumes no exact oracle; it needs one that never
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

// Release draws an answer. The examples are distinct. It fails with the
// context's error, or with ErrPlanRows before any draw. What it returns does not
// depend on how many processors there are: all coins are tossed in one
// goroutine, and only runs that are ready are made at the same time.
//
// It takes four steps, which others may take where the rows lie, with the same result for the
// same coins: Divide with the first noise.Fork of the coins, Deal with the next for each group,
// Try with the next for each part, and Combine with the coins themselves.
func (m *PRSMA[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (Answer[H], error) {
	parts, err := m.partition(d, coins)
	if err != nil {
		return Answer[H]{}, err
	}
	progress := PRSMAProgress{Left: m.plan.Calls()}
	answers := make([]Answer[H], len(parts))
	for i, part := range parts {
		if answers[i], err = m.try(ctx, part, noise.Fork(coins), &progress); err != nil {
			return Answer[H]{}, err
		}
	}
	return m.Combine(answers, coins), nil
}

// Try makes the runs of one part up to its first failure. It returns the first run's result
// where the part passed, and otherwise ⊥. It fails with the context's error alone. The answer
// of a part is no release.
func (m *PRSMA[X, H]) Try(ctx context.Context, part []learn.Example[X], coins noise.Coins) (Answer[H], error) {
	return m.try(ctx, part, coins, &PRSMAProgress{Left: m.plan.Calls()})
}

// Combine draws the answer that is released from those of all K parts, in their order.
func (m *PRSMA[X, H]) Combine(answers []Answer[H], coins noise.Coins) Answer[H] {
	if len(answers) != m.plan.Parts {
		panic(fmt.Sprintf("robust: %d answers of %d parts", len(answers), m.plan.Parts))
	}
	var passed []Answer[H]
	for _, a := range answers {
		if a.OK {
			passed = append(passed, a)
		}
	}
	z := coins.Draw(noise.Laplace{Scale: new(big.Rat).Inv(m.plan.TestEpsilon.Rat())})
	z.Add(z, big.NewInt(int64(len(passed)-m.plan.Threshold)))
	if z.Sign() < 0 || len(passed) == 0 {
		return Answer[H]{}
	}
	return passed[coins.Uint64n(uint64(len(passed)))]
}

// try makes the runs of one part, a batch at a time.
func (m *PRSMA[X, H]) try(ctx context.Context, d []learn.Example[X], coins noise.Coins, p *PRSMAProgress) (Answer[H], error) {
	var first H
	after := p.Left - m.plan.Runs
	for made := int64(0); made < m.plan.Runs; {
		runs := make([]func(context.Context) (H, error), min(batch, m.plan.Runs-made))
		for i := range runs {
			runs[i] = m.base.Draw(d, coins)
		}
		h, calls, ok := together(ctx, runs)
		if ctx.Err() != nil {
			return Answer[H]{}, ctx.Err()
		}
		if made == 0 {
			first = h
		}
		made += int64(len(runs))
		p.Calls += calls
		p.Left = after + m.plan.Runs - made
		if !ok || made == m.plan.Runs {
			p.Left = after
			p.Parts++
			if ok {
				p.Passed++
			}
		}
		if m.Observe != nil {
			m.Observe(*p)
		}
		if !ok {
			return Answer[H]{}, nil
		}
	}
	return Answer[H]{first, true}, nil
}
