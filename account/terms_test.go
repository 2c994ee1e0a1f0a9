package account

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// NewTerms parses ε and δ as ParseDecimal does, except that an empty δ means 0. The error names the invalid parameter.
func TestNewTerms(t *testing.T) {
	decimals := map[string]bool{"3": true, "0.25": true, "1e-6": true, "": false, "three": false, "1/3": false}
	for epsilon, first := range decimals {
		for delta, second := range decimals {
			second = second || delta == ""
			terms, err := NewTerms(epsilon, delta, "patients")
			switch {
			case (err == nil) != (first && second):
				t.Errorf("ε = %q, δ = %q: %v", epsilon, delta, err)
			case !first:
				if !strings.HasPrefix(err.Error(), "epsilon: ") {
					t.Errorf("ε = %q, δ = %q: %v", epsilon, delta, err)
				}
			case !second:
				if !strings.HasPrefix(err.Error(), "delta: ") {
					t.Errorf("ε = %q, δ = %q: %v", epsilon, delta, err)
				}
			default:
				want := Terms{Epsilon: privacytest.Decimal(t, epsilon), Relation: privacy.ReplaceOne, Of: "patients"}
				if delta != "" {
					want.Delta = privacytest.Decimal(t, delta)
				}
				if terms != want {
					t.Errorf("ε = %q, δ = %q: %+v, want %+v", epsilon, delta, terms, want)
				}
			}
		}
	}
}
