package audit_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// On tables of every size, for small and large samples, with and without null rows, samples have
// the distribution of sampling without replacement, or of independent rows. The privacy loss of
// neighbours is at most the amplified ε and reaches it somewhere.
func TestSubsampleSweep(t *testing.T) {
	w := audittest.NewSweep(0)
	for _, c := range []struct {
		rows, k int64
		rate    string // instead of k
		epsilon string
		most    int64
	}{
		{rows: 2, k: 1, epsilon: "2", most: 1}, {rows: 4, k: 2, epsilon: "1", most: 9}, {rows: 5, k: 4, epsilon: "1.5", most: 2},
		{rows: 6, k: 1, epsilon: "3", most: 1}, {rows: 6, k: 3, epsilon: "0.5", most: 9}, {rows: 7, k: 5, epsilon: "0.7", most: 9}, {rows: 3, k: 3, epsilon: "1", most: 9},
		{rows: 3, rate: "0.3", epsilon: "2", most: 1}, {rows: 4, rate: "0.9", epsilon: "1", most: 9}, {rows: 4, rate: "0.05", epsilon: "1.5", most: 9},
	} {
		r, inner := privacy.ReplaceOne, telling(nil)
		e := audittest.Epsilon(t, audittest.NewStep(t, c.epsilon, r, 1).Guarantee())
		places := []int64{c.k, c.rows - c.k}
		if c.rate != "" {
			r = privacy.AddRemove
			share, _ := privacytest.Decimal(t, c.rate).Rat().Float64()
			places = []int64{int64(math.Round(100 * share)), 100 - int64(math.Round(100*share))}
			inner = thinned(t, audittest.NewStep(t, c.epsilon, r, c.most), c.rate)
		} else {
			inner = subsampled(t, audittest.NewStep(t, c.epsilon, r, c.most), c.rows, c.k)
		}
		w.Follows(t, fmt.Sprintf("%+v", c), r, audittest.Epsilon(t, inner.Guarantee()), audittest.DividedTables(c.rows, r), func(d audittest.Examples, coins noise.Coins) (int, error) {
			return inner.Release(context.Background(), d, coins)
		}, func(d audittest.Divided) (p float64) {
			d.Divisions(places, r.Replaces(), func(parts []audittest.Divided, probability float64) {
				p += probability * math.Exp(e*float64(min(parts[0].Ones, c.most))) / 1000
			})
			return p
		})
	}
	w.Report(t, 0.99)
}
