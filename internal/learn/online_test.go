package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/oracle"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// streams are sequences of examples of two attributes of two categories.
func streams(length, batch int) map[string]examples {
	rng := rand.New(rand.NewPCG(3, 4))
	out := map[string]examples{}
	for i := range length {
		x := record{uint16(rng.IntN(2)), uint16(rng.IntN(2))}
		flip := rng.IntN(10) == 0
		add := func(name string, x record, label bool) {
			out[name] = append(out[name], learn.Example[record]{X: x, Label: label, Count: 1})
		}
		add("easy", x, x[0] == 1)
		add("drift", x, (x[2*i/length] == 1) != flip) // of the first attribute, then of the second
		add("alternating", record{0, 0}, i/batch%2 == 0)
		add("turn", record{1, 1}, i < length/2)
		add("chance", x, rng.IntN(2) == 1)
	}
	return out
}

// wrong counts the examples that h predicts wrongly.
func wrong(c class.Class[record, card], h card, d examples) (n float64) {
	for _, e := range d {
		if c.Predict(h, e.X) != e.Label {
			n += float64(e.Count)
		}
	}
	return n
}

// losses returns the loss of every hypothesis in each round, and the least at the end.
func losses(c class.Enumerable[record, card], stream examples, batch int) (table [][]float64, least float64) {
	least = math.Inf(1)
	for h := range c.All() {
		var row []float64
		total := 0.0
		for round := range slices.Chunk(stream, batch) {
			loss := wrong(c, h, round)
			row = append(row, loss)
			total += loss
		}
		table = append(table, row)
		least = min(least, total)
	}
	return table, least
}

// followed returns the exact expected regret of the leader by the exponential
// mechanism with rate lambda.
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

func newLeader(t testing.TB, m learn.Stable[record, card], batch int) *learn.Leader[record, card] {
	t.Helper()
	l, err := learn.NewLeader(m, int64(batch))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The exact expected regret is within its bound on all streams, at all rates, whatever
// the batch. The bound of a stable leader does not hold for one that follows the
// leader all but deterministically, the excess alone, with no price for stability,
// is no bound, and what bounds rounds of one example does not bound larger ones.
func TestLeaderRegret(t *testing.T) {
	const length = 301
	c := signs(t, []int{2, 2}, 1)
	exceeded, batched := false, false
	for _, batch := range []int{1, 2, 7, 50} {
		rounds := int64(length+batch-1) / int64(batch)
		bound := func(epsilon string, r privacy.Relation, least float64) (most, single, excess float64) {
			m, err := learn.NewExponential(class.Class[record, card](c), decimal(t, epsilon), r, learn.ZeroOne)
			if err != nil {
				t.Fatal(err)
			}
			return newLeader(t, m, batch).Regret(rounds, least), newLeader(t, m, 1).Regret(length, least), m.Excess(length).Mean
		}
		for name, stream := range streams(length, batch) {
			table, least := losses(c, stream, batch)
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
			// (Six alternating rounds of 50 are no long run.)
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

// The shipped leaders on a drifting stream: the regret of a run is within the bound
// and what chance adds to it by Azuma's inequality, losses of a round being in 0..batch.
func TestLeaderDrift(t *testing.T) {
	family := stattest.Open(t, "learn/leader")
	const length = 300
	c := signs(t, []int{2, 2}, 1)
	for _, batch := range []int{1, 20} {
		stream := streams(length, batch)["drift"]
		_, least := losses(c, stream, batch)
		for _, name := range []string{"exponential", "rspm-laplace", "rspm-cube"} {
			l := newLeader(t, newMechanism(t, name, c, "1").(learn.Stable[record, card]), batch)
			sum, coins := 0.0, noise.Crypto()
			for round := range slices.Chunk(stream, batch) {
				h, err := l.Next(context.Background(), coins)
				if err != nil {
					t.Fatal(err)
				}
				sum += wrong(c, h, round)
				if err := l.See(round); err != nil {
					t.Fatal(err)
				}
			}
			regret, bound := sum-least, l.Regret(l.Rounds(), least)
			chance := float64(batch) * math.Sqrt(-float64(l.Rounds())/2*math.Log(family.Take(t)))
			t.Logf("%s by %d: regret %.1f of at most %.1f, least loss %.0f", name, batch, regret, bound, least)
			if regret > bound+chance || l.Rounds() != int64(length/batch) {
				t.Errorf("%s by %d: regret %g after %d rounds, bound %g", name, batch, regret, l.Rounds(), bound)
			}
		}
	}
}

// witness is a class that notes how many points it is given, and of how many rows.
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

// Equal examples are counted; a round of too many is refused and leaves no trace; and
// so are rounds beyond all rows.
func TestLeaderSee(t *testing.T) {
	points, rows := 0, 0
	m, err := learn.NewExponential(class.Class[record, card](witness{signs(t, []int{3}, 1), &points, &rows}), decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne)
	if err != nil {
		t.Fatal(err)
	}
	l := newLeader(t, m, 4)
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

	l = newLeader(t, m, learn.MostRows/2)
	for i, want := range []error{nil, nil, learn.ErrRows} {
		if err := l.See(nil); !errors.Is(err, want) {
			t.Errorf("round %d of half of all rows: %v", i+1, err)
		}
	}
}

func TestLeaderGuarantee(t *testing.T) {
	c := class.Class[record, card](signs(t, []int{2}, 1))
	m, err := learn.NewRSPM(oracle.Minimizer[record, card](weak{oracle.Search(c)}), learn.Cube, decimal(t, "0.1"), privacy.ReplaceOne, learn.ZeroOne, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int64{-1, 0, learn.MostRows + 1} {
		if _, err := learn.NewLeader(learn.Stable[record, card](m), batch); err == nil {
			t.Errorf("rounds of %d are taken", batch)
		}
	}
	l := newLeader(t, m, 3)
	g, err := l.Guarantee(100)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := privacy.Epsilon(g, privacy.Decimal{}); err != nil || e.String() != "10" || len(g.Assumes()) != 1 {
		t.Errorf("ε = %v, assumes %v: %v", e, g.Assumes(), err)
	}
	if _, err := l.Guarantee(0); err == nil {
		t.Error("no rounds have a guarantee")
	}
}

// BenchmarkLeader plays a thousand examples.
func BenchmarkLeader(b *testing.B) {
	for _, name := range []string{"exponential", "rspm-cube"} {
		for _, batch := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/batch%d", name, batch), func(b *testing.B) {
				stream := streams(1000, batch)["drift"]
				m := newMechanism(b, name, signs(b, []int{2, 2}, 1), "0.5").(learn.Stable[record, card])
				coins := noise.Crypto()
				for b.Loop() {
					l := newLeader(b, m, batch)
					for round := range slices.Chunk(stream, batch) {
						if _, err := l.Next(context.Background(), coins); err != nil {
							b.Fatal(err)
						}
						if err := l.See(round); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
