package privacy

import (
	"math/big"
	"testing"
)

// RangeWithin returns the greatest ε with 6 significant digits for which ε²/8 is at most ρ.
func TestRangeWithin(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "0.02": "0.4", "0.5": "2", "0.25": "1.41421", "800": "80", "1e-70": "0", "1.71125e-60": "0.000000000000000000000000000003"} {
		rho, _ := new(big.Rat).SetString(text)
		epsilon, err := RangeWithin(rho)
		if err != nil || epsilon.String() != want {
			t.Errorf("ρ = %s: ε = %s, not %s, %v", text, epsilon, want, err)
		}
		if RangeRho(epsilon).Cmp(rho) > 0 {
			t.Errorf("ρ = %s: ε = %s consumes more", text, epsilon)
		}
	}
	if _, err := RangeWithin(big.NewRat(-1, 9)); err == nil {
		t.Error("a negative ρ is not refused")
	}
}
