package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// harness runs the script of pages on entries, without a document: it prints for each page and entry
// the codes, the grade, the outcome and the risks.
const harness = `
const pages = JSON.parse(require("fs").readFileSync(0, "utf8"));
const between = (page, from) => page.slice(page.indexOf(from) + from.length).split("</script>")[0];
console.log(JSON.stringify(pages.map(({page, entries}) => {
  const model = JSON.parse(between(page, '<script type="application/json" id="model">'));
  const sibyl = new Function(between(page, "<script>") + "\nreturn sibyl;")();
  return entries.map((entry) => {
    const codes = model.fields.map((f) => sibyl.code(f, entry[f.name][f.cuts ? "text" : "code"]));
    const found = sibyl.evaluate(model, codes);
    return {codes: Object.fromEntries(model.fields.map((f, i) => [f.name, codes[i]])), grade: found.grade, outcome: found.outcome, risks: found.risks || []};
  });
})));
`

type entry struct {
	Text string `json:"text"`
	Code string `json:"code"`
}

type computed struct {
	Codes   map[string]int `json:"codes"`
	Grade   int            `json:"grade"`
	Outcome int            `json:"outcome"`
	Risks   []string       `json:"risks"`
}

// node runs a script with Node.
func node(t *testing.T, script string, input, output any) {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed")
	}
	in, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-e", script)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	if err := json.Unmarshal(out, output); err != nil {
		t.Fatal(err)
	}
}

// clinic returns a schema whose page has every kind of input control.
func clinic(t *testing.T, l table.Label) *table.Schema {
	t.Helper()
	s, err := table.NewSchema(table.Schema{
		Label: &l,
		Attributes: []table.Attribute{
			{Column: "body_weight", Cuts: []table.Decimal{"-7.25", "0", "0.5", "50", "1000000000000000000000"}},
			{Column: "stays", Cuts: []table.Decimal{"1", "3"}, Other: "not known", Spelling: table.Spelling{Missing: []string{"-999", "2.50"}}},
			{Column: "admitted", Cuts: []table.Decimal{"-1", "19000", "20000"}, Dates: table.Dates{Format: "iso"}, Other: "no date", Spelling: table.Spelling{Missing: []string{"1900-01-01"}}},
			{Column: "admitted", Cuts: []table.Decimal{"4", "7"}, Dates: table.Dates{Format: "iso", Part: "month"}},
			{Column: "place", Groups: []table.Group{{Name: "lake", Values: []string{"Zug"}}, {Name: "hill", Values: []string{"Rigi"}}}},
			{Column: "wind", Values: []string{"Föhn", "<script>", `"Bise"`}, Other: "anything else"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// entered returns a random record as a reader enters it, with its codes.
func entered(r *rand.Rand, s *table.Schema) (map[string]entry, table.Record) {
	entries, record := map[string]entry{}, table.Record{}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		name := strings.ReplaceAll(a.Name, "_", " ")
		code := r.IntN(a.Len())
		e := entry{Code: fmt.Sprint(code)}
		if len(a.Cuts) > 0 && a.Part == "" {
			if a.IsDate() {
				e.Text = []string{"1969-12-30", "1969-12-31", "2022-01-07", "2022-01-08", "2024-10-04", "2024-10-03", "0001-01-01", "1900-01-01"}[r.IntN(8)]
			} else {
				cut := string(a.Cuts[r.IntN(len(a.Cuts))])
				e.Text = []string{cut, "+" + strings.TrimPrefix(cut, "-"), cut + "00", strings.TrimSuffix(cut, "0") + "1", "-" + strings.TrimPrefix(cut, "-"), "0049.9999999999999999999999999", "00" + strings.TrimPrefix(cut, "-"), "-0", ".5", "-999.0", "2.5"}[r.IntN(11)]
				if !strings.Contains(cut, ".") {
					e.Text = strings.Replace(e.Text, cut+"00", cut+".00", 1)
				}
			}
			var ok bool
			if code, ok = a.Code(e.Text); !ok {
				panic(e.Text)
			}
			e.Text = strings.Replace(e.Text, "-", map[bool]string{true: "-", false: "−"}[a.IsDate() || r.IntN(2) == 0], 1)
		}
		entries[name], record = e, append(record, uint16(code))
	}
	return entries, record
}

// noisyRisks adds risks from random counts to a model.
func noisyRisks(t *testing.T, r *rand.Rand, m *model.Model) {
	t.Helper()
	g, err := m.Grades()
	if err != nil {
		t.Fatal(err)
	}
	cells := make([]*big.Int, g.Scale.Cells())
	for i := range cells {
		cells[i] = big.NewInt(r.Int64N(2000) - 20)
	}
	epsilon := privacytest.Decimal(t, "0.2")
	if m.Risks, err = risk.Noisy(g.Scale, cells, epsilon, privacy.ReplaceOne); err != nil {
		t.Fatal(err)
	}
}

// For each record, the calculator of a page computes the prediction of the model.
func TestCalculator(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 23))
	binary := clinic(t, table.Label{Column: "back", Positive: []string{"yes"}, Negative: []string{"no"}})
	many := clinic(t, table.Label{Column: "back", Values: []string{"never", "soon", "late"}})
	literals := model.Literals{Negated: true, Intervals: true}
	points := func(most int) (all [][]int) {
		for j, n := range binary.Sizes() {
			all = append(all, make([]int, n))
			for c := range all[j] {
				all[j][c] = r.IntN(2*most+1) - most
			}
		}
		all[0], all[1] = make([]int, len(all[0])), slices.Repeat([]int{2}, len(all[1])) // not asked
		all[0][0] = 1
		return all
	}
	var tree func(depth, outcomes int) *dectree.Tree
	tree = func(depth, outcomes int) *dectree.Tree {
		if depth == 0 {
			return &dectree.Tree{Outcome: r.IntN(outcomes)}
		}
		return &dectree.Tree{Test: r.IntN(20), Yes: tree(depth-1, outcomes), No: tree(depth-1, outcomes)}
	}
	models := map[string]*model.Model{
		"card":        {Form: model.Scorecard{Points: model.Points{Least: -3, Most: 3}, Threshold: 1}, Hypothesis: scorecard.Card{Points: points(3)}},
		"additive":    {Form: model.Additive{Kind: model.NaiveBayes, Scale: 100}, Hypothesis: learn.Points{Prior: -12, Points: points(90)}},
		"ranked":      {Form: model.RankedTree{Depth: 4, Scale: 100}, Hypothesis: learn.RankedTree[any]{Tree: tree(4, 2), Points: points(9)}},
		"sum":         {Form: model.CardAndTree{Depth: 3, Scale: 10}, Hypothesis: convex.CardAndTree[any]{Card: learn.Points{Prior: 4, Points: points(9)}, Tree: tree(3, 2), Bonus: -7}},
		"conjunction": {Form: model.Conjunction{Literals: literals}, Hypothesis: conjunction.Formula{Tests: []int{2, 0, 1, 0, 0, 2}}},
		"disjunction": {Form: model.Conjunction{Literals: literals, Disjunction: true}, Hypothesis: conjunction.Formula{Tests: []int{1, 0, 3, 0, 1, 0}}},
		"list":        {Form: model.DecisionList{Literals: literals, Width: 2, Rules: 3}, Hypothesis: declist.List{Rules: []declist.Rule{{Antecedent: 200, Label: true}, {Antecedent: 3}, {Antecedent: 99, Label: true}}}},
		"parity":      {Form: model.Parity{Digits: true, Affine: true}, Hypothesis: parity.Parity{Bits: 0b10110111, Constant: true}},
		"majority":    {Form: model.ReadOnce{}, Hypothesis: readonce.Formula{Inputs: []int{1, 9, 14}}},
		"nand":        {Form: model.ReadOnce{NAND: true}, Hypothesis: readonce.Formula{Gate: readonce.Nand, Inputs: []int{1, 7, 12, 15}}},
		"tree":        {Form: model.DecisionTree{Depth: 4}, Hypothesis: tree(4, 2)},
		"classes":     {Form: model.DecisionTree{Depth: 3}, Hypothesis: tree(3, 3), Schema: many},
	}
	type input struct {
		Page    string             `json:"page"`
		Entries []map[string]entry `json:"entries"`
	}
	var inputs []input
	var names []string
	records := map[string][]table.Record{}
	for _, name := range slices.Sorted(maps.Keys(models)) { // the same records in each run
		m := models[name]
		if m.Schema == nil {
			m.Schema = binary
		}
		m.Mechanism, m.Void = unprotected, model.NoMechanism
		if err := m.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name != "nand" { // without risks
			noisyRisks(t, r, m)
		}
		var page strings.Builder
		if err := m.Sheet().WriteHTML(&page, nil, "", report.Imprint{}); err != nil {
			t.Fatal(err)
		}
		in := input{Page: page.String()}
		for range heavy.Pick(1000, 10000) {
			e, record := entered(r, m.Schema)
			in.Entries, records[name] = append(in.Entries, e), append(records[name], record)
		}
		inputs, names = append(inputs, in), append(names, name)
	}
	var outputs [][]computed
	node(t, harness, inputs, &outputs)
	for i, name := range names {
		m := models[name]
		rule, risks := m.Rule(), m.Risk()
		seen := map[int]bool{}
		for k, got := range outputs[i] {
			record := records[name][k]
			for j := range m.Schema.Attributes {
				column := strings.ReplaceAll(m.Schema.Attributes[j].Name, "_", " ")
				if code, asked := got.Codes[column]; asked && code != int(record[j]) {
					t.Fatalf("%s: %s %+v has code %d, not %d", name, column, inputs[i].Entries[k][column], code, record[j])
				}
			}
			var want []string
			if risks != nil {
				for _, s := range risks(record) {
					want = append(want, report.PlainShare(s))
				}
			}
			if got.Grade != rule.Grade(record) || got.Outcome != rule.Outcome(record) || !slices.Equal(got.Risks, want) && len(want)+len(got.Risks) > 0 {
				t.Fatalf("%s: %v: %+v, want %d, %d, %q", name, record, got, rule.Grade(record), rule.Outcome(record), want)
			}
			seen[got.Outcome] = true
		}
		if len(seen) < 2 {
			t.Errorf("%s: one prediction only", name)
		}
	}
}

// Nothing but a number or a date has a code, and numbers are compared exactly.
func TestCalculatorCodes(t *testing.T) {
	const script = `const [source, asked] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const sibyl = new Function(source + "\nreturn sibyl;")();
console.log(JSON.stringify(asked.map(([field, text]) => sibyl.code(field, text))));`
	number := map[string]any{"categories": []string{"a", "b", "c"}, "cuts": []string{"-0.1", "10"}}
	date := map[string]any{"categories": []string{"a", "b"}, "cuts": []string{"2020-01-01"}, "date": true}
	list := map[string]any{"categories": []string{"a", "b"}}
	var asked [][2]any
	var want []int
	add := func(field any, text string, code int) {
		asked, want = append(asked, [2]any{field, text}), append(want, code)
	}
	for text, code := range map[string]int{
		"": -1, " ": -1, ".": -1, "-": -1, "1e3": -1, "1,5": -1, "1 000": -1, "NaN": -1, "0x1": -1, "--1": -1, "1.2.3": -1, "١": -1,
		"0": 1, "-0": 1, "+0.": 1, " 9.999999999999999999999 ": 1, "10": 2, "10.0": 2, "010": 2, "1" + strings.Repeat("0", 400): 2, "-.1": 1, "−0.10": 1, "-0.1000000000000000000001": 0, "-" + strings.Repeat("9", 400): 0,
	} {
		add(number, text, code)
	}
	for text, code := range map[string]int{"2019-12-31": 0, "2020-01-01": 1, "": -1, "2020": -1, "12020-01-01": -1} {
		add(date, text, code)
	}
	for text, code := range map[string]int{"": -1, "0": 0, "1": 1, "2": -1, "x": -1, "0.5": -1} {
		add(list, text, code)
	}
	var got []int
	node(t, script, []any{report.CalculatorScript, asked}, &got)
	for i, code := range got {
		if code != want[i] {
			t.Errorf("%q has code %d, not %d", asked[i][1], code, want[i])
		}
	}
	if len(got) != len(want) || strconv.Itoa(len(got)) == "0" {
		t.Errorf("%d codes of %d", len(got), len(want))
	}
}
