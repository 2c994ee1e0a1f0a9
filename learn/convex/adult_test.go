package convex_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/census"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

func decimal(t testing.TB, s string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func features(t testing.TB, e convex.Encoding, sizes []int) *convex.Features {
	t.Helper()
	f, err := convex.NewFeatures(e, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func accuracy(f *convex.Features, data *table.Table, l convex.Linear) float64 {
	return 1 - float64(l.Errors(f, learn.Examples(data)))/float64(data.Rows())
}

func TestLogisticAdult(t *testing.T) {
	data := census.Balanced(t, "adult-7.toml")
	for _, e := range []convex.Encoding{convex.Reference, convex.OneHot, convex.Binary} {
		f := features(t, e, data.Sizes())
		start := time.Now()
		l, err := convex.Logistic(f, learn.Examples(data), 1e-3)
		t.Log(f.Columns(), data.Len(), accuracy(f, data, l), time.Since(start), err)
	}
}

func TestGrid(t *testing.T) {
	if os.Getenv("GRID") == "" {
		t.Skip()
	}
	data := census.Balanced(t, "adult-7.toml")
	d := learn.Examples(data)
	n := float64(data.Rows())
	for _, r := range []privacy.Relation{privacy.ReplaceOne} {
		for _, e := range []convex.Encoding{convex.OneHot} {
			f := features(t, e, data.Sizes())
			for _, eps := range []string{"0.05", "0.1", "0.2", "0.5", "1"} {
				best := ""
				top := 0.0
				for _, share := range []string{"0.0326", "0.13", "0.5", "1"} {
					for _, steps := range []int{50, 150, 500, 1000} {
						q, _ := decimal(t, share).Rat().Float64()
						for _, clip := range []string{"0.5", "1"} {
							for _, rate := range []float64{0.25, 0.5, 2, 8} {
								if clip == "0.5" {
									rate *= 2
								}
								m, err := convex.NewDPSGD(f, convex.Descent{Share: decimal(t, share), Steps: steps, Clip: decimal(t, clip), Rate: rate, Batch: q * n}, decimal(t, eps), decimal(t, "4.06e-9"), r)
								if err != nil {
									t.Fatal(err)
								}
								a := 0.0
								for i := range uint64(3) {
									l, err := m.Release(context.Background(), d, noise.Insecure(i))
									if err != nil {
										t.Fatal(err)
									}
									a += accuracy(f, data, l) / 3
								}
								if a > top {
									top, best = a, fmt.Sprint(share, " ", steps, " ", clip, " ", rate)
								}
							}
						}
					}
				}
				t.Log(r, e, eps, top, best)
				fmt.Println(r, e, eps, top, best)
			}
		}
	}
}
