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

// A Response is a strategy of the query player: a mechanism that privately selects the answer of a round from the
// queries and their negations. Let n be the number of rows of the private table S, and N the number of samples in the
// play S^t of round t. The cost of a query has two parts:
//
//   - N for each row of the private table on which the query is 0
//   - n for each sample of the play on which the query is 1
//
// So a query q of small cost has a large difference q(S) - q(S^t) of its means over the table and over the play. If a
// record is added to the table, the cost of each query increases by 0 or N.
//
// The paper prints −q in place of the negation ¬q. With −q, an added record would decrease some costs.
type Response[H any] struct {
	relation privacy.Relation
	parts    int64 // the number of parts into which the mechanism splits the rows; an answer depends on one part
	rows     int64 // the number of rows for which the mechanism is planned; 0 for any number
	over     func(queries[H], learn.Loss) (chooser[H], error)
}

type (
	examples       = []learn.Example[[]uint16]
	queries[H any] = class.Class[[]uint16, Query[H]]
	chosen[H any]  = robust.Answer[Query[H]]
	learner[H any] = learn.Learner[[]uint16, Query[H]]
)

// A chooser is a private mechanism that selects the query player's answer in one round.
type chooser[H any] interface {
	privacy.Mechanism[examples, chosen[H]]
	Excess(rows int64) learn.Excess
}

// alwaysAnswers adapts a learner, which never returns ⊥ (no query), to the interface chooser.
type alwaysAnswers[H any] struct{ learner[H] }

func (m alwaysAnswers[H]) Release(ctx context.Context, d examples, coins noise.Coins) (chosen[H], error) {
	q, err := m.learner.Release(ctx, d, coins)
	return chosen[H]{Hypothesis: q, OK: err == nil}, err
}

// ExponentialResponse selects answers by the exponential mechanism with the parameter epsilon. An answer is ρ-zCDP
// with ρ = ε²/8, since this mechanism has bounded range. It uses no oracle, so its guarantee has no assumptions.
func ExponentialResponse[H any](epsilon privacy.Decimal, r privacy.Relation) Response[H] {
	return Response[H]{r, 1, 0, func(c queries[H], l learn.Loss) (chooser[H], error) {
		m, err := learn.NewExponential(c, epsilon, r, l)
		return alwaysAnswers[H]{m}, err
	}}
}

// An Oracle constructs an oracle that minimizes the cost over the class of queries of a round.
type Oracle[H any] func(class.Class[[]uint16, Query[H]]) (oracle.Minimizer[[]uint16, Query[H]], error)

// Search is an Oracle that uses branch-and-bound search. It never fails.
func Search[H any](c class.Class[[]uint16, Query[H]]) (oracle.Minimizer[[]uint16, Query[H]], error) {
	return oracle.Search(c), nil
}

// RSPM selects answers by perturb.RSPM. The separator consists of the separator bits of the class of queries and of
// sign bits, which distinguish a query from its negation. There are as many sign bits as the minimum distance of the
// class's separator, all equal.
//
// An answer is ε-DP, and so ρ-zCDP with ρ = ε²/2. Unless the oracle is exhaustive, this guarantee assumes that the
// oracle returns exact minimizers.
func RSPM[H any](o Oracle[H], kind perturb.Noise, epsilon privacy.Decimal, r privacy.Relation) Response[H] {
	return Response[H]{r, 1, 0, func(c queries[H], l learn.Loss) (chooser[H], error) {
		m, err := rspm(c, o, kind, epsilon, r, l)
		return alwaysAnswers[H]{m}, err
	}}
}

// rspm returns perturb.RSPM with noise in whole units of cost. A finer grid is not needed, because a row costs N
// units, where N is the number of samples of a play.
func rspm[H any](c queries[H], o Oracle[H], kind perturb.Noise, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) (*perturb.RSPM[[]uint16, Query[H]], error) {
	minimizer, err := o(c)
	if err != nil {
		return nil, err
	}
	return perturb.NewRSPM(minimizer, kind, epsilon, r, l, 1)
}

// PRSMA selects answers by robust.PRSMA with runs of RSPM, which use Cube noise and the oracle budget b. An answer is
// (ε, δ)-DP under replace-one, even if the oracle fails. It may be ⊥ (no query).
//
// PRSMA splits only the private rows into parts, and uses the whole play in each part. The samples of the play are a
// penalty, whose total weight equals that of the rows of a part.
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
