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

// A Stable learner is one whose law a few examples hardly change, by more than its guarantee
// says: of other learners no regret is known.
type Stable[X, H any] interface {
	Learner[X, H]
	// Drift returns the most that so many more examples move the logarithm of a
	// hypothesis's probability.
	Drift(rows int64) float64
}

// Leader is follow the private leader (Neel, Roth and Wu 2018, Definition 14):
// in every round it predicts by a fresh release of a learner on the examples of
// the rounds before, the first on none. Because the learner is stable, the next
// examples hardly change what it would have released, and its regret is small,
// against an adversary that chooses each round's examples knowing all earlier
// hypotheses.
//
// Equal examples are kept once, with their count, if X is of fixed size or a
// slice of what is, as for encoding/binary: time and memory grow with distinct
// records then, and not with rounds.
//
// A Leader is not safe for concurrent use.
type Leader[X, H any] struct {
	base   Stable[X, H]
	batch  int64
	rounds int64
	seen   []Example[X]
	at     map[string]int // where in seen the examples are, by label and record
}

// ErrBatch reports a round of more examples than the Leader was made for.
var ErrBatch = errors.New("learn: more examples in a round than a batch holds")

// NewLeader returns a Leader that has seen nothing, for rounds of at most batch
// examples each, a public number from 1 to MostRows.
func NewLeader[X, H any](base Stable[X, H], batch int64) (*Leader[X, H], error) {
	if batch < 1 || batch > MostRows {
		return nil, fmt.Errorf("learn: rounds of %d examples are outside 1..%d", batch, int64(MostRows))
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

// See ends the round with its examples: a batch, or fewer rows, the others being
// null records. It keeps the records. More rows are refused with ErrBatch, and
// a round after which there might be more than MostRows with ErrRows; nothing is
// learned from either.
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

// add puts the example with those it is equal to.
func (l *Leader[X, H]) add(e Example[X]) {
	label := byte(0)
	if e.Label {
		label = 1
	}
	key, err := binary.Append([]byte{label}, binary.LittleEndian, e.X)
	i, known := l.at[string(key)]
	switch {
	case err != nil: // X has no encoding
		l.seen = append(l.seen, e)
	case known:
		l.seen[i].Count += e.Count
	default:
		l.at[string(key)] = len(l.seen)
		l.seen = append(l.seen, e)
	}
}

// Rounds returns how many rounds have ended.
func (l *Leader[X, H]) Rounds() int64 { return l.rounds }

// Guarantee returns what the hypotheses of so many rounds, at least 1, and one
// more after the last of them promise together: the composition of that many
// releases, as one example bears on all hypotheses after its round, and the first
// depends on none. It is for streams fixed in advance. Two are neighbours if
// one example of one round differs or, under add-remove, is missing in one of
// them; none has a round of more examples than a batch.
func (l *Leader[X, H]) Guarantee(rounds int) (privacy.Guarantee, error) {
	all := make([]privacy.Guarantee, rounds)
	for i := range all {
		all[i] = l.base.Guarantee()
	}
	return privacy.Compose(all...)
}

// Regret bounds the expected regret after so many rounds: the loss of the
// hypotheses released, each on the examples of its round, less the least loss of
// any one hypothesis on all examples (plus its penalty), for streams where that
// is at most least. Rounds of a batch each are at most MostRows examples. It is
// never more than the loss of all rounds:
//
//	e^η·(least + B) - least,
//
// η the Drift of a batch, and B the learner's mean excess (docs/explanation/proofs/online.md; Theorem 13
// of Neel, Roth and Wu with its constants). For Exponential, η = λbC, b the batch, and the
// bound of Hedge, B + λ(bC)²·rounds/8, is taken where it is less.
func (l *Leader[X, H]) Regret(rounds int64, least float64) float64 {
	most := float64(l.batch) * float64(l.base.Loss().Range()) // the loss of a round
	b, drift := l.base.Excess(rounds*l.batch).Mean, l.base.Drift(l.batch)
	regret := min(most*float64(rounds), math.Exp(drift)*(least+b)-least)
	if _, ok := l.base.(*Exponential[X, H]); ok {
		regret = min(regret, b+drift*most*float64(rounds)/8)
	}
	return regret
}

// Drift returns λC for each row.
func (m *Exponential[X, H]) Drift(rows int64) float64 {
	lambda, _ := m.lambda.Float64()
	return lambda * float64(rows) * float64(m.loss.Range())
}
