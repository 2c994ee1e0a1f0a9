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

// OracleQuery plays the game and releases the average play (Neel, Roth and Wu 2018,
// Algorithm 1, with another best response and other constants).
//
// Guarantee: the composition of Rounds answers, each chosen given those before, and under
// add-remove of the noisy number of rows: ρ = T·ε²/8 with Exponential, T·ε²/2 with RSPM. All
// else is a function of the answers and of coins (docs/explanation/proofs/game.md).
//
// A round that is answered by ⊥ adds no loss, and its play no part of the average; where all
// are, the average is the first play.
type OracleQuery[H any] struct {
	queries   queries[H]
	sizes     []int
	options   Options[H]
	player    Player
	response  Response[H]
	chooser   chooser[H] // over queries without charges
	guarantee privacy.Guarantee
}

// Options are the public parameters of the game.
type Options[H any] struct {
	// Rounds is T, and Draws N: 1 to MostRounds, and to learn.MostLoss.
	Rounds, Draws int
	// Rows is n under replace-one. Under add-remove, where n is private, it is 0.
	Rows int64
	// Count is the ρ of the noisy number of rows under add-remove.
	Count *big.Rat
	// Oracle minimises over the dual class, of which MostTabled records need none.
	Oracle DualOracle[H]
}

// MostRounds is the greatest number of rounds.
const MostRounds = 1 << 14

// New returns the game for the queries of c, which has no penalties, on records of
// attributes with so many categories.
func New[H any](c class.Class[[]uint16, H], sizes []int, response Response[H], player Player, o Options[H]) (*OracleQuery[H], error) {
	r := response.relation
	switch {
	case o.Rounds < 1 || o.Rounds > MostRounds:
		return nil, fmt.Errorf("game: %d rounds are outside 1..%d", o.Rounds, MostRounds)
	case o.Draws < 1 || o.Draws > learn.MostLoss:
		return nil, fmt.Errorf("game: a play of %d draws is outside 1..%d", o.Draws, learn.MostLoss)
	case r.Persons() > 0:
		return nil, fmt.Errorf("game: the game is for rows, and the relation %v is of persons", r)
	case r.Replaces() && (o.Rows < 1 || o.Rows > learn.MostRows):
		return nil, fmt.Errorf("game: %d rows are outside 1..%d", o.Rows, int64(learn.MostRows))
	case !r.Replaces() && o.Rows != 0:
		return nil, fmt.Errorf("game: under %v the number of rows is private and is not stated", r)
	case !r.Replaces() && (o.Count == nil || o.Count.Sign() <= 0):
		return nil, fmt.Errorf("game: under %v the number of rows is counted with noise; give it a positive ρ", r)
	case response.rows != 0 && response.rows != o.Rows:
		return nil, fmt.Errorf("game: the answers are planned for %d rows, and the game is for %d", response.rows, o.Rows)
	}
	m := &OracleQuery[H]{queries: union.Closure(c), sizes: slices.Clone(sizes), options: o, player: player, response: response}
	if _, err := m.past(); err != nil {
		return nil, err
	}
	var err error
	if m.chooser, err = response.over(m.queries, m.loss()); err != nil {
		return nil, err
	}
	m.guarantee, err = m.compose()
	return m, err
}

// loss is what a row costs a query: the number of draws of a play.
func (m *OracleQuery[H]) loss() learn.Loss {
	return learn.Loss{FalsePositive: int64(m.options.Draws), FalseNegative: int64(m.options.Draws)}
}

func (m *OracleQuery[H]) past() (past[H], error) {
	return newPast(m.queries, m.sizes, m.options.Oracle)
}

// counted is the guarantee of the noisy number of rows.
func (m *OracleQuery[H]) counted() (privacy.Guarantee, error) {
	return privacy.NewZCDP(m.response.relation, m.options.Count)
}

// compose adds up what is released.
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

// Guarantee returns the guarantee, which holds for every release.
func (m *OracleQuery[H]) Guarantee() privacy.Guarantee { return m.guarantee }

// A Synthetic is what is released. All of it is covered by the guarantee.
type Synthetic[H any] struct {
	// Play is the average play: the distinct records with the number of their draws, which
	// are N for each round that was answered.
	Play []Record
	// Answers are q^1, …, q^T.
	Answers []robust.Answer[Query[H]]
	// Rows is n, or the noisy number of rows, at least 1.
	Rows int64
	// Regret is by how much the plays lost more than the best record, a round of those
	// answered: what they did lose, and not a bound on what they may. It is NaN where
	// no oracle has proved the best record.
	Regret float64
}

// Release plays the game. Records that are not of the domain count as null. It fails with
// the context's error, and before any draw with learn.ErrSize for more rows than were stated,
// or learn.ErrRows.
func (m *OracleQuery[H]) Release(ctx context.Context, d []Record, coins noise.Coins) (*Synthetic[H], error) {
	p, err := m.past()
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

// examples returns the rows of the domain, each as one that costs a query its 0.
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

// countRows returns the noisy number of rows, brought into the range of a table.
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

// respond chooses the answer to a play. The draws are public charges, which weigh as much
// as the rows that the answer is chosen from.
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

// regret returns the regret of a round.
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
