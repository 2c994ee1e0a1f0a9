package audit

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// descents is the world of all tables of a few rows that say nothing but their
// labels.
func descents(r privacy.Relation) World[examples] {
	return NewWorld(r, 2, 2, func(counts []int64) (d examples) {
		for i, n := range counts {
			if n > 0 {
				d = append(d, learn.Example[[]uint16]{Label: i == 1, Count: n})
			}
		}
		return d
	})
}

// descentDelta encloses, over all neighbours under r, the largest δ at ε = 1 of the
// shipped descent that is calibrated to δ = 0.03 under the relation claimed.
func descentDelta(t *testing.T, claimed, r privacy.Relation, steps int, share string) (lo, hi float64) {
	t.Helper()
	f, err := convex.NewFeatures(convex.OneHot, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := convex.Descent{Share: decimal(t, share), Steps: steps, Clip: decimal(t, "0.5"), Rate: 1, Batch: 1, Grid: 2}
	m, err := convex.NewDPSGD(f, o, decimal(t, "1"), decimal(t, "0.03"), claimed)
	if err != nil {
		t.Fatal(err)
	}
	w := descents(r)
	laws := make([]Law[float64], len(w.Tables))
	options := Options{Floor: 1e-9, Laws: NewSamplerLaws()}
	for i, d := range w.Tables {
		laws[i] = enumerate(t, func(coins noise.Coins) float64 {
			l, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			return l.Weights[0]
		}, options)
	}
	for _, pair := range w.Pairs {
		a, b := Excess(laws[pair[0]], laws[pair[1]], 1)
		lo, hi = max(lo, a), max(hi, b)
	}
	t.Logf("%v as %v, %d steps, share %s, σ² = %v: δ(1) in [%.4g, %.4g]", r, claimed, steps, share, m.Sigma2(), lo, hi)
	return lo, hi
}

// The exact law of the shipped descent on all tables of up to two rows keeps its
// (ε, δ), under either relation. Calibrated for add-remove it does not under
// replace-one.
func TestConvexDPSGD(t *testing.T) {
	for _, share := range []string{"0.5", "1"} {
		for steps := 1; steps <= 2; steps++ {
			for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
				if _, hi := descentDelta(t, r, r, steps, share); hi > 0.03 {
					t.Errorf("%v, %d steps, share %s: δ(1) up to %g", r, steps, share, hi)
				}
			}
			if lo, _ := descentDelta(t, privacy.AddRemove, privacy.ReplaceOne, steps, share); lo <= 0.03 {
				t.Errorf("%d steps, share %s: add-remove's noise under replace-one is not refuted: %g", steps, share, lo)
			}
		}
	}
}
