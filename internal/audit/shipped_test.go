package audit_test

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// The shipped sampler has the distribution e^{-λ·c(q)}. This tests bounds, reference coding, frontier and
// rounds.
func TestSearchSample(t *testing.T) {
	c := audittest.Square(t)
	for _, counts := range [][]int64{{0, 0, 0, 0}, {1, 2, 0, 0}, {1, 0, 1, 3}} {
		p, err := learn.Problem(learn.ZeroOne, c.Table(counts), 1)
		if err != nil {
			t.Fatal(err)
		}
		law := audit.LawOf(t, func(coins noise.Coins) string {
			tree, err := c.Tree(p)
			if err != nil {
				t.Fatal(err)
			}
			h, err := search.Sample(context.Background(), tree, big.NewRat(3, 2), coins)
			if err != nil {
				t.Fatal(err)
			}
			return audittest.CardName(h)
		}, audit.InFull(1e-10, 1e-11))
		weight := func(h scorecard.Card) float64 {
			return math.Exp(-1.5 * float64(class.Cost[[]uint16, scorecard.Card](c, p, h)))
		}
		total := 0.0
		for _, h := range c.Cards() {
			total += weight(h)
		}
		for _, h := range c.Cards() {
			lo, hi := law.Bounds(audittest.CardName(h))
			if want := weight(h) / total; want < lo*(1-1e-12) || want > hi*(1+1e-12) || hi-lo > 1e-8 {
				t.Errorf("table %v: P(%v) = %g, enclosed by [%g, %g]", counts, h, want, lo, hi)
			}
		}
	}
}

// The shipped exponential mechanism, as in TestExponentialMechanism, on scorecards. With the rate
// for add-remove, which is twice as large, it is refuted under replace-one.
func TestLearnExponential(t *testing.T) {
	c := audittest.Square(t)
	exponential := func(epsilon string, r privacy.Relation, l learn.Loss) audittest.CardMechanism {
		m, err := learn.NewExponential(c, privacytest.Decimal(t, epsilon), r, l)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	skewed := learn.Loss{FalsePositive: 1, FalseNegative: 2}
	for _, v := range []struct {
		name string
		m    audittest.CardMechanism
		most int
		want audit.Verdict
	}{
		{"replace", exponential("2", privacy.ReplaceOne, learn.ZeroOne), 3, audit.Holds},
		{"add-remove", exponential("2", privacy.AddRemove, learn.ZeroOne), 3, audit.Holds},
		{"replace, skewed loss", exponential("3", privacy.ReplaceOne, skewed), 2, audit.Holds},
		{"add-remove's rate under replace", audittest.Claiming(
			exponential("2", privacy.AddRemove, learn.ZeroOne),
			exponential("2", privacy.ReplaceOne, learn.ZeroOne).Guarantee()), 2, audit.Verdict{1.7, 2}},
		{"plain loss's rate with skewed loss", audittest.Claiming(
			exponential("4", privacy.AddRemove, skewed),
			exponential("2", privacy.AddRemove, skewed).Guarantee()), 2, audit.Verdict{1.9, 2}},
	} {
		if !heavy.On() && strings.Contains(v.name, "skewed") {
			continue // TestExponentialSweep has unequal losses
		}
		t.Run(v.name, func(t *testing.T) {
			most, o := v.most, audit.InFull(1e-5, 1e-10)
			if v.want == audit.Holds { // the larger world is needed to refute it, but few paths
				most, o = min(most, heavy.Pick(2, 3)), audit.InFull(1e-6, 1e-10)
			}
			audittest.Check(t, v.want, v.m, c.World(v.m.Guarantee().Relation(), most), o)
		})
	}
}
