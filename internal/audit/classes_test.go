package audit_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// The shipped sampler has the distribution e^{-λ·c(q)} on every class. This tests bounds, shares,
// frontier and rounds.
func TestSearchSampleEveryClass(t *testing.T) {
	for _, name := range everytest.Names() {
		for _, c := range audittest.SmallClasses(name, 4, 3) {
			t.Run(name, func(t *testing.T) { testExactLaw(t, c) })
		}
	}
}

func testExactLaw(t *testing.T, c everytest.Case) {
	var p class.Problem[[]uint16]
	for i, k := range audittest.RecordsOf(c) {
		p.Points = append(p.Points, class.Point[[]uint16]{X: k.X, Cost: [2]int64{int64(i), int64((i + 1) % 3)}})
	}
	law := audit.LawOf(t, func(coins noise.Coins) string {
		tree, err := c.Class.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		h, err := search.Sample(context.Background(), tree, big.NewRat(3, 2), coins)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(h)
	}, audit.InFull(1e-10, 1e-11))
	weight := func(h any) float64 {
		return math.Exp(-1.5 * float64(class.Cost(c.Class, p, h)))
	}
	total := 0.0
	for h := range c.Class.All() {
		total += weight(h)
	}
	for h := range c.Class.All() {
		lo, hi := law.Bounds(fmt.Sprint(h))
		if want := weight(h) / total; want < lo*(1-1e-12) || want > hi*(1+1e-12) || hi-lo > 1e-8 {
			t.Errorf("%v: P(%v) = %g, enclosed by [%g, %g]", c.Class, h, want, lo, hi)
		}
	}
}

// The exponential mechanism satisfies its guarantee on every class. The rate for add-remove is
// refuted under replace-one on every class.
func TestEveryClass(t *testing.T) {
	three := privacytest.Decimal(t, "3")
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	exponential := func(c everytest.Case, r privacy.Relation) audittest.AnyMechanism {
		m, err := learn.NewExponential(searchtest.CacheTrees(c.Class), three, r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, name := range everytest.Names() {
		for _, c := range audittest.SmallClasses(name, 4, 1) {
			t.Run(name, func(t *testing.T) {
				o := audit.InFull(1e-7, 1e-10)
				audittest.CheckClass(t, audit.Holds, exponential(c, replace), audittest.WorldOfClass(c, replace, 2), o)
				audittest.CheckClass(t, audit.Holds, exponential(c, addRemove), audittest.WorldOfClass(c, addRemove, 2), o)
				audittest.CheckClass(t, audit.Verdict{1.01, 2}, audittest.Claiming(exponential(c, addRemove), exponential(c, replace).Guarantee()), audittest.WorldOfClass(c, replace, 2), o)
			})
		}
	}
}
