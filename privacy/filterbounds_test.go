package privacy

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

// A filter is of the relation, ε and δ that it was made with, and of the limit.
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
			// Half of δ is for failures, exactly.
			half := new(big.Rat).Mul(decimal(t, c[1]).Rat(), big.NewRat(1, 2))
			if got := f.Limit().Failure.Rat(); got.Cmp(half) != 0 {
				t.Errorf("δ = %s: %v is for failures", c[1], f.Limit().Failure)
			}
		}
	}
}

// ε, δ and limits are refused right beyond their bounds, for the reason that they have.
func TestFilterBounds(t *testing.T) {
	amount := func(loss, failure string) Amount { return Amount{decimal(t, loss), decimal(t, failure)} }
	for _, c := range []struct {
		epsilon, delta string
		limit          Amount
		refusal        string
	}{
		{"1000000000", "0", amount("1000000000", "0"), ""},
		{"1000000000.1", "0", amount("1000000000.1", "0"), "ε must be positive and at most 1000000000"},
		{"0", "0", amount("0", "0"), "ε must be positive"},
		{"0", "1e-9", amount("0.1", "0"), "ε must be positive"},
		{"1", "1", amount("0.1", "0.5"), "δ must be less than 1"},
		{"1", "0.999", amount("0.1", "0.5"), ""},
		{"1", "1e-9", amount("0", "0"), "afford nothing"},
		{"1", "0", amount("0.9", "0"), "with δ = 0 the limit is ε"},
		{"1", "0", amount("1", "1e-9"), "with δ = 0 the limit is ε"},
		{"1", "1e-9", amount("0.5", "0"), "the limit is more than"},
		{"1", "1e-9", amount("0.001", "2e-9"), "the limit is more than"},
		{"1", "1e-9", amount("0.001", "5e-10"), ""},
		{"1000000000", "0.5", amount("1000000001", "0.1"), "the limit is more than"},
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

// Sums of amounts are exact to 90 places, and no smaller beyond.
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

// Of numbers at which something holds up to a bound, one next to the bound is found, and none
// beyond; or 0, or a number beyond all.
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

// Charges are rounded upward beyond 90 places, in ρ and in δ alike, and refused beyond 10⁹.
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

// Parts are in one order: pure ones by ε, then bounded ranges by ε.
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
