package opsamp_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/papers/opsamp"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type examples = learntest.Examples

func features(t testing.TB, e convex.Encoding, sizes ...int) *convex.Features {
	t.Helper()
	f, err := convex.NewFeatures(e, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func perturbation(t testing.TB) opsamp.Perturbation {
	return opsamp.Perturbation{Bound: 1, Calls: 3, Rate: privacytest.Decimal(t, "0.01"), Slack: privacytest.Decimal(t, "0.1")}
}

func TestParametersRefused(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	one, tiny, none := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), privacy.Decimal{}
	if _, err := opsamp.New(f, opsamp.Perturbation{Bound: 3, Calls: 4, Rate: one, Slack: one}, one, tiny, privacy.AddRemove.OfPersons(2)); err == nil || !strings.Contains(err.Error(), "concerns persons") {
		t.Errorf("a relation whose neighbours differ in a person: error %v", err)
	}
	for name, change := range map[string]func(*opsamp.Perturbation){
		"no box":     func(o *opsamp.Perturbation) { o.Bound = 0 },
		"box beyond": func(o *opsamp.Perturbation) { o.Bound = 1 << 40 },
		"no calls":   func(o *opsamp.Perturbation) { o.Calls = 0 },
		"rate 0":     func(o *opsamp.Perturbation) { o.Rate = none },
		"slack 0":    func(o *opsamp.Perturbation) { o.Slack = none },
		"no loss":    func(o *opsamp.Perturbation) { o.Loss = 3 },
	} {
		o := perturbation(t)
		change(&o)
		if _, err := opsamp.New(f, o, one, tiny, privacy.ReplaceOne); err == nil {
			t.Errorf("New accepted %s", name)
		}
	}
	for _, c := range []struct {
		epsilon, delta privacy.Decimal
		r              privacy.Relation
	}{{none, tiny, privacy.ReplaceOne}, {one, none, privacy.ReplaceOne}, {one, tiny, 0}} {
		if _, err := opsamp.New(f, perturbation(t), c.epsilon, c.delta, c.r); err == nil {
			t.Errorf("OPSamp takes %v", c)
		}
	}
}

// A table with too many rows is rejected before randomness is used. A cancelled context ends the
// release, and an empty table is valid.
func TestRelease(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	m, err := opsamp.New(f, perturbation(t), privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Guarantee().Assumes()) != 0 {
		t.Errorf("wrong guarantee %v", m.Guarantee())
	}
	learntest.Release(t, m, func(l convex.Linear) bool { return len(l.Weights) == f.Columns() })
}

// λ agrees with docs/explanation/proofs/opsamp.md. For records with two ones, the absolute derivatives of the
// squared loss are at most 1 + 2.
func TestSensitivity(t *testing.T) {
	f := features(t, convex.OneHot, 2) // 2 columns, D = 4
	o := perturbation(t)
	for l, g := range map[convex.Loss]float64{convex.LogisticLoss: 1, convex.HingeLoss: 1, convex.SquaredLoss: 3} {
		o.Loss, o.Calls, o.Rate, o.Slack = l, 10000, privacytest.Decimal(t, "0.001"), privacytest.Decimal(t, "0.02")
		for r, want := range map[privacy.Relation]float64{
			privacy.ReplaceOne: 8*0.001*g*2*4 + 3*0.02/(2*g),
			privacy.AddRemove:  4*0.001*g*2*4 + 3*0.02/g,
		} {
			m, err := opsamp.New(f, o, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), r)
			if err != nil {
				t.Fatal(err)
			}
			want += 4 * math.Sqrt(math.Log(1e5)/20000)
			if got, _ := m.Sensitivity().Float64(); got < want*(1-1e-15) || got > want*(1+1.0001e-8) {
				t.Errorf("loss %v, relation %v: λ = %v; want %v", l, r, got, want)
			}
		}
		o.Calls = 1
		m, err := opsamp.New(f, o, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if m.Sensitivity().Cmp(big.NewRat(4, 1)) != 0 {
			t.Errorf("%v: λ = %v exceeds the sum of the box's widths", l, m.Sensitivity())
		}
	}
}

// On a large table OPSamp finds good weights. Its excess is within the bound, and the bound is below the trivial
// bound.
func TestOPSampExcess(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	const rows = 4_000_000
	d := examples{{X: []uint16{0}, Count: rows / 4}, {X: []uint16{0}, Label: true, Count: rows / 4}, {X: []uint16{1}, Label: true, Count: rows / 2}, {X: []uint16{1}, Count: rows / 8}}
	family := stattest.Open(t, "papers/opsamp")
	tried := rand.IntN(2) // in the short form; the squared loss needs twice as many calls
	for i, c := range []struct {
		loss convex.Loss
		at   func(m float64) float64
		best []float64
		top  float64 // the loss at the worst margin, -4
		// calls is the number of calls, large enough for a bound below the trivial one.
		calls int
	}{
		{convex.LogisticLoss, func(m float64) float64 { return math.Log1p(math.Exp(-m)) }, []float64{0, math.Log(4)}, 4, heavy.Pick(300, 1000)},
		{convex.HingeLoss, func(m float64) float64 { return max(0, 1-m) }, []float64{0, 1}, 5, heavy.Pick(300, 1000)},
		{convex.SquaredLoss, func(m float64) float64 { return (1 - m) * (1 - m) / 2 }, []float64{0, 0.6}, 12.5, heavy.Pick(700, 1000)},
	} {
		if !heavy.On() && i != tried {
			continue
		}
		m, err := opsamp.New(f, opsamp.Perturbation{Loss: c.loss, Bound: 2, Calls: c.calls, Rate: privacytest.Decimal(t, "0.0001"), Slack: privacytest.Decimal(t, "0.02")},
			privacytest.Decimal(t, "4"), privacytest.Decimal(t, "1e-4"), privacy.ReplaceOne)
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
			t.Errorf("%v: wrong bounds %+v", c.loss, e)
		}
		draws := heavy.Pick(7, 10)
		beyond := 0
		for range draws {
			l, err := m.Release(context.Background(), d, noise.Crypto())
			if err != nil {
				t.Fatal(err)
			}
			excess := loss(l.Weights) - loss(c.best)
			if excess < -0.1 {
				t.Fatalf("%v: the excess %v is far below 0, so the reference is not a minimizer", c.loss, excess)
			}
			if excess > e.Most {
				beyond++
			}
		}
		t.Logf("%v: %d of %d beyond %.0f", c.loss, beyond, draws, e.Most)
		family.AtMost(t, beyond, draws, 1-learn.Confidence)
	}
}

// Each call samples a coefficient with mean 1/η for each column. The scale of the final noise of each column is
// λ/ε times the number of calls.
func TestOPSampTranscript(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	d := examples{{X: []uint16{0}, Count: 300}, {X: []uint16{1}, Label: true, Count: 200}}
	record := noisetest.Record(noise.Insecure(1))
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		o := opsamp.Perturbation{Bound: 2, Calls: 3, Rate: privacytest.Decimal(t, "0.005"), Slack: privacytest.Decimal(t, "0.25")}
		m, err := opsamp.New(f, o, privacytest.Decimal(t, "0.5"), privacytest.Decimal(t, "0.4"), r)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("ε = 1/2, δ = 2/5, %v, η = 1/200 and terms in steps of 1/16, 3 calls, weights in steps of 2^-64: λ = %s", r, m.Sensitivity().RatString())
		if _, err := m.Release(context.Background(), d, record); err != nil {
			t.Fatal(err)
		}
	}
	noisetest.Golden(t, "opsamp.txt", record.String())
}
