package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

var unprotected = model.NewMechanism(struct {
	Name string `json:"name"`
}{model.None})

var update = flag.Bool("update", false, "write the golden files")

// golden compares the text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s", name, got)
	}
}

// weather returns a schema with names that a terminal, a page or a sentence could misinterpret.
func weather(t *testing.T) *table.Schema {
	t.Helper()
	s, err := table.NewSchema(table.Schema{
		Name:  "Wetter\x1b[31m <script>",
		Label: &table.Label{Column: "rain", Positive: []string{"yes", "a little", "dunno"}, Negative: []string{"no"}},
		Attributes: []table.Attribute{
			{Column: "wind", Values: []string{"Föhn", "Bise\n", "日本"}, Other: "anything else"},
			{Column: "month", Cuts: []table.Decimal{"3", "6.5"}},
			{Column: "place", Groups: []table.Group{{Name: "lake", Values: []string{"Zug"}}, {Name: "hill", Values: []string{"Rigi"}}}},
			{Column: "day", Values: []string{"odd"}},
			{Name: `"old, or <b>`, Column: "age", Cuts: []table.Decimal{"-1", "0", "99.5"}, Other: "or"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// goldenSheet compares the text and the page of a sheet with the files of that name.
func goldenSheet(t *testing.T, name string, sheet report.Sheet) {
	t.Helper()
	var b strings.Builder
	if err := sheet.Write(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, name+".txt", b.String())
	b.Reset()
	if err := sheet.WriteHTML(&b, nil, "No <guarantee>.", report.Imprint{}); err != nil {
		t.Fatal(err)
	}
	golden(t, name+".html", withoutAssets(t, b.String()))
}

// withoutAssets removes the style and the script, which are the same on all pages.
func withoutAssets(t *testing.T, page string) string {
	t.Helper()
	for _, asset := range []string{report.PageStyle, report.CalculatorScript} {
		page = strings.Replace(page, asset, "…", 1)
	}
	return regexp.MustCompile(`script-src .*?; base-uri`).ReplaceAllString(page, "script-src …; base-uri")
}

func TestCard(t *testing.T) {
	schema := weather(t)
	schema.Attributes = schema.Attributes[:4]
	for name, test := range map[string]struct {
		points    [][]int
		threshold int
	}{
		"gaps":     {[][]int{{-3, 0, 3, 0}, {0, 6, 0}, {0, 0}, {0}}, 1},
		"constant": {[][]int{{0, 0, 0, 0}, {1, 1, 1}, {10, -10}, {-2}}, 0},
		"nothing":  {[][]int{{0, 0, 0, 0}, {0, 0, 0}, {0, 0}, {0}}, 1},
		"always":   {[][]int{{0, 1, 0, 0}, {0, 0, 0}, {0, 0}, {0}}, -5},
	} {
		m := &model.Model{Schema: schema, Form: model.Scorecard{Threshold: test.threshold}, Hypothesis: scorecard.Card{Points: test.points}}
		goldenSheet(t, name, m.Sheet())
	}
}

// A numeric label is described by its bound.
func TestNumericLabel(t *testing.T) {
	schema := weather(t)
	schema.Attributes = schema.Attributes[1:2]
	for column, want := range map[string][2]string{"rain": {"rain ≥ 0.5", "rain < 0.5"}, "rain, mm": {`"rain, mm" ≥ 0.5`, `"rain, mm" < 0.5`}} {
		schema.Label = &table.Label{Column: column, AtLeast: "0.5"}
		sheet := (&model.Model{Schema: schema, Form: model.Scorecard{Threshold: 1}, Hypothesis: scorecard.Card{Points: [][]int{{0, 1, 2}}}}).Sheet()
		if got := [2]string{sheet.Positive, sheet.Negative}; got != want || sheet.Label != column {
			t.Errorf("%q: %q, want %q", sheet.Label, got, want)
		}
	}
}

func TestAdditiveCard(t *testing.T) {
	schema := weather(t)
	schema.Attributes = schema.Attributes[:4]
	for name, test := range map[string]struct {
		form   model.Additive
		points learn.Points
	}{
		"naive-bayes": {model.Additive{Kind: model.NaiveBayes, Scale: 100}, learn.Points{Prior: -1234, Points: [][]int{{-12345, 0, 3, 0}, {0, 6, 0}, {0, 0}, {70}}}},
		"logistic":    {model.Additive{Kind: model.Logistic, Scale: 1}, learn.Points{Prior: 3, Points: [][]int{{0, 1, 2, 0}, {0, 0, 0}, {0, 0}, {0}}}},
		"svm":         {model.Additive{Kind: model.SVM, Scale: 100}, learn.Points{Prior: 0, Points: [][]int{{0, 0, 0, 0}, {0, 0, 0}, {0, 0}, {0}}}},
	} {
		m := &model.Model{Schema: schema, Form: test.form, Hypothesis: test.points, Mechanism: unprotected, Void: model.NoMechanism}
		if err := m.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		goldenSheet(t, name, m.Sheet())
	}
}

// A card states which records receive a bonus, and does not list the attributes of the bonus as unused. If the bonus
// decides the prediction, the card begins with the prediction.
func TestBonus(t *testing.T) {
	schema := weather(t)
	in := func(attribute int, accepts ...uint16) rule.Condition {
		return rule.Condition{Attribute: attribute, Accepts: accepts}
	}
	none := [][]int{{0, 0, 0, 0}, {0, 0, 0}, {0, 0}, {0}, {0, 0, 0, 0, 0}}
	for name, p := range map[string]rule.Points{
		"bonus-decides": {
			Start: -9, Of: [][]int{{-5, 0, 3, 1}, {0, 0, 0}, {0, 0}, {2}, {-1, 0, 1, 4, 0}}, Threshold: 1, Constant: true,
			If: rule.Any{rule.All{in(0, 1, 2), in(1, 0, 2)}, rule.All{in(4, 0, 1)}, rule.All{in(0, 0), in(2, 0), in(4, 3, 4)}}, Bonus: 16, Double: 7,
		},
		"bonus-less":   {Start: -3, Of: none, If: rule.Any{rule.All{in(1, 1, 2)}}, Bonus: 3, Threshold: 1, Constant: true},
		"bonus-totals": {Of: [][]int{{-1, 0, 1, 0}, none[1], none[2], none[3], none[4]}, If: rule.Any{rule.All{in(1, 2), in(4, 1, 2)}}, Bonus: 2, Threshold: 2},
	} {
		h := report.NewHeading(schema)
		goldenSheet(t, name, report.NewSheet("scorecard", "scorecard", h, report.NewBody(h, schema, p)))
	}
}

func TestRule(t *testing.T) {
	schema := weather(t)
	literals := model.Literals{Negated: true, Intervals: true}
	conjunctions := model.Conjunction{Literals: literals}
	lists := model.DecisionList{Literals: literals, Width: 2}
	cards := model.Halfspace{Weights: model.Points{Least: -1, Most: 1}, Threshold: 1}
	first := declist.Rule{Antecedent: 200, Label: true}
	for name, m := range map[string]model.Model{
		"conjunction":        {Form: conjunctions, Hypothesis: conjunction.Formula{Tests: []int{2, 5, 1, 0, 7}}},
		"conjunction-one":    {Form: conjunctions, Hypothesis: conjunction.Formula{Tests: []int{5, 0, 0, 0, 0}}},
		"conjunction-always": {Form: conjunctions, Hypothesis: conjunction.Formula{Tests: []int{0, 0, 0, 0, 0}}},
		"disjunction":        {Form: model.Conjunction{Literals: literals, Disjunction: true}, Hypothesis: conjunction.Formula{Tests: []int{0, 6, 0, 0, 13}}},
		"disjunction-never":  {Form: model.Conjunction{Disjunction: true}, Hypothesis: conjunction.Formula{Tests: []int{0, 0, 0, 0, 0}}},
		"list":               {Form: lists, Hypothesis: declist.List{Rules: []declist.Rule{first, {Antecedent: 3}, {Antecedent: 9, Label: true}}}},
		"list-always":        {Form: lists, Hypothesis: declist.List{Default: true}},
		"parity":             {Form: model.Parity{Digits: true, Affine: true}, Hypothesis: parity.Parity{Bits: 0b10111111, Constant: true}},
		"parity-one":         {Form: model.Parity{Affine: true}, Hypothesis: parity.Parity{Bits: 1 << 4, Constant: true}},
		"parity-never":       {Form: model.Parity{}, Hypothesis: parity.Parity{}},
		"majority":           {Form: model.ReadOnce{}, Hypothesis: readonce.Formula{Inputs: []int{1, 4, 7}}},
		"majority-deep":      {Form: model.ReadOnce{Depth: 2}, Hypothesis: readonce.Formula{Inputs: []int{0, 1, 2, 3, 4, 5, 6, 7, 8}}},
		"nand":               {Form: model.ReadOnce{NAND: true}, Hypothesis: readonce.Formula{Gate: readonce.Nand, Inputs: []int{1, 4, 7, 8}}},
		"nand-shallow":       {Form: model.ReadOnce{NAND: true, Depth: 1}, Hypothesis: readonce.Formula{Gate: readonce.Nand, Inputs: []int{1, 8}}},
		"nand-deep":          {Form: model.ReadOnce{NAND: true, Depth: 3}, Hypothesis: readonce.Formula{Gate: readonce.Nand, Inputs: []int{0, 1, 2, 3, 4, 5, 6, 7}}},
		"tree": {Form: model.DecisionTree{Depth: 3}, Hypothesis: &dectree.Tree{
			Test: 4, Yes: &dectree.Tree{Test: 0, Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{Test: 7, Yes: &dectree.Tree{}, No: &dectree.Tree{}}},
			No: &dectree.Tree{Test: 12, Yes: &dectree.Tree{}, No: &dectree.Tree{Test: 7, Yes: &dectree.Tree{}, No: &dectree.Tree{Outcome: 1}}},
		}},
		"tree-always": {Form: model.DecisionTree{Depth: 1}, Hypothesis: &dectree.Tree{Test: 3, Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{Outcome: 1}}},
		"union": {
			Form:       model.UnionOf([]model.Form{cards, lists, model.Parity{}, model.ReadOnce{NAND: true}}),
			Hypothesis: union.Choice[any]{Member: 1, Hypothesis: declist.List{Rules: []declist.Rule{first}}},
		},
		"union-one": {
			Form:       model.UnionOf([]model.Form{cards}),
			Hypothesis: union.Choice[any]{Hypothesis: scorecard.Card{Points: [][]int{{0, 1, 0, 0}, {0, 1, 2}, {0, 0}, {0}, {0, 0, 0, 0, 0}}}},
		},
	} {
		m.Schema, m.Void = schema, model.NoMechanism
		m.Mechanism = unprotected
		if err := m.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		goldenSheet(t, name, m.Sheet())
	}
}

// A tree for three outcomes is written with the names of the outcomes, however the schema defines
// them.
func TestOutcomes(t *testing.T) {
	for name, l := range map[string]*table.Label{
		"values": {Column: "rain", Values: []string{"no", "a little", "or"}},
		"groups": {Column: "rain", Groups: []table.Group{{Name: "none", Values: []string{"0"}}, {Name: "some", Values: []string{"1", "2"}}, {Name: "much", Values: []string{"3"}}}},
		"cuts":   {Column: "mm a day", Cuts: []table.Decimal{"0.5", "10"}},
	} {
		s := *weather(t)
		s.Label = l
		schema, err := table.NewSchema(s)
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Schema: schema, Form: model.DecisionTree{Depth: 2}, Void: model.NoMechanism, Mechanism: unprotected, Hypothesis: &dectree.Tree{
			Test: 4, Yes: &dectree.Tree{Test: 0, Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{Outcome: 2}},
			No: &dectree.Tree{Test: 12, Yes: &dectree.Tree{}, No: &dectree.Tree{}},
		}}
		if err := m.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		goldenSheet(t, "outcomes-"+name, m.Sheet())
	}
}

// TestEveryRule checks that no two hypotheses of a class have the same text.
func TestEveryRule(t *testing.T) {
	schema := weather(t)
	for _, f := range []model.Form{
		model.Conjunction{Literals: model.Literals{Negated: true, Intervals: true}, Most: 2},
		model.Conjunction{Disjunction: true, Literals: model.Literals{Intervals: true}, Most: 2},
		model.DecisionList{Literals: model.Literals{Negated: true}, Rules: 1, Width: 2},
		model.DecisionList{Rules: 2},
		model.Parity{Digits: true, Affine: true}, model.Parity{Most: 3},
		model.ReadOnce{}, model.ReadOnce{NAND: true}, model.ReadOnce{NAND: true, Depth: 1},
		model.Halfspace{Weights: model.Points{Least: 0, Most: 1}, Threshold: 1, Most: 2},
		model.UnionOf([]model.Form{model.ReadOnce{NAND: true, Depth: 1}, model.Parity{Digits: true}}),
	} {
		space, err := f.Over(schema)
		if err != nil {
			t.Fatal(err)
		}
		c := space.Sampling().Class
		seen := map[string]any{}
		for h := range c.(class.Enumerable[table.Record, any]).All() {
			var b strings.Builder
			m := &model.Model{Schema: schema, Form: f, Space: space, Hypothesis: h}
			if err := m.Sheet().Write(&b); err != nil {
				t.Fatal(err)
			}
			if other, twice := seen[b.String()]; twice {
				t.Fatalf("%v: %+v and %+v read alike:\n%s", c, other, h, b.String())
			}
			seen[b.String()] = h
		}
		if len(seen) < 20 {
			t.Errorf("%v: only %d hypotheses", c, len(seen))
		}
	}
}

func TestGuarantee(t *testing.T) {
	golden(t, "guarantee.txt", report.Guarantee("scorecard", &privacy.Statement{
		Epsilon: privacytest.Decimal(t, "20.5"), Relation: privacy.AddRemove, Assumes: []privacy.Assumption{privacy.ExactOracle},
	}, "", nil)+"\n"+report.Guarantee("scorecard", &privacy.Statement{
		Epsilon: privacytest.Decimal(t, "0.5"), Delta: privacytest.Decimal(t, "1e-6"), Relation: privacy.ReplaceOne,
	}, "", nil)+"\n"+report.Guarantee("scorecard", nil, model.InsecureSeed.Text(), nil))
}

func TestTable(t *testing.T) {
	var b strings.Builder
	rows := [][]string{{"name", "n", ""}, {"ä", "100"}, {"long one", "2", "x"}}
	if err := report.WriteTable(&b, rows, "lr"); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", b.String())
}

// If cuts of the schema come from another release, the total of the guarantees is stated.
func TestGuaranteeTotal(t *testing.T) {
	epsilon := privacytest.Decimal(t, "0.5")
	g := &privacy.Statement{Epsilon: epsilon, Relation: privacy.ReplaceOne}
	s := &table.Schema{Profiles: []table.Profile{{Columns: []string{"a", "b"}, Epsilon: "0.25", Delta: "0.001"}, {Columns: []string{"c "}, Epsilon: "1", Delta: "0"}}}
	const want = "The cuts of a and of 1 other column come from another release: ε = 0.25, δ = 0.001.\nThe cuts of \"c \" come from another release: ε = 1, δ = 0.\n" +
		"In total, if the releases are about the same people: ε = 1.75, δ = 0.001, one record replaced.\n"
	if got := report.Guarantee("card", g, "", s); !strings.HasSuffix(got, want) {
		t.Errorf("%s", got)
	}
	if got := report.TotalGuarantee(g, s); got != "In total with the releases that chose cuts of the schema: ε = 1.75, δ = 0.001, one record replaced." {
		t.Errorf("%s", got)
	}
	s.Profiles[1].NotPrivate = true
	if got := report.Guarantee("card", g, "", s); !strings.HasSuffix(got, "NOT PRIVATE: some cuts of the schema come from private data, without a guarantee.\n") {
		t.Errorf("%s", got)
	}
	s.Attributes = []table.Attribute{{Name: "a", Cuts: []table.Decimal{"1"}}, {Name: "b", Values: []string{"x"}}, {Name: "c ", Values: []string{"x"}}}
	if got := report.Guarantee("card", g, "", s); !strings.HasSuffix(got, "NOT PRIVATE: some cuts and categories of the schema come from private data, without a guarantee.\n") {
		t.Errorf("%s", got)
	}
	s.Profiles[1].NotPrivate = false
	if got := report.Guarantee("card", g, "", s); !strings.Contains(got, "The cuts and categories of a and of 1 other column come") || !strings.Contains(got, "The categories of \"c \" come") {
		t.Errorf("%s", got)
	}
	if got := report.TotalGuarantee(g, nil); got != "" {
		t.Errorf("%s", got)
	}
}
