package convex_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type examples = []learn.Example[[]uint16]

func decimal(t testing.TB, s string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func features(t testing.TB, e convex.Encoding, sizes ...int) *convex.Features {
	t.Helper()
	f, err := convex.NewFeatures(e, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		e             convex.Encoding
		columns, most int
		record        []uint16
		row           []int
	}{
		{convex.Reference, 1 + 1 + 4 + 0, 3, []uint16{1, 3, 0}, []int{0, 1, 4}},
		{convex.Reference, 1 + 1 + 4 + 0, 3, []uint16{0, 0, 0}, []int{0}},
		{convex.OneHot, 1 + 1 + 5 + 1, 4, []uint16{0, 4, 0}, []int{0, 6, 7}},
		{convex.Binary, 1 + 1 + 3 + 0, 4, []uint16{1, 3, 0}, []int{0, 1, 2, 3}},
	} {
		f := features(t, c.e, 2, 5, 1)
		if f.Columns() != c.columns || f.Most() != c.most || !slices.Equal(f.Row(nil, c.record), c.row) {
			t.Errorf("%v: %d columns, at most %d ones, %v for %v", c.e, f.Columns(), f.Most(), f.Row(nil, c.record), c.record)
		}
	}
	if _, err := convex.NewFeatures(convex.OneHot, []int{0}); err == nil {
		t.Error("an attribute without categories is taken")
	}
}

// The slopes vanish at the fit: with one column the odds are those of the labels.
func TestLogistic(t *testing.T) {
	f := features(t, convex.Reference, 2)
	d := examples{{X: []uint16{0}, Count: 30}, {X: []uint16{0}, Label: true, Count: 10}, {X: []uint16{1}, Label: true, Count: 80}, {X: []uint16{1}, Count: 20}}
	l, err := convex.Logistic(f, d, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := l.Weights[0]+math.Log(3), l.Weights[1]-math.Log(12); math.Abs(a) > 1e-6 || math.Abs(b) > 1e-6 {
		t.Errorf("weights %v", l.Weights)
	}
	if n := l.Errors(f, d); n != 30 {
		t.Errorf("%d errors", n)
	}
	// Separable labels, and none.
	for _, d := range []examples{d[2:3], nil} {
		if l, err := convex.Logistic(f, d, 1e-6); err != nil || math.IsNaN(l.Weights[0]) || l.Errors(f, d) != 0 {
			t.Errorf("%v: %v %v", d, l, err)
		}
	}
}

func descent(t testing.TB) convex.Descent {
	return convex.Descent{Share: decimal(t, "0.5"), Steps: 10, Clip: decimal(t, "1"), Rate: 1, Batch: 100}
}

func perturbation(t testing.TB) convex.Perturbation {
	return convex.Perturbation{Bound: 1, Calls: 3, Rate: decimal(t, "0.01"), Slack: decimal(t, "0.1")}
}

func TestParametersRefused(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	one, tiny, none := decimal(t, "1"), decimal(t, "1e-5"), privacy.Decimal{}
	for name, change := range map[string]func(*convex.Descent){
		"share 0":        func(o *convex.Descent) { o.Share = none },
		"share 2":        func(o *convex.Descent) { o.Share = decimal(t, "2") },
		"no steps":       func(o *convex.Descent) { o.Steps = 0 },
		"clip 0":         func(o *convex.Descent) { o.Clip = none },
		"clip beyond":    func(o *convex.Descent) { o.Clip = decimal(t, "1e9") },
		"negative grid":  func(o *convex.Descent) { o.Grid = -1 },
		"rate NaN":       func(o *convex.Descent) { o.Rate = math.NaN() },
		"batch 0":        func(o *convex.Descent) { o.Batch = 0 },
		"rate infinite":  func(o *convex.Descent) { o.Rate = math.Inf(1) },
		"batch infinite": func(o *convex.Descent) { o.Batch = math.Inf(1) },
	} {
		o := descent(t)
		change(&o)
		if _, err := convex.NewDPSGD(f, o, one, tiny, privacy.ReplaceOne); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := convex.NewDPSGD(f, descent(t), one, tiny, privacy.ReplaceOne.OfPersons(2)); err == nil || !strings.Contains(err.Error(), "of persons") {
		t.Errorf("persons: %v", err)
	}
	if _, err := convex.NewOPSamp(f, convex.Perturbation{Bound: 3, Calls: 4, Rate: one, Slack: one}, one, tiny, privacy.AddRemove.OfPersons(2)); err == nil || !strings.Contains(err.Error(), "of persons") {
		t.Errorf("persons: %v", err)
	}
	for name, change := range map[string]func(*convex.Perturbation){
		"no box":     func(o *convex.Perturbation) { o.Bound = 0 },
		"box beyond": func(o *convex.Perturbation) { o.Bound = 1 << 40 },
		"no calls":   func(o *convex.Perturbation) { o.Calls = 0 },
		"rate 0":     func(o *convex.Perturbation) { o.Rate = none },
		"slack 0":    func(o *convex.Perturbation) { o.Slack = none },
		"no loss":    func(o *convex.Perturbation) { o.Loss = 3 },
	} {
		o := perturbation(t)
		change(&o)
		if _, err := convex.NewOPSamp(f, o, one, tiny, privacy.ReplaceOne); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, c := range []struct {
		epsilon, delta privacy.Decimal
		r              privacy.Relation
	}{{none, tiny, privacy.ReplaceOne}, {one, none, privacy.ReplaceOne}, {one, tiny, 0}} {
		if _, err := convex.NewOPSamp(f, perturbation(t), c.epsilon, c.delta, c.r); err == nil {
			t.Errorf("OPSamp takes %v", c)
		}
		if _, err := convex.NewDPSGD(f, descent(t), c.epsilon, c.delta, c.r); err == nil && !c.epsilon.IsZero() {
			t.Errorf("DPSGD takes %v", c)
		}
	}
}

// More rows than fit are refused before any draw, whatever is drawn later; a context
// that has ended, and an empty table, are no accident.
func TestRelease(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	one, tiny := decimal(t, "1"), decimal(t, "1e-5")
	sgd, err := convex.NewDPSGD(f, descent(t), one, tiny, privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	samp, err := convex.NewOPSamp(f, perturbation(t), one, tiny, privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	if !sgd.Account().Within(one, tiny) || len(sgd.Guarantee().Assumes()) != 0 || len(samp.Guarantee().Assumes()) != 0 {
		t.Errorf("guarantees %v, %v", sgd.Guarantee(), samp.Guarantee())
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range []privacy.Mechanism[examples, convex.Linear]{sgd, samp} {
		if _, err := m.Release(context.Background(), examples{{X: []uint16{0}, Count: learn.MostRows}, {X: []uint16{1}, Count: 1}}, nil); !errors.Is(err, learn.ErrRows) {
			t.Errorf("%T: %v", m, err)
		}
		if _, err := m.Release(ended, nil, noise.Crypto()); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: %v", m, err)
		}
		if l, err := m.Release(context.Background(), nil, noise.Crypto()); err != nil || len(l.Weights) != f.Columns() {
			t.Errorf("%T: %v, %v", m, l, err)
		}
	}
}

// λ in decimal figures, from docs/proofs/opsamp.md. The squared loss has slopes of at
// most 1 + 2 on records of two ones.
func TestSensitivity(t *testing.T) {
	f := features(t, convex.OneHot, 2) // 2 columns, D = 4
	o := perturbation(t)
	for l, g := range map[convex.Loss]float64{convex.LogisticLoss: 1, convex.HingeLoss: 1, convex.SquaredLoss: 3} {
		o.Loss, o.Calls, o.Rate, o.Slack = l, 10000, decimal(t, "0.001"), decimal(t, "0.02")
		for r, want := range map[privacy.Relation]float64{
			privacy.ReplaceOne: 8*0.001*g*2*4 + 3*0.02/(2*g),
			privacy.AddRemove:  4*0.001*g*2*4 + 3*0.02/g,
		} {
			m, err := convex.NewOPSamp(f, o, decimal(t, "1"), decimal(t, "1e-5"), r)
			if err != nil {
				t.Fatal(err)
			}
			want += 4 * math.Sqrt(math.Log(1e5)/20000)
			if got, _ := m.Sensitivity().Float64(); got < want*(1-1e-15) || got > want*(1+1.0001e-8) {
				t.Errorf("%v, %v: λ = %v, not %v", l, r, got, want)
			}
		}
		o.Calls = 1
		m, err := convex.NewOPSamp(f, o, decimal(t, "1"), decimal(t, "1e-5"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if m.Sensitivity().Cmp(big.NewRat(4, 1)) != 0 {
			t.Errorf("%v: λ = %v exceeds the box's widths", l, m.Sensitivity())
		}
	}
}

// With much data OPSamp finds a good answer, and its excess is within the bound,
// which is less than what any answer keeps.
func TestOPSampExcess(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	const rows = 4_000_000
	d := examples{{X: []uint16{0}, Count: rows / 4}, {X: []uint16{0}, Label: true, Count: rows / 4}, {X: []uint16{1}, Label: true, Count: rows / 2}, {X: []uint16{1}, Count: rows / 8}}
	family := stattest.Open(t, "learn/convex")
	tried := rand.IntN(3) // in the quick form
	for i, c := range []struct {
		loss convex.Loss
		at   func(m float64) float64
		best []float64
		top  float64 // the loss at the worst margin, -4
	}{
		{convex.LogisticLoss, func(m float64) float64 { return math.Log1p(math.Exp(-m)) }, []float64{0, math.Log(4)}, 4},
		{convex.HingeLoss, func(m float64) float64 { return max(0, 1-m) }, []float64{0, 1}, 5},
		{convex.SquaredLoss, func(m float64) float64 { return (1 - m) * (1 - m) / 2 }, []float64{0, 0.6}, 12.5},
	} {
		if !heavy.On() && i != tried {
			continue
		}
		m, err := convex.NewOPSamp(f, convex.Perturbation{Loss: c.loss, Bound: 2, Calls: 1000, Rate: decimal(t, "0.0001"), Slack: decimal(t, "0.02")},
			decimal(t, "4"), decimal(t, "1e-4"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		loss := func(w []float64) float64 {
			sum := 0.0
			for _, e := range d {
				z := convex.Linear{Weights: w}.Score(f.Row(nil, e.X))
				if !e.Label {
					z = -z
				}
				sum += float64(e.Count) * c.at(z)
			}
			return sum
		}
		e := m.Excess(rows * 9 / 8)
		if e.Mean > e.Most || e.Most > c.top*rows {
			t.Errorf("%v: bounds %+v", c.loss, e)
		}
		draws := heavy.Pick(7, 20)
		beyond := 0
		for range draws {
			l, err := m.Release(context.Background(), d, noise.Crypto())
			if err != nil {
				t.Fatal(err)
			}
			excess := loss(l.Weights) - loss(c.best)
			if excess < -0.1 {
				t.Fatalf("%v: excess %v", c.loss, excess)
			}
			if excess > e.Most {
				beyond++
			}
		}
		t.Logf("%v: %d of %d beyond %.0f", c.loss, beyond, draws, e.Most)
		family.AtMost(t, beyond, draws, 1-learn.Confidence)
	}
}
