package learn_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	record   = learntest.Record
	card     = learntest.Card
	examples = learntest.Examples
)

// mechanisms are those that search a class.
var mechanisms = learntest.Mechanisms{
	"exponential": func(t testing.TB, c *scorecard.Class, epsilon string) learntest.Mechanism {
		t.Helper()
		m, err := learn.NewExponential(class.Class[record, card](c), privacytest.Decimal(t, epsilon), privacy.ReplaceOne, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return m
	},
}

// BenchmarkRelease releases from the census table: layout, search and draw.
// It reports the mean accuracy too.
func BenchmarkRelease(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	for points, epsilons := range map[int][]string{1: {"1", "0.5", "0.1"}, 2: {"1", "0.1"}} {
		for _, epsilon := range epsilons {
			b.Run(fmt.Sprintf("exponential/points%d/epsilon%s", points, epsilon), func(b *testing.B) {
				learntest.Benchmark(b, mechanisms["exponential"](b, learntest.Signs(b, data.Sizes(), points), epsilon), data, points)
			})
		}
	}
}
