package audit_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/profile"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// texts are the units of the values of a column.
type texts = map[string]int64

func categories(t testing.TB, columns, most int, rho *big.Rat, delta string, r privacy.Relation) *profile.Categories {
	t.Helper()
	m, err := profile.NewCategories(columns, most, zcdp(t, r, rho), privacytest.Decimal(t, delta))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rhoOf returns the ρ for which σ² of one column is the given number.
func rhoOf(r privacy.Relation, variance int64) *big.Rat {
	squared := table.Weight(r.Persons()) * table.Weight(r.Persons())
	if r.Replaces() {
		squared *= 2
	}
	return big.NewRat(squared, 2*variance)
}

// textLaw returns the law of the released values of one column.
func textLaw(t *testing.T, m *profile.Categories, units texts) audit.Law[string] {
	t.Helper()
	return audit.LawOf(t, func(c noise.Coins) string {
		released, err := m.Release(context.Background(), []texts{units}, c)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(released[0], " ")
	}, audit.InFull(1e-9, 1e-11))
}

// shares returns the ways in which at most three rows share values: the numbers of rows of each value.
var shares = map[int][][]int64{1: {{1}}, 2: {{2}, {1, 1}}, 3: {{3}, {2, 1}, {1, 1, 1}}}

// A person's own values are released with a probability of at most δ, whichever rows the person has, and for some rows
// with nearly this probability.
func TestCategoriesAlone(t *testing.T) {
	for _, r := range audittest.Relations {
		for _, variance := range []int64{9, 100, 900} {
			const delta = 0.04
			m := categories(t, 1, 5, rhoOf(r, variance), "0.04", r)
			weight, worst := table.Weight(r.Persons()), 0.0
			for rows := 1; rows <= max(r.Persons(), 1); rows++ {
				for _, parts := range shares[rows] {
					low, high := 1.0, 1.0 // the probability that no value is released
					for _, n := range parts {
						lo, hi := textLaw(t, m, texts{"a": n * weight / int64(rows)}).Bounds("")
						low, high = low*lo, high*hi
					}
					if 1-high > delta {
						t.Errorf("%v, σ² = %d, rows %v: released with probability %g to %g", r, variance, parts, 1-high, 1-low)
					}
					worst = max(worst, 1-high)
				}
			}
			if floor := map[int64]float64{9: 0.015, 100: 0.025, 900: 0.03}[variance]; worst < floor {
				t.Errorf("%v, σ² = %d: released with probability %g at most", r, variance, worst)
			}
			t.Logf("%v, σ² = %d: threshold %d, released with probability %.4f at most", r, variance, m.Threshold(), worst)
		}
	}
}

// The released values of neighbouring tables differ by no more than the guarantee allows, at any ε. Thresholds for a larger
// δ, or for rows in place of persons, are refuted.
func TestCategoriesDelta(t *testing.T) {
	replace, add, rows, persons := privacy.ReplaceOne, privacy.AddRemove, privacy.AddRemove, privacy.AddRemove.OfPersons(3)
	for _, c := range []struct {
		name    string
		m       *profile.Categories
		of      privacy.Guarantee // nil for that of m
		r       privacy.Relation
		refuted bool
	}{
		{"add-remove", categories(t, 1, 5, rhoOf(add, 9), "0.04", add), nil, add, false},
		{"replace", categories(t, 1, 5, rhoOf(replace, 9), "0.04", replace), nil, replace, false},
		{"the most frequent", categories(t, 1, 1, rhoOf(replace, 9), "0.04", replace), nil, replace, false},
		{"persons", categories(t, 1, 5, rhoOf(persons, 9), "0.04", persons), nil, persons, false},
		{"persons replaced", categories(t, 1, 5, rhoOf(replace.OfPersons(2), 9), "0.04", replace.OfPersons(2)), nil, replace.OfPersons(2), false},
		{"a larger δ", categories(t, 1, 5, rhoOf(add, 9), "0.2", add), categories(t, 1, 5, rhoOf(add, 9), "0.04", add).Guarantee(), add, true},
		{"rows", categories(t, 1, 5, rhoOf(rows, 9), "0.04", rows), categories(t, 1, 5, rhoOf(rows, 9), "0.04", rows).Guarantee(), persons, true},
	} {
		g := c.of
		if g == nil {
			g = c.m.Guarantee()
		}
		refuted, closest := false, 0.0
		laws := map[string]audit.Law[string]{} // by units
		law := func(units texts) audit.Law[string] {
			key := fmt.Sprint(units)
			if _, known := laws[key]; !known {
				laws[key] = textLaw(t, c.m, units)
			}
			return laws[key]
		}
		for _, pair := range neighboursOfTexts(c.r) {
			p, q := law(pair[0]), law(pair[1])
			for _, epsilon := range []float64{0, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8, 40} {
				lo, hi := audit.Excess(p, q, epsilon)
				stated := g.Delta(epsilon)
				if epsilon == 5 {
					closest = max(closest, lo/stated)
				}
				if lo > stated {
					refuted = true
				}
				if !c.refuted && hi > stated+1e-4 {
					t.Errorf("%s, %v and %v, ε = %v: δ is %g to %g, stated as %g", c.name, pair[0], pair[1], epsilon, lo, hi, stated)
				}
			}
		}
		if refuted != c.refuted {
			t.Errorf("%s: refuted: %v", c.name, refuted)
		}
		if !c.refuted && closest < 0.2 {
			t.Errorf("%s: at most %.3f of the δ of rare values is attained", c.name, closest)
		}
	}
}

// neighboursOfTexts returns pairs of neighbouring columns: persons with all ways of sharing values are added, or replace a
// person with other values.
func neighboursOfTexts(r privacy.Relation) (pairs [][2]texts) {
	weight := table.Weight(r.Persons())
	with := func(base texts, names []string, parts []int64) texts {
		rows := int64(0)
		for _, n := range parts {
			rows += n
		}
		out := maps.Clone(base)
		for i, n := range parts {
			out[names[i]] += n * weight / rows
		}
		return out
	}
	for _, base := range []texts{{}, {"a": 5 * weight}, {"a": weight, "b": 14}}[:heavy.Pick(2, 3)] {
		for rows := 1; rows <= max(r.Persons(), 1); rows++ {
			for _, parts := range shares[rows] {
				for _, names := range [][]string{{"b", "a", "c"}, {"c", "b", "a"}} {
					added := with(base, names, parts)
					if !r.Replaces() {
						pairs = append(pairs, [2]texts{base, added})
						continue
					}
					pairs = append(pairs, [2]texts{with(base, []string{"a"}, []int64{1}), added}, [2]texts{with(base, []string{"d"}, []int64{1}), added})
				}
			}
		}
	}
	return pairs
}

// On columns that have the same values, the release is a function of noisy units, which lose at most the budget, and nearly
// all of it somewhere. If the budget is a ρ, they lose at most the μ² of Gaussian too.
func TestCategoriesSweep(t *testing.T) {
	rho := big.NewRat(1, 50)
	w := audittest.NewSweep(30)
	attained := map[string]float64{}
	for _, r := range audittest.Relations {
		weight := table.Weight(r.Persons())
		for trial := range heavy.Pick(30, 400) {
			budget, gaussian := zcdp(t, r, rho), trial%2 == 0
			if gaussian {
				budget = gdp(t, r, new(big.Rat).Add(rho, rho))
			}
			m, err := profile.NewCategories(1+trial%3, 1+trial%4, budget, privacytest.Decimal(t, "1e-9"))
			if err != nil {
				t.Fatal(err)
			}
			var first, second []texts
			for range 1 + trial%3 {
				p := texts{}
				for v := range 2 + w.Random.IntN(5) {
					p[fmt.Sprint("value ", v)] = weight * (1 + w.Random.Int64N(300))
				}
				q := maps.Clone(p)
				names := slices.Sorted(maps.Keys(p))
				q[names[0]] += weight
				if r.Replaces() {
					p[names[1]] += weight
				}
				first, second = append(first, p), append(second, q)
			}
			of := func(columns []texts) func(noise.Coins) (audit.Release, error) {
				var counts []int64
				for _, units := range columns {
					for _, name := range slices.Sorted(maps.Keys(units)) {
						counts = append(counts, units[name])
					}
				}
				return func(c noise.Coins) (audit.Release, error) {
					return audittest.OfCounts(counts, c, func(c noise.Coins) (any, error) { return m.Release(context.Background(), columns, c) })
				}
			}
			c, err := audit.Couple(noise.Insecure(uint64(trial)), of(first), of(second))
			if err != nil {
				t.Fatalf("%v, trial %d: %v", r, trial, err)
			}
			add := func(name string, loss, budget *big.Rat) {
				share, _ := new(big.Rat).Quo(loss, budget).Float64()
				w.Add(t, fmt.Sprintf("%v, trial %d, %s", r, trial, name), share)
				attained[fmt.Sprint(r, name)] = max(attained[fmt.Sprint(r, name)], share)
			}
			if gaussian {
				add("budget of μ", c.Square, new(big.Rat).Add(rho, rho))
				continue
			}
			add("ρ", c.Total(), rho)
			parts, err := privacy.Parts(m.Gaussian())
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				if g, ok := part.Guarantee.(privacy.GDP); ok {
					add("μ²", c.Square, g.Square())
				}
			}
		}
	}
	w.Report(t, 0.999)
	for name, share := range attained {
		if share < 0.99 || math.IsNaN(share) {
			t.Errorf("%s: at most %.4f of the budget is lost", name, share)
		}
	}
}
