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

// A Stable learner is a Learner with a known bound on how much additional examples change the
// distribution of its result. From this bound, Leader derives a bound on its regret.
type Stable[X, H any] interface {
	Learner[X, H]
	// Drift returns an upper bound on the change of ln(probability of a hypothesis) when the given
	// number of examples is added, for all hypotheses and tables.
	Drift(rows int64) float64
}

// Leader implements the online learning algorithm "follow the private leader" (Neel, Roth and Wu 2018, Definition
// 14). In each round it predicts by a new release of a learner on the examples of all earlier rounds. Because the
// learner is stable, the distribution of this release would hardly change if the learner had the examples of the
// current round too. So the regret is small, even if an adversary who knows all earlier hypotheses chooses the
// examples of each round.
//
// If encoding/binary can encode X (types of fixed size, and slices of these), equal examples are stored once with
// their count. Time and memory then grow with the number of distinct records, not with the number of rounds.
//
// A Leader is not safe for concurrent use.
type Leader[X, H any] struct {
	base   Stable[X, H]
	batch  int64
	rounds int64
	seen   []Example[X]
	at     map[string]int // index of each example in seen, by label and record
}

// ErrBatch reports a round with more examples than the batch size of the Leader.
var ErrBatch = errors.New("learn: the round has more examples than the batch size permits; increase the batch size, or use more rounds")

// NewLeader returns a Leader without examples, for rounds of at most batch examples each. The batch
// size is public and at most MostRows.
func NewLeader[X, H any](base Stable[X, H], batch int64) (*Leader[X, H], error) {
	if batch < 1 || batch > MostRows {
		return nil, fmt.Errorf("learn: the maximum number of examples of a round is %d and must be 1..%d", batch, int64(MostRows))
	}
	if err := OfRows(base.Guarantee().Relation(), "a leader"); err != nil {
		return nil, err
	}
	return &Leader[X, H]{base: base, batch: batch, at: map[string]int{}}, nil
}

// Next releases the hypothesis for the current round, learned from the examples of all earlier rounds.
func (l *Leader[X, H]) Next(ctx context.Context, coins noise.Coins) (H, error) {
	return l.base.Release(ctx, l.seen, coins)
}

// See ends the round and adds its examples, whose records it retains. A round with fewer examples
// than the batch size is treated as if it were padded with null records. See fails with ErrBatch if
// there are more examples than the batch size, and with ErrRows if one more full round would make
// more than MostRows examples. In both cases it adds no example.
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

// add stores the example e, or increases the count of an equal example that is already stored.
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

// Rounds returns the number of rounds of the stream that have ended.
func (l *Leader[X, H]) Rounds() int64 { return l.rounds }

// Guarantee returns the joint guarantee for the hypotheses of the given number of rounds (at least
// 1) and of the next round. It is the composition of one release for each of the given rounds,
// although there is one hypothesis more: the first hypothesis depends on no example, and an example
// affects only hypotheses after its round.
//
// The guarantee holds for streams that are fixed in advance and whose rounds have at most the batch
// size of examples. Two streams are neighbours if one example of one round differs or, under
// add-remove, is missing in one of them.
func (l *Leader[X, H]) Guarantee(rounds int) (privacy.Guarantee, error) {
	all := make([]privacy.Guarantee, rounds)
	for i := range all {
		all[i] = l.base.Guarantee()
	}
	return privacy.Compose(all...)
}

// Regret returns an upper bound on the expected regret after the given number of rounds. The regret
// is the sum of the losses of the released hypotheses, each on the examples of its round, minus the
// least cost of a single hypothesis. The cost of a hypothesis is its loss on all examples plus its
// penalty. The bound holds for streams whose least cost is at most the parameter least. Rounds
// times the batch size must be at most MostRows.
//
// Let η be the Drift of a batch, and B the bound on the mean excess of the learner. Regret returns
// the least of these bounds (docs/explanation/proofs/online.md; the first is Theorem 13 of Neel,
// Roth and Wu with its constants):
//
//   - e^η·(least + B) - least,
//   - the maximum loss of all rounds,
//   - for Exponential, the bound of Hedge, B + λ(bC)²·rounds/8, where b is the batch size, C is the
//     range of the loss, and η = λbC.
func (l *Leader[X, H]) Regret(rounds int64, least float64) float64 {
	most := float64(l.batch) * float64(l.base.Loss().Range()) // maximum loss of a round
	b, drift := l.base.Excess(rounds*l.batch).Mean, l.base.Drift(l.batch)
	regret := min(most*float64(rounds), math.Exp(drift)*(least+b)-least)
	if _, ok := l.base.(*Exponential[X, H]); ok {
		regret = min(regret, b+drift*most*float64(rounds)/8)
	}
	return regret
}

// Drift returns λC·rows, a bound on how much the given number of additional examples changes the distribution of the
// result (see Stable). Here λ is the rate of the mechanism and C is the range of the loss.
func (m *Exponential[X, H]) Drift(rows int64) float64 {
	lambda, _ := m.lambda.Float64()
	return lambda * float64(rows) * float64(m.loss.Range())
}
