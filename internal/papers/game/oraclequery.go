package game

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/charged"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// OracleQuery generates a synthetic table by a game of T rounds between a data player and a query player, and
// releases the average of the data player's plays (see the package comment). It is Algorithm 1 of Neel, Roth and Wu
// (2018) with another best response of the query player and other constants.
//
// Guarantee: the adaptive composition of the T answers of the query player and, under add-remove, of the noisy number
// of rows. Together, the T answers are ρ-zCDP:
//
//   - ρ = T·ε²/8 for answers by ExponentialResponse with parameter ε
//   - ρ = T·ε²/2 for answers by RSPM with parameter ε
//
// All other outputs are functions of the answers and of independent randomness (docs/explanation/proofs/game.md,
// section 2).
//
// An answer can be ⊥, which means that no query was selected. A round with the answer ⊥ adds no loss, and its play is
// not part of the average. If all answers are ⊥, the average is the play of the first round.
type OracleQuery[H any] struct {
	queries   queries[H]
	sizes     []int
	options   Options[H]
	player    Player
	response  Response[H]
	chooser   chooser[H] // the query player's mechanism for queries without the penalties of a play
	guarantee privacy.Guarantee
}

// Options are the public parameters of the game OracleQuery.
type Options[H any] struct {
	// Rounds is T, the number of rounds, 1 to MostRounds. Draws is N, the number of samples in a
	// play, 1 to learn.MostLoss.
	Rounds, Draws int
	// Rows is n, the number of rows, under replace-one. Under add-remove n is private, and Rows
	// must be 0.
	Rows int64
	// Count is the ρ that the noisy number of rows costs under add-remove. It is ignored under
	// replace-one.
	Count *big.Rat
	// Oracle minimizes over the dual class, whose hypotheses are the records. It may be nil if the
	// domain has at most MostTabled records.
	Oracle DualOracle[H]
}

// MostRounds is the maximum number of rounds of the game.
const MostRounds = 1 << 14

// New returns the game for the queries of c and their negations, on records whose attributes have the given numbers
// of categories (sizes). The class c must not have penalties. New returns an error if a parameter is invalid.
func New[H any](c class.Class[[]uint16, H], sizes []int, response Response[H], player Player, o Options[H]) (*OracleQuery[H], error) {
	r := response.relation
	switch {
	case o.Rounds < 1 || o.Rounds > MostRounds:
		return nil, fmt.Errorf("game: the number of rounds, Rounds, is %d, but must be 1..%d", o.Rounds, MostRounds)
	case o.Draws < 1 || o.Draws > learn.MostLoss:
		return nil, fmt.Errorf("game: the number of records that are sampled in a round, Draws, is %d, but must be 1..%d", o.Draws, learn.MostLoss)
	case r.Persons() > 0:
		return nil, fmt.Errorf("game: the relation %v is not supported, because its neighbours differ in a person; use a relation whose neighbours differ in a row", r)
	case r.Replaces() && (o.Rows < 1 || o.Rows > learn.MostRows):
		return nil, fmt.Errorf("game: the number of rows, Rows, is %d, but must be 1..%d", o.Rows, int64(learn.MostRows))
	case !r.Replaces() && o.Rows != 0:
		return nil, fmt.Errorf("game: Rows is %d, but must be 0 under %v, where the number of rows is private", o.Rows, r)
	case !r.Replaces() && (o.Count == nil || o.Count.Sign() <= 0):
		return nil, fmt.Errorf("game: under %v, Count must be positive: it is the ρ for the noisy number of rows", r)
	case response.rows != 0 && response.rows != o.Rows:
		return nil, fmt.Errorf("game: Rows is %d, but the plan of PRSMA is for %d rows", o.Rows, response.rows)
	}
	m := &OracleQuery[H]{queries: union.Closure(c), sizes: slices.Clone(sizes), options: o, player: player, response: response}
	if _, err := m.history(); err != nil {
		return nil, err
	}
	var err error
	if m.chooser, err = response.over(m.queries, m.loss()); err != nil {
		return nil, err
	}
	m.guarantee, err = m.compose()
	return m, err
}

// loss returns the loss function of the query player's mechanism: each row on which a query is 0 adds N to the
// query's cost, where N is the number of samples of a play.
func (m *OracleQuery[H]) loss() learn.Loss {
	return learn.Loss{FalsePositive: int64(m.options.Draws), FalseNegative: int64(m.options.Draws)}
}

// history returns the losses of all records before the first round, which are 0.
func (m *OracleQuery[H]) history() (history[H], error) {
	return newHistory(m.queries, m.sizes, m.options.Oracle)
}

// counted returns the guarantee of releasing the noisy number of rows.
func (m *OracleQuery[H]) counted() (privacy.Guarantee, error) {
	return privacy.NewZCDP(m.response.relation, m.options.Count)
}

// compose returns the guarantee of releasing all answers and, under add-remove, the noisy number of rows.
func (m *OracleQuery[H]) compose() (privacy.Guarantee, error) {
	parts := slices.Repeat([]privacy.Guarantee{m.chooser.Guarantee()}, m.options.Rounds)
	if !m.response.relation.Replaces() {
		count, err := m.counted()
		if err != nil {
			return nil, err
		}
		parts = append(parts, count)
	}
	return privacy.Compose(parts...)
}

// Guarantee returns the privacy guarantee of the game.
func (m *OracleQuery[H]) Guarantee() privacy.Guarantee { return m.guarantee }

// A Synthetic is the output of the game. The guarantee of the game covers all of its fields.
type Synthetic[H any] struct {
	// Play is the average play: the distinct sampled records with their counts, which add up to N
	// for each round that was answered.
	Play []Record
	// Answers are the answers q^1, …, q^T of the rounds.
	Answers []robust.Answer[Query[H]]
	// Rows is the number of rows under replace-one, and the noisy number of rows, at least 1, under add-remove.
	Rows int64
	// Regret is the realised regret of the data player: the mean loss of its samples minus the mean
	// loss of the best record, where both are means over the answered rounds. It is NaN if the
	// oracle does not prove the loss of the best record, and 1 if no round was answered.
	Regret float64
}

// Release plays the game on the rows d. It treats records outside the domain as null records. If there are too many
// rows, Release returns an error before it samples anything: learn.ErrSize under replace-one, and learn.ErrRows under
// add-remove. The only other possible error is that of the context.
func (m *OracleQuery[H]) Release(ctx context.Context, d []Record, coins noise.Coins) (*Synthetic[H], error) {
	p, err := m.history()
	if err != nil {
		return nil, err
	}
	private, err := m.examples(d)
	if err != nil {
		return nil, err
	}
	out := &Synthetic[H]{Rows: m.options.Rows}
	if !m.response.relation.Replaces() {
		if out.Rows, err = m.countRows(ctx, private, coins); err != nil {
			return nil, err
		}
	}
	lost, answered := int64(0), 0
	for t := range m.options.Rounds {
		draws, err := m.player.draws(ctx, m.sizes, p, m.options.Draws, coins)
		if err != nil {
			return nil, err
		}
		play := merged(draws)
		answer, err := m.respond(ctx, private, play, out.Rows, coins)
		if err != nil {
			return nil, err
		}
		out.Answers = append(out.Answers, answer)
		if answer.OK && answered == 0 {
			out.Play = nil
		}
		if answer.OK || t == 0 {
			out.Play = added(out.Play, play)
		}
		if answer.OK {
			lost += p.see(answer.Hypothesis, play)
			answered++
		}
	}
	out.Regret, err = m.regret(ctx, p, lost, answered)
	return out, err
}

// examples returns the rows of d that are in the domain, as examples with label 1. With these labels, the rows that a
// query misclassifies are those on which the query is 0. examples returns an error if there are too many rows.
func (m *OracleQuery[H]) examples(d []Record) (examples, error) {
	most, refusal := int64(learn.MostRows), learn.ErrRows
	if m.response.relation.Replaces() {
		most, refusal = m.options.Rows, learn.ErrSize
	}
	var out examples
	for _, r := range d {
		if r.Count > most {
			return nil, refusal
		}
		most -= r.Count
		if domain(m.sizes).contains(r.X) {
			out = append(out, learn.Example[[]uint16]{X: r.X, Label: true, Count: r.Count})
		}
	}
	return out, nil
}

// countRows returns the number of rows of d with noise, clipped to 1..learn.MostRows.
func (m *OracleQuery[H]) countRows(ctx context.Context, d examples, coins noise.Coins) (int64, error) {
	budget, err := m.counted()
	if err != nil {
		return 0, err
	}
	s, err := statquery.NewStatistical(budget, d, coins)
	if err != nil {
		return 0, err
	}
	counts, err := s.Ask(ctx, statquery.Predicate(func([]uint16, bool) bool { return true }), m.options.Count)
	if err != nil {
		return 0, err
	}
	n := counts[0]
	if n.Sign() <= 0 {
		return 1, nil
	}
	if n.Cmp(big.NewInt(learn.MostRows)) > 0 {
		return learn.MostRows, nil
	}
	return n.Int64(), nil
}

// respond selects the query that answers a play, the samples of the data player. The parameter d holds the private
// examples, and n is their number, which is noisy under add-remove. The samples are public, so their costs are a
// penalty of the query.
//
// The mechanism selects the query from all rows or, if it splits the rows into parts, from the rows of one part. The
// samples are weighted so that their total weight equals that of these rows.
func (m *OracleQuery[H]) respond(ctx context.Context, d examples, play []Record, n int64, coins noise.Coins) (chosen[H], error) {
	weight := n / m.response.parts
	points := make([]class.Point[[]uint16], len(play))
	for i, r := range play {
		points[i] = class.Point[[]uint16]{X: r.X, Cost: [2]int64{0, weight * r.Count}}
	}
	with, err := charged.New(m.queries, points)
	if err != nil {
		return chosen[H]{}, err
	}
	c, err := m.response.over(with, m.loss())
	if err != nil {
		return chosen[H]{}, err
	}
	return c.Release(ctx, d, coins)
}

// regret returns the value of Synthetic.Regret. The parameter lost is the number of samples, summed over all rounds,
// on which the answer of the round is 0. The parameter answered is the number of rounds with an answer other than ⊥.
func (m *OracleQuery[H]) regret(ctx context.Context, p losses, lost int64, answered int) (float64, error) {
	least, proven, err := p.least(ctx)
	if err != nil {
		return 0, err
	}
	if !proven {
		return math.NaN(), nil
	}
	if answered == 0 {
		return 1, nil
	}
	return (float64(lost)/float64(m.options.Draws) - float64(least)) / float64(answered), nil
}
