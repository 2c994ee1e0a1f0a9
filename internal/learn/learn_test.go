package learn_test

import (
	"context"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// λ = ε/(2C) under replace-one, ε/C under add-remove (docs/explanation/proofs/exponential.md).
func TestExponentialRate(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2, 2}, 1))
	for _, test := range []struct {
		relation privacy.Relation
		loss     learn.Loss
		want     string
	}{
		{privacy.ReplaceOne, learn.ZeroOne, "1/4"},
		{privacy.AddRemove, learn.ZeroOne, "1/2"},
		{privacy.ReplaceOne, learn.Loss{FalsePositive: 1, FalseNegative: 5}, "1/20"},
		{privacy.AddRemove, learn.Loss{FalsePositive: 3, FalseNegative: 1}, "1/6"},
	} {
		m, err := learn.NewExponential(c, privacytest.Decimal(t, "0.5"), test.relation, test.loss)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Rate().RatString(); got != test.want {
			t.Errorf("%v, %v: rate %s, not %s", test.relation, test.loss, got, test.want)
		}
		if m.Rate().SetInt64(7); m.Rate().RatString() != test.want {
			t.Error("a caller can change the rate")
		}
		if g := m.Guarantee(); g.Relation() != test.relation || len(g.Assumes()) != 0 || g.Delta(0.5) != 0 {
			t.Errorf("guarantee %v", g)
		}
	}
}

func TestParametersRefused(t *testing.T) {
	c := class.Class[record, card](learntest.Signs(t, []int{2}, 1))
	if _, err := learn.NewExponential(c, privacytest.Decimal(t, "0"), privacy.ReplaceOne, learn.ZeroOne); err == nil {
		t.Error("ε = 0 is taken")
	}
	for _, l := range []learn.Loss{{}, {FalsePositive: 1}, {FalsePositive: -1, FalseNegative: 1}, {FalsePositive: 1, FalseNegative: learn.MostLoss + 1}} {
		if _, err := learn.NewExponential(c, privacytest.Decimal(t, "1"), privacy.ReplaceOne, l); err == nil {
			t.Errorf("loss %v is taken", l)
		}
	}
}

// The bounds of Excess hold on a table on which cards differ greatly in cost, since every record
// distinguishes them.
func TestExcessBounds(t *testing.T) { mechanisms.ExcessBounds(t) }

// The bounds agree with independently computed values of the proof's formulas, for 243 cards and ε
// = 1 under replace-one, so λ = 1/2, with a quarter of the rows.
func TestExcessFormulas(t *testing.T) {
	c := learntest.Signs(t, []int{3, 2}, 1)
	const rows = 1_000_000
	exponential := mechanisms["exponential"](t, c, "1")
	for name, v := range map[string]struct {
		m          learntest.Mechanism
		mean, most float64
	}{
		"exponential": {exponential, 10.98612, 16.97759},
		"subsample":   {learntest.Must(learn.NewSubsample(exponential, rows, rows/4)), 6673.008645, 8644.075527},
	} {
		got := v.m.Excess(rows)
		if math.Abs(got.Mean/v.mean-1) > 1e-6 || math.Abs(got.Most/v.most-1) > 1e-6 {
			t.Errorf("%s: %v, not %v and %v", name, got, v.mean, v.most)
		}
	}
}

// The bound is at most the greatest possible cost of a table, penalties included.
func TestExcessCountsPenalties(t *testing.T) { mechanisms.ExcessCountsPenalties(t) }

// A point costs the loss of its kind of error times its number of rows, in steps of the grid.
func TestProblem(t *testing.T) {
	p, err := learn.Problem(learn.Loss{FalsePositive: 3, FalseNegative: 2}, examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 4}}, 7)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Points[0].Cost, p.Points[1].Cost; a != [2]int64{7 * 2 * 5, 0} || b != [2]int64{0, 7 * 3 * 4} || p.PenaltyUnit() != 7 {
		t.Errorf("costs %v and %v, a penalty of %d", a, b, p.PenaltyUnit())
	}
}

// More rows than costs can represent are refused before any randomness is used.
func TestTooManyRows(t *testing.T) {
	mechanisms.Release(t)
	d := examples{{X: record{0}, Count: learn.MostRows}}
	p, err := learn.Problem(learn.Loss{FalsePositive: learn.MostLoss, FalseNegative: learn.MostLoss}, d, learn.MostGrid)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Range(); !ok {
		t.Error("the most rows, loss and grid leave 62 bits")
	}
}

// Wang, Lei and Fienberg (2016), Algorithm 1, at ε = 0.5 and 0.1 over 3^25
// scorecards: the accuracy of the census experiment, mean of 50.
func TestCensusAccuracy(t *testing.T) {
	data := census.Balanced(t, "adult-7.toml")
	c := learntest.Signs(t, data.Sizes(), 1)
	d := learn.Examples(data)
	for epsilon, least := range heavy.Pick(map[string]float64{"0.5": 0.80}, map[string]float64{"0.5": 0.80, "0.1": 0.795}) {
		m := mechanisms["exponential"](t, c, epsilon)
		wrong := int64(0)
		draws := heavy.Pick(8, 50)
		coins := noise.Crypto()
		for range draws {
			h, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			wrong += learntest.Errors(c, d, h)
		}
		if accuracy := 1 - float64(wrong)/float64(draws)/float64(data.Rows()); accuracy < least {
			t.Errorf("ε = %s: accuracy %.4f, below %g", epsilon, accuracy, least)
		}
	}
}

var _ privacy.Mechanism[examples, scorecard.Card] = (*learn.Exponential[record, card])(nil)

// The loss of each kind of error is 1 to MostLoss.
func TestLossBounds(t *testing.T) {
	for cost, taken := range map[int64]bool{-1: false, 0: false, 1: true, 2: true, learn.MostLoss - 1: true, learn.MostLoss: true, learn.MostLoss + 1: false} {
		for _, l := range []learn.Loss{{FalsePositive: cost, FalseNegative: 1}, {FalsePositive: 1, FalseNegative: cost}} {
			if err := l.Validate(); (err == nil) != taken {
				t.Errorf("%v: %v", l, err)
			}
		}
	}
}

// Each release of the exponential mechanism is reported once to the observer.
func TestExponentialObserved(t *testing.T) {
	m := learntest.Must(learn.NewExponential(class.Class[record, card](learntest.Signs(t, []int{2}, 1)), privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne))
	told := 0
	m.Observe = func(search.Effort) { told++ }
	for range 3 {
		learntest.Must(m.Release(context.Background(), examples{{X: record{1}, Count: 3}}, noise.Insecure(1)))
	}
	if told != 3 {
		t.Errorf("told of %d releases", told)
	}
}
