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
		{least.String()[:len(least.String())-1], "1e-6", privacy.AddRemove, nil, "more than the stated 0."},
		{least.String(), "1", privacy.AddRemove, nil, "must be less than 1"},
		{"100", "7", privacy.AddRemove, nil, "must be less than 1"},
		{"100", "0.999", privacy.AddRemove, nil, ""},
		{"100", "0", privacy.AddRemove, nil, "no finite epsilon at the stated delta 0"},
		{"100", "1e-6", privacy.ReplaceOne, nil, "the stated relation is replace"},
		{"100", "1e-6", privacy.AddRemove.OfPersons(2), nil, "the stated relation is"},
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
