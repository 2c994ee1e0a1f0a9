package learn_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// followed returns the exact expected regret of the leader with rate lambda.
func followed(table [][]float64, least, lambda float64) float64 {
	total, sum := 0.0, make([]float64, len(table))
	for round := range table[0] {
		lowest := slices.Min(sum)
		z, loss := 0.0, 0.0
		for q, s := range sum {
			w := math.Exp(-lambda * (s - lowest))
			z += w
			loss += w * table[q][round]
		}
		total += loss / z
		for q := range sum {
			sum[q] += table[q][round]
		}
	}
	return total - least
}

// The exact expected regret is within its bound on all streams, for all rates and batch sizes. The test detects three
// wrong bounds:
//
//   - the bound of a stable leader, for a leader that is nearly deterministic,
//   - the mean excess alone, without the factor e^η,
//   - the bound for rounds of one example, for larger rounds.
func TestLeaderRegret(t *testing.T) {
	const length = 301
	c := learntest.Signs(t, []int{2, 2}, 1)
	exceeded, batched := false, false
	for _, batch := range []int{1, 2, 7, 50} {
		rounds := int64(length+batch-1) / int64(batch)
		bound := func(epsilon string, r privacy.Relation, least float64) (most, single, excess float64) {
			m, err := learn.NewExponential(class.Class[record, card](c), privacytest.Decimal(t, epsilon), r, learn.ZeroOne)
			if err != nil {
				t.Fatal(err)
			}
			return learntest.Leader(t, m, batch).Regret(rounds, least), learntest.Leader(t, m, 1).Regret(length, least), m.Excess(length).Mean
		}
		for name, stream := range learntest.Streams(length, batch) {
			table, least := learntest.Losses(c, stream, batch)
			for _, v := range []struct {
				epsilon string
				r       privacy.Relation
				lambda  float64
			}{
				{"0.02", privacy.ReplaceOne, 0.01}, {"0.1", privacy.ReplaceOne, 0.05}, {"0.5", privacy.ReplaceOne, 0.25},
				{"0.2", privacy.AddRemove, 0.2}, {"1", privacy.AddRemove, 1}, {"4", privacy.AddRemove, 4}, {"1000", privacy.AddRemove, 1000},
			} {
				most, single, excess := bound(v.epsilon, v.r, least)
				regret := followed(table, least, v.lambda)
				t.Logf("%s by %d, λ = %g: regret %.1f of at most %.1f", name, batch, v.lambda, regret, most)
				if regret > most {
					t.Errorf("%s by %d, λ = %g: regret %g, bound %g", name, batch, v.lambda, regret, most)
				}
				exceeded = exceeded || regret > excess
				batched = batched || regret > single
			}
			// Six alternating rounds of 50 are too few for this wrong bound to fail.
			if most, _, _ := bound("0.2", privacy.AddRemove, least); name == "alternating" && batch < 50 && followed(table, least, 1000) <= most {
				t.Errorf("by %d, the bound at λ = 0.2 holds at λ = 1000: %g", batch, most)
			}
		}
	}
	if !exceeded {
		t.Error("the regret never exceeds the mean excess: stability has no price")
	}
	if !batched {
		t.Error("the regret never exceeds that of rounds of one example: batches have no price")
	}
}

// Leader on a stream whose target drifts.
func TestLeaderDrift(t *testing.T) { mechanisms.LeaderDrift(t, stattest.Open(t, "learn/leader")) }

// witness is a class that records its numbers of points and rows.
type witness struct {
	class.Class[record, card]
	points, rows *int
}

func (w witness) Tree(p class.Problem[record]) (class.Tree[card], error) {
	*w.points, *w.rows = len(p.Points), 0
	for _, pt := range p.Points {
		*w.rows += int(pt.Cost[0] + pt.Cost[1])
	}
	return w.Class.Tree(p)
}

// See counts equal examples. It refuses a round that is too large, or rounds beyond the total
// number of rows, and a refused round has no effect.
func TestLeaderSee(t *testing.T) {
	points, rows := 0, 0
	m, err := learn.NewExponential(class.Class[record, card](witness{learntest.Signs(t, []int{3}, 1), &points, &rows}), privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		t.Fatal(err)
	}
	l := learntest.Leader(t, m, 4)
	next := func(rounds int64, want, count int) {
		t.Helper()
		if _, err := l.Next(context.Background(), noise.Crypto()); err != nil {
			t.Fatal(err)
		}
		if points != want || rows != count || l.Rounds() != rounds {
			t.Errorf("%d points of %d rows after %d rounds, not %d of %d after %d", points, rows, l.Rounds(), want, count, rounds)
		}
	}
	next(0, 0, 0)
	for range 3 {
		if err := l.See(examples{{X: record{0}, Count: 2}, {X: record{0}, Label: true, Count: 1}, {X: record{0}, Count: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	next(3, 2, 12)
	for _, d := range []examples{{{X: record{2}, Count: 5}}, {{X: record{2}, Count: 3}, {X: record{1}, Count: 2}}} {
		if err := l.See(d); !errors.Is(err, learn.ErrBatch) {
			t.Errorf("five rows of four: %v", err)
		}
	}
	next(3, 2, 12)
	if err := l.See(nil); err != nil {
		t.Error(err)
	}
	if err := l.See(examples{{X: record{2}, Count: 4}}); err != nil {
		t.Error(err)
	}
	next(5, 3, 16)

	l = learntest.Leader(t, m, learn.MostRows/2)
	for i, want := range []error{nil, nil, learn.ErrRows} {
		if err := l.See(nil); !errors.Is(err, want) {
			t.Errorf("round %d of half of all rows: %v", i+1, err)
		}
	}
}

func TestLeaderGuarantee(t *testing.T) {
	m := mechanisms["exponential"](t, learntest.Signs(t, []int{2}, 1), "0.1")
	for _, batch := range []int64{-1, 0, learn.MostRows + 1} {
		if _, err := learn.NewLeader(m.(learn.Stable[record, card]), batch); err == nil {
			t.Errorf("rounds of %d are taken", batch)
		}
	}
	l := learntest.Leader(t, m, 3)
	g, err := l.Guarantee(100)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := privacy.Epsilon(g, privacy.Decimal{}); err != nil || e.String() != "10" || len(g.Assumes()) != 0 {
		t.Errorf("ε = %v, assumes %v: %v", e, g.Assumes(), err)
	}
	if _, err := l.Guarantee(0); err == nil {
		t.Error("no rounds have a guarantee")
	}
}

// BenchmarkLeader plays a thousand examples.
func BenchmarkLeader(b *testing.B) { mechanisms.BenchmarkLeader(b) }
