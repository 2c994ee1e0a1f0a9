package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The noise of all cells is within the width with the stated confidence.
func TestAnswerWidth(t *testing.T) {
	family := stattest.Open(t, "learn/answer width")
	z, err := privacy.NewZCDP(privacy.AddRemove, big.NewRat(1, 50))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []privacy.Guarantee{privacytest.Pure(t, "0.2", privacy.ReplaceOne), z} {
		const cells, draws = 20, 1000
		all, err := learn.Total(g)
		if err != nil {
			t.Fatal(err)
		}
		w := learn.AnswerWidth(learn.AnswerNoise(g, 3, all), cells)
		q := statquery.Statistic[record]{Cells: cells, Most: 3, In: func(record, bool) []int { return nil }}
		beyond, half, coins := 0, 0, noise.Crypto()
		for range draws {
			s, err := statquery.NewStatistical[record](g, nil, coins)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := s.Ask(context.Background(), q, s.Left())
			if err != nil {
				t.Fatal(err)
			}
			widest := 0.0
			for _, a := range answers {
				f, _ := a.Float64()
				widest = max(widest, math.Abs(f))
			}
			if widest > w {
				beyond++
			}
			if widest > w/2 {
				half++
			}
		}
		t.Logf("%T: beyond %g in %d of %d, beyond half in %d", g, w, beyond, draws, half)
		family.AtMost(t, beyond, draws, 1-learn.Confidence)
		family.AtMost(t, draws-half, draws, 0.9) // half the width is exceeded more often
	}
}

// tabulated returns a table of the examples over attributes of the given sizes.
func tabulated(t testing.TB, sizes []int, d examples) table.Counts {
	t.Helper()
	b := table.NewBuilder(sizes)
	for _, e := range d {
		if err := b.Add(e.X, e.Label, e.Count); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

// More rows than costs can represent are refused before any randomness is used.
func TestNaiveBayesRefusesRows(t *testing.T) {
	m, err := learn.NewNaiveBayes([]int{2}, privacytest.Pure(t, "1", privacy.ReplaceOne), 100)
	if err != nil {
		t.Fatal(err)
	}
	d := tabulated(t, []int{2}, examples{{X: record{0}, Count: learn.MostRows}, {X: record{1}, Count: 1}})
	if _, err := m.Release(context.Background(), d, nil); !errors.Is(err, learn.ErrRows) {
		t.Error(err)
	}
}

// Points follow the naive Bayes rule, tested with an ε so large that the noise is negligible. They
// are finite for any noise.
func TestNaiveBayesPoints(t *testing.T) {
	d := examples{
		{X: record{0}, Count: 1000}, {X: record{0}, Label: true, Count: 3000},
		{X: record{1}, Count: 4000}, {X: record{1}, Label: true, Count: 2000},
	}
	m, err := learn.NewNaiveBayes([]int{2}, privacytest.Pure(t, "1000", privacy.ReplaceOne), 100)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Release(context.Background(), tabulated(t, []int{2}, d), noise.Crypto())
	if err != nil {
		t.Fatal(err)
	}
	// ln 3 and ln ½: label 1 has as many rows as label 0.
	if fmt.Sprint(got) != "{0 [[110 -69]]}" {
		t.Errorf("points %v", got)
	}
	// The same attribute is listed once, six times and ten times. Its log-odds are ln(1875/8000),
	// of category 0 and ln ⅛. The contributions are the whole difference, 5/6 of it and half of it.
	d = examples{
		{X: record{0}, Count: 1000}, {X: record{0}, Label: true, Count: 1000},
		{X: record{1}, Count: 7000}, {X: record{1}, Label: true, Count: 875},
	}
	for times, want := range map[int]string{1: "{-145 [[145 -63]", 6: "{-145 [[121 -52]", 10: "{-145 [[72 -31]"} {
		sizes, wide := make([]int, times), make(examples, len(d))
		for i, e := range d {
			wide[i] = e
			wide[i].X = make(record, times)
			for j := range times {
				sizes[j], wide[i].X[j] = 2, e.X[0]
			}
		}
		if m, err = learn.NewNaiveBayes(sizes, privacytest.Pure(t, "100000", privacy.ReplaceOne), 100); err != nil {
			t.Fatal(err)
		}
		if got, err = m.Release(context.Background(), tabulated(t, sizes, wide), noise.Crypto()); err != nil || !strings.HasPrefix(fmt.Sprint(got), want) {
			t.Errorf("%d attributes: points %v, not %s", times, got, want)
		}
	}
	if m, err = learn.NewNaiveBayes([]int{2}, privacytest.Pure(t, "1e-99", privacy.ReplaceOne), 1000); err != nil {
		t.Fatal(err)
	}
	if got, err = m.Release(context.Background(), tabulated(t, []int{2}, d), noise.Crypto()); err != nil || got.Total(record{0}) != 0 {
		t.Errorf("at ε = 1e-99: %v, %v", got, err)
	}
	for _, scale := range []int{0, 1001} {
		if _, err := learn.NewNaiveBayes([]int{2}, privacytest.Pure(t, "1", privacy.ReplaceOne), scale); err == nil {
			t.Errorf("%d points are taken", scale)
		}
	}
	for _, sizes := range [][]int{nil, {0}, {2, -1}, {learn.MostCells}} {
		if _, err := learn.NewNaiveBayes(sizes, privacytest.Pure(t, "1", privacy.ReplaceOne), 1); err == nil {
			t.Errorf("sizes %v are taken", sizes)
		}
	}
}

// On the census with 7 attributes, the accuracy is near that of TestCensusAccuracy in nineteen
// samples of twenty.
func TestNaiveBayesCensus(t *testing.T) {
	data := census.Balanced(t, "adult-7.toml")
	d := learn.Examples(data)
	family := stattest.Open(t, "learn/naive bayes")
	for epsilon, least := range map[string]float64{"0.05": 0.765, "0.1": 0.78, "0.5": 0.79, "1": 0.795} {
		m, err := learn.NewNaiveBayes(data.Sizes(), privacytest.Pure(t, epsilon, privacy.ReplaceOne), 10)
		if err != nil {
			t.Fatal(err)
		}
		const draws = 30
		below, coins := 0, noise.Crypto()
		for range draws {
			p, err := m.Release(context.Background(), data, coins)
			if err != nil {
				t.Fatal(err)
			}
			wrong := int64(0)
			for _, e := range d {
				if p.Predict(e.X) != e.Label {
					wrong += e.Count
				}
			}
			if 1-float64(wrong)/float64(data.Rows()) < least {
				below++
			}
		}
		t.Logf("ε = %s: accuracy below %g in %d of %d", epsilon, least, below, draws)
		family.AtMost(t, below, draws, 0.05)
	}
}

// BenchmarkNaiveBayes releases from the census table.
func BenchmarkNaiveBayes(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	coins := noise.Crypto()
	m, err := learn.NewNaiveBayes(data.Sizes(), privacytest.Pure(b, "1", privacy.ReplaceOne), 10)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Release(context.Background(), data, coins); err != nil {
			b.Fatal(err)
		}
	}
}
