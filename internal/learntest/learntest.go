// Package learntest holds helpers for tests of private learners: small classes of scorecards,
// tables and streams, and properties that every learner of scorecards must have.
package learntest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	// A Record has a code for each attribute.
	Record = []uint16
	// A Card is the hypothesis that is learned.
	Card = scorecard.Card
	// Examples are a table.
	Examples = []learn.Example[Record]
)

// A Mechanism releases a scorecard, and bounds its excess cost: how much the cost of this card
// exceeds the minimum cost.
type Mechanism interface {
	privacy.Mechanism[Examples, Card]
	Excess(rows int64) learn.Excess
}

// Must returns the mechanism m if err is nil, and panics otherwise.
func Must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// Signs returns the class of scorecards whose points are in -most..most and whose threshold is 1.
// The parameter sizes lists the number of categories of each attribute.
func Signs(t testing.TB, sizes []int, most int) *scorecard.Class {
	t.Helper()
	c, err := scorecard.New(scorecard.Uniform(sizes, -most, most), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Errors returns the cost of card h on the examples d: the number of misclassifications plus the
// penalty of h in class c.
func Errors(c *scorecard.Class, d Examples, h Card) int64 {
	return class.Cost(class.Class[Record, Card](c), Must(learn.Problem(learn.ZeroOne, d, 1)), h)
}

// SpreadCosts returns a table on which the costs of cards differ greatly, because every record
// distinguishes between cards. It also returns the number of rows, which is 450·times, and the
// minimum cost of a card of class c.
func SpreadCosts(c *scorecard.Class, times int64) (d Examples, rows, best int64) {
	for a := range uint16(3) {
		for b := range uint16(3) {
			count := times * int64(40+7*a+3*b)
			d = append(d, learn.Example[Record]{X: Record{a, b}, Label: (a+2*b)%3 == 1, Count: count})
			rows += count
		}
	}
	best = rows
	for h := range c.All() {
		best = min(best, Errors(c, d, h))
	}
	return d, rows, best
}

// Benchmark measures the time to release cards with points in -most..most from a table, and reports
// their mean accuracy.
func Benchmark(b *testing.B, m privacy.Mechanism[Examples, Card], data *table.Table, most int) {
	d, c, coins := learn.Examples(data), Signs(b, data.Sizes(), most), noise.Crypto()
	wrong, n := int64(0), 0
	for b.Loop() {
		h, err := m.Release(b.Context(), d, coins)
		if err != nil {
			b.Fatal(err)
		}
		wrong += Errors(c, d, h)
		n++
	}
	b.ReportMetric(1-float64(wrong)/float64(n)/float64(data.Rows()), "accuracy")
}
