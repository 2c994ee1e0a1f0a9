package release

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// pairsOf prepares counts of pairs, with ε = 1 and δ = 1e-9 unless r sets others.
func pairsOf(t *testing.T, r Pairs) *PreparedPairs {
	t.Helper()
	if r.Epsilon.IsZero() {
		r.Epsilon, r.Delta = decimal(t, "1"), decimal(t, "1e-9")
	}
	p, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// With little noise the file holds the exact counts. The label is a column, null rows are not
// counted, and counts of persons are in persons.
func TestPairsWithoutNoise(t *testing.T) {
	s := parseSchema(t)
	persons := *s
	persons.Person = &table.Person{Column: "id", Most: 2}
	for _, schema := range []*table.Schema{s, &persons} {
		p := pairsOf(t, Pairs{Schema: schema, Epsilon: decimal(t, "1000000"), Delta: decimal(t, "1e-9"), Relation: privacy.AddRemove})
		if p.relation != privacy.AddRemove.OfPersons(0) && schema.Person == nil || schema.Person != nil && p.relation.Persons() != 2 {
			t.Errorf("the relation is %v", p.relation)
		}
		b := schema.Builder()
		want := map[string]int64{}
		names := func(r table.Record, outcome int) (all []string) {
			for j, a := range p.Columns {
				code := outcome
				if j < len(r) {
					code = int(r[j])
				}
				all = append(all, a.Name+"\t"+a.Categories()[code])
			}
			return all
		}
		for i := range 60 {
			record := table.Record{uint16(i % 3), uint16(i / 7 % 3), uint16(i % 2)}
			if err := b.AddOutcome(record, i%5%2, 100*schema.Weight()); err != nil {
				t.Fatal(err)
			}
			all := names(record, i%5%2)
			for j := range all {
				for k := j + 1; k < len(all); k++ {
					want[all[j]+"\t"+all[k]] += 100
				}
			}
		}
		if err := b.AddNull(5 * schema.Weight()); err != nil {
			t.Fatal(err)
		}
		var text []byte
		w := &world{t: t}
		_, err := p.Release(t.Context(), given{b.Table()}, w.terms())
		if err != nil {
			t.Fatal(err)
		}
		if text = w.published[0]; len(w.published) != 1 {
			t.Fatalf("%d files", len(w.published))
		}
		lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cells := 0
		for _, l := range lines[1:] {
			n, err := strconv.ParseFloat(l[4], 64)
			if key := strings.Join(l[:4], "\t"); err != nil || math.Abs(n-float64(want[key])) > 5 {
				t.Errorf("%q: %v, want %d", l, err, want[key])
			}
			cells++
		}
		if cells != 3*3+3*2+3*2+3*2+3*2+2*2 || strings.Join(lines[0], ",") != "column,value,other,other_value,count,error" {
			t.Errorf("%d lines under %q", cells, lines[0])
		}
	}
}

// The expected error follows from public numbers. If there are many columns, it decreases with the
// stated rows.
func TestPairsExpected(t *testing.T) {
	var text strings.Builder
	for j := range 60 {
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"x%d\"\nvalues = [\"a\", \"b\"]\n", j)
	}
	s := tabletest.Schema(t, text.String())
	unstated := pairsOf(t, Pairs{Schema: s, Relation: privacy.AddRemove})
	few, many := pairsOf(t, Pairs{Schema: s, Relation: privacy.AddRemove, Rows: 100}), pairsOf(t, Pairs{Schema: s, Relation: privacy.AddRemove, Rows: 1_000_000})
	if unstated.Expected != many.Expected || few.Expected > unstated.Expected/2 || few.Expected <= 0 {
		t.Errorf("expected %v, of 100 rows %v, of a million %v", unstated.Expected, few.Expected, many.Expected)
	}
}

func TestPairsRefuse(t *testing.T) {
	s := parseSchema(t)
	alone := *s
	alone.Label, alone.Attributes = nil, s.Attributes[:1]
	wide := *s
	wide.Attributes = []table.Attribute{{Name: "zip", Column: "zip"}, {Name: "name", Column: "name"}}
	for i := range 3000 {
		wide.Attributes[0].Values = append(wide.Attributes[0].Values, fmt.Sprint(i))
	}
	wide.Attributes[1].Values = []string{"a", "b"}
	for _, c := range []struct {
		change func(*Pairs)
		says   string
	}{
		{func(r *Pairs) { r.Schema = nil }, "the schema is missing"},
		{func(r *Pairs) { r.Schema = &alone }, "the schema has one column; pairs need at least two"},
		{func(r *Pairs) { r.Schema = &wide }, "they are coded by 4097 signs"},
		{func(r *Pairs) { r.Epsilon = decimal(t, "0") }, "--epsilon 0 is outside"},
		{func(r *Pairs) { r.Delta = decimal(t, "0") }, "need a --delta above 0"},
		{func(r *Pairs) { r.Delta = decimal(t, "1") }, "--delta 1 must be below 1"},
		{func(r *Pairs) { r.Rows = -1 }, "--rows -1 is outside"},
		{func(r *Pairs) { r.Relation = privacy.ReplaceOne.OfPersons(2) }, "does not match the schema"},
	} {
		r := Pairs{Schema: s, Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-9")}
		c.change(&r)
		if p, err := r.Prepare(); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", c.says, p, err)
		}
	}
}

// rhoWithin returns the greatest ρ that implies (ε, δ)-differential privacy.
func rhoWithin(t *testing.T, epsilon, delta string) privacy.Decimal {
	t.Helper()
	rho, err := privacy.RhoWithin(decimal(t, epsilon), decimal(t, delta))
	if err != nil {
		t.Fatal(err)
	}
	return rho
}

// For a usual ε, the budget is a μ, with less noise than with a ρ. For a large ε it is a ρ, since noise of a budget
// of μ has a variance above 13/5. A description with a ρ, as earlier versions wrote it, gives the guarantee of this
// ρ.
func TestPairsByMuOrRho(t *testing.T) {
	for epsilon, gaussian := range map[string]bool{"0.1": true, "1": true, "50": false} {
		p := pairsOf(t, Pairs{Schema: parseSchema(t), Epsilon: decimal(t, epsilon), Delta: decimal(t, "1e-6")})
		if _, ok := p.mechanism.Guarantee().(privacy.GDP); p.record.Mu.IsZero() == gaussian || p.record.Rho.IsZero() != gaussian || ok != gaussian {
			t.Errorf("ε = %s: the record is %+v", epsilon, p.record)
		}
		noise := p.Noise
		p.record.Mu, p.record.Rho = privacy.Decimal{}, rhoWithin(t, epsilon, "1e-6")
		m, err := p.record.mechanism(p.relation)
		if err != nil || gaussian != (m.ExpectedCount(0) > noise) {
			t.Errorf("ε = %s: the noise is %g, and %g with ρ, %v", epsilon, noise, m.ExpectedCount(0), err)
		}
		text, err := p.describe()
		if err != nil {
			t.Fatal(err)
		}
		if g, err := Recompute(text); err != nil || state(t, g) != state(t, m.Guarantee()) {
			t.Errorf("ε = %s: %s is recomputed as %v, %v", epsilon, text, g, err)
		}
	}
}

// The stored description of pairs determines their guarantee. Descriptions that claim a stronger
// one are refused.
func TestRecomputePairs(t *testing.T) {
	p := pairsOf(t, Pairs{Schema: parseSchema(t)})
	text, err := p.describe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Recompute(text)
	if err != nil || state(t, g) != state(t, p.mechanism.Guarantee()) {
		t.Fatalf("%v, %v", g, err)
	}
	mu := fmt.Sprintf(`"mu":"%s"`, p.record.Mu)
	for _, c := range []struct{ old, by, says string }{
		{`"epsilon":"1"`, `"epsilon":"0.9"`, "has epsilon"},
		{`"epsilon":"1"`, `"epsilon":"-1"`, ""},
		{`"delta":"0.000000001"`, `"delta":"0.0000000001"`, "has epsilon"},
		{`"delta":"0.000000001"`, `"delta":"0"`, ""},
		{mu, `"mu":"1"`, "has epsilon"},
		{mu, `"mu":"0"`, "either ρ or μ"},
		{mu, `"rho":"0.001",` + mu, "either ρ or μ"},
		{mu, `"rho":"1"`, "has epsilon"},
		{`"relation":"replace"`, `"relation":""`, "relation"},
		{`"assumes":[]`, `"assumes":["exact-oracle"]`, "assumptions"},
		{`"outcomes":2`, `"outcomes":-2`, "values"},
		{`"outcomes":2`, `"outcomes":65`, "values"},
		{`"sizes":[3,3,2]`, `"sizes":[3,0,2]`, "values"},
		{`"sizes":[3,3,2]`, `"sizes":[3,70000,2]`, "values"},
		{`"sizes":[3,3,2]`, `"sizes":[3,3,2],"colour":1`, `unknown key "colour"`},
		{`"name":"pairs"`, `"name":"magic"`, "must be counts of pairs"},
		{`"guarantee":{`, `"guarantee":null,"other":{`, `unknown key "other"`},
		{pairsFormat, "sibyl-pairs/2", ""},
	} {
		if g, err := Recompute(edited(t, text, c.old, c.by)); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", c.by, g, err)
		}
	}
	for _, text := range []string{`{"format": "sibyl-pairs/1"}`, `{"format": "sibyl-pairs/1", "guarantee": null, "mechanism": {"name": "pairs"}}`} {
		if g, err := Recompute(json.RawMessage(text)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
}
