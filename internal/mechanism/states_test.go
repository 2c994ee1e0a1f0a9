package mechanism

import (
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// TestStatesComparesAssumptions checks that States accepts exactly the assumptions of the guarantee: neither fewer,
// nor more, nor others.
func TestStatesComparesAssumptions(t *testing.T) {
	epsilon := privacytest.Decimal(t, "1")
	exact, float := privacy.ExactOracle, privacy.FloatBound
	lists := [][]privacy.Assumption{{}, {exact}, {float}, {exact, float}}
	for _, given := range lists {
		g, err := privacy.NewPure(privacy.AddRemove, epsilon, given...)
		if err != nil {
			t.Fatal(err)
		}
		for _, stated := range lists {
			s, err := privacy.State(g)
			if err != nil {
				t.Fatal(err)
			}
			s.Assumes = stated
			if err := States(g, s); (err == nil) != slices.Equal(given, stated) {
				t.Errorf("the guarantee assumes %q, the statement %q: %v", given, stated, err)
			}
		}
	}
}
