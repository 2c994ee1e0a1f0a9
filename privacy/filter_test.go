package privacy

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

func mustFilter(t *testing.T, r Relation, epsilon, delta string) *Filter {
	t.Helper()
	f, err := NewFilter(r, decimal(t, epsilon), decimal(t, delta))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A charged is a guarantee with its expected charges. For a filter with δ = 0, epsilon is the
// charge, or why is a part of the error. For a filter with δ > 0, rho and failure are the charge.
type charged struct {
	g            Guarantee
	epsilon, why string
	rho, failure string
}

func chargedSamples(t *testing.T) map[string]charged {
	failing := approximate(t, "0.2", "1e-10")
	sure := compose(t, pure(t, "0.4"), boundedRange(t, "0.4"), boundedRange(t, "0.4"))
	return map[string]charged{
		"pure":        {pure(t, "0.4"), "0.4", "", "0.08", "0"},
		"range":       {boundedRange(t, "0.4"), "0.4", "", "0.02", "0"},
		"zCDP":        {zcdp(t, big.NewRat(1, 50)), "", "no finite ε", "0.02", "0"},
		"a third":     {zcdp(t, big.NewRat(1, 3)), "", "no finite ε", "0." + strings.Repeat("3", 89) + "4", "0"},
		"approximate": {failing, "", "its δ is above 0", "0.02", "1e-10"},
		"sure":        {sure, "1.2", "", "0.12", "0"},
		"all":         {compose(t, sure, zcdp(t, big.NewRat(1, 50)), failing, failing), "", "its δ is above 0", "0.18", "2e-10"},
	}
}

func TestFilterCharges(t *testing.T) {
	sure, mixed := mustFilter(t, ReplaceOne, "2", "0"), mustFilter(t, ReplaceOne, "2", "1e-9")
	for name, c := range chargedSamples(t) {
		got, err := sure.Charge(c.g)
		if c.why != "" {
			if !errors.Is(err, ErrCharge) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%s, δ = 0: %v, %v", name, got, err)
			}
		} else if want := (Amount{Loss: decimal(t, c.epsilon)}); err != nil || got != want {
			t.Errorf("%s, δ = 0: %v, %v; want %v", name, got, err, want)
		}
		want := Amount{decimal(t, c.rho), decimal(t, c.failure)}
		if got, err := mixed.Charge(c.g); err != nil || got != want {
			t.Errorf("%s, δ > 0: %v, %v; want %v", name, got, err, want)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	f := mustFilter(t, ReplaceOne, "2", "1e-9")
	other, err := NewPure(AddRemove, decimal(t, "0.1"))
	if err != nil {
		t.Fatal(err)
	}
	steps := subsampled(t, ReplaceOne, big.NewRat(1, 10), big.NewRat(400, 1), 10)
	for _, g := range []Guarantee{other, pure(t, "1e9"), steps, Pure{}, Composed{}, nil} {
		if _, err := f.Charge(g); !errors.Is(err, ErrCharge) {
			t.Errorf("%T: %v", g, err)
		}
		if _, err := f.Spend(g); !errors.Is(err, ErrCharge) {
			t.Errorf("%T: %v", g, err)
		}
	}
	stated, err := steps.At(decimal(t, "1e-10"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Charge(stated); err != nil {
		t.Error(err)
	}
	if f.Spent() != (Amount{}) {
		t.Errorf("spent %v", f.Spent())
	}
	for _, c := range []struct {
		r              Relation
		epsilon, delta string
	}{{ReplaceOne, "0", "0"}, {0, "1", "0"}, {ReplaceOne, "1", "1"}, {ReplaceOne, "1e10", "0"}, {ReplaceOne, "1e-95", "0"}} {
		if _, err := NewFilter(c.r, decimal(t, c.epsilon), decimal(t, c.delta)); !errors.Is(err, ErrParameter) && !errors.Is(err, ErrRelation) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// The refusal of a guarantee under another relation names the relation of a filter that accepts it, and the number of
// rows of a person in the schema. If only the persons differ, it says which change of the schema's [person] makes the
// relations equal.
func TestFilterNamesTheRelation(t *testing.T) {
	var all []Relation
	for _, kind := range []Relation{ReplaceOne, AddRemove} {
		for _, most := range []int{0, 1, 3, MostOfPerson} {
			all = append(all, kind.OfPersons(most))
		}
	}
	for _, of := range all {
		g, err := NewPure(of, decimal(t, "0.1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, budget := range all {
			_, err := mustFilter(t, budget, "2", "0").Charge(g)
			if of == budget {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			if !errors.Is(err, ErrCharge) {
				t.Fatalf("%v charged to %v: %v", of, budget, err)
			}
			_, named, _ := strings.Cut(err.Error(), "open an account with the relation ")
			named, _, _ = strings.Cut(named, ",")
			var r Relation
			if r.UnmarshalText([]byte(named)) != nil || r != of {
				t.Errorf("%v charged to %v: %v", of, budget, err)
			}
			given, says, _ := strings.Cut(err.Error(), ";")
			if want := fmt.Sprintf("since the schema has a [person] with most = %d,", of.Persons()); strings.Contains(given, "[person]") != (of.Persons() > 0) || of.Persons() > 0 && !strings.Contains(given, want) {
				t.Errorf("%v charged to %v: %v", of, budget, err)
			}
			var change string
			switch {
			case of.Replaces() != budget.Replaces():
			case budget.Persons() > 0:
				change = fmt.Sprintf("write a [person] with most = %d into the schema", budget.Persons())
			default:
				change = "delete [person] from the schema"
			}
			if strings.Contains(says, "[person]") != (change != "") || !strings.Contains(says, change) {
				t.Errorf("%v charged to %v: %v", of, budget, err)
			}
		}
	}
}

// TestFilterNeverExceeds charges filters up to their limits, to the last digit, and checks that
// neither sum exceeds its limit.
func TestFilterNeverExceeds(t *testing.T) {
	f := mustFilter(t, ReplaceOne, "1", "0")
	for _, e := range []string{"0.7", "0.3"} {
		if _, err := f.Spend(pure(t, e)); err != nil {
			t.Fatal(err)
		}
	}
	// The last charge is less than one unit of the sums, 1e-90.
	for _, e := range []string{"1", "1e-90", "1e-99"} {
		if _, err := f.Spend(pure(t, e)); !errors.Is(err, ErrSpent) || f.Spent().Loss.String() != "1" {
			t.Errorf("ε = %s more: %v, spent %v", e, err, f.Spent())
		}
	}

	f = mustFilter(t, ReplaceOne, "1", "1e-6")
	limit := f.Limit()
	if limit.Failure.String() != "0.0000005" {
		t.Errorf("limit %v", limit)
	}
	failing := approximate(t, "0", "3e-7")
	if _, err := f.Spend(failing); err != nil {
		t.Fatal(err)
	}
	pure, ranged := f.Affords()
	affords := fmt.Sprintf("; one more release may have ε up to %v by the exponential mechanism, or up to %v by another mechanism with δ = 0", ranged, pure)
	if _, err := f.Spend(failing); !errors.Is(err, ErrSpent) || !strings.HasSuffix(err.Error(), affords) {
		t.Errorf("δ: %v", err)
	}
	all := zcdp(t, limit.Loss.Rat())
	if _, err := f.Spend(all); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Spend(all); !errors.Is(err, ErrSpent) || f.Left().Loss != (Decimal{}) {
		t.Errorf("ρ: %v, left %v", err, f.Left())
	}
}

// TestSpentRounds checks that the error about a spent budget has short numbers: the remaining amount rounded down, and
// the charge rounded up.
func TestSpentRounds(t *testing.T) {
	f := mustFilter(t, ReplaceOne, "1", "1e-6")
	if _, err := f.Spend(zcdp(t, big.NewRat(1, 1_000_003))); err != nil {
		t.Fatal(err)
	}
	_, err := f.Spend(zcdp(t, big.NewRat(1, 3)))
	left, _ := RoundDown(f.Left().Loss.Rat(), 9)
	if want := fmt.Sprintf("ρ = %v and δ = 0.0000005 is left, and the release needs ρ = 0.333333334 and δ = 0;", left); !errors.Is(err, ErrSpent) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	f = mustFilter(t, ReplaceOne, "1", "0")
	g, err := NewPure(ReplaceOne, decimal(t, "2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Spend(g); !errors.Is(err, ErrSpent) || !strings.HasSuffix(err.Error(), "ε = 1 is left, and the release needs ε = 2") {
		t.Error(err)
	}
}

// TestFilterLimit compares the limit on ρ with the conversion in 300-bit arithmetic. The limit
// implies (ε, δ), and a limit that is greater by a millionth does not.
func TestFilterLimit(t *testing.T) {
	for _, c := range [][2]string{{"2", "1e-9"}, {"1", "1e-6"}, {"0.1", "1e-5"}, {"8", "1e-12"}, {"0.001", "0.01"}, {"20", "0.5"}} {
		epsilon, delta := decimal(t, c[0]), decimal(t, c[1])
		f := mustFilter(t, ReplaceOne, c[0], c[1])
		limit := f.Limit()
		implied := func(factor float64) *big.Float {
			rho, _ := limit.Loss.Rat().Float64()
			rho *= factor
			e, _ := epsilon.Rat().Float64()
			core := preciseZCDP(rho, e, bestOrder(rho, e))
			fail := precise(0).SetRat(limit.Failure.Rat())
			return add(fail, mul(sub(precise(1), fail), core))
		}
		d := precise(0).SetRat(delta.Rat())
		if implied(1).Cmp(d) > 0 {
			t.Errorf("ε = %s, δ = %s: a limit of %v breaks the promise", c[0], c[1], limit)
		}
		if implied(1+1e-6).Cmp(d) <= 0 {
			t.Errorf("ε = %s, δ = %s: a limit of %v is less than need be", c[0], c[1], limit)
		}
		again, err := NewFilterWithin(ReplaceOne, epsilon, delta, limit)
		if err != nil || again.Limit() != limit {
			t.Errorf("%v, %v", again, err)
		}
		more := limit
		more.Loss, _ = RoundUp(new(big.Rat).Mul(limit.Loss.Rat(), big.NewRat(1_000_001, 1_000_000)), 20)
		if _, err := NewFilterWithin(ReplaceOne, epsilon, delta, more); !errors.Is(err, ErrParameter) {
			t.Errorf("a limit of %v: %v", more, err)
		}
		more = limit
		more.Failure, _ = RoundUp(new(big.Rat).Mul(limit.Failure.Rat(), big.NewRat(3, 2)), 20)
		if _, err := NewFilterWithin(ReplaceOne, epsilon, delta, more); !errors.Is(err, ErrParameter) {
			t.Errorf("a limit of %v: %v", more, err)
		}
	}
	if _, err := NewFilterWithin(ReplaceOne, decimal(t, "1"), Decimal{}, Amount{Loss: decimal(t, "2")}); !errors.Is(err, ErrParameter) {
		t.Errorf("a limit above ε: %v", err)
	}
}

func TestFilterAffords(t *testing.T) {
	for _, delta := range []string{"0", "1e-9"} {
		f := mustFilter(t, ReplaceOne, "2", delta)
		if _, err := f.Spend(boundedRange(t, "0.123456")); err != nil {
			t.Fatal(err)
		}
		pureMost, rangeMost := f.Affords()
		for kind, c := range map[string]struct {
			most  Decimal
			state func(testing.TB, string) Guarantee
		}{
			"pure":  {pureMost, func(t testing.TB, e string) Guarantee { return pure(t, e) }},
			"range": {rangeMost, func(t testing.TB, e string) Guarantee { return boundedRange(t, e) }},
		} {
			same := *f
			if _, err := same.Spend(c.state(t, c.most.String())); err != nil {
				t.Errorf("δ = %s, %s: %v", delta, kind, err)
			}
			more, _ := RoundUp(new(big.Rat).Mul(c.most.Rat(), big.NewRat(1002, 1000)), 20)
			if _, err := f.Spend(c.state(t, more.String())); !errors.Is(err, ErrSpent) {
				t.Errorf("δ = %s, %s: %v is more than said, %v", delta, kind, more, err)
			}
		}
	}
}

// TestParts composes the results of Parts and checks that the privacy curve and the charges are the
// same.
func TestParts(t *testing.T) {
	filters := []*Filter{mustFilter(t, ReplaceOne, "2", "1e-9"), mustFilter(t, ReplaceOne, "2", "0")}
	for name, c := range chargedSamples(t) {
		parts, err := Parts(c.g)
		if err != nil {
			t.Fatal(err)
		}
		var all []Guarantee
		for _, p := range parts {
			for range p.Times {
				all = append(all, p.Guarantee)
			}
		}
		again, err := Compose(all...)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0, 0.1, 0.5, 1, 3} {
			if got, want := again.Delta(x), c.g.Delta(x); got != want {
				t.Errorf("%s: δ(%v) is %v, want %v", name, x, got, want)
			}
		}
		for _, f := range filters {
			got, err1 := f.Charge(again)
			want, err2 := f.Charge(c.g)
			if got != want || (err1 == nil) != (err2 == nil) {
				t.Errorf("%s: charges %v, %v; want %v, %v", name, got, err1, want, err2)
			}
		}
	}
	for _, g := range []Guarantee{nil, Composed{}, Pure{}} {
		if _, err := Parts(g); !errors.Is(err, ErrCompose) {
			t.Errorf("%T: %v", g, err)
		}
	}
}

// RhoWithin returns a ρ that implies (ε, δ), and a slightly greater ρ does not imply it.
func TestRhoWithin(t *testing.T) {
	for _, c := range []struct{ epsilon, delta string }{
		{"1", "1e-9"}, {"0.3", "1e-9"}, {"3", "1e-9"}, {"0.001", "1e-5"}, {"20", "1e-6"}, {"1e-9", "0.5"},
	} {
		epsilon, delta := decimal(t, c.epsilon), decimal(t, c.delta)
		rho, err := RhoWithin(epsilon, delta)
		if err != nil {
			t.Fatal(err)
		}
		if short, err := RoundDown(rho.Rat(), reported); err != nil || short != rho {
			t.Errorf("ε = %v, δ = %v: ρ = %v has too many digits", epsilon, delta, rho)
		}
		got, err := Epsilon(zcdp(t, rho.Rat()), delta)
		if err != nil || got.Cmp(epsilon) > 0 {
			t.Errorf("ε = %v, δ = %v: ρ = %v gives ε = %v, %v", epsilon, delta, rho, got, err)
		}
		more := rho.Rat()
		more.Mul(more, big.NewRat(100_000_001, 100_000_000))
		if got, err := Epsilon(zcdp(t, more), delta); err != nil || got.Cmp(epsilon) <= 0 {
			t.Errorf("ε = %v, δ = %v: more than ρ = %v gives ε = %v, %v", epsilon, delta, rho, got, err)
		}
	}
	for _, c := range [][2]string{{"0", "1e-9"}, {"1", "0"}, {"1", "1"}, {"1", "2"}} {
		if rho, err := RhoWithin(decimal(t, c[0]), decimal(t, c[1])); !errors.Is(err, ErrParameter) {
			t.Errorf("ε = %s, δ = %s: ρ = %v, %v", c[0], c[1], rho, err)
		}
	}
}
