package release

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/privacy"
)

const synthesised = `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "a"
cuts = [3, 5]
draw = "integer"
least = 0
most = 9
[[attribute]]
column = "b"
values = ["u", "v"]
[[attribute]]
column = "c"
values = ["p", "q"]
[[rule]]
function = "c"
of = ["b"]
table = [["u", "p"]]
otherwise = "q"
`

// synthesisOf prepares synthetic data over the schema above, unless r has a schema.
func synthesisOf(t testing.TB, r Synthetic) *PreparedSynthetic {
	t.Helper()
	if r.Schema == nil {
		r.Schema = tabletest.Schema(t, synthesised)
	}
	r.Epsilon, r.Delta, r.Model = decimal(t, "1"), decimal(t, "1e-6"), true
	p, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The charge equals the cost of the plan. The rows are published before the model. Under
// replace-one their number is that of the table.
func TestSynthesis(t *testing.T) {
	// Add-remove is tested three times: by chance the noisy number of rows may be the true one.
	for _, relation := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove, privacy.AddRemove, privacy.AddRemove} {
		p := synthesisOf(t, Synthetic{Relation: relation, Out: "rows.csv"})
		w := &world{t: t, rows: 200}
		s, err := p.Release(context.Background(), w, w.terms())
		if err != nil {
			t.Fatal(err)
		}
		w.happened("reserve", "read", "publish", "settle")
		if g, ok := w.charged.(privacy.GDP); !ok || g.Rho().Cmp(p.Plan.Rho()) != 0 || g.Relation() != relation {
			t.Errorf("%v: charged is %v", relation, w.charged)
		}
		if len(w.published) != 2 || !strings.HasPrefix(string(w.published[0]), "a,b,c,y\n") {
			t.Fatalf("%v: %d artefacts", relation, len(w.published))
		}
		m, err := synthetic.Parse(w.published[1])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(w.published[0]), "\n") - 1
		if lines != s.Rows.Len() || int64(lines) != m.Rows || relation.Replaces() && lines != 200 {
			t.Errorf("%v: %d lines, %d rows, of a table of %d", relation, lines, s.Rows.Len(), m.Rows)
		}
		if !relation.Replaces() && m.Rows != int64(math.Round(m.Measured.Total())) {
			t.Errorf("%v: %d rows, and what was released tells of %v", relation, m.Rows, m.Measured.Total())
		}
		if m.Guarantee.Epsilon.String() != "1" || m.Guarantee.Relation != relation {
			t.Errorf("%v: the guarantee is %+v", relation, m.Guarantee)
		}
		g, err := Recompute(w.description)
		if err != nil {
			t.Fatal(err)
		}
		if z, ok := g.(privacy.GDP); !ok || z.Rho().Cmp(p.Plan.Rho()) != 0 {
			t.Errorf("%v: recomputed is %v", relation, g)
		}
	}
}

// The memory for the file of rows is reserved at once: it is not much larger than the file.
func TestMemoryOfRows(t *testing.T) {
	p := synthesisOf(t, Synthetic{Relation: privacy.ReplaceOne, Out: "rows.csv"})
	w := &world{t: t, rows: 50_000}
	if _, err := p.Release(context.Background(), w, w.terms()); err != nil {
		t.Fatal(err)
	}
	if text := w.published[0]; cap(text) > len(text)+len(text)/8 {
		t.Errorf("%d bytes have the memory of %d", len(text), cap(text))
	}
}

// If the schema has a person, the guarantee is for persons, and the number of rows is that of
// persons, each with an identifier of its own.
func TestSynthesisOfPersons(t *testing.T) {
	for _, relation := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		schema := tabletest.Schema(t, "[person]\ncolumn = \"p\"\nmost = 3\n"+synthesised)
		p := synthesisOf(t, Synthetic{Schema: schema, Relation: relation, Out: "rows.csv"})
		b := p.Layout.Binned.Builder()
		for i := range 1000 {
			for j := range 3 {
				if err := b.AddOutcome(table.Record{uint16(j), uint16(i % 2), uint16(i % 2)}, j%2, 2); err != nil {
					t.Fatal(err)
				}
			}
		}
		w := &world{t: t}
		s, err := p.Release(t.Context(), given{b.Table()}, w.terms())
		if err != nil {
			t.Fatal(err)
		}
		persons := relation.OfPersons(3)
		if g, ok := w.charged.(privacy.GDP); !ok || g.Relation() != persons || s.Model.Guarantee.Relation != persons {
			t.Errorf("charged is %v", w.charged)
		}
		if n := s.Model.Rows; relation.Replaces() && n != 1000 || n < 500 || n > 1500 || int64(s.Rows.Len()) != n {
			t.Errorf("%v: %d rows of 1000 persons", relation, n)
		}
		lines := strings.Split(string(w.published[0]), "\n")
		if lines[0] != "a,b,c,y,p" || !strings.HasSuffix(lines[1], ",1") || !strings.HasSuffix(lines[50], ",50") {
			t.Errorf("%q", lines[:3])
		}
		m, err := synthetic.Parse(w.published[1])
		if err != nil {
			t.Fatal(err)
		}
		if total := m.Measured.Total(); total < 500 || total > 1500 {
			t.Errorf("%v persons are counted", total)
		}
		if g, err := Recompute(w.description); err != nil || g.Relation() != persons {
			t.Errorf("%v, %v", g, err)
		}
		if _, err := synthesisOf(t, Synthetic{Schema: schema}).Release(t.Context(), given{schema.ByRow().Builder().Table()}, Terms{}); err == nil || !strings.Contains(err.Error(), "must bound the contribution of each person") {
			t.Errorf("a table of rows: %v", err)
		}
	}
}

// Rows without a guarantee say so in a column. File formats without such a column are refused.
func TestVoidRows(t *testing.T) {
	seed := uint64(3)
	p := synthesisOf(t, Synthetic{Out: "rows.csv", Seed: &seed})
	w := &world{t: t, rows: 20}
	terms := w.terms()
	terms.Account = nil
	if _, err := p.Release(t.Context(), w, terms); err != nil {
		t.Fatal(err)
	}
	head, lines, _ := strings.Cut(string(w.published[0]), "\n")
	if head != "a,b,c,y,not_private" || strings.Count(lines, "\n") != 20 || strings.Count(lines, ",insecure-seed\n") != 20 {
		t.Errorf("%s", w.published[0])
	}
	headerless := "[file]\nheader = false\ncolumns = [\"a\", \"b\", \"c\", \"y\"]\n" + synthesised
	r := Synthetic{Schema: tabletest.Schema(t, headerless), Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-6"), Out: "rows.csv"}
	if _, err := r.Prepare(); err != nil {
		t.Error(err)
	}
	r.Seed = &seed
	if _, err := r.Prepare(); err == nil || !strings.Contains(err.Error(), "a file without a header cannot state this") {
		t.Errorf("without a header: %v", err)
	}
}

// A pairwise release queries columns and pairs only, and its description says that it is pairwise.
func TestSynthesisOfPairs(t *testing.T) {
	p := synthesisOf(t, Synthetic{Pairwise: true})
	if queries := p.Queries(); queries.Records || queries.Any != 0 || len(queries.Columns) != 3+3 || synthesisOf(t, Synthetic{}).Queries().Any == 0 {
		t.Errorf("it queries %+v", queries)
	}
	description, err := p.describe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Recompute(description)
	if z, ok := g.(privacy.GDP); err != nil || !ok || z.Rho().Cmp(p.Plan.Rho()) != 0 || !strings.Contains(string(description), `"pairwise":true`) {
		t.Errorf("%s is recomputed as %v, %v", description, g, err)
	}
}

// Pairs with the label have a larger share of the budget than other pairs, and requested pairs have a still larger one.
// In releases of earlier versions, and in tables without a label, only requested pairs have a larger share.
func TestSynthesisShares(t *testing.T) {
	const label = "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n"
	const another = "[[attribute]]\ncolumn = \"d\"\nvalues = [\"0\", \"1\"]\n"
	labelled := strings.Replace(synthesised, "[[rule]]", another+"[[rule]]", 1)
	unlabelled := strings.Replace(labelled, label, "", 1)
	of := func(text string, pairs ...[2]string) *PreparedSynthetic {
		return synthesisOf(t, Synthetic{Schema: tabletest.Schema(t, text), Pairs: pairs})
	}
	earlier := of(labelled, [2]string{"a", "y"})
	earlier.budget.LabelWeight = 0
	var err error
	if earlier.Plan, err = earlier.budget.plan(earlier.Layout.Domain, earlier.relation); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    *PreparedSynthetic
		want []int64 // the ρ of each pair, relative to that of the least
	}{
		{"with a label", of(labelled), []int64{1, 1, 1, 2, 2, 2}},
		{"with requested pairs", of(labelled, [2]string{"a", "b"}, [2]string{"a", "y"}), []int64{4, 1, 1, 4, 2, 2}},
		{"without a label", of(unlabelled), []int64{1, 1, 1}},
		{"of an earlier version", earlier, []int64{1, 1, 1, 4, 1, 1}},
	} {
		var got []int64
		for _, of := range c.p.Plan.Pair {
			ratio, _ := new(big.Rat).Quo(c.p.Plan.Pair[slices.Index(c.want, 1)].Sigma2, of.Sigma2).Float64()
			got = append(got, int64(math.Round(ratio)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the pairs %v have the shares %v, want %v", c.name, c.p.Plan.Pairs, got, c.want)
		}
	}
}

// Under add-remove, columns have contrasts. A description without the key, as earlier versions wrote it, is one of a plan
// whose columns have counts.
func TestSynthesisOfContrasts(t *testing.T) {
	p := synthesisOf(t, Synthetic{Relation: privacy.AddRemove})
	description, err := p.describe()
	if err != nil {
		t.Fatal(err)
	}
	earlier := strings.Replace(string(description), `,"contrasts":true`, "", 1)
	for text, contrasts := range map[string]bool{string(description): true, earlier: false} {
		var j synthesisJSON
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			t.Fatal(err)
		}
		plan, err := j.Mechanism.plan(p.Layout.Domain, privacy.AddRemove)
		if err != nil || plan.Contrasts != contrasts {
			t.Errorf("%s: contrasts %v, %v", text, plan.Contrasts, err)
		}
		if g, err := Recompute(json.RawMessage(text)); err != nil || g.(privacy.GDP).Rho().Cmp(plan.Rho()) != 0 {
			t.Errorf("%s is recomputed as %v, %v", text, g, err)
		}
	}
}

// For a usual ε the budget is a μ, with less noise than with a ρ. For a large ε it is a ρ, since noise of a budget of μ
// has a variance above 13/5. A description with a ρ, as earlier versions wrote it, is one of a plan for this ρ.
func TestSynthesisByMuOrRho(t *testing.T) {
	for _, c := range []struct {
		epsilon string
		mu      bool
	}{{"0.1", true}, {"1", true}, {"50", false}} {
		p, err := Synthetic{Schema: tabletest.Schema(t, synthesised), Epsilon: decimal(t, c.epsilon), Delta: decimal(t, "1e-6")}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if _, gaussian := p.Plan.Guarantee().(privacy.GDP); p.budget.Mu.IsZero() == c.mu || p.budget.Rho.IsZero() != c.mu || gaussian != c.mu {
			t.Errorf("ε = %s: the budget is %+v", c.epsilon, p.budget)
		}
		b := p.budget
		b.Mu, b.Rho = privacy.Decimal{}, rhoWithin(t, c.epsilon, "1e-6")
		other, err := b.plan(p.Layout.Domain, p.relation)
		if err != nil || p.Plan.ColumnDeviation() > other.ColumnDeviation() || p.Plan.Deviation(0) > other.Deviation(0) {
			t.Errorf("ε = %s: the noise is %g and %g, and %g and %g with ρ, %v", c.epsilon, p.Plan.ColumnDeviation(), p.Plan.Deviation(0), other.ColumnDeviation(), other.Deviation(0), err)
		}
		p.budget = b
		description, err := p.describe()
		if err != nil {
			t.Fatal(err)
		}
		if g, err := Recompute(description); err != nil || state(t, g) != state(t, other.Guarantee()) {
			t.Errorf("ε = %s: %s is recomputed as %v, %v", c.epsilon, description, g, err)
		}
	}
}

// A description that claims a stronger guarantee than that of its plan is refused.
func TestSynthesisRecomputed(t *testing.T) {
	description, err := synthesisOf(t, Synthetic{Target: "y", Pairs: [][2]string{{"b", "a"}, {"y", "a"}}}).describe()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(description), `"sizes":[3,2,2],"outcome":true,"wanted":[[0,2],[1,2],[0,1]],"label_weight":2`) {
		t.Errorf("it is described as %s", description)
	}
	for _, c := range []struct{ old, by string }{
		{`"epsilon":"1"`, `"epsilon":"0.99"`},
		{`"delta":"0.000001"`, `"delta":"0"`},
		{`"name":"synth"`, `"name":"histogram"`},
		{`"mu":"0.`, `"mu":"1.`},
		{`"mu":"0.`, `"rho":"0.01","mu":"0.`},
		{`"sizes":[3,2,2]`, `"sizes":[]`},
		{`"sizes":[3,2,2]`, `"sizes":[3,2,0]`},
		{`"wanted":[[0,2]`, `"wanted":[[2,0]`},
		{`"wanted":[[0,2]`, `"wanted":[[0]`},
		{`"label_weight":2`, `"label_weight":-1`},
		{`"rows":0`, `"rows":-1`},
		{`"rows":0`, `"rows":0,"colour":1`},
		{`"guarantee":{`, `"guarantee":null,"other":{`},
	} {
		changed := strings.Replace(string(description), c.old, c.by, 1)
		if changed == string(description) {
			t.Errorf("%s is not there in %s", c.old, description)
		} else if g, err := Recompute(json.RawMessage(changed)); err == nil {
			t.Errorf("%s instead of %s gives %v", c.by, c.old, g)
		}
	}
}

// An invalid request is refused before any data is read.
func TestSynthesisRefused(t *testing.T) {
	usual := func() Synthetic {
		return Synthetic{Schema: tabletest.Schema(t, synthesised), Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-6")}
	}
	for says, change := range map[string]func(r *Synthetic){
		"the schema is missing":                   func(r *Synthetic) { r.Schema = nil },
		"needs a --delta above 0":                 func(r *Synthetic) { r.Delta = decimal(t, "0") },
		"--delta 1 must be below 1":               func(r *Synthetic) { r.Delta = decimal(t, "1") },
		"--epsilon 0 is outside":                  func(r *Synthetic) { r.Epsilon = decimal(t, "0") },
		"--rows -1 is outside":                    func(r *Synthetic) { r.Rows = -1 },
		"does not match the schema's [person]":    func(r *Synthetic) { r.Relation = privacy.AddRemove.OfPersons(2) },
		"the schema has no such attribute":        func(r *Synthetic) { r.Target = "z" },
		"computes this column from other columns": func(r *Synthetic) { r.Target = "c" },
		`--pair names "a" twice`:                  func(r *Synthetic) { r.Pairs = [][2]string{{"a", "a"}} },
		`--pair "z": the schema`:                  func(r *Synthetic) { r.Pairs = [][2]string{{"a", "z"}} },
		"has cuts, but does not define": func(r *Synthetic) {
			r.Schema = tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\ncuts = [3]\n")
		},
		"--model: the model file could be too large": func(r *Synthetic) {
			var text strings.Builder
			for j := range 250 {
				fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"a%d\"\nvalues = [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\", \"a\", \"b\"]\n", j)
			}
			r.Schema, r.Model = tabletest.Schema(t, text.String()), true
		},
		"two attributes have the column": func(r *Synthetic) {
			r.Schema = tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"3\"]\n[[attribute]]\ncolumn = \"a\"\nname = \"b\"\nvalues = [\"3\"]\n")
		},
	} {
		r := usual()
		change(&r)
		if _, err := r.Prepare(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// Data that is coded by the schema itself has no bins, so none are measured. Its release costs what the plan without bins
// costs, and the account recomputes this cost. Data that is coded by bins, and all other data, has them.
func TestSynthesisOfCodedData(t *testing.T) {
	for _, binned := range []bool{false, true} {
		p := synthesisOf(t, Synthetic{Relation: privacy.AddRemove})
		schema := p.request.Schema
		if binned {
			schema = p.Layout.Binned
		}
		b := schema.Builder()
		for i := range 300 {
			if err := b.AddOutcome(table.Record{uint16(i % schema.Attributes[0].Len()), 0, 0}, i%2, 1); err != nil {
				t.Fatal(err)
			}
		}
		w := &world{t: t}
		s, err := p.Release(t.Context(), Coded{b.Table()}, w.terms())
		if err != nil {
			t.Fatal(err)
		}
		plan := p.Plan
		if !binned {
			plan = p.unbinned.Plan
		}
		if got := s.Model.Measured.Bins != nil; got != binned || p.Plan.Bin.Sigma2 == nil || p.unbinned.Plan.Bin.Sigma2 != nil {
			t.Errorf("bins are measured: %v", got)
		}
		if g, err := Recompute(w.description); err != nil || g.(privacy.GDP).Rho().Cmp(plan.Rho()) != 0 {
			t.Errorf("recomputed is %v, %v", g, err)
		}
		if _, err := synthetic.Parse(w.published[0]); err != nil {
			t.Error(err)
		}
		for _, wrong := range []string{`"binned":-1`, `"binned":4`} {
			changed := strings.Replace(string(w.description), `"binned":1`, wrong, 1)
			if _, err := Recompute(json.RawMessage(changed)); binned && (err == nil || !strings.Contains(err.Error(), "must be 0 to 3")) {
				t.Errorf("%s: %v", wrong, err)
			}
		}
	}
}
