package learn_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/oracle"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	record   = []uint16
	card     = scorecard.Card
	examples = []learn.Example[record]
)

// signs returns the class of cards with points -most..most.
func signs(t testing.TB, sizes []int, most int) *scorecard.Class {
	t.Helper()
	c, err := scorecard.New(scorecard.Uniform(sizes, -most, most), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func decimal(t testing.TB, s string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// errorsOf counts the errors of a card.
func errorsOf(c *scorecard.Class, d examples, h card) int64 {
	p, err := learn.Problem(learn.ZeroOne, d, 1)
	if err != nil {
		panic(err)
	}
	return class.Cost(class.Class[record, card](c), p, h)
}

type mechanism interface {
	privacy.Mechanism[examples, card]
	Excess(rows int64) learn.Excess
}

func newMechanism(t testing.TB, name string, c *scorecard.Class, epsilon string) mechanism {
	t.Helper()
	var m mechanism
	var err error
	switch o := oracle.Search(class.Class[record, card](c)); name {
	case "exponential":
		m, err = learn.NewExponential(class.Class[record, card](c), decimal(t, epsilon), privacy.ReplaceOne, learn.ZeroOne)
	case "rspm-laplace":
		m, err = learn.NewRSPM(o, learn.Laplace, decimal(t, epsilon), privacy.ReplaceOne, learn.ZeroOne, 0)
	case "rspm-cube":
		m, err = learn.NewRSPM(o, learn.Cube, decimal(t, epsilon), privacy.ReplaceOne, learn.ZeroOne, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// BenchmarkRelease releases from the census table: layout, search and draw.
// It reports the mean accuracy too.
func BenchmarkRelease(b *testing.B) {
	for _, in := range []struct {
		mechanism string
		points    int
		epsilons  []string
	}{
		{"exponential", 1, []string{"1", "0.5", "0.1"}},
		{"exponential", 2, []string{"1", "0.1"}},
		{"rspm-laplace", 1, []string{"1", "0.1"}},
		{"rspm-cube", 1, []string{"1", "0.1"}},
	} {
		for _, epsilon := range in.epsilons {
			b.Run(fmt.Sprintf("%s/points%d/epsilon%s", in.mechanism, in.points, epsilon), func(b *testing.B) {
				data := census.Balanced(b, "adult-7.toml")
				benchmarkRelease(b, newMechanism(b, in.mechanism, signs(b, data.Sizes(), in.points), epsilon), data, in.points)
			})
		}
	}
}

func benchmarkRelease(b *testing.B, m mechanism, data *table.Table, points int) {
	d := learn.Examples(data)
	c := signs(b, data.Sizes(), points)
	coins := noise.Crypto()
	wrong, n := int64(0), 0
	for b.Loop() {
		h, err := m.Release(context.Background(), d, coins)
		if err != nil {
			b.Fatal(err)
		}
		wrong += errorsOf(c, d, h)
		n++
	}
	b.ReportMetric(1-float64(wrong)/float64(n)/float64(data.Rows()), "accuracy")
}
