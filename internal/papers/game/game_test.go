package game

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/papers/heuristic"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	formula = conjunction.Formula
	query   = Query[formula]
)

// cubes returns the class of conjunctions over attributes whose numbers of categories are sizes.
func cubes(t testing.TB, sizes ...int) *conjunction.Class {
	t.Helper()
	var attributes []literal.Attribute
	for _, n := range sizes {
		attributes = append(attributes, literal.Equal(n))
	}
	c, err := conjunction.New(attributes, conjunction.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alone returns the query with the single literal x_j = category.
func alone(c *conjunction.Class, j, category int) query {
	h := formula{Tests: make([]int, c.Attributes())}
	h.Tests[j] = 1 + category
	return query{Hypothesis: h}
}

// clustered generates a public table with the given number of rows, from a mixture of two distributions.
func clustered(sizes []int, rows int) []Record {
	coins := noise.Insecure(7)
	var all [][]uint16
	for range rows {
		x, kind := make([]uint16, len(sizes)), coins.Uint64n(2)
		for j, n := range sizes {
			if coins.Uint64n(4) > 0 {
				x[j] = uint16(kind) * uint16(n-1)
			} else {
				x[j] = uint16(coins.Uint64n(uint64(n)))
			}
		}
		all = append(all, x)
	}
	return merged(all)
}

// share returns q(S).
func share(c queries[formula], q query, s []Record) float64 {
	hits, rows := int64(0), int64(0)
	for _, r := range s {
		rows += r.Count
		if c.Predict(q, r.X) {
			hits += r.Count
		}
	}
	return float64(hits) / float64(rows)
}

// furthest returns the greatest q(S) - q(Ŝ) over the queries q of Q ∪ ¬Q, by enumeration. S is s, and Ŝ
// is other.
func furthest(c queries[formula], s, other []Record) (most float64) {
	for q := range c.(class.Enumerable[[]uint16, query]).All() {
		most = max(most, share(c, q, s)-share(c, q, other))
	}
	return most
}

// The table of losses finds records of least perturbed loss for every grid and all terms, also if the table has
// several blocks.
func TestTabledMinimises(t *testing.T) {
	for _, sizes := range [][]int{{2, 2, 2}, {3, 1, 4}, {1}, {5, 40, 17, 3}} {
		c := cubes(t, sizes...)
		p, err := newHistory(union.Closure[[]uint16, formula](c), sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		coins, d, loss := noise.Insecure(1), domain(sizes), map[string]int64{}
		for round := range 12 {
			q := alone(c, round%len(sizes), int(coins.Uint64n(uint64(max(c.Attribute(round%len(sizes)).Tests(), 1)))))
			if c.Attribute(round%len(sizes)).Tests() == 0 {
				q.Hypothesis.Tests[round%len(sizes)] = 0
			}
			q.Member = round % 2
			p.see(q, nil)
			size := 1
			for _, n := range sizes {
				size *= n
			}
			terms := make([]int64, digits(sizes))
			for i := range terms {
				terms[i] = int64(coins.Uint64n(41)) - 20
			}
			cost := func(x []uint16) int64 {
				bit, sum := 0, 7*loss[fmt.Sprint(x)]
				for j, category := range x {
					for b := range digits(sizes[j : j+1]) {
						sum += terms[bit] * int64(category>>b&1)
						bit++
					}
				}
				return sum
			}
			least := int64(math.MaxInt64)
			for i := range size {
				x := d.record(i)
				if !union.Closure[[]uint16, formula](c).Predict(q, x) {
					loss[fmt.Sprint(x)]++
				}
				least = min(least, cost(x))
			}
			x, ok := p.perturbed(7)(context.Background(), terms)
			if !ok || cost(x) != least {
				t.Fatalf("domain %v: perturbed returned %v with cost %d; the minimum cost is %d", sizes, x, cost(x), least)
			}
		}
		lowest := int64(math.MaxInt64)
		for _, n := range loss {
			lowest = min(lowest, n)
		}
		if got, proven, err := p.least(context.Background()); got != max(0, min(lowest, 12)) && len(loss) == len(p.(*tableHistory[formula]).losses) || !proven || err != nil {
			t.Errorf("domain %v: least returned %d (proven %v, error %v); counting gives %d", sizes, got, proven, err, lowest)
		}
	}
}

// The history that uses an oracle for the dual class agrees with the history that uses a table of losses.
func TestAskedAgreesWithTabled(t *testing.T) {
	sizes := []int{2, 3, 2}
	c := cubes(t, sizes...)
	closed := union.Closure[[]uint16, formula](c)
	table, err := newHistory(closed, sizes, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask, err := newHistory(closed, sizes, oracle.Search[query, []uint16])
	if err != nil {
		t.Fatal(err)
	}
	play := clustered(sizes, 20)
	coins := noise.Insecure(3)
	for round := range 10 {
		q := alone(c, round%3, int(coins.Uint64n(2)))
		q.Member = int(coins.Uint64n(2))
		if a, b := table.see(q, play), ask.see(q, play); a != b {
			t.Fatalf("%d records of the play have a loss by the table, %d by the oracle", a, b)
		}
		a, _, _ := table.least(context.Background())
		b, proven, err := ask.least(context.Background())
		if a != b || !proven || err != nil {
			t.Fatalf("the minimum loss is %d by the table and %d by the oracle (error %v)", a, b, err)
		}
		terms := []int64{int64(round) - 5, 3, -2, 40}
		x, _ := table.perturbed(16)(context.Background(), terms)
		y, ok := ask.perturbed(16)(context.Background(), terms)
		p := class.Problem[query]{Terms: terms}
		for _, pt := range ask.(*oracleHistory[formula]).points {
			p.Points = append(p.Points, class.Point[query]{X: pt.X, Cost: [2]int64{16, 0}})
		}
		dual := ask.(*oracleHistory[formula]).class
		if u, v := class.Cost[query, []uint16](dual, p, x), class.Cost[query, []uint16](dual, p, y); u != v || !ok {
			t.Fatalf("the table returned %v with cost %d, the oracle %v with cost %d", x, u, y, v)
		}
	}
}

// picked is a random source that records the weights of the last choice.
type picked struct {
	noise.Coins
	sums []uint64
}

func (p *picked) Pick(sums []uint64) int { p.sums = slices.Clone(sums); return p.Coins.Pick(sums) }

// Hedge samples a record with probability proportional to e^{-rate·loss}, both from a table of losses and by the
// tree of the dual class.
func TestHedgeLaw(t *testing.T) {
	sizes := []int{2, 2}
	c := cubes(t, sizes...)
	closed := union.Closure[[]uint16, formula](c)
	seen := []query{alone(c, 0, 1), alone(c, 0, 1), alone(c, 1, 0)} // lost by x0 = 0 twice, by x1 = 1 once
	weights := []float64{math.Exp(-1), math.Exp(-1.5), 1, math.Exp(-0.5)}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	for name, o := range map[string]DualOracle[formula]{"table": nil, "tree": oracle.Search[query, []uint16]} {
		p, err := newHistory(closed, sizes, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range seen {
			p.see(q, nil)
		}
		law, err := audit.Enumerate(func(coins noise.Coins) string {
			x, err := p.weighted(big.NewRat(1, 2))(context.Background(), coins)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(x)
		}, audit.Options{Floor: 1e-10, Recheck: heavy.Pick(30, 2000)})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range weights {
			lo, hi := law.Bounds(fmt.Sprint(domain(sizes).record(i)))
			if want := w / total; want < lo-1e-6 || want > hi+1e-6 {
				t.Errorf("%s: the probability of record %d lies in [%g, %g]; want %g", name, i, lo, hi, want)
			}
		}
	}
}

// likely returns the probability that the player samples record 0, for a domain of two records.
func likely(t *testing.T, player Player, p history[formula]) float64 {
	t.Helper()
	follow, ok := player.(Context)
	if !ok {
		log := &picked{Coins: noise.Insecure(1)}
		if _, err := player.draws(context.Background(), domain{2}, p, 1, log); err != nil {
			t.Fatal(err)
		}
		return float64(log.sums[0]) / float64(log.sums[1])
	}
	// In one dimension, the probability of the noise k is proportional to e^{-A|k|}.
	rate, _ := follow.rate(1).Float64()
	zero, all := 0.0, 0.0
	for k := int64(-40 / rate); k <= int64(40/rate); k++ {
		mass := math.Exp(-rate * math.Abs(float64(k)))
		all += mass
		if x, _ := p.perturbed(contextGrid)(context.Background(), []int64{k}); x[0] == 0 {
			zero += mass
		}
	}
	return zero / all
}

// For two records and two adversaries, the exact regret of both players is within the bound. In every round,
// the first adversary gives a loss to the likelier record, and the second adversary always gives it to the same
// record. At every rate, the regret against one of the adversaries is at least a sixth of the bound.
func TestPlayersRegret(t *testing.T) {
	sizes := []int{2}
	c := cubes(t, 2)
	const rounds = 24
	hedge, err := NewHedge(sizes, rounds)
	if err != nil {
		t.Fatal(err)
	}
	follow, err := NewContext(sizes, rounds)
	if err != nil {
		t.Fatal(err)
	}
	regret := func(player Player, spared func(zero float64) int) float64 {
		p, err := newHistory(union.Closure[[]uint16, formula](c), sizes, nil)
		if err != nil {
			t.Fatal(err)
		}
		lost := 0.0
		for range rounds {
			zero := likely(t, player, p)
			spare := spared(zero)
			lost += []float64{1 - zero, zero}[spare]
			p.see(alone(c, 0, spare), nil)
		}
		least, _, err := p.least(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return (lost - float64(least)) / rounds
	}
	for _, player := range []Player{
		hedge, Hedge{big.NewRat(4, 1)}, Hedge{big.NewRat(1, 50)},
		follow, Context{privacytest.Decimal(t, "3")}, Context{privacytest.Decimal(t, "0.05")},
	} {
		bound := min(1, player.Regret(sizes, rounds))
		most := max(
			regret(player, func(zero float64) int {
				if zero > 0.5 {
					return 1
				}
				return 0
			}),
			regret(player, func(float64) int { return 1 }),
		)
		if most > bound || most < bound/6 {
			t.Errorf("%v: the maximum regret is %g; it must lie between a sixth of the bound %g and the bound", player, most, bound)
		}
		t.Logf("%v: regret %g, bound %g", player, most, bound)
	}
}

// recorded keeps all plays.
type recorded struct {
	Player
	plays [][]Record
}

func (r *recorded) draws(ctx context.Context, d domain, l losses, n int, coins noise.Coins) ([][]uint16, error) {
	x, err := r.Player.draws(ctx, d, l, n, coins)
	r.plays = append(r.plays, merged(slices.Clone(x)))
	return x, err
}

// The error of the average play is always at most the realised regret plus the mean loss of the
// selections. If answers are accurate, the error is small. Synthetic.Play is the average of all plays.
func TestErrorIsRegretAndMisses(t *testing.T) {
	sizes := []int{2, 3, 2}
	c := cubes(t, sizes...)
	table := clustered(sizes, 4000)
	hedge, err := NewHedge(sizes, 40)
	if err != nil {
		t.Fatal(err)
	}
	follow, err := NewContext(sizes, 40)
	if err != nil {
		t.Fatal(err)
	}
	for _, player := range []Player{hedge, follow} {
		for _, epsilon := range []string{"0.05", "5"} {
			log := &recorded{Player: player}
			m, err := New(c, sizes, ExponentialResponse[formula](privacytest.Decimal(t, epsilon), privacy.ReplaceOne), log,
				Options[formula]{Rounds: 40, Draws: 200, Rows: 4000})
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.Release(context.Background(), table, noise.Insecure(1))
			if err != nil {
				t.Fatal(err)
			}
			var all []Record
			missed := 0.0
			for i, play := range log.plays {
				q := s.Answers[i].Hypothesis
				missed += furthest(m.queries, table, play) - (share(m.queries, q, table) - share(m.queries, q, play))
				all = added(all, play)
			}
			missed /= 40
			if !slices.EqualFunc(all, s.Play, func(a, b Record) bool { return slices.Equal(a.X, b.X) && a.Count == b.Count }) {
				t.Error("the released table is not the sum of all plays")
			}
			worst := furthest(m.queries, table, s.Play)
			if worst > s.Regret+missed+1e-9 {
				t.Errorf("%v at ε = %s: the error %g exceeds the regret %g plus the mean loss %g of the selections", player, epsilon, worst, s.Regret, missed)
			}
			if missed > m.Miss(4000) && epsilon == "5" {
				t.Errorf("%v: the selections have a mean loss of %g relative to the best query; expected at most %g", player, missed, m.Miss(4000))
			}
			if epsilon == "5" && worst > 0.08 {
				t.Errorf("%v: the error %g exceeds 0.08", player, worst)
			}
		}
	}
}

// watching is an oracle that passes every problem to a function, and fails if the function returns an error.
type watching struct {
	oracle.Minimizer[[]uint16, query]
	told func(class.Problem[[]uint16]) error
}

func (w watching) Minimize(ctx context.Context, p class.Problem[[]uint16], b oracle.Budget) (oracle.Solution[query], error) {
	if err := w.told(p); err != nil {
		return oracle.Solution[query]{}, err
	}
	return w.Minimizer.Minimize(ctx, p, b)
}

func watched(told func(class.Problem[[]uint16]) error) Oracle[formula] {
	return func(c class.Class[[]uint16, query]) (oracle.Minimizer[[]uint16, query], error) {
		return watching{oracle.Search(c), told}, nil
	}
}

// plan returns a plan of PRSMA for a few rows. The ε of the plan is large.
func plan(t testing.TB, rows int64) robust.PRSMAPlan {
	return robust.PRSMAPlan{
		Rows: rows, Parts: 3, Runs: 2, Threshold: 3, TestEpsilon: privacytest.Decimal(t, "2"), BaseEpsilon: privacytest.Decimal(t, "0.01"),
		Floor: 2, LogRatio: privacytest.Decimal(t, "0.5"), Failing: privacytest.Decimal(t, "0.5"), Tilt: privacytest.Decimal(t, "0.9"),
	}
}

// The play has the same total weight as the private rows from which an answer is selected. These are all rows
// or, for PRSMA, one part of the rows; PRSMA splits only the private rows.
func TestPlayWeighsAsMuchAsRows(t *testing.T) {
	sizes := []int{2, 2}
	c := cubes(t, sizes...)
	table := clustered(sizes, 30)
	const draws = 8
	for name, v := range map[string]struct {
		make func(Oracle[formula]) Response[formula]
		rows int64
	}{
		"rspm": {func(o Oracle[formula]) Response[formula] {
			return RSPM(o, perturb.Cube, privacytest.Decimal(t, "1"), privacy.ReplaceOne)
		}, 30},
		"prsma": {func(o Oracle[formula]) Response[formula] {
			p := plan(t, 30)
			p.Parts, p.Threshold = 5, 4
			return PRSMA(o, p, oracle.Budget{})
		}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			calls := make(chan [2]int64, 1000)
			response := v.make(watched(func(p class.Problem[[]uint16]) error {
				var sums [2]int64
				for _, pt := range p.Points {
					sums[0] += pt.Cost[0]
				}
				calls <- sums
				return nil
			}))
			var charged [2]int64
			over := response.over
			response.over = func(q queries[formula], l learn.Loss) (chooser[formula], error) {
				one := query{Hypothesis: formula{Tests: []int{0, 0}}} // 1 on all records
				charged = [2]int64{q.Penalty(query{Member: union.Negated, Hypothesis: one.Hypothesis}), q.Penalty(one)}
				return over(q, l)
			}
			m, err := New(c, sizes, response, Hedge{big.NewRat(1, 1)}, Options[formula]{Rounds: 1, Draws: draws, Rows: 30})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Release(context.Background(), table, noise.Insecure(2)); err != nil {
				t.Fatal(err)
			}
			close(calls)
			n := 0
			for sums := range calls {
				n++
				if sums[0] != draws*v.rows {
					t.Errorf("predicting 0 on all rows costs %d; want %d", sums[0], draws*v.rows)
				}
			}
			if n == 0 || charged != [2]int64{0, draws * v.rows} {
				t.Errorf("%d oracle calls; the play's penalties for the constants 0 and 1 are %v; want 0 and %d", n, charged, draws*v.rows)
			}
		})
	}
}

// A round with the answer ⊥ changes nothing but the list of answers. If all answers are ⊥, the first play is
// released.
func TestBottom(t *testing.T) {
	sizes := []int{2, 2}
	c := cubes(t, sizes...)
	table := clustered(sizes, 30)
	for name, fails := range map[string]func(int) bool{
		"always":   func(int) bool { return true },
		"at first": func(round int) bool { return round <= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			log := &recorded{Player: Hedge{big.NewRat(1, 1)}}
			response := PRSMA(watched(func(class.Problem[[]uint16]) error {
				if fails(len(log.plays) - 1) {
					return oracle.ErrFail
				}
				return nil
			}), plan(t, 30), oracle.Budget{})
			m, err := New(c, sizes, response, log, Options[formula]{Rounds: 6, Draws: 16, Rows: 30})
			if err != nil {
				t.Fatal(err)
			}
			s, err := m.Release(context.Background(), table, noise.Insecure(5))
			if err != nil {
				t.Fatal(err)
			}
			var want []Record
			answered := 0
			for i, a := range s.Answers {
				if a.OK {
					want = added(want, log.plays[i])
					answered++
				}
				if a.OK && fails(i) {
					t.Errorf("round %d has an answer although all its runs failed", i)
				}
			}
			if answered == 0 {
				want = log.plays[0]
				if s.Regret != 1 {
					t.Errorf("regret %g although no round was answered; want 1", s.Regret)
				}
			}
			if name == "at first" && answered == 0 {
				t.Fatal("no round was answered, so the test checks nothing")
			}
			if fmt.Sprint(want) != fmt.Sprint(s.Play) {
				t.Errorf("released table %v; want %v", s.Play, want)
			}
		})
	}
}

// mute is a dual oracle that always fails.
type mute struct {
	oracle.Minimizer[query, []uint16]
}

func (mute) Kind() oracle.Kind { return oracle.Heuristic }
func (mute) Minimize(context.Context, class.Problem[query], oracle.Budget) (oracle.Solution[[]uint16], error) {
	return oracle.Solution[[]uint16]{}, oracle.ErrFail
}

// If its oracle fails, the data player continues with uniform samples, and the regret is NaN.
func TestDualOracleFails(t *testing.T) {
	sizes := []int{2, 2}
	m, err := New(cubes(t, sizes...), sizes, ExponentialResponse[formula](privacytest.Decimal(t, "1"), privacy.ReplaceOne), Context{privacytest.Decimal(t, "1")}, Options[formula]{
		Rounds: 3, Draws: 64, Rows: 30,
		Oracle: func(c class.Class[query, []uint16]) oracle.Minimizer[query, []uint16] { return mute{oracle.Search(c)} }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Release(context.Background(), clustered(sizes, 30), noise.Insecure(5))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Play) != 4 || !math.IsNaN(s.Regret) {
		t.Errorf("wrong play %v or regret %g", s.Play, s.Regret)
	}
}

// The data player can use a heuristic oracle on a domain of 2^24 records, which is too large for a table of
// losses. The error is far below that of a uniform synthetic table, and the regret is NaN.
func TestHeuristicDualOracle(t *testing.T) {
	sizes := slices.Repeat([]int{2}, 24)
	attributes := slices.Repeat([]literal.Attribute{literal.Equal(2)}, 24)
	c, err := conjunction.New(attributes, conjunction.Options{Most: 1})
	if err != nil {
		t.Fatal(err)
	}
	table := clustered(sizes, 300)
	for i := range table { // of one kind of people
		for j := range table[i].X[:12] {
			table[i].X[j] = 1
		}
	}
	m, err := New(c, sizes, ExponentialResponse[formula](privacytest.Decimal(t, "4"), privacy.ReplaceOne), Context{privacytest.Decimal(t, "20")},
		Options[formula]{Rounds: 30, Draws: 20, Rows: 300, Oracle: heuristic.Incumbent[query, []uint16]})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Release(context.Background(), table, noise.Insecure(1))
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for j := range sizes {
		q := alone(c, j, 1)
		worst = max(worst, math.Abs(share(m.queries, q, table)-share(m.queries, q, s.Play)))
	}
	if worst > 0.3 || !math.IsNaN(s.Regret) {
		t.Errorf("error %g (a uniform table has 0.5) and regret %g; want an error of at most 0.3 and NaN", worst, s.Regret)
	}
}

func TestNewRefuses(t *testing.T) {
	sizes := []int{2, 2}
	c := cubes(t, sizes...)
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	good := Options[formula]{Rounds: 1, Draws: 1, Rows: 9}
	counted := Options[formula]{Rounds: 1, Draws: 1, Count: big.NewRat(1, 2)}
	make := func(r privacy.Relation, sizes []int, change func(*Options[formula])) error {
		o := good
		if !r.Replaces() {
			o = counted
		}
		change(&o)
		_, err := New(c, sizes, ExponentialResponse[formula](privacytest.Decimal(t, "1"), r), Hedge{big.NewRat(1, 1)}, o)
		return err
	}
	type options = Options[formula]
	for name, v := range map[string]struct {
		r      privacy.Relation
		sizes  []int
		change func(*options)
		why    string // "" where nothing is wrong
	}{
		"good":                 {replace, sizes, func(*options) {}, ""},
		"good, add-remove":     {addRemove, sizes, func(*options) {}, ""},
		"one row":              {replace, sizes, func(o *options) { o.Rows = 1 }, ""},
		"most of all":          {replace, sizes, func(o *options) { o.Rounds, o.Draws, o.Rows = MostRounds, learn.MostLoss, learn.MostRows }, ""},
		"no rounds":            {replace, sizes, func(o *options) { o.Rounds = 0 }, "Rounds, is 0, but must be"},
		"too many rounds":      {replace, sizes, func(o *options) { o.Rounds = MostRounds + 1 }, "Rounds, is 16385, but must be"},
		"no draws":             {replace, sizes, func(o *options) { o.Draws = 0 }, "Draws, is 0, but must be"},
		"too many draws":       {replace, sizes, func(o *options) { o.Draws = learn.MostLoss + 1 }, fmt.Sprintf("Draws, is %d, but must be", learn.MostLoss+1)},
		"no rows":              {replace, sizes, func(o *options) { o.Rows = 0 }, "Rows, is 0, but must be"},
		"too many rows":        {replace, sizes, func(o *options) { o.Rows = learn.MostRows + 1 }, fmt.Sprintf("Rows, is %d, but must be", int64(learn.MostRows)+1)},
		"rows, add-remove":     {addRemove, sizes, func(o *options) { o.Rows = 9 }, "must be 0 under add-remove"},
		"no count, add-remove": {addRemove, sizes, func(o *options) { o.Count = nil }, "Count must be positive"},
		"a count of 0":         {addRemove, sizes, func(o *options) { o.Count = new(big.Rat) }, "Count must be positive"},
		"a count below 0":      {addRemove, sizes, func(o *options) { o.Count = big.NewRat(-1, 2) }, "Count must be positive"},
		"persons":              {replace.OfPersons(2), sizes, func(*options) {}, "is not supported, because its neighbours differ in a person"},
		"one row of a person":  {replace.OfPersons(1), sizes, func(*options) {}, "is not supported, because its neighbours differ in a person"},
		"a wide domain":        {replace, slices.Repeat([]int{2}, 21), func(*options) {}, "2097152 records, but at most"},
		"no attributes":        {replace, nil, func(*options) {}, "at least one attribute"},
	} {
		if err := make(v.r, v.sizes, v.change); v.why == "" && err != nil || v.why != "" && (err == nil || !strings.Contains(err.Error(), v.why)) {
			t.Errorf("%s: New returned the error %v", name, err)
		}
	}
	for rows, ok := range map[int64]bool{29: false, 30: true, 31: false} {
		_, err := New(c, sizes, PRSMA(Search[formula], plan(t, 30), oracle.Budget{}), Hedge{big.NewRat(1, 1)}, Options[formula]{Rounds: 1, Draws: 1, Rows: rows})
		if ok != (err == nil) || !ok && !strings.Contains(err.Error(), "the plan of PRSMA is for 30 rows") {
			t.Errorf("New with a plan for 30 rows and a table of %d rows: error %v", rows, err)
		}
	}
}

// A table with more rows than stated is rejected before randomness is used. Records outside the domain are
// ignored.
func TestRows(t *testing.T) {
	sizes := []int{2, 2}
	m, err := New(cubes(t, sizes...), sizes, ExponentialResponse[formula](privacytest.Decimal(t, "1"), privacy.ReplaceOne), Hedge{big.NewRat(1, 1)}, Options[formula]{Rounds: 2, Draws: 4, Rows: 9})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Release(context.Background(), []Record{{[]uint16{0, 1}, 5}, {[]uint16{1, 1}, 5}}, nil); !errors.Is(err, learn.ErrSize) {
		t.Errorf("ten rows where nine were stated: error %v", err)
	}
	if _, err := m.Release(context.Background(), []Record{{[]uint16{0, 1}, 5}, {[]uint16{1, 1}, math.MaxInt64}}, nil); !errors.Is(err, learn.ErrSize) {
		t.Errorf("numbers of rows that overflow: error %v", err)
	}
	for _, stray := range [][]uint16{{0, 2}, {0}, {0, 0, 0}, nil} {
		table := []Record{{[]uint16{0, 1}, 5}}
		a, err := m.Release(context.Background(), table, noise.Insecure(1))
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Release(context.Background(), append(table, Record{stray, 3}), noise.Insecure(1))
		if err != nil || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("a record %v outside the domain changed the release from %v to %v (error %v)", stray, a, b, err)
		}
	}
}

// noisy is a random source with given noise.
type noisy struct {
	noise.Coins
	by int64
}

func (n noisy) Draw(noise.Sampler) *big.Int { return big.NewInt(n.by) }

// The noisy number of rows is clipped to the range of valid numbers. A table with the maximum number of
// rows is accepted.
func TestNoisyRows(t *testing.T) {
	m, err := New(cubes(t, 2, 2), []int{2, 2}, ExponentialResponse[formula](privacytest.Decimal(t, "1"), privacy.AddRemove), Hedge{big.NewRat(1, 1)}, Options[formula]{Rounds: 1, Draws: 1, Count: big.NewRat(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int64{0, 1, 7, learn.MostRows / 2, learn.MostRows - 1, learn.MostRows} {
		d, err := m.examples([]Record{{[]uint16{0, 1}, rows}})
		if err != nil {
			t.Fatalf("%d rows: %v", rows, err)
		}
		for _, by := range []int64{-learn.MostRows - 1, -8, -7, -1, 0, 1, 2, learn.MostRows + 1} {
			got, err := m.countRows(context.Background(), d, noisy{by: by})
			if want := min(max(rows+by, 1), learn.MostRows); err != nil || got != want {
				t.Errorf("%d rows, noise %d: the noisy number is %d; want %d (error %v)", rows, by, got, want, err)
			}
		}
	}
	if _, err := m.examples([]Record{{[]uint16{0, 1}, learn.MostRows}, {[]uint16{1, 1}, 1}}); !errors.Is(err, learn.ErrRows) {
		t.Errorf("a table with too many rows: error %v", err)
	}
}

// ShareEpsilon returns the largest ε of nine digits for which the ρ of all answers add up to at most the given ρ.
func TestShareEpsilon(t *testing.T) {
	for _, rho := range []*big.Rat{big.NewRat(1, 2), big.NewRat(23, 2000), big.NewRat(1, 3), big.NewRat(9, 8), big.NewRat(1, 1<<40)} {
		for _, rounds := range []int{1, 2, 7, 1000} {
			for _, ranged := range []bool{true, false} {
				e, err := ShareEpsilon(rho, rounds, ranged)
				if err != nil {
					t.Fatal(err)
				}
				each := int64(2)
				if ranged {
					each = 8
				}
				spent := func(e *big.Rat) *big.Rat {
					r := new(big.Rat).Mul(e, e)
					return r.Mul(r, big.NewRat(int64(rounds), each))
				}
				more := new(big.Rat).Mul(e.Rat(), big.NewRat(1e8+1, 1e8))
				if spent(e.Rat()).Cmp(rho) > 0 || spent(more).Cmp(rho) <= 0 {
					t.Errorf("ρ = %v, %d rounds: ShareEpsilon returned %v, which is not the largest valid ε", rho, rounds, e)
				}
			}
		}
	}
	// Values of ρ for which ε is a decimal of nine digits, and slightly smaller values.
	for digits := int64(123456789); digits < 123456989; digits++ {
		e := big.NewRat(digits, 1e9)
		rho := new(big.Rat).Mul(e, e)
		rho.Mul(rho, big.NewRat(3, 8))
		below := new(big.Rat).Sub(rho, big.NewRat(1, 1<<62))
		at, err := ShareEpsilon(rho, 3, true)
		if err != nil {
			t.Fatal(err)
		}
		less, err := ShareEpsilon(below, 3, true)
		if err != nil {
			t.Fatal(err)
		}
		if at.Rat().Cmp(e) != 0 || less.Rat().Cmp(big.NewRat(digits-1, 1e9)) != 0 {
			t.Fatalf("ρ for ε = %v: ShareEpsilon returned %v, and %v for a slightly smaller ρ", e, at, less)
		}
	}
	if _, err := ShareEpsilon(new(big.Rat), 1, true); err == nil {
		t.Error("ShareEpsilon accepted ρ = 0")
	}
}

// Best returns a game whose bound is at most about 2% greater than the least bound of any number of rounds. Best
// skips numbers of rounds for which make fails.
func TestBest(t *testing.T) {
	sizes := []int{2, 2, 2}
	c := cubes(t, sizes...)
	at := func(rounds int) (*OracleQuery[formula], error) {
		if rounds%2 == 1 {
			return nil, errors.New("odd")
		}
		e, err := ShareEpsilon(big.NewRat(1, 100), rounds, true)
		if err != nil {
			return nil, err
		}
		player, err := NewHedge(sizes, rounds)
		if err != nil {
			return nil, err
		}
		return New(c, sizes, ExponentialResponse[formula](e, privacy.ReplaceOne), player, Options[formula]{Rounds: rounds, Draws: 100, Rows: 10000})
	}
	best, err := Best(10000, 500, at)
	if err != nil {
		t.Fatal(err)
	}
	for rounds := 2; rounds < 500; rounds += 2 {
		m, err := at(rounds)
		if err != nil {
			t.Fatal(err)
		}
		if sum := m.Bound(10000).Sum(); sum < best.Bound(10000).Sum()*0.98 {
			t.Fatalf("%d rounds have the bound %g, but Best returned %d rounds with the bound %g", rounds, sum, best.options.Rounds, best.Bound(10000).Sum())
		}
	}
	if _, err := Best(10000, 1, at); !errors.Is(err, ErrNoPlan) {
		t.Errorf("no possible number of rounds: error %v; want ErrNoPlan", err)
	}
}

// The scales of the random samples of whole games agree with scales that were derived by hand.
func TestTranscript(t *testing.T) {
	sizes := []int{2}
	c := cubes(t, 2)
	table := []Record{{[]uint16{0}, 3}, {[]uint16{1}, 5}}
	follow := Context{privacytest.Decimal(t, "3.4")}
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	record := noisetest.Record(noise.Insecure(1))
	for _, s := range []struct {
		want     string
		response Response[formula]
		options  Options[formula]
	}{
		{"two rounds of two draws: for each draw a radius of rate 3.4/17 in 1 dimension and a coordinate in ± that; then the exponential mechanism at ε = 1, replace, C = 2: λ = 1/4",
			ExponentialResponse[formula](privacytest.Decimal(t, "1"), replace), Options[formula]{Rounds: 2, Draws: 2, Rows: 8}},
		{"add-remove: the number of rows, 8, with σ² = 1/(2·1/8) = 4; then λ = 1/2",
			ExponentialResponse[formula](privacytest.Decimal(t, "1"), addRemove), Options[formula]{Rounds: 1, Draws: 2, Count: big.NewRat(1, 8)}},
		{"Laplace, ε = 1, replace, two bits of the literal and the sign, C = 2: t = 2·2+1 = 5, three draws of scale mt/ε = 15",
			RSPM(Search[formula], perturb.Laplace, privacytest.Decimal(t, "1"), replace), Options[formula]{Rounds: 1, Draws: 2, Rows: 8}},
		{"cube: a radius of rate ε/t = 1/5 in 3 dimensions",
			RSPM(Search[formula], perturb.Cube, privacytest.Decimal(t, "1"), replace), Options[formula]{Rounds: 1, Draws: 2, Rows: 8}},
		{"PRSMA: 8 rows in 3 parts of 2, 2 discarded; two runs a part, each with a shuffle and a radius of rate 0.01/5 in 3 dimensions; Laplace of scale 1/ε_t = 1/2; one of those passed",
			PRSMA(Search[formula], plan(t, 8), oracle.Budget{}), Options[formula]{Rounds: 1, Draws: 2, Rows: 8}},
	} {
		m, err := New(c, sizes, s.response, follow, s.options)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("%s", s.want)
		released, err := m.Release(context.Background(), table, record)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %v\n", *released)
	}
	noisetest.Golden(t, "game.txt", record.String())
}
