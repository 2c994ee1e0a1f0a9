package audit_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/pairs"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// For the noisy sums of signs and of their products, on all tables of at most one row, the Rényi
// divergence of neighbours is at most αρ and attains it. Noise for add-remove is too small under
// replace-one, and noise for rows is too small for persons with a larger weight.
func TestPairs(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	laws := audit.NewSamplerLaws()
	for _, c := range []struct {
		name        string
		sizes       []int
		outcomes    int
		noise       privacy.Relation // for which the mechanism is made
		is          privacy.Relation // of the tables
		rho         *big.Rat
		floor       float64
		least, most float64 // of the divergence, in units of αρ
	}{
		{"one sign, add-remove", []int{2}, 0, addRemove, addRemove, big.NewRat(1, 4), 1e-12, 0.99, 1 + 1e-6},
		{"one sign, replace", []int{2}, 0, replace, replace, big.NewRat(1, 2), 1e-12, 0.99, 1 + 1e-6},
		{"three signs, add-remove", []int{4}, 0, addRemove, addRemove, big.NewRat(1, 1), 1e-8, 0.99, 1 + 1e-6},
		{"three signs of which a value is missing, replace", []int{3}, 0, replace, replace, big.NewRat(2, 1), 1e-9, 0.99, 1 + 1e-6},
		{"a pair, add-remove", []int{2, 2}, 0, addRemove, addRemove, big.NewRat(1, 1), 1e-8, 0.99, 1 + 1e-6},
		{"a pair, replace", []int{2, 2}, 0, replace, replace, big.NewRat(2, 1), 1e-9, 0.99, 1 + 1e-6},
		{"a pair with the outcome, replace", []int{2}, 2, replace, replace, big.NewRat(2, 1), 1e-9, 0.99, 1 + 1e-6},
		{"persons, add-remove", []int{2}, 0, addRemove.OfPersons(2), addRemove.OfPersons(2), big.NewRat(1, 1), 1e-12, 0.99, 1 + 1e-6},
		{"persons, replace", []int{2}, 0, replace.OfPersons(2), replace.OfPersons(2), big.NewRat(2, 1), 1e-12, 0.99, 1 + 1e-6},
		{"add-remove's noise where rows are replaced", []int{2, 2}, 0, addRemove, replace, big.NewRat(1, 1), 1e-9, 1.9, 2.1},
		{"a row's noise where persons weigh two", []int{2}, 0, addRemove, addRemove.OfPersons(2), big.NewRat(1, 4), 1e-9, 3.9, 4.1},
	} {
		if !heavy.On() && c.name == "a pair, replace" {
			continue // the pair with the outcome has the same sums
		}
		t.Run(c.name, func(t *testing.T) {
			if len(c.sizes) > 1 || c.sizes[0] > 2 || c.outcomes > 0 { // three sums, which have many values
				c.floor, c.least = heavy.Pick(1e-5, c.floor), heavy.Pick(0.58, 1)*c.least
			}
			g, err := privacy.NewZCDP(c.noise, c.rho)
			if err != nil {
				t.Fatal(err)
			}
			m, err := pairs.New(c.sizes, c.outcomes, g)
			if err != nil {
				t.Fatal(err)
			}
			var all []audit.Law[string]
			worlds := rowsOf(t, c.sizes, c.outcomes, c.is)
			if n := len(worlds); n == 6 { // four records that differ in signs alone: the first and the last
				worlds = heavy.Pick([]*table.Table{worlds[0], worlds[1], worlds[2], worlds[n-1]}, worlds)
			}
			if c.is.Replaces() {
				worlds = worlds[1:] // without the empty table
			}
			for _, d := range worlds {
				of := remember(d)
				all = append(all, audit.LawOf(t, func(coins noise.Coins) string {
					sums, err := m.Release(context.Background(), of, coins)
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprint(sums)
				}, audit.Options{Floor: c.floor, Recheck: audit.Rechecks, Laws: laws}))
			}
			worst := 0.0
			for i := range all {
				for j := range all {
					if i == j || !c.is.Replaces() && i > 0 && j > 0 {
						continue
					}
					for _, alpha := range []float64{1.5, 2} {
						rho, _ := c.rho.Float64()
						worst = max(worst, audit.Renyi(all[i], all[j], alpha)/(alpha*rho))
					}
				}
			}
			if worst < c.least || worst > c.most {
				t.Errorf("the divergence is %v αρ, not within %v..%v", worst, c.least, c.most)
			}
		})
	}
}

// The noisy sums of one sign, as shipped for a budget of μ, have a privacy curve of at most that of μ-GDP, and near it. With
// the noise for rows, it is exceeded by persons with a larger weight.
func TestPairsCurve(t *testing.T) {
	law := func(m *pairs.Mechanism, d *table.Table) audit.Law[string] {
		of := remember(d)
		return audit.LawOf(t, func(coins noise.Coins) string {
			sums, err := m.Release(context.Background(), of, coins)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(sums)
		}, audit.Options{Floor: 1e-10, Recheck: audit.Rechecks})
	}
	// worst returns the greatest curve at x of two neighbours, where the mechanism is made for the relation claimed.
	worst := func(claimed, is privacy.Relation, x float64) (bound, most float64) {
		m, err := pairs.New([]int{2}, 0, gdp(t, claimed, big.NewRat(1, 4)))
		if err != nil {
			t.Fatal(err)
		}
		worlds := rowsOf(t, []int{2}, 0, is)
		if is.Replaces() {
			worlds = worlds[1:] // without the empty table
		}
		var all []audit.Law[string]
		for _, d := range worlds {
			all = append(all, law(m, d))
		}
		for i := range all {
			for j := range all {
				if i != j && (is.Replaces() || i == 0 || j == 0) {
					most = max(most, curve(all[i], all[j], x))
				}
			}
		}
		return m.Guarantee().Delta(x), most
	}
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		for _, x := range []float64{0, 0.2, 0.5} {
			bound, exact := worst(r, r, x)
			t.Logf("%v: δ(%g) = %g, and the bound is %g", r, x, exact, bound)
			if exact > bound || exact < 0.6*bound {
				t.Errorf("%v: δ(%g) = %g, but the bound is %g", r, x, exact, bound)
			}
		}
		if bound, wrong := worst(privacy.AddRemove, privacy.AddRemove.OfPersons(2), 0.2); wrong <= bound {
			t.Errorf("with the noise for rows, δ(0.2) = %g is within the bound %g for persons", wrong, bound)
		}
	}
}

// rowsOf lists the empty table, and the tables of one row or person, with every record and null.
// For a person with two rows it also lists the one with the first and the last record.
func rowsOf(t *testing.T, sizes []int, outcomes int, r privacy.Relation) (all []*table.Table) {
	t.Helper()
	schema := table.Schema{}
	for j, k := range sizes {
		a := table.Attribute{Column: fmt.Sprint("x", j)}
		for v := range k {
			a.Values = append(a.Values, fmt.Sprint(v))
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	if r.Persons() > 0 {
		schema.Person = &table.Person{Column: "person", Most: r.Persons()}
	}
	s, err := table.NewSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	build := func(add func(*table.Builder) error) {
		b := s.Builder()
		if err := add(b); err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Table())
	}
	build(func(*table.Builder) error { return nil })
	build(func(b *table.Builder) error { return b.AddNull(s.Weight()) })
	records := [][]uint16{nil}
	for _, k := range sizes {
		var longer [][]uint16
		for _, r := range records {
			for v := range k {
				longer = append(longer, append(r[:len(r):len(r)], uint16(v)))
			}
		}
		records = longer
	}
	for _, r := range records {
		for o := range max(outcomes, 1) {
			build(func(b *table.Builder) error { return b.AddOutcome(r, o, s.Weight()) })
		}
	}
	if s.Weight() == 2 {
		build(func(b *table.Builder) error {
			if err := b.AddOutcome(records[0], 0, 1); err != nil {
				return err
			}
			return b.AddOutcome(records[len(records)-1], 0, 1)
		})
	}
	return all
}
