package experiment

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/papers/game"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Games plays the game OracleQuery (Neel, Roth and Wu 2018, sections 4.3 and 4.4) on generated tables of binary
// attributes, with the class of monotone conjunctions as queries, under replace-one. In this game, a query player
// searches for queries that synthetic rows answer badly, and a data player changes these rows. Games plays one game
// for each combination of a kind of game (gameKinds), a number of rows and a number of attributes.
type Games struct {
	Attributes     []int // numbers of attributes
	Rows           []int // numbers of rows
	Epsilon, Delta privacy.Decimal
	Most           int // the maximum number of rounds; fewer are played if the bound for fewer rounds is smaller
	Seed           uint64

	// Tell receives the result of every game when the game has ended.
	Tell func(Game)
}

// A Game holds the result of one game. Errors and bounds are fractions of the rows.
type Game struct {
	Attributes int     `json:"attributes"`
	Rows       int     `json:"rows"`
	Response   string  `json:"response"` // the mechanism by which the query player answers
	Player     string  `json:"player,omitempty"`
	Rounds     int     `json:"rounds,omitempty"`
	Answered   int     `json:"answered,omitempty"` // the number of rounds with an answer other than ⊥
	Epsilon    string  `json:"epsilon"`            // the ε of one answer
	Error      float64 `json:"error"`              // the maximum error over all queries, NOT private
	Known      float64 `json:"bound_after"`        // the bound on the error after the game, from the data player's actual regret
	Bound      float64 `json:"bound_before"`       // the bound before the game
	Printed    float64 `json:"printed"`            // the bound of the paper's corollary with all constants 1
	PrintedT   float64 `json:"printed_rounds"`     // the number of rounds by the corollary
	Processor  float64 `json:"seconds_processor"`  // the processor time in seconds
	Left       string  `json:"left_out,omitempty"` // the reason if no game was played
}

// These constants are parameters of games that no flag changes.
const (
	gameDraws   = 1000   // the number of records that the data player samples in a round
	gameBeta    = 0.05   // the failure probability in the corollaries
	gameRefusal = 0.05   // the probability of ⊥ in a plan of PRSMA
	gameCalls   = 20_000 // the maximum number of oracle calls for an answer of PRSMA
)

// A board holds the inputs of a game: the table, the class of queries and the privacy budget.
type board struct {
	*Games
	class hypotheses
	sizes []int
	table []game.Record
	rows  int
	limit privacy.Amount // the budget: a ρ, and the δ for answers of PRSMA
}

// gameKinds lists the kinds of games. A kind consists of a mechanism by which the query player answers, the paper's
// corollary for this mechanism, and a data player, which is Hedge if the field hedge is true and Context-FTPL
// otherwise.
var gameKinds = []struct {
	name      string
	corollary game.Corollary
	hedge     bool
	response  func(b *board, rounds int) (game.Response[any], privacy.Decimal, error)
}{
	{"exponential", 1, true, (*board).exponential},
	{"exponential", 1, false, (*board).exponential},
	{"rspm, laplace", 2, false, func(b *board, rounds int) (game.Response[any], privacy.Decimal, error) {
		return b.rspm(perturb.Laplace, rounds)
	}},
	{"rspm, cube", 2, false, func(b *board, rounds int) (game.Response[any], privacy.Decimal, error) {
		return b.rspm(perturb.Cube, rounds)
	}},
	{"prsma", 3, false, (*board).prsma},
}

// Run plays one game of OracleQuery for each kind of game, number of rows and number of attributes in g.
func (g *Games) Run(ctx context.Context) error {
	filter, err := privacy.NewFilter(privacy.ReplaceOne, g.Epsilon, g.Delta)
	if err != nil {
		return err
	}
	for _, d := range g.Attributes {
		attributes := make([]literal.Attribute, d)
		b := &board{Games: g, sizes: make([]int, d), limit: filter.Limit()}
		for j := range attributes {
			attributes[j], b.sizes[j] = literal.Positive(), 2
		}
		c, err := conjunction.New(attributes, conjunction.Options{})
		if err != nil {
			return err
		}
		b.class = class.Erase(c)
		for _, b.rows = range g.Rows {
			made, err := Generate(fmt.Sprintf("noise:%dx2:%d:%d", d, b.rows, g.Seed))
			if err != nil {
				return err
			}
			b.table = nil
			for i := range made.Rows.Len() {
				b.table = append(b.table, game.Record{X: made.Rows.Record(i, nil), Count: made.Rows.Count(i)})
			}
			for i := range gameKinds {
				if err := b.play(ctx, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// play plays one game of the given kind (an index into gameKinds). It plays the allowed number of rounds for which
// the bound on the error of the result is least.
func (b *board) play(ctx context.Context, kind int) error {
	k := gameKinds[kind]
	found := Game{Attributes: len(b.sizes), Rows: b.rows, Response: k.name}
	f := b.facts()
	found.Printed, found.PrintedT = k.corollary.Error(f), k.corollary.Rounds(f)
	before := processorTime()
	tried := map[*game.OracleQuery[any]]Game{}
	m, err := game.Best(int64(b.rows), b.Most, func(rounds int) (*game.OracleQuery[any], error) {
		response, epsilon, err := k.response(b, rounds)
		if err != nil {
			return nil, err
		}
		at := found
		at.Rounds, at.Epsilon = rounds, epsilon.String()
		var player game.Player
		if k.hedge {
			player, err = game.NewHedge(b.sizes, rounds)
			at.Player = "hedge"
		} else {
			player, err = game.NewContext(b.sizes, rounds)
			at.Player = "context-ftpl"
		}
		if err != nil {
			return nil, err
		}
		m, err := game.New(b.class, b.sizes, response, player, game.Options[any]{Rounds: rounds, Draws: gameDraws, Rows: int64(b.rows)})
		if err == nil {
			tried[m] = at
		}
		return m, err
	})
	if err != nil {
		found.Left = "no number of rounds is possible"
		b.Tell(found)
		return ctx.Err()
	}
	found = tried[m]
	s, err := m.Release(ctx, b.table, noise.Insecure(b.Seed))
	if err != nil {
		return err
	}
	found.Processor = (processorTime() - before).Seconds()
	for _, a := range s.Answers {
		if a.OK {
			found.Answered++
		}
	}
	found.Bound, found.Known = m.Bound(int64(b.rows)).Sum(), s.Regret+m.Miss(int64(b.rows))
	found.Error, err = worstQuery(ctx, b.class, b.table, s.Play)
	b.Tell(found)
	return err
}

// facts returns the public parameters of the game that occur in the paper's formulas.
func (b *board) facts() game.Facts {
	epsilon, _ := b.Epsilon.Rat().Float64()
	delta, _ := b.Delta.Rat().Float64()
	d := float64(len(b.sizes))
	return game.Facts{
		Rows: float64(b.rows), Epsilon: epsilon, Delta: delta, Beta: gameBeta,
		Separator: d, Digits: d, LogQueries: d * math.Ln2, LogSize: d * math.Ln2,
	}
}

func (b *board) exponential(rounds int) (game.Response[any], privacy.Decimal, error) {
	e, err := game.ShareEpsilon(b.limit.Loss.Rat(), rounds, true)
	return game.ExponentialResponse[any](e, privacy.ReplaceOne), e, err
}

func (b *board) rspm(kind perturb.Noise, rounds int) (game.Response[any], privacy.Decimal, error) {
	e, err := game.ShareEpsilon(b.limit.Loss.Rat(), rounds, false)
	return game.RSPM(game.Search[any], kind, e, privacy.ReplaceOne), e, err
}

// prsma plans a query player that answers by PRSMA. Each round gets an equal share of ρ and δ. prsma returns an error
// if it finds no plan with at most gameCalls oracle calls. If the ε of an answer is less than 1/2, it returns this
// error without a search, since PRSMA would then divide the rows into hundreds of parts and need more calls.
func (b *board) prsma(rounds int) (r game.Response[any], e privacy.Decimal, err error) {
	if e, err = game.ShareEpsilon(b.limit.Loss.Rat(), rounds, false); err != nil {
		return r, e, err
	}
	if e.Rat().Cmp(big.NewRat(1, 2)) < 0 {
		return r, e, robust.ErrNoPlan
	}
	each := new(big.Rat).Quo(b.limit.Failure.Rat(), new(big.Rat).SetInt64(int64(rounds)))
	delta, err := privacy.RoundDown(each, 9)
	if err != nil {
		return r, e, err
	}
	plan, err := robust.PlanPRSMA(robust.PRSMAGoal{Rows: int64(b.rows), Epsilon: e, Delta: delta, Refusal: gameRefusal, MostCalls: gameCalls})
	if err != nil {
		return r, e, err
	}
	return game.PRSMA(game.Search[any], plan, oracle.Budget{}), e, nil
}

// worstQuery returns the maximum error of the synthetic table other, over all queries and their negations. The error
// of a query is the fraction of rows that satisfy it in the table real, minus this fraction in the table other. The
// maximum is found by an exact search.
func worstQuery(ctx context.Context, c hypotheses, real, other []game.Record) (float64, error) {
	rows := func(s []game.Record) (n int64) {
		for _, r := range s {
			n += r.Count
		}
		return n
	}
	var p class.Problem[[]uint16]
	n, m := rows(real), rows(other)
	for _, r := range real {
		p.Points = append(p.Points, class.Point[[]uint16]{X: r.X, Cost: [2]int64{r.Count * m, 0}})
	}
	for _, r := range other {
		p.Points = append(p.Points, class.Point[[]uint16]{X: r.X, Cost: [2]int64{0, r.Count * n}})
	}
	s, err := oracle.Search(class.Erase(union.Closure(c))).Minimize(ctx, p, oracle.Budget{})
	return 1 - float64(s.Cost)/float64(n)/float64(m), err
}

// GameColumns returns the header of the rows of Game.Line.
func GameColumns() []string {
	return []string{"attributes", "rows", "response", "data player", "rounds", "ε each", "error", "bound after", "bound before", "printed bound", "printed rounds", "processor", "left out"}
}

// Line returns the game as a row of a text table with the columns GameColumns.
func (g Game) Line() []string {
	line := []string{fmt.Sprint(g.Attributes), fmt.Sprint(g.Rows), g.Response, g.Player}
	if g.Left != "" {
		line = append(line, "", "", "", "", "")
	} else {
		rounds := fmt.Sprint(g.Rounds)
		if g.Answered < g.Rounds {
			rounds = fmt.Sprintf("%d of %d", g.Answered, g.Rounds)
		}
		line = append(line, rounds, fmt.Sprintf("%.5s", g.Epsilon), fmt.Sprintf("%.4f", g.Error), fmt.Sprintf("%.3f", g.Known), fmt.Sprintf("%.3f", g.Bound))
	}
	return append(line, fmt.Sprintf("%.3f", g.Printed), fmt.Sprintf("%.0f", g.PrintedT), time.Duration(g.Processor*float64(time.Second)).Round(10*time.Millisecond).String(), g.Left)
}
