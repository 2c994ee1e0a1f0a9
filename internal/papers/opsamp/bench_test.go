package opsamp

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// BenchmarkMinimizeAdult minimizes perturbed losses of 2524 distinct records with 24 columns. The coefficients
// of the random linear functions have means of 1, 100 and 10,000.
func BenchmarkMinimizeAdult(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	f, err := convex.NewFeatures(convex.OneHot, data.Sizes())
	if err != nil {
		b.Fatal(err)
	}
	points, err := f.Points(learn.Examples(data))
	if err != nil {
		b.Fatal(err)
	}
	for l := convex.LogisticLoss; l <= convex.SquaredLoss; l++ {
		for _, rate := range []string{"1", "0.01", "0.0001"} {
			for _, slack := range []*big.Rat{big.NewRat(1, 64), big.NewRat(16, 1)} {
				b.Run(fmt.Sprintf("%v/rate=%s/slack=%s", l, rate, slack.RatString()), func(b *testing.B) {
					o := Perturbation{Loss: l, Bound: 4, Calls: 1, Rate: privacytest.Decimal(b, rate), Slack: privacytest.Decimal(b, "1")}
					m, err := New(f, o, privacytest.Decimal(b, "1"), privacytest.Decimal(b, "1e-9"), privacy.ReplaceOne)
					if err != nil {
						b.Fatal(err)
					}
					coins := noise.Insecure(1)
					for b.Loop() {
						p := perturbed{loss: phi(l), data: points, bound: o.Bound, slack: slack, term: m.draw(coins)}
						if _, err := p.minimize(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
