package audit_test

import (
	"context"
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
	"github.com/sibyl-dp/sibyl/internal/papers/game"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	formula   = conjunction.Formula
	gameOf    = game.OracleQuery[formula]
	answering = game.Response[formula]

	queryClass = class.Class[[]uint16, game.Query[formula]]
)

// bitQueries returns the class of the queries 1 and x on records of one bit x, with a separator of the given
// distance. The game adds the negations 0 and ¬x.
func bitQueries(t testing.TB, distance int) *conjunction.Class {
	t.Helper()
	c, err := conjunction.New([]literal.Attribute{literal.Positive()}, conjunction.Options{Distance: distance})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// counted returns the table of records of one bit in which counts[0] rows are 0 and counts[1] rows are 1.
func counted(counts []int64) (d []game.Record) {
	for x, n := range counts {
		d = append(d, game.Record{X: []uint16{uint16(x)}, Count: n})
	}
	return d
}

// tables returns the world of all tables of records of one bit. Under replace-one the tables have the given number
// of rows, and under add-remove at most this number.
func tables(r privacy.Relation, rows int) audit.World[[]game.Record] {
	if r.Replaces() {
		return audit.WorldOfSize(2, rows, counted)
	}
	return audit.NewWorld(r, 2, rows, counted)
}

// lessInShortForm returns the first two tables of the world in the short form of tests, and the whole world
// in the full form.
func lessInShortForm(w audit.World[[]game.Record]) audit.World[[]game.Record] {
	if !heavy.On() {
		w.Tables, w.Pairs = w.Tables[:2], w.Pairs[:1]
	}
	return w
}

// releasedBy returns the whole output of a game as text, in which the noisy number of rows is reduced to two values.
func releasedBy(s *game.Synthetic[formula]) string {
	text := fmt.Sprint(s.Play, s.Regret, min(s.Rows, 2))
	for _, a := range s.Answers {
		text += fmt.Sprint(" ", a.OK, a.Hypothesis.Member, a.Hypothesis.Hypothesis.Tests)
	}
	return text
}

func played(t testing.TB, distance int, r answering, p game.Player, o game.Options[formula]) *gameOf {
	t.Helper()
	queries := class.Class[[]uint16, formula](bitQueries(t, distance))
	if distance == 1 {
		queries = searchtest.CacheTrees(queries)
	}
	m, err := game.New(queries, []int{2}, r, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type promised struct {
	m *gameOf
	g privacy.Guarantee
}

func (m promised) Guarantee() privacy.Guarantee { return m.g }
func (m promised) Release(ctx context.Context, d []game.Record, c noise.Coins) (*game.Synthetic[formula], error) {
	return m.m.Release(ctx, d, c)
}

// An answer over Q ∪ ¬Q satisfies its ε for each mechanism. The whole output of two rounds satisfies the composed
// guarantee.
func TestGame(t *testing.T) {
	const replace = privacy.ReplaceOne
	hedge := game.Hedge{Rate: big.NewRat(1, 1)}
	follow := game.Context{Stability: privacytest.Decimal(t, heavy.Pick("204", "68"))} // a step of noise is 1 in e¹², or e⁴
	exponential := func(epsilon string, r privacy.Relation) answering {
		return game.ExponentialResponse[formula](privacytest.Decimal(t, epsilon), r)
	}
	rspm := func(kind perturb.Noise, epsilon string, r privacy.Relation) answering {
		return game.RSPM(game.Search[formula], kind, privacytest.Decimal(t, epsilon), r)
	}
	rows := func(rounds, draws int) game.Options[formula] {
		return game.Options[formula]{Rounds: rounds, Draws: draws, Rows: 3}
	}
	pure := func(epsilon string, r privacy.Relation) privacy.Guarantee {
		g, err := privacy.NewPure(r, privacytest.Decimal(t, epsilon))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	one := func(r answering, distance int) promised {
		m := played(t, distance, r, hedge, rows(1, 1))
		return promised{m, m.Guarantee()}
	}
	two := func(r answering, p game.Player, draws int) promised {
		m := played(t, 1, r, p, rows(2, draws))
		return promised{m, m.Guarantee()}
	}
	perturbed := two(exponential("1", replace), follow, 1)
	for _, v := range []struct {
		name        string
		m           promised
		quick, full float64 // floor
		want        audit.Verdict
	}{
		{"exponential", one(exponential("2", replace), 1), 1e-6, 1e-12, audit.Verdict{Least: 0.5, Most: 1}},
		{"exponential, half the promise", promised{one(exponential("4", replace), 1).m, pure("2", replace)}, 1e-6, 1e-12, audit.Verdict{Least: 1.2, Most: 2}},
		{"laplace", one(rspm(perturb.Laplace, "3", replace), 1), 1e-5, 1e-8, audit.Verdict{Least: 0.5, Most: 1}},
		{"cube", one(rspm(perturb.Cube, "3", replace), 1), 3e-5, 1e-7, audit.Verdict{Least: 0.5, Most: 1}},
		{"cube, coded", one(rspm(perturb.Cube, "8", replace), 2), 1e-5, 1e-7, audit.Verdict{Least: 0.3, Most: 1}},
		{"laplace, a quarter of the promise", promised{one(rspm(perturb.Laplace, "6", replace), 1).m, pure("1.5", replace)}, 1e-5, 1e-8, audit.Verdict{Least: 1.5, Most: 4}},
		{"two rounds", two(exponential("1", replace), hedge, heavy.Pick(1, 2)), 3e-5, 1e-7, audit.Verdict{Least: 0.5, Most: 1}},
		{"two rounds, the promise of one", promised{two(exponential("2", replace), hedge, 1).m, pure("2", replace)}, 1e-5, 1e-7, audit.Verdict{Least: 1.1, Most: 2}},
		{"two rounds, Context-FTPL", perturbed, 1e-4, 1e-7, audit.Verdict{Least: 0.5, Most: 1}},
	} {
		t.Run(v.name, func(t *testing.T) {
			o := audit.InFull(v.quick, v.full)
			w := tables(replace, 3)
			if strings.HasPrefix(v.name, "two rounds") { // many paths: two tables
				w = lessInShortForm(w)
			}
			r, err := audit.CheckMechanism(v.m, releasedBy, w, o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
		})
	}
}

// The Rényi divergence of order α of the whole output of two rounds is at most αρ. Under add-remove, the output
// includes the noisy number of rows. The test refutes half of ρ.
func TestGameConcentrated(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		o, most := game.Options[formula]{Rounds: 2, Draws: 1, Rows: 2}, 2
		want := big.NewRat(2*9, 8*4) // two answers of ε = 3/2
		if !r.Replaces() {
			o.Rows, o.Count, most = 0, big.NewRat(1, 1), heavy.Pick(1, 2)
			want.Add(want, o.Count)
		}
		m := played(t, 1, game.ExponentialResponse[formula](privacytest.Decimal(t, "1.5"), r), game.Hedge{Rate: big.NewRat(1, 1)}, o)
		if rho := rhoOf(t, m.Guarantee()); rho.Cmp(want) != 0 {
			t.Fatalf("%v: ρ = %v; want %v", r, rho, want)
		}
		w, worst := tables(r, most), 0.0
		w = lessInShortForm(w)
		laws := make([]audit.Law[string], len(w.Tables))
		for i, d := range w.Tables {
			laws[i] = audit.LawOf(t, func(c noise.Coins) string {
				s, err := m.Release(context.Background(), d, c)
				if err != nil {
					t.Fatal(err)
				}
				return releasedBy(s)
			}, audit.InFull(2e-5, 1e-8))
		}
		rho, _ := want.Float64()
		for _, pair := range w.Pairs {
			for _, alpha := range []float64{1.1, 2, 4, 8} {
				for _, at := range [][2]int{pair, {pair[1], pair[0]}} {
					d := audit.Renyi(laws[at[0]], laws[at[1]], alpha)
					if d > alpha*rho*(1+1e-6) {
						t.Errorf("%v: the divergence of order %g is %g, more than %g", r, alpha, d, alpha*rho)
					}
					worst = max(worst, d/alpha/rho)
				}
			}
		}
		t.Logf("%v: at most %.3f of αρ", r, worst)
		if worst < 0.25 {
			t.Errorf("%v: the maximum divergence is only %g of αρ, so the test checks too little", r, worst)
		}
	}
}

// Under add-remove an answer depends on the noisy number of rows, not on the exact number. Given any noisy number,
// an answer satisfies its ε on tables of any size and skew. This would not hold if the exact number of rows were the
// weight of the samples of the play.
func TestGameGivenRows(t *testing.T) {
	const epsilon = 1.5
	for _, draws := range heavy.Pick([]int{1}, []int{1, 3}) {
		m := played(t, 1, game.ExponentialResponse[formula](privacytest.Decimal(t, "1.5"), privacy.AddRemove), game.Hedge{Rate: big.NewRat(1, 1)},
			game.Options[formula]{Rounds: 1, Draws: draws, Count: big.NewRat(1, 1)})
		law := func(counts []int64, told int64) audit.Law[string] {
			return audit.LawOf(t, func(c noise.Coins) string {
				own := &audit.Answered{Coins: c, Answers: []int64{told}, Counts: []int64{counts[0] + counts[1]}}
				s, err := m.Release(context.Background(), counted(counts), own)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(s.Rows) + releasedBy(s)
			}, audit.Options{Floor: heavy.Pick(1e-8, 1e-12), Recheck: audit.Rechecks, Laws: audit.NewSamplerLaws()})
		}
		worst := 0.0
		for _, counts := range heavy.Pick([][]int64{{0, 7}, {1, 30}}, [][]int64{{0, 0}, {1, 0}, {0, 7}, {5, 6}, {1, 30}}) {
			for _, told := range heavy.Pick([]int64{12}, []int64{-4, counts[0] + counts[1], 12}) {
				p := law(counts, told)
				for kind := range counts {
					more := slices.Clone(counts)
					more[kind]++
					q := law(more, told)
					c := audit.Compare(p, q)
					if c.Lower > epsilon*(1+1e-9) || c.Unseen > 1e-6 {
						t.Errorf("%d samples per play, noisy number of rows %d, counts %d and %d: the privacy loss is at least %g, except with probability %g", draws, told, counts[0], counts[1], c.Lower, c.Unseen)
					}
					worst = max(worst, c.Lower)
				}
			}
		}
		if worst < 0.5*epsilon {
			t.Errorf("%d samples per play: the maximum privacy loss is only %g, so the test checks too little", draws, worst)
		}
	}
}

// rhoOf returns the exact sum of ρ over the components of a guarantee.
func rhoOf(t testing.TB, g privacy.Guarantee) *big.Rat {
	t.Helper()
	parts, err := privacy.Parts(g)
	if err != nil {
		t.Fatal(err)
	}
	sum := new(big.Rat)
	for _, p := range parts {
		sum.Add(sum, new(big.Rat).Mul(p.Guarantee.(interface{ Rho() *big.Rat }).Rho(), big.NewRat(p.Times, 1)))
	}
	return sum
}

// Under add-remove, adding a record changes the costs of all queries of Q and ¬Q in the same direction, so the rate
// λ = ε satisfies ε. With −q in place of ¬q, it changes the costs of q and −q in opposite directions, and the
// privacy loss is 2ε.
func TestGameNegationUnderAddRemove(t *testing.T) {
	w := audit.WorldOf(privacy.AddRemove, 2, 4, counted)
	losses := func(minus bool) [][]int64 { // the losses of 1 and x, followed by those of ¬1 and ¬x, or of −1 and −x if minus is true
		if minus {
			return [][]int64{{-1, -1}, {0, -1}, {1, 1}, {0, 1}}
		}
		return [][]int64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	}
	for _, v := range []struct {
		name  string
		minus bool
		want  audit.Verdict
	}{{"¬q", false, audit.Verdict{Least: 0.5, Most: 1}}, {"−q", true, audit.Verdict{Least: 1.3, Most: 2}}} {
		t.Run(v.name, func(t *testing.T) {
			loss := losses(v.minus)
			draw := func(d []game.Record, c noise.Coins) (int, error) {
				cost, least := make([]int64, 4), int64(math.MaxInt64)
				for q := range cost {
					cost[q] = loss[q][0]*d[0].Count + loss[q][1]*d[1].Count
					least = min(least, cost[q])
				}
				start := noise.Mark(c)
				for {
					q := int(c.Uint64n(4))
					if c.BernoulliExp(big.NewRat(2*(cost[q]-least), 1)) {
						return q, nil
					}
					noise.Forget(c, start, "round")
				}
			}
			o := audit.InFull(1e-7, 1e-12)
			r, err := audit.Check(draw, privacytest.Decimal(t, "2"), w, o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
		})
	}
}

// signOnce is a wrong closure of a class with a code under negation. Its separator contains the bit that
// distinguishes q from ¬q only once.
type signOnce struct {
	queryClass
	distance int
}

func (c signOnce) Distance() int  { return c.distance }
func (c signOnce) Separator() int { return class.SeparatorBits(c.queryClass) - c.distance + 1 }
func (c signOnce) Separate(h game.Query[formula]) []bool {
	return class.Separate(c.queryClass, h)[c.distance-1:]
}

func (c signOnce) Tree(p class.Problem[[]uint16]) (class.Tree[game.Query[formula]], error) {
	if p.Terms != nil {
		p.Terms = append(make([]int64, c.distance-1), p.Terms...)
	}
	return c.queryClass.Tree(p)
}

// With a code of distance h, q and its negation must differ in h bits too. If the bit that distinguishes them is not
// repeated, RSPM with the shift for distance h is not private.
func TestGameSignWrittenOnce(t *testing.T) {
	closed := func(distance int) queryClass { return union.Closure[[]uint16, formula](bitQueries(t, distance)) }
	for _, v := range []struct {
		name string
		c    queryClass
		want audit.Verdict
	}{
		{"h times", closed(2), audit.Holds},
		{"once", signOnce{closed(3), 3}, audit.Verdict{Least: 1.3, Most: 3}},
	} {
		t.Run(v.name, func(t *testing.T) {
			m, err := perturb.NewRSPM(oracle.Search(v.c), perturb.Cube, privacytest.Decimal(t, "8"), privacy.ReplaceOne, learn.ZeroOne, 1)
			if err != nil {
				t.Fatal(err)
			}
			o := audit.InFull(1e-7, 1e-7)
			table := func(counts []int64) []learn.Example[[]uint16] {
				return []learn.Example[[]uint16]{{X: []uint16{0}, Label: true, Count: counts[0]}, {X: []uint16{1}, Label: true, Count: counts[1]}}
			}
			r, err := audit.CheckMechanism(m, func(q game.Query[formula]) string { return fmt.Sprint(q) }, audit.WorldOf(privacy.ReplaceOne, 2, 3, table), o)
			if err != nil {
				t.Fatal(err)
			}
			audit.Judge(t, v.want, r, o)
		})
	}
}
