package audit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// If a person weighs two units, the counts of a column of two values have a Rényi divergence of at
// most the column's αρ between neighbours. It is attained by a person with all units in one cell,
// and half of it by a person with a row in each cell. Noise for rows would have four times as much.
func TestSynthPersons(t *testing.T) {
	const addRemove, replace = privacy.AddRemove, privacy.ReplaceOne
	for _, v := range []struct {
		name        string
		noise, is   privacy.Relation // for which the plan is made, and of the tables
		rho         string
		a, b        []int64 // units of each value, and null
		least, most float64 // of the divergence, in units of αρ
	}{
		{"added", addRemove.OfPersons(2), addRemove.OfPersons(2), "1", []int64{4, 3, 1}, []int64{4, 1, 1}, 0.99, 1.001},
		{"added with a row of each", addRemove.OfPersons(2), addRemove.OfPersons(2), "1", []int64{4, 3, 1}, []int64{3, 2, 1}, 0.49, 0.501},
		{"added with a row that is null", addRemove.OfPersons(2), addRemove.OfPersons(2), "1", []int64{4, 3, 1}, []int64{4, 2, 0}, 0.24, 0.251},
		{"replaced", replace.OfPersons(2), replace.OfPersons(2), "2", []int64{4, 3, 1}, []int64{6, 1, 1}, 0.99, 1.001},
		{"replaced by a row of each", replace.OfPersons(2), replace.OfPersons(2), "2", []int64{4, 3, 1}, []int64{5, 2, 1}, 0.24, 0.251},
		{"the noise of rows", addRemove, addRemove, "0.25", []int64{4, 3, 1}, []int64{4, 1, 1}, 3.9, 4.1},
	} {
		t.Run(v.name, func(t *testing.T) {
			plan := synthPlan(t, []int{2}, v.noise, v.rho)
			m := synth.NewMechanism(plan, synth.Fitting{})
			law := func(units []int64) audit.Law[string] {
				d := remember(personsTable(t, v.is, units))
				return audit.LawOf(t, func(c noise.Coins) string {
					s, err := m.Release(context.Background(), d, c)
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprint(s.Measured.Columns[0].Counts)
				}, audit.InFull(1e-9, 1e-12))
			}
			p, q := law(v.a), law(v.b)
			rho, _ := plan.Rho().Float64()
			for _, alpha := range []float64{1.5, 2} {
				if share := max(audit.Renyi(p, q, alpha), audit.Renyi(q, p, alpha)) / (alpha * rho); share < v.least || share > v.most {
					t.Errorf("the divergence of order %g is %g times αρ, outside %g to %g", alpha, share, v.least, v.most)
				}
			}
		})
	}
}

// personsTable returns a table of one column of two values, in units.
func personsTable(t *testing.T, r privacy.Relation, units []int64) *table.Table {
	t.Helper()
	schema := table.Schema{Attributes: []table.Attribute{{Column: "a", Values: []string{"0", "1"}}}}
	if most := r.Persons(); most > 0 {
		schema.Person = &table.Person{Column: "who", Most: most}
	}
	s, err := table.NewSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	b := s.Builder()
	for value, n := range units[:2] {
		if err := b.AddOutcome(table.Record{uint16(value)}, 0, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(units[2]); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}
