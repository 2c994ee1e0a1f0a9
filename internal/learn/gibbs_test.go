package learn_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func gibbsOf(t testing.TB, attributes []dectree.Attribute, depth int, epsilon string, r privacy.Relation, l learn.Loss) *learn.Gibbs[record, *dectree.Tree] {
	t.Helper()
	return learntest.Must(learn.NewGibbs[record](learntest.Must(dectree.New(attributes, depth, 2)), privacytest.Decimal(t, epsilon), r, l.CostMatrix(2)))
}

func recordsOf(d examples) learn.Records[record] { return learn.Listed[record](d) }

// The rate and the guarantee are those of the exponential mechanism.
func TestGibbsRate(t *testing.T) {
	for want, c := range map[string]struct {
		relation privacy.Relation
		loss     learn.Loss
	}{
		"1/4":  {privacy.ReplaceOne, learn.ZeroOne},
		"1/2":  {privacy.AddRemove, learn.ZeroOne},
		"1/20": {privacy.ReplaceOne, learn.Loss{FalsePositive: 1, FalseNegative: 5}},
		"1/6":  {privacy.AddRemove, learn.Loss{FalsePositive: 3, FalseNegative: 1}},
	} {
		m := gibbsOf(t, []dectree.Attribute{{Categories: 3}}, 2, "0.5", c.relation, c.loss)
		if got := m.Rate().RatString(); got != want || m.Loss() != c.loss {
			t.Errorf("%v, %v: rate %s, not %s", c.relation, c.loss, got, want)
		}
		ranged, ok := m.Guarantee().(privacy.BoundedRange)
		if !ok || ranged.Relation() != c.relation || ranged.Epsilon() != privacytest.Decimal(t, "0.5") || len(ranged.Assumes()) != 0 {
			t.Errorf("guarantee %v", m.Guarantee())
		}
	}
}

func TestGibbsRefuses(t *testing.T) {
	c := learntest.Must(dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 2))
	if _, err := learn.NewGibbs[record](c, privacytest.Decimal(t, "0"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(2)); err == nil {
		t.Error("an ε of 0")
	}
	if _, err := learn.NewGibbs[record](c, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.Loss{FalsePositive: 1}.CostMatrix(2)); err == nil {
		t.Error("an error that costs nothing")
	}
	m := gibbsOf(t, []dectree.Attribute{{Categories: 2}}, 1, "1", privacy.ReplaceOne, learn.ZeroOne)
	d := examples{{X: record{0}, Count: learn.MostRows}, {X: record{1}, Count: 1}}
	if _, err := m.Release(context.Background(), recordsOf(d), nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Release(ended, recordsOf(d[1:]), noise.Crypto()); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// The bounds are those of the proof: for one test and depth 2, the least prior is 1/128; λ is 1/2.
func TestGibbsExcess(t *testing.T) {
	m := gibbsOf(t, []dectree.Attribute{{Categories: 2}}, 2, "1", privacy.ReplaceOne, learn.ZeroOne)
	if got := m.Excess(1000); math.Abs(got.Mean/9.704060-1) > 1e-6 || math.Abs(got.Most/15.695525-1) > 1e-6 {
		t.Errorf("%v", got)
	}
	dear := gibbsOf(t, []dectree.Attribute{{Categories: 2}}, 2, "1", privacy.ReplaceOne, learn.Loss{FalsePositive: 1, FalseNegative: 3})
	if got := dear.Excess(7); got.Mean != 21 || got.Most != 21 {
		t.Errorf("seven rows of a loss of at most 3: %v", got)
	}
}

// For three classes, a prediction is right for the rows of its own class and wrong for all others.
// At a high rate this determines the samples.
func TestGibbsOutcomes(t *testing.T) {
	c := learntest.Must(dectree.New([]dectree.Attribute{{Categories: 3}}, 2, 3))
	m := learntest.Must(learn.NewGibbs[record](c, privacytest.Decimal(t, "60"), privacy.ReplaceOne, learn.ByError(3)))
	if got := m.Rate().RatString(); got != "30" || m.Loss() != learn.ZeroOne || m.Class().Outcomes() != 3 {
		t.Errorf("rate %s, loss %v", got, m.Loss())
	}
	for _, outcomes := range [][3]int{{0, 1, 2}, {2, 0, 1}, {1, 1, 0}, {2, 2, 2}} {
		var d learntest.Observations[record]
		for x, o := range outcomes {
			d = append(d, learntest.Observed[record]{X: record{uint16(x)}, Outcome: o, Count: 2}, learntest.Observed[record]{X: record{uint16(x)}, Outcome: (o + 1) % 3, Count: 1})
		}
		h, err := m.Release(context.Background(), d, noise.Crypto())
		if err != nil {
			t.Fatal(err)
		}
		for x, o := range outcomes { // another prediction has a probability below e^-20
			if got := c.Predict(h, record{uint16(x)}); got != o {
				t.Errorf("%v: %v predicts %d for %d", outcomes, h, got, x)
			}
		}
	}
	many := learntest.Observations[record]{{X: record{0}, Count: learn.MostRows}, {X: record{1}, Count: 1}}
	if _, err := m.Release(context.Background(), many, nil); !errors.Is(err, learn.ErrRows) {
		t.Errorf("too many rows: %v", err)
	}
	if _, err := learn.NewGibbs[record](c, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(2)); err == nil {
		t.Error("three outcomes with a loss by its kind")
	}
}

// numbered records the number of records of each mass.
type numbered struct {
	class.Tractable[record, *dectree.Tree]
	records *[]int
}

func (c numbered) Mass(ctx context.Context, records class.Records[record], decay func(int64) class.Upper) (class.Mass[*dectree.Tree], error) {
	*c.records = append(*c.records, records.Len())
	return c.Tractable.Mass(ctx, records, decay)
}

// If padding is requested, a mass has as many records as there are rows, however many are equal.
// The distribution of the sample does not change.
func TestGibbsFill(t *testing.T) {
	var records []int
	c := numbered{learntest.Must(dectree.New([]dectree.Attribute{{Categories: 3}}, 2, 2)), &records}
	m := learntest.Must(learn.NewGibbs[record](c, privacytest.Decimal(t, "60"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(2)))
	m.Fill(7, record{2})
	for _, d := range []examples{
		nil, {{X: record{1}, Label: true, Count: 7}}, {{X: record{0}, Count: 3}, {X: record{1}, Label: true, Count: 2}, {X: record{2}, Count: 2}},
	} {
		h, err := m.Release(context.Background(), recordsOf(d), noise.Crypto())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range d { // another prediction has a probability below e^-40
			if got := c.Predict(h, e.X) == 1; got != e.Label {
				t.Errorf("%v: %v predicts %v for %v", d, h, got, e.X)
			}
		}
	}
	if !slices.Equal(records, []int{7, 7, 7}) {
		t.Errorf("masses are of %v records", records)
	}
}

// Trees of depth 3 on twelve attributes of the census, sampled in a fraction of a second: the mean
// accuracy of 5 releases on the balanced records.
func TestGibbsCensusAccuracy(t *testing.T) {
	data := census.Balanced(t, "adult-12.toml")
	var attributes []dectree.Attribute
	for _, n := range data.Sizes() {
		attributes = append(attributes, dectree.Attribute{Categories: n})
	}
	d := learn.Examples(data)
	c := learntest.Must(dectree.New(attributes, 3, 2))
	for epsilon, least := range map[string]float64{"1": 0.78, "0.1": 0.77} {
		m := learntest.Must(learn.NewGibbs[record](c, privacytest.Decimal(t, epsilon), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(2)))
		wrong, rows := int64(0), int64(0)
		for range 5 {
			h, err := m.Release(context.Background(), data, noise.Crypto())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range d {
				rows += e.Count
				if c.Predict(h, e.X) == 1 != e.Label {
					wrong += e.Count
				}
			}
		}
		if accuracy := 1 - float64(wrong)/float64(rows); accuracy < least {
			t.Errorf("ε = %s: %.4f", epsilon, accuracy)
		} else {
			t.Logf("ε = %s: %.4f", epsilon, accuracy)
		}
	}
}

// skewed is a class whose least prior is not the inverse of an integer.
type skewed struct {
	class.Tractable[record, *dectree.Tree]
}

func (skewed) LeastPrior() *big.Rat { return big.NewRat(3, 200) }

// The excess follows from the least prior, for any numerator.
func TestGibbsExcessOfAPrior(t *testing.T) {
	c := skewed{learntest.Must(dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 2))}
	m := learntest.Must(learn.NewGibbs[record](c, privacytest.Decimal(t, "1"), privacy.ReplaceOne, learn.ZeroOne.CostMatrix(2)))
	if got, want := m.Excess(1000).Mean, 2*math.Log(200./3); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v, not %v", got, want)
	}
}
