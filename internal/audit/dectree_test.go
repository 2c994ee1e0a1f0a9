package audit_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

func treesOf(t *testing.T, attributes []dectree.Attribute, depth, outcomes int) *dectree.Class {
	t.Helper()
	c, err := dectree.New(attributes, depth, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// loose is a mass in which every other option has a quarter more weight, for descents with at most
// a given number of choices.
type loose struct {
	class.Mass[*dectree.Tree]
	choices int
}

func (l loose) Bound() (class.Upper, int64) {
	f, least := l.Mass.Bound()
	for range l.choices {
		f = f.Times(class.Quotient(5, 4))
	}
	return f, least
}

func (l loose) Descend() class.Descent[*dectree.Tree] { return looseDescent{l.Mass.Descend()} }

type looseDescent struct{ class.Descent[*dectree.Tree] }

func (d looseDescent) Weights(ctx context.Context) ([]uint64, error) {
	sums, err := d.Descent.Weights(ctx)
	more, last := uint64(0), uint64(0)
	for i, sum := range sums {
		if i%2 == 0 {
			more += (sum - last) / 4
		}
		last, sums[i] = sum, sum+more
	}
	return sums, err
}

// certainly are coins in which tosses that may restart the sampler are heads.
type certainly struct{ noise.Coins }

func (certainly) BernoulliScaledExp(_, _ *big.Rat) bool { return true }

// Trees have the distribution prior·e^{-λ·cost}, also if they are sampled by loose weights, which
// often restart the sampler. A sampler that never restarts has another distribution.
func TestDrawTrees(t *testing.T) {
	lambda := big.NewRat(3, 4)
	two := []dectree.Attribute{{Categories: 2}}
	for _, w := range []struct {
		*dectree.Class
		records class.Listed[[]uint16]
	}{
		{treesOf(t, two, 1, 2), class.Listed[[]uint16]{{X: []uint16{0}, Costs: []int64{0, 2}}, {X: []uint16{1}, Costs: []int64{1, 0}}}},
		{treesOf(t, two, 2, 2), class.Listed[[]uint16]{{X: []uint16{0}, Costs: []int64{0, 2}}, {X: []uint16{1}, Costs: []int64{3, 0}}}},
		{treesOf(t, two, 1, 3), class.Listed[[]uint16]{{X: []uint16{0}, Costs: []int64{0, 2, 1}}, {X: []uint16{1}, Costs: []int64{3, 3, 0}}}},
		{treesOf(t, []dectree.Attribute{{Categories: 4, Ordered: 4}}, 1, 2), class.Listed[[]uint16]{{X: []uint16{0}, Costs: []int64{0, 1}}, {X: []uint16{1}, Costs: []int64{1, -1}}, {X: []uint16{3}, Costs: []int64{2, 0}}}},
		{treesOf(t, append(two, two...), 1, 3), class.Listed[[]uint16]{{X: []uint16{0, 1}, Costs: []int64{0, 1, 1}}, {X: []uint16{1, 1}, Costs: []int64{1, 0, 2}}}},
	} {
		weights, total := map[string]float64{}, 0.0
		for h := range w.All() {
			cost := int64(0)
			for _, r := range w.records {
				cost += r.Costs[w.Predict(h, r.X)]
			}
			prior, _ := w.Prior(h).Float64()
			weights[h.String()] = prior * math.Exp(-0.75*float64(cost))
			total += weights[h.String()]
		}
		tight, err := w.Mass(context.Background(), w.records, search.Decay(lambda))
		if err != nil {
			t.Fatal(err)
		}
		wrong := func(mass class.Mass[*dectree.Tree], coins func(noise.Coins) noise.Coins) (wrong int, tail float64) {
			law := audit.LawOf(t, func(c noise.Coins) string {
				h, err := search.Sample(context.Background(), class.Final(mass), lambda, coins(c))
				if err != nil {
					t.Fatal(err)
				}
				return h.String()
			}, audit.InFull(1e-8, 1e-10))
			for h, weight := range weights {
				if lo, hi := law.Bounds(h); weight/total < lo*(1-1e-12) || weight/total > hi*(1+1e-12) {
					wrong++
				}
			}
			return wrong, law.Tail()
		}
		plain := func(c noise.Coins) noise.Coins { return c }
		loose := loose{tight, 1<<(w.Depth()+1) - 1}
		for name, mass := range map[string]class.Mass[*dectree.Tree]{"tight": tight, "loose": loose} {
			if n, tail := wrong(mass, plain); n > 0 || tail > heavy.Pick(1e-5, 1e-7) {
				t.Errorf("%v, %s weights: %d of %d trees have another probability, with a tail of %g", w.Class, name, n, len(weights), tail)
			}
		}
		if n, _ := wrong(loose, func(c noise.Coins) noise.Coins { return certainly{c} }); n == 0 {
			t.Errorf("%v: a draw that is never begun anew has the law too", w.Class)
		}
	}
}

// onList applies a mechanism on records to the records of examples.
type onList[H any] struct {
	privacy.Mechanism[learn.Records[[]uint16], H]
}

func (m onList[H]) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, learn.Listed[[]uint16](d), c)
}

// The exponential mechanism with a prior on trees satisfies its guarantee. Refuted are the rate for
// add-remove under replace-one, and a class whose tests depend on the table.
func TestGibbs(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	c := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	gibbs := func(r privacy.Relation, l learn.Loss) audittest.AnyMechanism {
		m, err := learn.NewGibbs(class.EraseTractable(c), privacytest.Decimal(t, "2"), r, l.CostMatrix(2))
		if err != nil {
			t.Fatal(err)
		}
		return onList[any]{m}
	}
	world := func(r privacy.Relation) audit.World[audittest.Examples] {
		return audit.WorldOf(r, len(kindsOfRows), 3, audittest.ExamplesOf(kindsOfRows))
	}
	dear := learn.Loss{FalsePositive: 1, FalseNegative: 3}
	for _, a := range []struct {
		name string
		m    audittest.AnyMechanism
		r    privacy.Relation
		want audit.Verdict
	}{
		{"shipped", gibbs(replace, learn.ZeroOne), replace, audit.Holds},
		{"shipped, add-remove", gibbs(addRemove, learn.ZeroOne), addRemove, audit.Holds},
		{"shipped, dear errors", gibbs(replace, dear), replace, audit.Holds},
		{"the other rate", audittest.Claiming(gibbs(addRemove, learn.ZeroOne), gibbs(replace, learn.ZeroOne).Guarantee()), replace, audit.Verdict{1.01, 2}},
		{"a prior from the table", leaningPrior{gibbs(addRemove, learn.ZeroOne)}, addRemove, audit.Verdict{1.01, 4}},
	} {
		t.Run(a.name, func(t *testing.T) { audittest.CheckClass(t, a.want, a.m, world(a.r), audit.InFull(1e-9, 1e-11)) })
	}
}

// leaningPrior has a prior that depends on the table: it samples twice, and keeps the first tree if
// it is a leaf that the first record agrees with.
type leaningPrior struct{ audittest.AnyMechanism }

func (m leaningPrior) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (any, error) {
	h, err := m.AnyMechanism.Release(ctx, d, c)
	if err != nil || len(d) > 0 && fmt.Sprint(h) == map[bool]string{false: "0", true: "1"}[d[0].Label] {
		return h, err
	}
	return m.AnyMechanism.Release(ctx, d, c)
}
