package privacy_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A statement follows from a guarantee that is at least as strong and has the same relation and
// assumptions.
func TestFollowsFrom(t *testing.T) {
	decimal := func(text string) privacy.Decimal {
		d, err := privacy.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	z, err := privacy.NewZCDP(privacy.AddRemove, big.NewRat(1, 100))
	if err != nil {
		t.Fatal(err)
	}
	least, err := privacy.Epsilon(z, decimal("1e-6"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		epsilon, delta string
		relation       privacy.Relation
		assumes        []privacy.Assumption
		says           string // a part of the error; empty if the statement follows
	}{
		{least.String(), "1e-6", privacy.AddRemove, nil, ""},
		{least.String(), "0.00001", privacy.AddRemove, []privacy.Assumption{}, ""},
		{least.String(), "0.000000999", privacy.AddRemove, nil, "has epsilon"},
		{least.String()[:len(least.String())-1], "1e-6", privacy.AddRemove, nil, "exceeds the stated epsilon 0."},
		{least.String(), "1", privacy.AddRemove, nil, "must be less than 1"},
		{"100", "7", privacy.AddRemove, nil, "must be less than 1"},
		{"100", "0.999", privacy.AddRemove, nil, ""},
		{"100", "0", privacy.AddRemove, nil, "no finite epsilon at the stated delta 0"},
		{"100", "1e-6", privacy.ReplaceOne, nil, "the stated neighbour relation is replace"},
		{"100", "1e-6", privacy.AddRemove.OfPersons(2), nil, "the stated neighbour relation is"},
		{"100", "1e-6", privacy.AddRemove, []privacy.Assumption{privacy.ExactOracle}, "assumptions"},
	} {
		s := &privacy.Statement{Epsilon: decimal(c.epsilon), Delta: decimal(c.delta), Relation: c.relation, Assumes: c.assumes}
		switch err := s.FollowsFrom(z); {
		case c.says == "" && err != nil:
			t.Errorf("%+v: %v", s, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%+v: %v, not %s", s, err, c.says)
		}
	}
}

// Together composes the guarantees on which statements rest, at the sum of their δ, and adds up the numbers of statements
// that rest on nothing.
func TestTogether(t *testing.T) {
	decimal := func(text string) privacy.Decimal {
		d, err := privacy.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	stated := func(epsilon, delta string) *privacy.Statement {
		return &privacy.Statement{Epsilon: decimal(epsilon), Delta: decimal(delta), Relation: privacy.AddRemove}
	}
	resting := func(epsilon, delta string) *privacy.Statement {
		s := stated(epsilon, delta)
		rho, err := privacy.RhoWithin(s.Epsilon, s.Delta)
		if err != nil {
			t.Fatal(err)
		}
		z, err := privacy.NewZCDP(s.Relation, rho.Rat())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.RestOn(z); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		of             []*privacy.Statement
		epsilon, delta string
	}{
		{[]*privacy.Statement{stated("0.5", "0"), stated("0.25", "0")}, "0.75", "0"},
		{[]*privacy.Statement{stated("0.5", "1e-6"), stated("0.25", "1e-7")}, "0.75", "0.0000011"},
		{[]*privacy.Statement{resting("0.5", "1e-6")}, "0.5", "0.000001"},
		{[]*privacy.Statement{resting("0.5", "1e-6"), stated("1", "0")}, "1.5", "0.000001"},
	} {
		total, err := privacy.Together(c.of...)
		if err != nil || total.Delta != decimal(c.delta) || total.Epsilon.Cmp(decimal(c.epsilon)) < 0 {
			t.Errorf("%+v, %v; want at least ε = %s, δ = %s", total, err, c.epsilon, c.delta)
		}
		if most := new(big.Rat).Mul(decimal(c.epsilon).Rat(), big.NewRat(1001, 1000)); total.Epsilon.Rat().Cmp(most) > 0 {
			t.Errorf("ε = %s; want about %s", total.Epsilon, c.epsilon)
		}
	}
	// Two equal parts have twice the ρ of one, whose ε is about √2 times that of one, and less than twice.
	one := resting("0.5", "1e-6")
	two, err := privacy.Together(one, one)
	if err != nil {
		t.Fatal(err)
	}
	rho, err := privacy.RhoWithin(one.Epsilon, one.Delta)
	if err != nil {
		t.Fatal(err)
	}
	z, err := privacy.NewZCDP(privacy.AddRemove, new(big.Rat).Mul(rho.Rat(), big.NewRat(2, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if want, err := privacy.Epsilon(z, decimal("2e-6")); err != nil || two.Epsilon != want || two.Delta != decimal("2e-6") || want.Cmp(decimal("0.72")) > 0 {
		t.Errorf("%+v; want ε = %s, %v", two, want, err)
	}
	other := stated("1", "0")
	other.Relation = privacy.ReplaceOne
	if _, err := privacy.Together(one, other); err == nil {
		t.Error("two relations compose")
	}
	if err := stated("0.1", "1e-6").RestOn(z); err == nil {
		t.Error("a statement rests on a weaker guarantee")
	}
}
