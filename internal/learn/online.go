package learn

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Stable learner has a distribution that a few examples change only by a known amount. The bound on the
// regret of Leader needs it.
type Stable[X, H any] interface {
	Learner[X, H]
	// Drift returns the maximum change of the logarithm of a hypothesis's probability by the given
	// number of additional examples.
	Drift(rows int64) float64
}

// Leader implements follow the private leader (Neel, Roth and Wu 2018, Definition 14): in each round it
// predicts by a new release of a learner on the examples of all earlier rounds. As the learner is stable, the
// next examples hardly change the distribution of its release, so the regret is small, even if an adversary
// chooses each round's examples knowing all earlier hypotheses.
//
// Equal examples are stored once, with their count, if X has a fixed size or is a slice of such a type, as in
// encoding/binary. Time and memory then grow with the number of distinct records, not of rounds.
//
// A Leader is not safe for concurrent use.
type Leader[X, H any] struct {
	base   Stable[X, H]
	batch  int64
	rounds int64
	seen   []Example[X]
	at     map[string]int // index of each example in seen, by label and record
}

// ErrBatch reports a round with more examples than the Leader's batch.
var ErrBatch = errors.New("learn: the round has more examples than a batch")

// NewLeader returns a Leader without examples, for rounds of at most batch examples each, a public number
// from 1 to MostRows.
func NewLeader[X, H any](base Stable[X, H], batch int64) (*Leader[X, H], error) {
	if batch < 1 || batch > MostRows {
		return nil, fmt.Errorf("learn: a round has at most %d examples; this number must be 1 to %d", batch, int64(MostRows))
	}
	if err := OfRows(base.Guarantee().Relation(), "a leader"); err != nil {
		return nil, err
	}
	return &Leader[X, H]{base: base, batch: batch, at: map[string]int{}}, nil
}

// Next releases the hypothesis of this round.
func (l *Leader[X, H]) Next(ctx context.Context, coins noise.Coins) (H, error) {
	return l.base.Release(ctx, l.seen, coins)
}

// See ends the round with its examples, at most a batch; a round with fewer is filled up with null records.
// It retains the records. It fails with ErrBatch for more examples, and with ErrRows if the rounds could then
// have more than MostRows examples; in both cases it adds nothing.
func (l *Leader[X, H]) See(examples []Example[X]) error {
	if l.rounds >= MostRows/l.batch {
		return ErrRows
	}
	if err := CheckRows(Listed[X](examples), l.batch, ErrBatch); err != nil {
		return err
	}
	l.rounds++
	for _, e := range examples {
		l.add(e)
	}
	return nil
}

// add adds the example, merged with an equal one.
func (l *Leader[X, H]) add(e Example[X]) {
	label := byte(0)
	if e.Label {
		label = 1
	}
	key, err := binary.Append([]byte{label}, binary.LittleEndian, e.X)
	i, known := l.at[string(key)]
	switch {
	case err != nil: // X cannot be encoded
		l.seen = append(l.seen, e)
	case known:
		l.seen[i].Count += e.Count
	default:
		l.at[string(key)] = len(l.seen)
		l.seen = append(l.seen, e)
	}
}

// Rounds returns the number of rounds that have ended.
func (l *Leader[X, H]) Rounds() int64 { return l.rounds }

// Guarantee returns the guarantee of the hypotheses of the given number of rounds, at least 1, and of the one
// after the last round together. It is the composition of that many releases: an example affects the
// hypotheses after its round, and the first hypothesis depends on no example. It holds for streams that are
// fixed in advance, with rounds of at most a batch. Two streams are neighbours if one example of one round
// differs or, under add-remove, is missing in one of them.
func (l *Leader[X, H]) Guarantee(rounds int) (privacy.Guarantee, error) {
	all := make([]privacy.Guarantee, rounds)
	for i := range all {
		all[i] = l.base.Guarantee()
	}
	return privacy.Compose(all...)
}

// Regret bounds the expected regret after the given number of rounds: the loss of the released hypotheses,
// each on the examples of its round, less the minimum over all hypotheses of the loss on all examples plus
// the penalty. It holds for streams where this minimum is at most least, and whose rounds of a batch each have
// at most MostRows examples together. The bound is
//
//	e^η·(least + B) - least,
//
// but at most the maximum loss of all rounds, where η is the Drift of a batch and B the learner's mean excess
// (docs/explanation/proofs/online.md; Theorem 13 of Neel, Roth and Wu with its constants). For Exponential,
// η = λbC with the batch b, and the bound of Hedge, B + λ(bC)²·rounds/8, is used if it is smaller.
func (l *Leader[X, H]) Regret(rounds int64, least float64) float64 {
	most := float64(l.batch) * float64(l.base.Loss().Range()) // maximum loss of a round
	b, drift := l.base.Excess(rounds*l.batch).Mean, l.base.Drift(l.batch)
	regret := min(most*float64(rounds), math.Exp(drift)*(least+b)-least)
	if _, ok := l.base.(*Exponential[X, H]); ok {
		regret = min(regret, b+drift*most*float64(rounds)/8)
	}
	return regret
}

// Drift returns λC times the number of rows.
func (m *Exponential[X, H]) Drift(rows int64) float64 {
	lambda, _ := m.lambda.Float64()
	return lambda * float64(rows) * float64(m.loss.Range())
}
