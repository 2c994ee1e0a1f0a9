package portable

import (
	"math"
	"testing"
)

// Exp and log agree with package math up to the last digits.
func TestExpAndLog(t *testing.T) {
	for i := -4000; i <= 4000; i++ {
		x := float64(i) * .1737
		if got, want := Exp(x), math.Exp(min(x, 700)); x >= -700 && math.Abs(got/want-1) > 1e-14 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
		y := math.Exp(x)
		if math.IsInf(y, 1) || y < 1e-300 {
			continue
		}
		if got := Log(y); math.Abs(got-math.Log(y)) > 1e-14*max(1, math.Abs(x)) {
			t.Fatalf("Log(%v) = %v, want %v", y, got, math.Log(y))
		}
	}
	if Exp(-701) != 0 || Exp(0) != 1 || Log(1) != 0 {
		t.Errorf("Exp(-701) = %v, Exp(0) = %v, Log(1) = %v", Exp(-701), Exp(0), Log(1))
	}
}
