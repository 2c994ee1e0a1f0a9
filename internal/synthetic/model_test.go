package synthetic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

const patients = `
[label]
column = "back"
positive = ["yes", "y"]
negative = ["no"]
[[attribute]]
column = "ward"
values = ["heart", "lung", "birth"]
[[attribute]]
column = "building"
values = ["old", "new"]
[[attribute]]
column = "sex"
values = ["f", "m"]
[[attribute]]
column = "age"
cuts = [18, 60]
draw = "integer"
least = 0
most = 99
other = "unknown"
[[rule]]
forbid = { ward = ["birth"], sex = ["m"] }
[[rule]]
function = "building"
of = ["ward"]
table = [["birth", "new"]]
otherwise = "old"
`

// people returns a table of the schema. One of its records violates the rules.
func people(t testing.TB, s *table.Schema) *table.Table {
	t.Helper()
	b := s.Builder()
	for _, p := range []struct {
		record  table.Record
		outcome int
		count   int64
	}{
		{table.Record{0, 0, 0, 1}, 0, 400}, {table.Record{0, 0, 1, 2}, 1, 900}, {table.Record{1, 0, 1, 2}, 0, 300},
		{table.Record{1, 0, 0, 3}, 1, 100}, {table.Record{2, 1, 0, 1}, 0, 800}, {table.Record{2, 1, 0, 0}, 0, 50},
		{table.Record{2, 0, 1, 1}, 0, 20},
	} {
		if err := b.AddOutcome(p.record, p.outcome, p.count); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(70); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// texts caches the texts of the models of people by ε.
var texts sync.Map

// released returns a model of people with a guarantee. The test may change the model.
func released(t testing.TB, epsilon string) *Model {
	t.Helper()
	text, known := texts.Load(epsilon)
	if !known {
		made, err := fresh(t, epsilon).Text()
		if err != nil {
			t.Fatal(err)
		}
		texts.Store(epsilon, made)
		text = made
	}
	m, err := Parse(text.([]byte))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fresh returns the same model as released, but not read from a text.
func fresh(t testing.TB, epsilon string) *Model {
	t.Helper()
	s := tabletest.Schema(t, patients)
	return modelOf(t, s, inBins(t, s, people(t, s)), epsilon)
}

// inBins returns the table d of the schema s with bins. The rows of each record are divided among the bins of its first
// value that has bins, in proportion to the numbers in these bins. Its other values become their first bins.
func inBins(t testing.TB, s *table.Schema, d *table.Table) *table.Table {
	t.Helper()
	binned, values := s.Binned()
	divided := slices.IndexFunc(values, func(of []uint16) bool { return of != nil })
	if divided < 0 {
		t.Fatal("the schema has no bins")
	}
	_, intervals, _ := s.Attributes[divided].Written()
	_, bins, _ := binned.Attributes[divided].Written()
	b := binned.Builder()
	add := func(record table.Record, outcome int, n int64) {
		if n == 0 {
			return
		}
		if err := b.AddOutcome(record, outcome, n); err != nil {
			t.Fatal(err)
		}
	}
	var record table.Record
	for i := range d.Len() {
		record = d.Record(i, record)
		value := int(record[divided])
		for j, of := range values {
			if of != nil {
				record[j] = uint16(slices.Index(of, record[j]))
			}
		}
		if value >= len(intervals) { // not a number
			add(record, d.Outcome(i), d.Count(i))
			continue
		}
		first, width := intervals[value][0], intervals[value][1]-intervals[value][0]+1
		for k, of := range bins {
			if int(values[divided][k]) == value {
				record[divided] = uint16(k)
				add(record, d.Outcome(i), d.Count(i)*(of[1]+1-first)/width-d.Count(i)*(of[0]-first)/width)
			}
		}
	}
	if err := b.AddNull(d.Nulls()); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// layoutOf returns the layout of a schema for the table d, which is coded by the schema or by its bins.
func layoutOf(t testing.TB, s *table.Schema, d *table.Table) *Layout {
	t.Helper()
	l, err := NewLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Sizes(), l.Binned.Sizes()) {
		l = l.Unbinned()
	}
	return l
}

// modelOf returns a model of a table. The test may change the model.
func modelOf(t testing.TB, s *table.Schema, d *table.Table, epsilon string) *Model {
	t.Helper()
	return seededModel(t, s, d, epsilon, 1)
}

// seededModel is modelOf with noise that follows from the given seed.
func seededModel(t testing.TB, s *table.Schema, d *table.Table, epsilon string, seed uint64) *Model {
	t.Helper()
	l := layoutOf(t, s, d)
	g := privacy.Statement{Epsilon: privacytest.Decimal(t, epsilon), Delta: privacytest.Decimal(t, "1e-6"), Relation: privacy.AddRemove, Assumes: []privacy.Assumption{}}
	rho, err := privacy.RhoWithin(g.Epsilon, g.Delta)
	if err != nil {
		t.Fatal(err)
	}
	p, err := synth.NewPlan(l.Domain, synth.Budget{Relation: g.Relation, Rho: rho})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	made, err := synth.NewMechanism(p, l.Fitting(Drawing{})).Release(ctx, l.View(d), noise.Insecure(seed))
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Layout: l, Guarantee: &g, Rows: int64(math.Round(made.Measured.Total())), Measured: made.Measured}
	rows, err := made.Rows(ctx, l.Domain.Records(m.Rows))
	if err != nil {
		t.Fatal(err)
	}
	m.Records = NewRecords(l.Domain, rows)
	return m
}

// projected returns the table with the same rows as whole, but only the given attributes.
func projected(t *testing.T, whole *table.Table, attributes ...int) *table.Table {
	t.Helper()
	var sizes []int
	for _, j := range attributes {
		sizes = append(sizes, whole.Sizes()[j])
	}
	b := table.NewBuilderOf(sizes, whole.Outcomes())
	for i := range whole.Len() {
		var r table.Record
		for _, j := range attributes {
			r = append(r, whole.Record(i, nil)[j])
		}
		if err := b.AddOutcome(r, whole.Outcome(i), whole.Count(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(whole.Nulls()); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// A view has the columns that are not functions of others, and the rows of the table.
func TestView(t *testing.T) {
	s := tabletest.Schema(t, patients)
	l, err := NewLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	whole := people(t, s)
	if got := l.View(whole); !reflect.DeepEqual(got.Sizes(), []int{3, 2, 4}) {
		t.Errorf("sizes %v", got.Sizes())
	}
	tabletest.Agree(t, l.View(whole), projected(t, whole, 0, 2, 3), 20, 1)
	queries := l.Queries(table.Queries{Columns: [][]int{{1}, {0, 3}}, Any: 2})
	if want := (table.Queries{Columns: [][]int{{2}, {0, 4}}, Any: 2}); !reflect.DeepEqual(queries, want) {
		t.Errorf("queries %v, not %v", queries, want)
	}
	outcome := tabletest.Schema(t, patients+"[[rule]]\nfunction = \"back\"\nof = [\"sex\"]\notherwise = \"no\"\n")
	if l, err = NewLayout(outcome); err != nil || l.Domain.Outcome || len(l.Domain.Columns) != 3 {
		t.Fatalf("where the outcome is a function: %+v, %v", l.Domain, err)
	}
	tabletest.Agree(t, l.View(whole), projected(t, whole, 0, 2, 3), 20, 1)
	all, err := NewLayout(tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if all.View(whole) != table.Counts(whole) {
		t.Error("without functions it is another table")
	}
}

// The witness has a value for each free column and satisfies the rules.
func TestWitness(t *testing.T) {
	l, err := NewLayout(tabletest.Schema(t, `
[[attribute]]
column = "a"
values = ["x", "y"]
[[attribute]]
column = "b"
values = ["u", "v"]
[[attribute]]
column = "c"
values = ["p", "q"]
[[rule]]
function = "a"
of = ["b"]
table = [["u", "y"]]
otherwise = "x"
[[rule]]
forbid = { b = ["u"], c = ["p"] }
`))
	if err != nil {
		t.Fatal(err)
	}
	if w := l.Witness; len(w) != 2 || len(l.Rules) != 1 || l.Rules[0].Forbidden[2*w[0]+w[1]] {
		t.Errorf("the witness of %+v is %v", l.Rules, w)
	}
}

// The fit gets the number of ordered values of each free column. Missing numbers and categories have no order.
func TestOrderReachesTheFit(t *testing.T) {
	l, err := NewLayout(tabletest.Schema(t, `
[[attribute]]
column = "age"
cuts = [30, 60]
draw = "integer"
least = 0
most = 120
other = "missing"
[[attribute]]
column = "sex"
values = ["f", "m"]
[[attribute]]
column = "children"
values = ["0", "1", "2"]
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Fitting(Drawing{}).Ordered; !slices.Equal(got, []int{3, 0, 3}) {
		t.Errorf("%v ordered values", got)
	}
}

// Rows that are sampled from a model satisfy the rules, and are the same after they are written and read.
func TestDraw(t *testing.T) {
	m := released(t, "2")
	ctx := context.Background()
	rows, err := m.Draw(ctx, 2000, Drawing{Seed: 3, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Draw(ctx, 2000, Drawing{Seed: 3, Threads: 1})
	if err != nil || !reflect.DeepEqual(rows, again) {
		t.Errorf("one seed draws two sets of rows, %v", err)
	}
	var r []uint16
	for i := range rows.Len() {
		r = rows.Record(i, r)
		if r[0] == 2 && r[2] == 1 || (r[0] == 2) != (r[1] == 1) {
			t.Fatalf("row %v breaks a rule", r)
		}
	}
	var b bytes.Buffer
	if err := rows.Write(ctx, &b, "x.csv", "", nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2001 || lines[0] != "ward,building,sex,age,back" || strings.Contains(b.String(), ",y\n") {
		t.Errorf("%d lines, the first %q", len(lines), lines[0])
	}
}

// A model is the same after it is written and read.
func TestModelText(t *testing.T) {
	m := fresh(t, "2")
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := read.Text()
	if err != nil || !bytes.Equal(again, text) {
		t.Fatalf("it is written again as %s, %v", again, err)
	}
	ctx := context.Background()
	first, err := m.Draw(ctx, 500, Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := read.Draw(ctx, 500, Drawing{})
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("what is read draws other rows, %v", err)
	}
	m.Guarantee, m.Void = nil, model.InsecureSeed
	if text, err = m.Text(); err != nil {
		t.Fatal(err)
	}
	if read, err = Parse(text); err != nil || read.Void != model.InsecureSeed {
		t.Errorf("without a guarantee: %v", err)
	}
}

// A model file whose statements do not follow from its measurements is refused.
func TestModelTampered(t *testing.T) {
	text, err := released(t, "2").Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, by, says string }{
		{`"epsilon":"2"`, `"epsilon":"1.9"`, "exceeds the stated epsilon 1.9"},
		{`"delta":"0.000001"`, `"delta":"0.0000001"`, "exceeds the stated epsilon 2"},
		{`"delta":"0.000001"`, `"delta":"0"`, "no finite epsilon at the stated delta 0"},
		{`"guarantee":{"epsilon":"2","delta":"0.000001","relation":"add-remove"`, `"guarantee":{"epsilon":"2","delta":"0.000001","relation":"replace"`, "the stated neighbour relation is replace"},
		{`"assumes":[]`, `"assumes":["exact-oracle"]`, "the stated assumptions are"},
		{`"delta":"0.000001"`, `"delta":"1"`, "the stated delta 1 must be less than 1"},
		{`"format":"sibyl-synthetic/3"`, `"format":"sibyl-synthetic/4"`, "its format must be"},
		{`"format":"sibyl-synthetic/3"`, `"format":"sibyl-synthetic/1"`, "a key that its format does not define"},
		{`"format"`, `"not_private":"insecure-seed","format"`, "either a guarantee or the key \"not_private\", but has both"},
		{`"rows":`, `"rows":-`, "the number of rows is outside"},
		{`"rows":`, `"rows":1`, "but its measurements give"},
		{`"rows":`, `"rows":null,"row":`, "unknown key"},
		{`"records":{"number":`, `"records":{"number":1`, "it must have"},
		{`"records":{"number":`, `"records":{"number":-`, "it must have"},
		{`"most":`, `"most":1`, "the bins of the measurements differ from those that follow from the schema"},
		{`"codes":"`, `"codes":"AAAA`, "records"},
		{`"codes":"`, `"codes":"!`, "not valid base64"},
		{`"codes":"`, `"codes":"\n`, "not valid base64"},
		{`"records":`, `"record":`, "unknown key"},
		{`"rho":"`, `"rho":"1`, "the model is malformed"},
		{`"values":["f","m"]`, `"values":["f","m","x"]`, "differ from those of the schema"},
		{`"values":["heart","lung","birth"]`, `"values":["heart","lung"]`, "unknown category"},
		{`"records"`, `"colour":1,"records"`, "unknown key"},
		{`"schema"`, `"schema":null,"schema"`, "twice"},
	} {
		changed := strings.Replace(string(text), c.old, c.by, 1)
		if changed == string(text) {
			t.Errorf("%s is not there in %s", c.old, text)
			continue
		}
		if _, err := Parse([]byte(changed)); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s instead of %s: %v", c.by, c.old, err)
		}
	}
	for key, says := range map[string]string{
		"schema": "no schema", "rows": "does not state the number of rows", "measured": "has no measurements", "records": "has no records",
	} {
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil || parts[key] == nil {
			t.Fatalf("%s: %v", key, err)
		}
		delete(parts, key)
		without, err := json.Marshal(parts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(without); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("without %s: %v", key, err)
		}
	}
	for _, other := range []string{"", "{", "[]", "null", `{"format": "sibyl-model/1"}`, `{"format": "sibyl-synthetic/1"}`, `{"format": "sibyl-synthetic/2"}`, `{"format": "sibyl-synthetic/3"}`} {
		if _, err := Parse([]byte(other)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// The card lists the measurements of each kind with their share of ρ. It states one standard deviation if all counts of a
// kind have the same, and otherwise the least and the greatest.
func TestCard(t *testing.T) {
	m := released(t, "1")
	m.Layout.Schema.Name = "Ward"
	relation := m.Measured.Relation
	rho, _ := m.Measured.Rho().Float64()
	part := func(what string, of []synth.Measurement) Spent {
		s := Spent{What: what, Times: len(of), Least: math.Inf(1)}
		for _, x := range of {
			price, _ := x.Cost(relation).Rho.Float64()
			s.Share += price / rho
			s.Least, s.Deviation = min(s.Least, x.Deviation()), max(s.Deviation, x.Deviation())
		}
		if s.Least == s.Deviation {
			s.Least = 0
		}
		return s
	}
	var rounds []synth.Measurement
	selections := Spent{What: "selections of conjunctions with a large error", Times: len(m.Measured.Rounds)}
	for _, r := range m.Measured.Rounds {
		rounds = append(rounds, r.Measurement)
		price, _ := privacy.RangeRho(r.Epsilon).Float64()
		selections.Share += price / rho
	}
	number, columns, pairs := part("number of rows", []synth.Measurement{*m.Measured.Number}), part("columns", m.Measured.Columns), part("pairs of columns", m.Measured.Pairs)
	want := []Spent{number, columns, part("bins within intervals of columns", slices.DeleteFunc(slices.Clone(m.Measured.Bins), func(x synth.Measurement) bool { return x.Counts == nil })), pairs}
	if len(rounds) > 0 {
		want = append(want, selections, part("counts of the selected conjunctions", rounds))
	}
	c := m.Card()
	if len(c.Parts) != len(want) || pairs.Least == 0 {
		t.Fatal(c.Parts, want)
	}
	for i, p := range c.Parts {
		if math.Abs(p.Share-want[i].Share) > 1e-9 {
			t.Errorf("%s: share %v, not %v", p.What, p.Share, want[i].Share)
		}
		if p.Share = want[i].Share; p != want[i] {
			t.Errorf("%v, not %v", p, want[i])
		}
	}
	if c.Rho != m.Measured.Rho().RatString() {
		t.Errorf("ρ is %s", c.Rho)
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		fmt.Sprintf("Ward\n\nSynthetic data of 5 columns, made from about %d rows.\nColumns that are functions of others by public rules were not measured (1).\n\n", m.Rows),
		fmt.Sprintf(" %%  ± %.3g to ± %.3g\n", pairs.Least, pairs.Deviation), fmt.Sprintf(" ± %.3g\n", columns.Deviation),
	} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the card lacks %q:\n%s", part, &b)
		}
	}
	c.Parts = []Spent{{"pairs", 2, 1, 6.0001, 6.0002}}
	if noise := c.table()[1][3]; noise != "± 6" {
		t.Errorf("equal texts are written as %q", noise)
	}
}

// The relation of the measurements must match the [person] of the schema: rows or persons, and the maximum number of
// rows of a person.
func TestModelOfPersons(t *testing.T) {
	m := released(t, "2")
	m.Layout.Schema.Person = &table.Person{Column: "who", Most: 2}
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "the neighbour relation of the measurements, add-remove, does not match") {
		t.Errorf("%v", err)
	}
	m.Measured.Relation, m.Guarantee.Relation = privacy.AddRemove.OfPersons(2), privacy.AddRemove.OfPersons(2)
	if err := m.Validate(); err != nil && strings.Contains(err.Error(), "the relation of") {
		t.Error(err)
	}
	m.Layout.Schema.Person.Most = 3
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "measurements, add-remove-person-2,") {
		t.Errorf("another number of rows of a person: %v", err)
	}
}

// With a large ε, answers are nearly the exact ones.
func TestAsk(t *testing.T) {
	m := released(t, "1000")
	var questions []*Question
	shares := map[string]float64{
		"ward = birth":                            870.0 / 2570,
		"ward = birth and sex = f":                870.0 / 2570,
		"ward = birth and sex = m":                0, // which the rules forbid
		"building = new":                          870.0 / 2570,
		"ward ≠ birth and back = no":              700.0 / 2570,
		"age ≥ 60":                                1200.0 / 2570,
		"age ≥ 80":                                600.0 / 2570,
		"age = unknown and ward = lung":           100.0 / 2570,
		"ward = heart and sex = m and back = yes": 900.0 / 2570,
	}
	for text := range shares {
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, q)
	}
	answers, err := m.Ask(context.Background(), questions, Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if want := shares[a.Question]; math.Abs(a.Share-want) > .02 {
			t.Errorf("%s: the share is %.4f, not %.4f", a.Question, a.Share, want)
		}
		if a.ShareError < 0 || a.ShareError > .03 || math.Abs(a.Count-a.Share*2570) > 5 {
			t.Errorf("%+v", a)
		}
	}
}

func TestPage(t *testing.T) {
	m := released(t, "2")
	m.Layout.Flat.Attributes[0].Name = "<script>"
	var b bytes.Buffer
	if err := m.WriteHTML(context.Background(), &b, Drawing{}, report.Imprint{Note: "For tests."}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Differentially private: ε = 2", "&lt;script&gt;", "Cramér", "<svg", "one record added or removed", "<p>For tests.</p>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(b.String(), `\u00`) {
		t.Error("the page shows an escaped line break")
	}
	if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "http-equiv=\"refresh") || strings.Contains(b.String(), "src=") {
		t.Error("the page is not complete in itself")
	}
}

// Sampling rows does not change the records of a model.
func TestRecordsAreFittedOnce(t *testing.T) {
	m := released(t, "2")
	before := m.Records
	for seed := range uint64(2) {
		if _, err := m.Draw(context.Background(), 10, Drawing{Seed: seed, Threads: 1}); err != nil {
			t.Fatal(err)
		}
		if m.Records != before {
			t.Errorf("seed %d: records are fitted again", seed)
		}
	}
}
