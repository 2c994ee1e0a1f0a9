package game

import (
	"context"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Response is the query player: how one answer is chosen privately from Q ∪ ¬Q. The
// answer minimises, nearly, what both tables cost it: N for each row of the private table
// on which it is 0, and n for each of the N draws of the play on which it is 1. So it has
// nearly the most of q(S) - q(S^t). A record that is added moves all costs in one direction,
// by 0 or N; the printed −q in place of ¬q would move them both ways.
type Response[H any] struct {
	relation privacy.Relation
	parts    int64 // that the rows are divided into, of which an answer reads one
	rows     int64 // that it is planned for, 0 for any number
	over     func(queries[H], learn.Loss) (chooser[H], error)
}

type (
	examples       = []learn.Example[[]uint16]
	queries[H any] = class.Class[[]uint16, Query[H]]
	chosen[H any]  = robust.Answer[Query[H]]
	learner[H any] = learn.Learner[[]uint16, Query[H]]
)

// A chooser is a mechanism over the queries of one round.
type chooser[H any] interface {
	privacy.Mechanism[examples, chosen[H]]
	Excess(rows int64) learn.Excess
}

// sure is a mechanism that always answers.
type sure[H any] struct{ learner[H] }

func (m sure[H]) Release(ctx context.Context, d examples, coins noise.Coins) (chosen[H], error) {
	q, err := m.learner.Release(ctx, d, coins)
	return chosen[H]{Hypothesis: q, OK: err == nil}, err
}

// ExponentialResponse answers by the exponential mechanism: ε of bounded range, ρ = ε²/8. It takes
// no oracle, and nothing is assumed.
func ExponentialResponse[H any](epsilon privacy.Decimal, r privacy.Relation) Response[H] {
	return Response[H]{r, 1, 0, func(c queries[H], l learn.Loss) (chooser[H], error) {
		m, err := learn.NewExponential(c, epsilon, r, l)
		return sure[H]{m}, err
	}}
}

// An Oracle makes a minimiser over the queries of a round.
type Oracle[H any] func(class.Class[[]uint16, Query[H]]) (oracle.Minimizer[[]uint16, Query[H]], error)

// Search is the oracle that searches, which always has an answer.
func Search[H any](c class.Class[[]uint16, Query[H]]) (oracle.Minimizer[[]uint16, Query[H]], error) {
	return oracle.Search(c), nil
}

// RSPM answers by learn.RSPM over the m₁ bits of Q's separator and the sign, repeated as
// often as the separator's distance: pure ε, ρ = ε²/2. It assumes that the oracle is exact,
// unless it is exhaustive.
func RSPM[H any](o Oracle[H], kind perturb.Noise, epsilon privacy.Decimal, r privacy.Relation) Response[H] {
	return Response[H]{r, 1, 0, func(c queries[H], l learn.Loss) (chooser[H], error) {
		m, err := rspm(c, o, kind, epsilon, r, l)
		return sure[H]{m}, err
	}}
}

// rspm has the grid 1: rows cost N, so that noise is as fine as it must be.
func rspm[H any](c queries[H], o Oracle[H], kind perturb.Noise, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) (*perturb.RSPM[[]uint16, Query[H]], error) {
	minimizer, err := o(c)
	if err != nil {
		return nil, err
	}
	return perturb.NewRSPM(minimizer, kind, epsilon, r, l, 1)
}

// PRSMA answers by learn.PRSMA on runs of RSPM with Cube noise, each within a budget of the
// oracle: (ε, δ), however the oracle fails, under replace-one. Only the private rows are
// divided; the play stands beside every part, and weighs as much as it. An answer may be ⊥.
func PRSMA[H any](o Oracle[H], plan robust.PRSMAPlan, b oracle.Budget) Response[H] {
	return Response[H]{privacy.ReplaceOne, int64(plan.Parts), plan.Rows, func(c queries[H], l learn.Loss) (chooser[H], error) {
		base, err := rspm(c, o, perturb.Cube, plan.BaseEpsilon, privacy.ReplaceOne, l)
		if err != nil {
			return nil, err
		}
		trial, err := base.Within(b)
		if err != nil {
			return nil, err
		}
		return robust.NewPRSMA(trial, plan)
	}}
}
