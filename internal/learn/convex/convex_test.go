package convex_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
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

// The gradient vanishes at the fit. With one column the predicted odds are those of the labels.
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
	// Separable labels, and no rows.
	for _, d := range []examples{d[2:3], nil} {
		if l, err := convex.Logistic(f, d, 1e-6); err != nil || math.IsNaN(l.Weights[0]) || l.Errors(f, d) != 0 {
			t.Errorf("%v: %v %v", d, l, err)
		}
	}
}

func descent(t testing.TB) convex.Descent {
	return convex.Descent{Share: decimal(t, "0.5"), Steps: 10, Clip: decimal(t, "1"), Rate: 1, Batch: 100}
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
	sampled := descent(t)
	sampled.Share = decimal(t, "0.5")
	if _, err := convex.NewDPSGD(f, sampled, one, tiny, privacy.ReplaceOne.OfPersons(2)); err == nil || !strings.Contains(err.Error(), "records are sampled, not persons") {
		t.Errorf("samples of rows of persons: %v", err)
	}
	for _, c := range []struct {
		epsilon, delta privacy.Decimal
		r              privacy.Relation
	}{{none, tiny, privacy.ReplaceOne}, {one, none, privacy.ReplaceOne}, {one, tiny, 0}} {
		if _, err := convex.NewDPSGD(f, descent(t), c.epsilon, c.delta, c.r); err == nil && !c.epsilon.IsZero() {
			t.Errorf("DPSGD takes %v", c)
		}
	}
}

// Too many rows are refused before any randomness is used. A cancelled context is an error, and an
// empty table is not.
func TestRelease(t *testing.T) {
	f := features(t, convex.OneHot, 2)
	one, tiny := decimal(t, "1"), decimal(t, "1e-5")
	sgd, err := convex.NewDPSGD(f, descent(t), one, tiny, privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	if !sgd.Account().Within(one, tiny) || len(sgd.Guarantee().Assumes()) != 0 {
		t.Errorf("guarantee %v", sgd.Guarantee())
	}
	learntest.Release(t, sgd, func(l convex.Linear) bool { return len(l.Weights) == f.Columns() })
}
