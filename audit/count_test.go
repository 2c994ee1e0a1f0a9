package audit

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Noise of scale 1/ε on a number that moves by one has log-ratio ε: enclosed on
// the released number, cut to a few values so that none is rare. The check
// refutes the same mechanism when it claims half of its ε.
func TestLearnCount(t *testing.T) {
	epsilon, err := privacy.ParseDecimal("1.5")
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewCount(epsilon, privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	law := func(errors int64) Law[int64] {
		return enumerate(t, func(coins noise.Coins) int64 {
			k, err := m.Release(context.Background(), errors, coins)
			if err != nil {
				t.Fatal(err)
			}
			return min(max(k.Int64(), -4), 5)
		}, Options{Floor: 1e-12})
	}
	r := Compare(law(0), law(1))
	if r.Upper > 1.5+1e-6 || r.Unseen > 1e-6 {
		t.Errorf("ε = 1.5: %+v", r)
	}
	if claimed := 0.75; r.Lower <= claimed {
		t.Errorf("a claim of ε = %g is not refuted: %+v", claimed, r)
	}
}
