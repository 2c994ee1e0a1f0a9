package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Leader is follow the private leader (Neel, Roth and Wu 2018, Definition 14):
// in every round it predicts by a fresh release of a learner on the examples of
// the rounds before. Because the learner is stable, the next example hardly
// changes what it would have released, and its regret is small, against an
// adversary that chooses each example knowing all earlier hypotheses.
//
// A Leader is not safe for concurrent use.
type Leader[X, H any] struct {
	base   Learner[X, H]
	seen   []Example[X]
	rounds int64
}

// NewLeader returns a Leader that has seen nothing. The base must be an
// Exponential or an RSPM: the regret of others is not bounded by their privacy.
func NewLeader[X, H any](base Learner[X, H]) (*Leader[X, H], error) {
	switch base.(type) {
	case *Exponential[X, H], *RSPM[X, H]:
		return &Leader[X, H]{base: base}, nil
	}
	return nil, fmt.Errorf("learn: no private leader from a %T", base)
}

// Next releases the hypothesis of this round.
func (l *Leader[X, H]) Next(ctx context.Context, coins noise.Coins) (H, error) {
	return l.base.Release(ctx, l.seen, coins)
}

// See ends the round with its example.
func (l *Leader[X, H]) See(x X, label bool) {
	l.rounds++
	l.seen = append(l.seen, Example[X]{x, label, 1})
}

// Rounds returns how many rounds have ended.
func (l *Leader[X, H]) Rounds() int64 { return l.rounds }

// Guarantee returns what the hypotheses of so many rounds promise together, at
// least 1: the composition of that many releases, as one example bears on all
// rounds after its own. Two streams are neighbours if one round's example
// differs or, under add-remove, is missing in one of them.
func (l *Leader[X, H]) Guarantee(rounds int) (privacy.Guarantee, error) {
	all := make([]privacy.Guarantee, rounds)
	for i := range all {
		all[i] = l.base.Guarantee()
	}
	return privacy.Compose(all...)
}

// Regret bounds the expected regret after so many rounds: the loss of the
// hypotheses released, less the least loss of any one hypothesis on all examples
// (plus its penalty), for streams where that is at most least. It is never more
// than the loss of all rounds:
//
//	e^η·(least + B) - least,
//
// η the most that one example moves the logarithm of a probability, and B the
// learner's mean excess (docs/proofs/online.md; Theorem 13 of Neel, Roth and Wu
// with its constants). For Exponential, η = λC, and the bound of Hedge,
// B + λC²·rounds/8, is taken where it is less.
func (l *Leader[X, H]) Regret(rounds int64, least float64) float64 {
	c := float64(l.base.Loss().Range())
	b := l.base.Excess(rounds).Mean
	regret := c * float64(rounds)
	switch m := l.base.(type) {
	case *Exponential[X, H]:
		lambda, _ := m.lambda.Float64()
		return min(regret, math.Exp(lambda*c)*(least+b)-least, b+lambda*c*c*float64(rounds)/8)
	case *RSPM[X, H]:
		epsilon, _ := m.guarantee.Epsilon().Rat().Float64()
		return min(regret, math.Exp(epsilon)*(least+b)-least)
	}
	return regret
}
