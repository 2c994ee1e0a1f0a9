package profiles

import (
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// profile returns a profile with cuts and categories. Its failure probability is half of its δ.
func profile(t *testing.T) table.Profile {
	rho, err := privacy.RhoWithin(privacytest.Decimal(t, "0.3"), privacytest.Decimal(t, "5e-7"))
	if err != nil {
		t.Fatal(err)
	}
	return table.Profile{Columns: []string{"a"}, Epsilon: "0.3", Delta: "0.000001", Rho: table.Decimal(rho.String()), Failure: "0.0000005"}
}

// With the ε that Left returns as most, a release in ρ and the profiles are within the total. With a greater ε they are not.
func TestLeft(t *testing.T) {
	s := &table.Schema{Profiles: []table.Profile{profile(t)}}
	one, delta := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5")
	least, most, left, err := Left(one, delta, privacy.AddRemove, s)
	if err != nil || least != privacytest.Decimal(t, "0.7") || left != privacytest.Decimal(t, "9e-6") || most.Cmp(privacytest.Decimal(t, "0.95")) < 0 {
		t.Fatalf("%s, %s, %s, %v", least, most, left, err)
	}
	if !within(most, left, privacy.AddRemove, s, one) || within(privacytest.Decimal(t, "0.98"), left, privacy.AddRemove, s, one) {
		t.Errorf("%s is not the greatest ε", most)
	}

	s.Profiles[0].Rho, s.Profiles[0].Failure = "", ""
	if _, without, _, err := Left(one, delta, privacy.AddRemove, s); err != nil || without.Cmp(most) >= 0 || without.Cmp(least) < 0 {
		t.Errorf("without ρ: %s, %v", without, err)
	}
	if least, most, left, err := Left(one, privacytest.Decimal(t, "0"), privacy.AddRemove, &table.Schema{}); err != nil || least != one || most != one || !left.IsZero() {
		t.Errorf("without profiles: %s, %s, %s, %v", least, most, left, err)
	}
	if least, most, left, err := Left(one, privacytest.Decimal(t, "1e-6"), privacy.AddRemove, s); err != nil || least != privacytest.Decimal(t, "0.7") || most != least || !left.IsZero() {
		t.Errorf("without a rest of δ: %s, %s, %s, %v", least, most, left, err)
	}
	for _, c := range []struct{ epsilon, delta, want string }{
		{"1", "9e-7", "consumed δ = 0.000001, more than --delta 0.0000009; set --delta to 0.000001 or more"},
		{"1", "0", "consumed δ = 0.000001, more than --delta 0;"},
		{"0.2", "1e-5", "consumed ε = 0.3, so nothing of --epsilon 0.2 remains"},
		{"0.3", "1e-6", "consumed ε = 0.3, so nothing of --epsilon 0.3 remains"},
	} {
		if _, _, _, err := Left(privacytest.Decimal(t, c.epsilon), privacytest.Decimal(t, c.delta), privacy.AddRemove, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.epsilon, c.delta, err)
		}
	}
	s.Profiles[0].NotPrivate = true
	if _, _, _, err := Left(one, delta, privacy.AddRemove, s); err == nil || !strings.Contains(err.Error(), "no guarantee") {
		t.Errorf("%v", err)
	}
}

// The failure is part of the total. A ρ that does not imply the stated ε and δ is ignored.
func TestTotalOfRho(t *testing.T) {
	g := &privacy.Statement{Epsilon: privacytest.Decimal(t, "1"), Delta: privacytest.Decimal(t, "1e-6"), Relation: privacy.AddRemove}
	rho, err := privacy.RhoWithin(g.Epsilon, g.Delta)
	if err != nil {
		t.Fatal(err)
	}
	z, err := privacy.NewZCDP(g.Relation, rho.Rat())
	if err != nil || g.RestOn(z) != nil {
		t.Fatal(err)
	}
	p := profile(t)
	total := func(p table.Profile) string {
		sum, private := Total(g, &table.Schema{Profiles: []table.Profile{p}})
		if !private || sum.Delta != privacytest.Decimal(t, "2e-6") {
			t.Fatalf("%+v", sum)
		}
		return sum.Epsilon.String()
	}
	if got := total(p); !strings.HasPrefix(got, "1.0") {
		t.Errorf("ε = %s, not less than the sum", got)
	}
	without := p
	without.Failure = ""
	if with, none := total(p), total(without); none >= with {
		t.Errorf("ε = %s with a failure, and %s without", with, none)
	}
	p.Rho = "0.1"
	if got := total(p); !strings.HasPrefix(got, "1.29999") {
		t.Errorf("ε = %s, not about the sum", got)
	}
}

// If profiles state their μ², Left also considers a release that consumes the μ which implies its ε and δ. This is
// more than a ρ permits if the μ² of the profiles is about twice their ρ.
func TestLeftOfMu(t *testing.T) {
	s := &table.Schema{Profiles: []table.Profile{profile(t)}}
	one, delta := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5")
	_, of, left, err := Left(one, delta, privacy.AddRemove, s)
	if err != nil {
		t.Fatal(err)
	}
	rho := s.Profiles[0].Rho.Rat()
	s.Profiles[0].MuSquared = table.Decimal(up(rho.Add(rho, rho)).String())
	_, most, _, err := Left(one, delta, privacy.AddRemove, s)
	if err != nil || most.Cmp(of) <= 0 {
		t.Fatalf("%s with a μ², and %s without, %v", most, of, err)
	}
	greater := s.Profiles[0]
	greater.MuSquared = table.Decimal(up(new(big.Rat).Mul(rho, big.NewRat(9, 8))).String())
	if _, less, _, err := Left(one, delta, privacy.AddRemove, &table.Schema{Profiles: []table.Profile{greater}}); err != nil || less.Cmp(most) >= 0 {
		t.Errorf("%s with a greater μ², and %s, %v", less, most, err)
	}
	mu, err := privacy.MuWithin(most, left)
	if err != nil {
		t.Fatal(err)
	}
	square := mu.Rat()
	gaussian, err := privacy.NewGDP(privacy.AddRemove, square.Mul(square, square), square)
	g := &privacy.Statement{Epsilon: most, Delta: left, Relation: privacy.AddRemove}
	if err != nil || g.RestOn(gaussian) != nil {
		t.Fatal(err)
	}
	if total, _ := Total(g, s); total.Epsilon.Cmp(one) > 0 || total.Epsilon.Cmp(privacytest.Decimal(t, "0.999")) < 0 {
		t.Errorf("ε = %s of a μ, in total %s", most, total.Epsilon)
	}
	s.Profiles[0].MuSquared = ""
	if total, _ := Total(g, s); total.Epsilon.Cmp(one) <= 0 {
		t.Errorf("ε = %s of a μ and a ρ, in total %s", most, total.Epsilon)
	}
}

// Spent adds ε and δ of all profiles, and reports if one has no guarantee.
func TestSpent(t *testing.T) {
	two := profile(t)
	two.Epsilon, two.Delta = "0.25", "0.000002"
	s := &table.Schema{Profiles: []table.Profile{profile(t), two}}
	if epsilon, delta, private := Spent(s); epsilon != privacytest.Decimal(t, "0.55") || delta != privacytest.Decimal(t, "3e-6") || !private {
		t.Errorf("%s, %s, %t", epsilon, delta, private)
	}
	s.Profiles = append(s.Profiles, table.Profile{Columns: []string{"b"}, NotPrivate: true})
	if epsilon, delta, private := Spent(s); !epsilon.IsZero() || !delta.IsZero() || private {
		t.Errorf("%s, %s, %t", epsilon, delta, private)
	}
	if epsilon, delta, private := Spent(&table.Schema{}); !epsilon.IsZero() || !delta.IsZero() || !private {
		t.Errorf("%s, %s, %t", epsilon, delta, private)
	}
}
