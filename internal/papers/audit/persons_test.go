package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// For relations whose neighbours differ in a person, RSPM and statistical queries satisfy their ε on tables that
// package source has read. The audit refutes the shift and the noise that suffice for rows.
func TestPersons(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	rspm := func(r, claims privacy.Relation) audittest.OfTable {
		m, err := perturb.NewRSPM(malicious{audittest.Disjunction(t)}, perturb.Laplace, privacytest.Decimal(t, "3"), r, learn.ZeroOne, 1)
		if err != nil {
			t.Fatal(err)
		}
		return audittest.Learning(t, m, claims)
	}
	statistical := func(r, claims privacy.Relation) audittest.OfTable {
		g, err := privacy.NewPure(r, privacytest.Decimal(t, "3"))
		if err != nil {
			t.Fatal(err)
		}
		promised, err := privacy.NewPure(claims, privacytest.Decimal(t, "3"))
		if err != nil {
			t.Fatal(err)
		}
		return audittest.OfTable{Promised: promised, OnTable: func(ctx context.Context, d *table.Table, coins noise.Coins) (string, error) {
			s, err := statquery.NewStatistical(g, learn.Examples(d), coins)
			if err != nil {
				return "", err
			}
			q := statquery.Predicate(func(_ []uint16, label bool) bool { return label })
			noisy, err := s.Ask(ctx, q, big.NewRat(3, 1))
			if err != nil {
				return "", err
			}
			return fmt.Sprint(min(max(noisy[0].Int64(), 0), d.Weight())), nil
		}}
	}
	wrong := audit.Verdict{Least: 1.05, Most: 1e9}
	for _, v := range []struct {
		name    string
		kinds   []string
		persons int
		make    func(r, claims privacy.Relation) audittest.OfTable
		r       privacy.Relation // that the mechanism is made for
		claims  privacy.Relation
		want    audit.Verdict
	}{
		{"rspm, replace, two rows", []string{"01", "00"}, 1, rspm, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{Least: 0.4, Most: 1}},
		{"rspm, add-remove, two rows", []string{"01", "00"}, 1, rspm, addRemove.OfPersons(2), addRemove.OfPersons(2), audit.Verdict{Least: 0.3, Most: 1}},
		{"statistical, replace, two rows", []string{"01", "10", "11"}, 2, statistical, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{Least: 0.49, Most: 1.001}},
		{"statistical, add-remove, two rows", []string{"01", "10", "11"}, 2, statistical, addRemove.OfPersons(2), addRemove.OfPersons(2), audit.Verdict{Least: 0.99, Most: 1.001}},
		{"the shift for rows", []string{"01", "00"}, 1, rspm, replace, replace.OfPersons(3), wrong},
		{"the answers for rows", []string{"01", "10", "11"}, 1, statistical, addRemove, addRemove.OfPersons(2), wrong},
	} {
		t.Run(v.name, func(t *testing.T) {
			audittest.CheckPersons(t, v.want, v.make(v.r, v.claims), audittest.PersonWorld(t, v.claims, v.kinds, v.persons, 3, audittest.AsShipped))
		})
	}
}
