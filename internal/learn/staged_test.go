package learn_test

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
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// sparseStages are the stages of sparse cards.
type sparseStages struct{ o sparse.Options }

func (s sparseStages) Draws() int { return s.o.Draws }

func (s sparseStages) class(lambda *big.Rat, drawn []sparse.Card) (*sparse.Class, error) {
	o := s.o
	o.Rate = lambda
	c, err := sparse.New(o)
	for _, h := range drawn {
		c = c.Next(h)
	}
	return c, err
}

func (s sparseStages) Stage(lambda *big.Rat, drawn []sparse.Card) (class.Class[record, sparse.Card], error) {
	return s.class(lambda, drawn)
}

func (s sparseStages) LeastPrior(lambda *big.Rat) float64 {
	return learntest.Must(s.class(lambda, nil)).LeastPrior(lambda)
}

func stagedOf(t testing.TB, o sparse.Options, epsilon string, r privacy.Relation, l learn.Loss) *learn.Staged[record, sparse.Card] {
	t.Helper()
	return learntest.Must(learn.NewStaged[record, sparse.Card](sparseStages{o}, privacytest.Decimal(t, epsilon), r, l))
}

var pairsOfTwo = sparse.Options{Sizes: []int{2, 2}, Most: 1, Points: 1, Threshold: 1, Draws: 2}

// Shares of ε sum to exactly ε, and differ by at most the last of twelve digits.
func TestStagedShares(t *testing.T) {
	for _, c := range []struct {
		draws    int
		epsilon  string
		relation privacy.Relation
		loss     learn.Loss
		rates    string
		shares   []string
	}{
		{1, "1", privacy.ReplaceOne, learn.ZeroOne, "[1/2]", []string{"1"}},
		{2, "1", privacy.ReplaceOne, learn.ZeroOne, "[1/4 1/4]", []string{"0.5", "0.5"}},
		{2, "1", privacy.AddRemove, learn.Loss{FalsePositive: 1, FalseNegative: 5}, "[1/10 1/10]", []string{"0.5", "0.5"}},
		{3, "1", privacy.AddRemove, learn.ZeroOne, "[333333333333/1000000000000 333333333333/1000000000000 166666666667/500000000000]", []string{"0.333333333333", "0.333333333333", "0.333333333334"}},
	} {
		o := pairsOfTwo
		o.Draws = c.draws
		m := stagedOf(t, o, c.epsilon, c.relation, c.loss)
		if got := fmt.Sprint(m.Rates()); got != c.rates {
			t.Errorf("%d draws: rates %s, not %s", c.draws, got, c.rates)
		}
		s, err := privacy.State(m.Guarantee())
		if err != nil || s.Epsilon != privacytest.Decimal(t, c.epsilon) || !s.Delta.IsZero() || s.Relation != c.relation || len(s.Assumes) != 0 {
			t.Errorf("%d draws: %+v, %v", c.draws, s, err)
		}
		var parts []privacy.Guarantee
		for _, share := range c.shares {
			parts = append(parts, learntest.Must(privacy.NewBoundedRange(c.relation, privacytest.Decimal(t, share))))
		}
		composed := learntest.Must(privacy.Compose(parts...))
		for _, x := range []float64{0.1, 0.5, 0.9} {
			if got, want := m.Guarantee().Delta(x), composed.Delta(x); got != want {
				t.Errorf("%d draws: δ = %v at ε = %v, not %v", c.draws, got, x, want)
			}
		}
	}
}

// rates records the rates at which classes are penalised and nodes are sampled.
type rates struct {
	noise.Coins
	stages, draws []string
}

func (r *rates) Draw(law noise.Sampler) *big.Int {
	if g, ok := law.(noise.TruncatedGeometric); ok {
		r.draws = append(r.draws, g.X.RatString())
	}
	return r.Coins.Draw(law)
}

type notedStages struct {
	sparseStages
	to *rates
}

func (s notedStages) Stage(lambda *big.Rat, drawn []sparse.Card) (class.Class[record, sparse.Card], error) {
	s.to.stages = append(s.to.stages, lambda.RatString())
	return s.sparseStages.Stage(lambda, drawn)
}

// Each sample is from the class penalised at its own rate, and has exactly that rate, also if
// shares of ε differ in the last digit: for many numbers of stages, budgets, relations and losses.
func TestStagedRates(t *testing.T) {
	uneven := 0
	for _, draws := range []int{1, 2, 3, 5, 7} {
		for i, epsilon := range []string{"1", "0.7", "2.000000000001"} {
			r, l := privacy.ReplaceOne, learn.ZeroOne
			if i > 0 {
				r, l = privacy.AddRemove.OfPersons(i), learn.Loss{FalsePositive: int64(i), FalseNegative: 3}
			}
			o := pairsOfTwo
			o.Draws = draws
			noted := &rates{Coins: noise.Insecure(uint64(draws))}
			m := learntest.Must(learn.NewStaged[record, sparse.Card](notedStages{sparseStages{o}, noted}, privacytest.Decimal(t, epsilon), r, l))
			noted.stages = nil
			learntest.Must(m.Release(context.Background(), examples{{X: record{0, 1}, Count: 9}, {X: record{1, 0}, Label: true, Count: 4}}, noted))
			var stages, perUnit []string
			for _, lambda := range m.Rates() {
				stages = append(stages, lambda.RatString())
				perUnit = append(perUnit, new(big.Rat).Quo(lambda, big.NewRat(learn.Units(r), 1)).RatString())
			}
			if !slices.Equal(noted.stages, stages) {
				t.Errorf("%d draws of %s: classes are charged at %v, not %v", draws, epsilon, noted.stages, stages)
			}
			if noted.draws = slices.Compact(noted.draws); !slices.Equal(noted.draws, slices.Compact(perUnit)) {
				t.Errorf("%d draws of %s: nodes are drawn at %v, not %v", draws, epsilon, noted.draws, perUnit)
			}
			uneven = max(uneven, len(noted.draws))
		}
	}
	if uneven < 2 {
		t.Error("all draws have the same rate")
	}
}

func TestStagedRefuses(t *testing.T) {
	if _, err := learn.NewStaged[record, sparse.Card](sparseStages{pairsOfTwo}, privacytest.Decimal(t, "0"), privacy.ReplaceOne, learn.ZeroOne); err == nil {
		t.Error("an ε of 0")
	}
	if _, err := learn.NewStaged[record, sparse.Card](sparseStages{pairsOfTwo}, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.Loss{FalsePositive: 1}); err == nil {
		t.Error("an error that costs nothing")
	}
	uneven := pairsOfTwo
	uneven.Sizes = []int{2, 3}
	if _, err := learn.NewStaged[record, sparse.Card](sparseStages{uneven}, privacytest.Decimal(t, "1e-20"), privacy.ReplaceOne, learn.ZeroOne); err == nil {
		t.Error("a charge beyond 2^40")
	}
	m := stagedOf(t, pairsOfTwo, "1", privacy.ReplaceOne, learn.ZeroOne)
	d := examples{{X: record{0, 0}, Count: learn.MostRows}, {X: record{1, 0}, Count: 1}}
	if _, err := m.Release(context.Background(), d, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Release(ended, d[1:], noise.Crypto()); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// Cards of one of two attributes with two categories: both sets have 9 cards and no penalty, and
// the least prior is 1/18. λ is 1/4 in each of two samples.
func TestStagedExcess(t *testing.T) {
	m := stagedOf(t, pairsOfTwo, "1", privacy.ReplaceOne, learn.ZeroOne)
	want := learn.Excess{Mean: 2 * 4 * math.Log(18), Most: 2 * 4 * (math.Log(18) + math.Log(40))}
	if got := m.Excess(1000); math.Abs(got.Mean/want.Mean-1) > 1e-9 || math.Abs(got.Most/want.Most-1) > 1e-9 {
		t.Errorf("%v instead of %v", got, want)
	}
	if got := m.Excess(3); got.Mean != 3 || got.Most != 3 {
		t.Errorf("three rows: %v", got)
	}
}

// The bounds also hold with penalties: over samples for 200 tables, the mean excess over the best
// card of the first class is below the bound.
func TestStagedKeepsItsBound(t *testing.T) {
	o := sparse.Options{Sizes: []int{2, 3}, Most: 2, Points: 1, Threshold: 1, Draws: 2}
	m := stagedOf(t, o, "1", privacy.ReplaceOne, learn.ZeroOne)
	d := examples{{X: record{0, 0}, Label: true, Count: 60}, {X: record{1, 2}, Count: 70}, {X: record{0, 1}, Count: 20}, {X: record{1, 1}, Label: true, Count: 30}}
	p := learntest.Must(learn.Problem(learn.ZeroOne, d, 1))
	first := learntest.Must(sparse.New(o))
	best := int64(math.MaxInt64)
	for h := range first.All() {
		best = min(best, class.Cost(first, p, h))
	}
	const draws = 200
	sum := int64(0)
	for seed := range uint64(draws) {
		drawn := learntest.Must(m.Release(context.Background(), d, noise.Insecure(seed)))
		last := first.Next(drawn[0])
		sum += class.Cost(last, p, drawn[1]) - best
	}
	if mean, most := float64(sum)/draws, m.Excess(180).Mean; mean > most {
		t.Errorf("a mean excess of %v, above %v", mean, most)
	}
}

// The shares of samples may be given at the start. An ε of any number of digits is divided exactly,
// bounds are at most the rows times the greatest loss, and each sample is reported once.
func TestStagedSharesAllDigits(t *testing.T) {
	long := "1." + strings.Repeat("0", 96) + "7"
	for _, draws := range []int{1, 2, 3} {
		o := pairsOfTwo
		o.Draws = draws
		noted := &rates{Coins: noise.Insecure(1)}
		l := learn.Loss{FalsePositive: 2, FalseNegative: 5}
		m := learntest.Must(learn.NewStaged[record, sparse.Card](notedStages{sparseStages{o}, noted}, privacytest.Decimal(t, long), privacy.AddRemove, l))
		var want []string
		sum := new(big.Rat)
		for _, lambda := range m.Rates() {
			want = append(want, lambda.RatString())
			sum.Add(sum, lambda)
		}
		if !slices.Equal(noted.stages, want) {
			t.Errorf("classes are made at %v, not %v", noted.stages, want)
		}
		if all := new(big.Rat).Quo(privacytest.Decimal(t, long).Rat(), big.NewRat(5, 1)); sum.Cmp(all) != 0 {
			t.Errorf("%d draws: rates add up to %v, not %v", draws, sum, all)
		}
		if got := m.Excess(1); got.Mean != 5 || got.Most != 5 {
			t.Errorf("a row of a loss of at most 5: %v", got)
		}
		told := 0
		m.Observe = func(search.Effort) { told++ }
		if _, err := m.Release(context.Background(), nil, noise.Insecure(1)); err != nil || told != draws {
			t.Errorf("told of %d draws, of %d: %v", told, draws, err)
		}
	}
}
