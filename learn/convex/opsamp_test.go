package convex_test

import (
	"context"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/census"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func TestOPSampAdult(t *testing.T) {
	data := census.Balanced(t, "adult-7.toml")
	f := features(t, convex.Reference, data.Sizes())
	for _, o := range []convex.Perturbation{
		{Bound: 4, Calls: 10, Rate: decimal(t, "0.001"), Slack: decimal(t, "0.05")},
		{Bound: 1, Calls: 10, Rate: decimal(t, "0.001"), Slack: decimal(t, "0.05")},
		{Bound: 1, Calls: 10, Rate: decimal(t, "0.0001"), Slack: decimal(t, "0.016")},
	} {
		m, err := convex.NewOPSamp(f, o, decimal(t, "1"), decimal(t, "4.06e-9"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		l, err := m.Release(context.Background(), learn.Examples(data), noise.Insecure(1))
		if err != nil {
			t.Fatal(err)
		}
		s, _ := m.Sensitivity().Float64()
		t.Log(accuracy(f, data, l), s, m.Excess(data.Rows()), time.Since(start))
	}
}
