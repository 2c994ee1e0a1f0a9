package learn_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
)

// streams are sequences of examples of two attributes of two categories.
func streams(rounds int) map[string]examples {
	rng := rand.New(rand.NewPCG(3, 4))
	out := map[string]examples{}
	for i := range rounds {
		x := record{uint16(rng.IntN(2)), uint16(rng.IntN(2))}
		flip := rng.IntN(10) == 0
		add := func(name string, x record, label bool) {
			out[name] = append(out[name], learn.Example[record]{X: x, Label: label, Count: 1})
		}
		add("easy", x, x[0] == 1)
		add("drift", x, (x[2*i/rounds] == 1) != flip) // of the first attribute, then of the second
		add("alternating", record{0, 0}, i%2 == 0)
		add("turn", record{1, 1}, i < rounds/2)
		add("chance", x, rng.IntN(2) == 1)
	}
	return out
}

// losses returns the loss of every hypothesis, and the least at the end.
func losses(t *testing.T, c class.Enumerable[record, card], stream examples) (table [][]float64, least float64) {
	t.Helper()
	var sum []float64
	for h := range c.All() {
		var row []float64
		total := 0.0
		for _, e := range stream {
			wrong := 0.0
			if c.Predict(h, e.X) != e.Label {
				wrong = 1
			}
			row = append(row, wrong)
			total += wrong
		}
		table = append(table, row)
		sum = append(sum, total)
	}
	least = math.Inf(1)
	for _, s := range sum {
		least = min(least, s)
	}
	return table, least
}

// followed returns the exact expected regret of the leader by the exponential
// mechanism with rate lambda.
func followed(table [][]float64, least, lambda float64) float64 {
	total, sum := 0.0, make([]float64, len(table))
	for round := range table[0] {
		lowest := math.Inf(1)
		for _, s := range sum {
			lowest = min(lowest, s)
		}
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

// The exact expected regret is within its bound on all streams, at all rates.
// The bound of a stable leader does not hold for one that follows the leader all
// but deterministically, and neither would the excess alone, with no price for stability.
func TestLeaderRegret(t *testing.T) {
	const rounds = 300
	c := signs(t, []int{2, 2}, 1)
	bound := func(epsilon string, r privacy.Relation, least float64) (bound, excess float64) {
		m, err := learn.NewExponential(class.Class[record, card](c), decimal(t, epsilon), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		l, err := learn.NewLeader[record, card](m)
		if err != nil {
			t.Fatal(err)
		}
		return l.Regret(rounds, least), m.Excess(rounds).Mean
	}
	exceeded := false
	for name, stream := range streams(rounds) {
		table, least := losses(t, c, stream)
		for _, v := range []struct {
			epsilon string
			r       privacy.Relation
			lambda  float64
		}{
			{"0.02", privacy.ReplaceOne, 0.01}, {"0.1", privacy.ReplaceOne, 0.05}, {"0.5", privacy.ReplaceOne, 0.25},
			{"0.2", privacy.AddRemove, 0.2}, {"1", privacy.AddRemove, 1}, {"4", privacy.AddRemove, 4}, {"1000", privacy.AddRemove, 1000},
		} {
			most, excess := bound(v.epsilon, v.r, least)
			regret := followed(table, least, v.lambda)
			t.Logf("%s, λ = %g: regret %.1f of at most %.1f", name, v.lambda, regret, most)
			if regret > most {
				t.Errorf("%s, λ = %g: regret %g, bound %g", name, v.lambda, regret, most)
			}
			exceeded = exceeded || regret > excess
		}
		if most, _ := bound("0.2", privacy.AddRemove, least); name == "alternating" && followed(table, least, 1000) <= most {
			t.Errorf("the bound at λ = 0.2 holds at λ = 1000: %g", most)
		}
	}
	if !exceeded {
		t.Error("the regret never exceeds the mean excess: stability has no price")
	}
}

// The shipped leaders on a drifting stream: the mean regret of a few runs is within the
// bound, by far.
func TestLeaderDrift(t *testing.T) {
	const rounds, runs = 300, 2
	c := signs(t, []int{2, 2}, 1)
	stream := streams(rounds)["drift"]
	_, least := losses(t, c, stream)
	for _, name := range []string{"exponential", "rspm-laplace", "rspm-cube"} {
		sum, bound := 0.0, 0.0
		for seed := range uint64(runs) {
			l, err := learn.NewLeader[record, card](newMechanism(t, name, c, "1").(learn.Learner[record, card]))
			if err != nil {
				t.Fatal(err)
			}
			bound = l.Regret(rounds, least)
			coins := noise.Insecure(seed)
			for _, e := range stream {
				h, err := l.Next(context.Background(), coins)
				if err != nil {
					t.Fatal(err)
				}
				if c.Predict(h, e.X) != e.Label {
					sum++
				}
				l.See(e.X, e.Label)
			}
			if l.Rounds() != rounds {
				t.Errorf("%d rounds", l.Rounds())
			}
		}
		regret := sum/runs - least
		t.Logf("%s: mean regret %.1f of at most %.1f, least loss %.0f", name, regret, bound, least)
		if regret > bound {
			t.Errorf("%s: mean regret %g, bound %g", name, regret, bound)
		}
	}
}

// other is a learner of which no regret is known.
type other struct{ learn.Learner[record, card] }

func TestLeaderGuarantee(t *testing.T) {
	c := class.Class[record, card](signs(t, []int{2}, 1))
	m, err := learn.NewRSPM(oracle.Minimizer[record, card](weak{oracle.Search(c)}), learn.Cube, decimal(t, "0.1"), privacy.ReplaceOne, learn.ZeroOne, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.NewLeader[record, card](other{m}); err == nil {
		t.Error("a learner without a bound is taken")
	}
	l, err := learn.NewLeader[record, card](m)
	if err != nil {
		t.Fatal(err)
	}
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

// BenchmarkLeader plays a hundred rounds.
func BenchmarkLeader(b *testing.B) {
	stream := streams(100)["drift"]
	for _, name := range []string{"exponential", "rspm-cube"} {
		b.Run(name, func(b *testing.B) {
			m := newMechanism(b, name, signs(b, []int{2, 2}, 1), "0.5").(learn.Learner[record, card])
			coins := noise.Crypto()
			for b.Loop() {
				l, err := learn.NewLeader[record, card](m)
				if err != nil {
					b.Fatal(err)
				}
				for _, e := range stream {
					if _, err := l.Next(context.Background(), coins); err != nil {
						b.Fatal(err)
					}
					l.See(e.X, e.Label)
				}
			}
		})
	}
}
