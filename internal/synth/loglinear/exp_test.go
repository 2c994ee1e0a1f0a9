package loglinear

import (
	"math"
	"testing"
)

// exp and log agree with package math up to the last digits.
func TestExpAndLog(t *testing.T) {
	for i := -4000; i <= 4000; i++ {
		x := float64(i) * .1737
		if got, want := exp(x), math.Exp(min(x, 700)); x >= -700 && math.Abs(got/want-1) > 1e-14 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
		y := math.Exp(x)
		if math.IsInf(y, 1) || y < 1e-300 {
			continue
		}
		if got := log(y); math.Abs(got-math.Log(y)) > 1e-14*max(1, math.Abs(x)) {
			t.Fatalf("log(%v) = %v, want %v", y, got, math.Log(y))
		}
	}
	if exp(-701) != 0 || exp(0) != 1 || log(1) != 0 {
		t.Errorf("exp(-701) = %v, exp(0) = %v, log(1) = %v", exp(-701), exp(0), log(1))
	}
}
