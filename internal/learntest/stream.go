package learntest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
)

// Streams returns test sequences of examples, by names such as "drift". The examples have two
// attributes with two categories each.
func Streams(length, batch int) map[string]Examples {
	rng := rand.New(rand.NewPCG(3, 4))
	out := map[string]Examples{}
	for i := range length {
		x := Record{uint16(rng.IntN(2)), uint16(rng.IntN(2))}
		flip := rng.IntN(10) == 0
		add := func(name string, x Record, label bool) {
			out[name] = append(out[name], learn.Example[Record]{X: x, Label: label, Count: 1})
		}
		add("easy", x, x[0] == 1)
		add("drift", x, (x[2*i/length] == 1) != flip) // of the first attribute, then of the second
		add("alternating", Record{0, 0}, i/batch%2 == 0)
		add("turn", Record{1, 1}, i < length/2)
		add("chance", x, rng.IntN(2) == 1)
	}
	return out
}

// wrong returns the number of rows of the examples d that the hypothesis h of the class c misclassifies.
func wrong(c class.Class[Record, Card], h Card, d Examples) (n float64) {
	for _, e := range d {
		if c.Predict(h, e.X) != e.Label {
			n += float64(e.Count)
		}
	}
	return n
}

// Losses returns the loss of every hypothesis in each round of a stream, and the least total loss
// of a hypothesis.
func Losses(c class.Enumerable[Record, Card], stream Examples, batch int) (table [][]float64, least float64) {
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

// Leader returns a learn.Leader that uses the mechanism m as its learner, for rounds of the given
// batch size. The mechanism must be a learn.Stable.
func Leader(t testing.TB, m Mechanism, batch int) *learn.Leader[Record, Card] {
	t.Helper()
	l, err := learn.NewLeader(m.(learn.Stable[Record, Card]), int64(batch))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// LeaderDrift runs a learn.Leader with each mechanism on a stream whose best hypothesis changes.
// The regret of a run must be at most the bound of the Leader, plus an allowance for chance. This
// allowance follows from Azuma's inequality, because the loss in a round is between 0 and the
// number of rows of the round. For each mechanism, LeaderDrift makes two of the statistical tests
// of the family.
func (all Mechanisms) LeaderDrift(t *testing.T, family *stattest.Family) {
	const length = 300
	c := Signs(t, []int{2, 2}, 1)
	for _, batch := range []int{1, 20} {
		stream := Streams(length, batch)["drift"]
		_, least := Losses(c, stream, batch)
		for name, newMechanism := range all {
			l := Leader(t, newMechanism(t, c, "1"), batch)
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
				t.Errorf("%s, batch %d: the regret after %d rounds is %g, but its bound is %g", name, batch, l.Rounds(), regret, bound)
			}
		}
	}
}

// BenchmarkLeader measures the time of a learn.Leader for a thousand examples.
func (all Mechanisms) BenchmarkLeader(b *testing.B) {
	for name, newMechanism := range all {
		for batch, of := range map[int]string{1: "batch1", 100: "batch100"} {
			b.Run(name+"/"+of, func(b *testing.B) {
				stream := Streams(1000, batch)["drift"]
				m := newMechanism(b, Signs(b, []int{2, 2}, 1), "0.5")
				coins := noise.Crypto()
				for b.Loop() {
					l := Leader(b, m, batch)
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
