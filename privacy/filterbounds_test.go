package privacy

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// A filter has the relation, ε, δ and limit with which it was made.
func TestFilterIsAsMade(t *testing.T) {
	for _, r := range []Relation{ReplaceOne, AddRemove.OfPersons(3)} {
		for _, c := range [][2]string{{"1.5", "0"}, {"0.3", "1e-9"}, {"2", "0.01"}} {
			f := mustFilter(t, r, c[0], c[1])
			if f.Relation() != r || f.Epsilon() != decimal(t, c[0]) || f.Delta() != decimal(t, c[1]) {
				t.Errorf("%v, %v, %v: a filter of %v, %v, %v", r, c[0], c[1], f.Relation(), f.Epsilon(), f.Delta())
			}
			again, err := NewFilterWithin(r, f.Epsilon(), f.Delta(), f.Limit())
			if err != nil || again.Limit() != f.Limit() || again.Left() != f.Limit() {
				t.Errorf("%v, %v: its limit makes another filter: %v, %v", c[0], c[1], again, err)
			}
			// The limit on failures is exactly half of δ.
			half := new(big.Rat).Mul(decimal(t, c[1]).Rat(), big.NewRat(1, 2))
			if got := f.Limit().Failure.Rat(); got.Cmp(half) != 0 {
				t.Errorf("δ = %s: %v is for failures", c[1], f.Limit().Failure)
			}
		}
	}
}

// ε, δ and limits just outside their ranges are refused, and the error names the reason.
func TestFilterBounds(t *testing.T) {
	amount := func(loss, failure string) Amount { return Amount{decimal(t, loss), decimal(t, failure)} }
	for _, c := range []struct {
		epsilon, delta string
		limit          Amount
		refusal        string
	}{
		{"1000000000", "0", amount("1000000000", "0"), ""},
		{"1000000000.1", "0", amount("1000000000.1", "0"), "must be positive and at most 1000000000"},
		{"0", "0", amount("0", "0"), "must be positive and at most 1000000000"},
		{"0", "1e-9", amount("0.1", "0"), "must be positive and at most 1000000000"},
		{"1", "1", amount("0.1", "0.5"), "must be less than 1"},
		{"1", "0.999", amount("0.1", "0.5"), ""},
		{"1", "1e-9", amount("0", "0"), "too small for any release"},
		{"1", "0", amount("0.9", "0"), "the limit of a budget with δ = 0 must equal its ε"},
		{"1", "0", amount("1", "1e-9"), "the limit of a budget with δ = 0 must equal its ε"},
		{"1", "1e-9", amount("0.5", "0"), "the limit of all charges exceeds the largest limit"},
		{"1", "1e-9", amount("0.001", "2e-9"), "the limit of all charges exceeds the largest limit"},
		{"1", "1e-9", amount("0.001", "5e-10"), ""},
		{"1000000000", "0.5", amount("1000000001", "0.1"), "the limit of all charges exceeds the largest limit"},
		{"1000000000", "0.99999999", amount("1000000000", "0"), ""}, // a slightly greater limit would still imply (ε, δ)
		{"1000000000", "0.99999999", amount("1000000001", "0"), "the limit of all charges exceeds the largest limit"},
	} {
		_, err := NewFilterWithin(AddRemove, decimal(t, c.epsilon), decimal(t, c.delta), c.limit)
		switch {
		case c.refusal == "" && err != nil:
			t.Errorf("ε = %s, δ = %s: %v", c.epsilon, c.delta, err)
		case c.refusal != "" && (!errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.refusal)):
			t.Errorf("ε = %s, δ = %s, a limit of %v: %v, not %q", c.epsilon, c.delta, c.limit, err, c.refusal)
		}
	}
}

// Sums of amounts are exact to 90 decimal places, and rounded upward otherwise.
func TestAmountPlus(t *testing.T) {
	for _, c := range []struct{ a, b, sum string }{
		{"0.1", "0.2", "0.3"}, {"0", "7", "7"}, {"1e-90", "1e-90", "2e-90"},
		{"1e-95", "0", "1e-90"}, {"0", "1e-95", "1e-90"}, {"1e-95", "3e-91", "2e-90"},
	} {
		a, b, sum := decimal(t, c.a), decimal(t, c.b), decimal(t, c.sum)
		if got := (Amount{a, b}).Plus(Amount{b, a}); got != (Amount{sum, sum}) {
			t.Errorf("%s and %s are %v", c.a, c.b, got)
		}
	}
}

// If holds is true up to a bound, mostFloat returns a number next to the bound and not above it. If
// holds is never true it returns 0, and if it is always true, a number above all others.
func TestMostFloat(t *testing.T) {
	for _, bound := range []float64{0x1p-490, 3e-100, 1e-9, 0.3, 1, 1.5, 2, 3, 77, 1e12, 0x1p398} {
		asked := 0
		got := mostFloat(func(x float64) bool { asked++; return x <= bound })
		if got > bound || got < bound/(1+0x1p-39) || asked > 1100 {
			t.Errorf("up to %g: %g, after %d questions", bound, got, asked)
		}
	}
	if got := mostFloat(func(float64) bool { return false }); got != 0 {
		t.Errorf("never: %g", got)
	}
	if got := mostFloat(func(x float64) bool { return x < 0x1p-600 }); got != 0 {
		t.Errorf("below all that is tried: %g", got)
	}
	if got := mostFloat(func(float64) bool { return true }); got < 0x1p399 || got > 0x1p401 {
		t.Errorf("always: %g", got)
	}
}

// Charges with more than 90 decimal places are rounded upward, both in ρ and in δ. Charges above
// 10⁹ are refused.
func TestChargeIsRoundedUp(t *testing.T) {
	f := mustFilter(t, ReplaceOne, "1", "1e-6")
	got, err := f.Charge(approximate(t, "1e-48", "1e-95"))
	if want := (Amount{decimal(t, "1e-90"), decimal(t, "1e-90")}); err != nil || got != want {
		t.Errorf("%v, %v, not %v", got, err, want)
	}
	for rho, ok := range map[string]bool{"1000000000": true, "1000000000.5": false, "1999999999": false} {
		g, err := NewZCDP(ReplaceOne, decimal(t, rho).Rat())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Charge(g); (err == nil) != ok {
			t.Errorf("ρ = %s: %v", rho, err)
		}
	}
}

// Parts are in a fixed order: pure parts in ascending order of ε, then bounded ranges in ascending
// order of ε.
func TestPartsAreInOrder(t *testing.T) {
	epsilons := []string{"0.5", "0.1", "0.4", "0.2", "0.3", "1", "0.05"}
	var all []Guarantee
	for _, e := range epsilons {
		all = append(all, boundedRange(t, e), pure(t, e))
	}
	parts, err := Parts(compose(t, all...))
	if err != nil || len(parts) != 2*len(epsilons) {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	for i, p := range parts {
		if _, ranged := p.Guarantee.(BoundedRange); ranged != (i >= len(epsilons)) {
			t.Errorf("part %d is %T", i+1, p.Guarantee)
		}
		if i%len(epsilons) > 0 {
			before, _ := Epsilon(parts[i-1].Guarantee, Decimal{})
			own, _ := Epsilon(p.Guarantee, Decimal{})
			if own.Cmp(before) <= 0 {
				t.Errorf("part %d has ε = %v after %v", i+1, own, before)
			}
		}
	}
}

// The limit on ρ has at most 9 significant digits. Half of a δ with many digits is exact. A limit
// below 1e-90, the unit of all sums, is rounded down to 0.
func TestFilterDigits(t *testing.T) {
	full := 0
	for _, c := range [][2]string{{"1.5", "1e-7"}, {"0.7", "0.0123456789012345678901234567890123456789012345678901234567890123"}, {"3", "0.3"}} {
		f := mustFilter(t, ReplaceOne, c[0], c[1])
		if half := decimal(t, c[1]).Rat(); f.Limit().Failure.Rat().Cmp(half.Mul(half, big.NewRat(1, 2))) != 0 {
			t.Errorf("δ = %s: %v is for failures", c[1], f.Limit().Failure)
		}
		loss := f.Limit().Loss
		if short, err := RoundDown(loss.Rat(), reported); err != nil || short != loss {
			t.Errorf("a limit of ρ = %v", loss)
		}
		if short, err := RoundDown(loss.Rat(), reported-1); err != nil || short != loss {
			full++
		}
	}
	if full == 0 {
		t.Error("all limits have fewer digits")
	}
	f, err := NewFilterWithin(ReplaceOne, decimal(t, "1"), decimal(t, "1e-6"), Amount{decimal(t, "0.001"), decimal(t, "1e-95")})
	if err != nil || f.Limit() != (Amount{Loss: decimal(t, "0.001")}) {
		t.Errorf("%v, %v", f.Limit(), err)
	}
}

// Text writes amounts as ε if the filter has δ = 0, and as ρ and δ otherwise.
func TestFilterText(t *testing.T) {
	a := Amount{decimal(t, "0.125"), decimal(t, "1e-9")}
	if got := mustFilter(t, ReplaceOne, "1", "0").Text(Amount{Loss: a.Loss}); got != "ε = 0.125" {
		t.Error(got)
	}
	if got := mustFilter(t, ReplaceOne, "1", "1e-6").Text(a); got != "ρ = 0.125 and δ = 0.000000001" {
		t.Error(got)
	}
}

// The remaining budget suffices for the ε that Affords returns, and not for an ε whose fourth digit
// is greater by 1.
func TestFilterAffordsFourDigits(t *testing.T) {
	for _, delta := range []string{"0", "1e-9"} {
		for _, spent := range []string{"0.123456", "0.2", "0.00011119", "0.29999"} {
			f := mustFilter(t, ReplaceOne, "1.23456", delta)
			if _, err := f.Spend(boundedRange(t, spent)); err != nil {
				t.Fatal(err)
			}
			pureMost, rangeMost := f.Affords()
			for most, share := range map[Decimal]int64{pureMost: 2, rangeMost: 8} {
				left := f.Left().Loss.Rat()
				within := func(e *big.Rat) bool {
					if delta == "0" {
						return e.Cmp(left) <= 0
					}
					square := new(big.Rat).Mul(e, e)
					return square.Mul(square, big.NewRat(1, share)).Cmp(left) <= 0
				}
				step := big.NewRat(1, 1000)
				for ; step.Cmp(new(big.Rat).Quo(most.Rat(), big.NewRat(1000, 1))) > 0; step.Quo(step, big.NewRat(10, 1)) {
				}
				if short, err := RoundDown(most.Rat(), 4); err != nil || short != most || !within(most.Rat()) || within(step.Add(step, most.Rat())) {
					t.Errorf("δ = %s, %s spent: an ε of %v is afforded", delta, spent, most)
				}
			}
		}
	}
}

// The whole limit on failures can be spent. A guarantee whose δ sum to more than 10⁹ is refused.
func TestFilterFailures(t *testing.T) {
	f := mustFilter(t, ReplaceOne, "1", "1e-6")
	for range 2 {
		if _, err := f.Spend(approximate(t, "0", "2.5e-7")); err != nil {
			t.Fatal(err)
		}
	}
	if left := f.Left(); left.Failure != (Decimal{}) || left.Loss != f.Limit().Loss {
		t.Errorf("%v is left", left)
	}
	for delta, ok := range map[string]bool{"0.931322574615478515625": true, "0.931322574615478515626": false} {
		var g Guarantee = approximate(t, "0", delta) // 10⁹/2³⁰
		for range 30 {
			g = compose(t, g, g)
		}
		if _, err := f.Charge(g); (err == nil) != ok {
			t.Errorf("2^30 times δ = %s: %v", delta, err)
		}
	}
	if _, err := f.Charge(nil); err == nil || !strings.Contains(err.Error(), "is nil") {
		t.Error(err)
	}
}

// Parts omits parts with ε = 0, and fails if the sum of the δ is 1 or more.
func TestPartsOfFailures(t *testing.T) {
	parts, err := Parts(compose(t, approximate(t, "0", "0.25"), approximate(t, "0", "0.25"), pure(t, "1")))
	if err != nil || len(parts) != 2 {
		t.Fatalf("%v, %v", parts, err)
	}
	if p, ok := parts[0].Guarantee.(Pure); !ok || p.Epsilon() != decimal(t, "1") || parts[0].Times != 1 {
		t.Errorf("%v", parts[0])
	}
	if a, ok := parts[1].Guarantee.(Approximate); !ok || a.epsilon != (Decimal{}) || a.delta != decimal(t, "0.5") || parts[1].Times != 1 {
		t.Errorf("%v", parts[1])
	}
	for other, ok := range map[string]bool{"0.4999": true, "0.5": false, "0.6": false} {
		if _, err := Parts(compose(t, approximate(t, "0", "0.5"), approximate(t, "0", other))); ok != (err == nil) || !ok && !errors.Is(err, ErrCompose) {
			t.Errorf("δ = 0.5 and %s: %v", other, err)
		}
	}
	alone := approximate(t, "0.2", "1e-10")
	if parts, err := Parts(alone); err != nil || len(parts) != 1 || parts[0].Times != 1 || fmt.Sprint(parts[0].Guarantee) != fmt.Sprint(alone) {
		t.Errorf("%v, %v", parts, err)
	}
	if _, err := Parts(nil); err == nil || !strings.Contains(err.Error(), "the guarantee is nil") {
		t.Error(err)
	}
}
