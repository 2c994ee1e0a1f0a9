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

// A Response is a strategy of the query player: a mechanism that privately selects the answer of a
// round from Q ∪ ¬Q. The cost of a query is N for each row of the private table on which it is 0,
// plus n for each of the N samples of the play on which it is 1. So a query of small cost has a
// large q(S) - q(S^t). Adding a record changes all costs in the same direction, by 0 or N. With the
// printed −q in place of ¬q, costs would change in both directions.
type Response[H any] struct {
	relation privacy.Relation
	parts    int64 // the number of parts that the mechanism divides the rows into; an answer depends on one part
	rows     int64 // the number of rows that the mechanism is planned for; 0 for any number
	over     func(queries[H], learn.Loss) (chooser[H], error)
}

type (
	examples       = []learn.Example[[]uint16]
	queries[H any] = class.Class[[]uint16, Query[H]]
	chosen[H any]  = robust.Answer[Query[H]]
	learner[H any] = learn.Learner[[]uint16, Query[H]]
)

// A chooser is a mechanism that selects the answer of one round.
type chooser[H any] interface {
	privacy.Mechanism[examples, chosen[H]]
	Excess(rows int64) learn.Excess
}

// alwaysAnswers is a mechanism that always answers.
type alwaysAnswers[H any] struct{ learner[H] }

func (m alwaysAnswers[H]) Release(ctx context.Context, d examples, coins noise.Coins) (chosen[H], error) {
	q, err := m.learner.Release(ctx, d, coins)
	return chosen[H]{Hypothesis: q, OK: err == nil}, err
}

// ExponentialResponse selects answers by the exponential mechanism, whose bounded range ε gives ρ = ε²/8
// for each answer. It uses no oracle, and its guarantee has no assumptions.
func ExponentialResponse[H any](epsilon privacy.Decimal, r privacy.Relation) Response[H] {
	return Response[H]{r, 1, 0, func(c queries[H], l learn.Loss) (chooser[H], error) {
		m, err := learn.NewExponential(c, epsilon, r, l)
		return alwaysAnswers[H]{m}, err
	}}
}

// An Oracle returns a minimiser over the queries of a round.
type Oracle[H any] func(class.Class[[]uint16, Query[H]]) (oracle.Minimizer[[]uint16, Query[H]], error)

// Search is the Oracle by branch-and-bound search, which never fails.
func Search[H any](c class.Class[[]uint16, Query[H]]) (oracle.Minimizer[[]uint16, Query[H]], error) {
	return oracle.Search(c), nil
}

// RSPM selects answers by perturb.RSPM. The separator consists of the m₁ bits of Q's separator and
// of the sign, repeated as often as the distance of Q's separator. An answer is ε-DP, which gives
// ρ = ε²/2. Unless the oracle is exhaustive, the guarantee assumes that it is exact.
func RSPM[H any](o Oracle[H], kind perturb.Noise, epsilon privacy.Decimal, r privacy.Relation) Response[H] {
	return Response[H]{r, 1, 0, func(c queries[H], l learn.Loss) (chooser[H], error) {
		m, err := rspm(c, o, kind, epsilon, r, l)
		return alwaysAnswers[H]{m}, err
	}}
}

// rspm returns RSPM on the grid 1. A coarse grid suffices, since a row has the cost N.
func rspm[H any](c queries[H], o Oracle[H], kind perturb.Noise, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) (*perturb.RSPM[[]uint16, Query[H]], error) {
	minimizer, err := o(c)
	if err != nil {
		return nil, err
	}
	return perturb.NewRSPM(minimizer, kind, epsilon, r, l, 1)
}

// PRSMA selects answers by robust.PRSMA on runs of RSPM with Cube noise, with the oracle budget b
// for each run. An answer is (ε, δ)-DP under replace-one, even if the oracle fails. PRSMA divides
// only the private rows; the play is a penalty on every part, with the same total weight as the
// part. An answer may be ⊥.
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
