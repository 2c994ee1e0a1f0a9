package model_test

import (
	"bytes"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// Every tree of depth 1, and some of depth 2, is unchanged if it is written and read. It returns the
// prediction and the leaf of a record. The rule of this leaf is the only one that applies.
func TestDecisionTrees(t *testing.T) {
	schema := parseSchema(t)
	attributes := []dectree.Attribute{{Categories: 5, Ordered: 4}, {Categories: 2}, {Categories: 2}, {Categories: 1}}
	b := schema.Builder()
	for i := range 20 {
		for label := range int64(2) {
			if err := b.Add(table.Record{uint16(i % 5), uint16(i / 5 % 2), uint16(i / 10), 0}, label == 1, int64(i)+7*label+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	scanned := tabletest.Scan{Table: b.Table()}
	for depth, most := range map[int]int{1: 1 << 20, 2: 300} {
		typed, err := dectree.New(attributes, depth, 2)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for h := range typed.All() {
			if len(seen) == most {
				break
			}
			m := promising(t, schema, model.DecisionTree{Depth: depth}, h)[0]
			text := written(t, m)
			again, err := model.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%v: %v", h, err)
			}
			if other := again.Hypothesis.(*dectree.Tree); other.String() != h.String() || seen[string(text)] || !bytes.Equal(written(t, again), text) {
				t.Fatalf("%v is read as %v from\n%s", h, other, text)
			}
			seen[string(text)] = true
			predict, err := again.Outcome()
			if err != nil {
				t.Fatal(err)
			}
			name, leaf := again.Grader()
			grading := model.Grades(again.Space, again.Hypothesis)
			scale, grade := grading.Scale, grading.Of
			if got, err := grading.Count(t.Context(), scanned); err != nil || !slices.Equal(got, scale.Count(scanned.Table, grade)) || grading.Queries(4).Records {
				t.Fatalf("%v: %v are counted, %v; by one record after the other %v", h, got, err, scale.Count(scanned.Table, grade))
			}
			rules, err := again.Sheet().Rules()
			if err != nil || len(rules) != len(scale.Grades) {
				t.Fatalf("%v: %d rules, %d grades: %v", h, len(rules), len(scale.Grades), err)
			}
			for _, x := range []table.Record{{0, 0, 1, 0}, {2, 1, 0, 0}, {4, 1, 1, 0}} {
				label := typed.Predict(h, x) == 1
				if (predict(x) == 1) != label || name != "leaf" || grade(x) != leaf(x) || scale.Grades[scale.Place(grade(x))].Predicted != typed.Predict(h, x) {
					t.Errorf("%v on %v: %v, %s %d, grade %d", h, x, predict(x), name, leaf(x), grade(x))
				}
				for i, rule := range rules {
					if rule.Number != i+1 || applies(schema, rule, x) != (leaf(x) == rule.Number) || leaf(x) == rule.Number && (rule.Predict == 1) != label {
						t.Errorf("%v: leaf %d is %+v, and %v ends at %d", h, i+1, rule, x, leaf(x))
					}
				}
			}
		}
		if size := typed.Size().Int64(); int64(len(seen)) != min(size, int64(most)) {
			t.Errorf("depth %d: %d of %d trees", depth, len(seen), size)
		}
	}
}

// applies reports whether all conditions of a rule are true of a record.
func applies(s *table.Schema, rule report.Leaf, x table.Record) bool {
	for _, of := range rule.If {
		j := slices.IndexFunc(s.Attributes, func(a table.Attribute) bool { return a.Name == of.Attribute })
		if !slices.Contains(of.Is, s.Attributes[j].Categories()[x[j]]) {
			return false
		}
	}
	return true
}

// If no depth is given, it follows from the schema, and the form states it.
func TestUsualDepth(t *testing.T) {
	of := func(s *table.Schema) int {
		t.Helper()
		for _, k := range model.Kinds() {
			if k.Name == "tree" {
				f, err := k.New().Form(s)
				if err != nil {
					t.Fatal(err)
				}
				return f.(model.DecisionTree).Depth
			}
		}
		t.Fatal("there is no form tree")
		return 0
	}
	wide := func(attributes, categories int) *table.Schema {
		s := &table.Schema{}
		for range attributes {
			s.Attributes = append(s.Attributes, table.Attribute{Values: make([]string, categories)})
		}
		return s
	}
	for _, c := range []struct {
		schema *table.Schema
		want   int
	}{{parseSchema(t), 4}, {wide(19, 10), 4}, {wide(20, 10), 3}, {wide(70, 10), 3}, {wide(71, 10), 2}, {wide(102, 10), 2}, {wide(103, 10), 1}, {wide(0, 0), 1}} {
		if got := of(c.schema); got != c.want {
			t.Errorf("%d attributes: %d, want %d", len(c.schema.Attributes), got, c.want)
		}
	}
}

func TestMalformedTree(t *testing.T) {
	text := written(t, promising(t, parseSchema(t), model.DecisionTree{Depth: 2}, &dectree.Tree{})[0])
	const leaf, zug = `{"predict": 1}`, `{"attribute": "town", "is": ["no"]}`
	node := func(condition, yes, no string) string {
		return `{"if": ` + condition + `, "yes": ` + yes + `, "no": ` + no + `}`
	}
	for _, f := range []fault{
		{`null`, "the decision tree is malformed: it is missing"},
		{`[]`, "the decision tree is malformed"},
		{`{}`, `needs either "predict" or "if", "yes" and "no"`},
		{`{"predict": null}`, "the decision tree is malformed: the value at predict must be a number, but is null"},
		{`{"predict": 2}`, "a prediction is 2, but must be one of the outcomes 0 to 1"},
		{`{"predict": 1, "label": 1}`, `unknown key "label"`},
		{`{"predict": 1, "yes": {"predict": 1}}`, `needs either "predict" or "if"`},
		{`{"yes": {"predict": 1}, "no": {"predict": 1}}`, `needs "if", "yes" and "no"`},
		{`{"if": ` + zug + `, "yes": {"predict": 1}}`, `needs "if", "yes" and "no"`},
		{node(zug, leaf, `null`), "the decision tree is malformed"},
		{node(zug, `{"if": `+zug+`}`, leaf), `needs "if", "yes" and "no"`},
		{node(zug, leaf, node(zug, node(zug, leaf, leaf), leaf)), "is deeper than the class allows"},
		{node(`{"attribute": "town", "is": ["Zug"]}`, leaf, leaf), `a condition on attribute "town" is not a test of the class`},
		{node(`{"attribute": "age", "is_not": ["unknown"]}`, leaf, leaf), `a condition on attribute "age" is not a test of the class`},
		{node(`{"attribute": "nothing to tell", "is": ["<\u202e\"&'>\\"]}`, leaf, leaf), `is not a test of the class`},
		{node(`{"attribute": "height", "is": ["tall"]}`, leaf, leaf), `the schema has no attribute "height"`},
		{node(`{}`, leaf, leaf), `the schema has no attribute ""`},
	} {
		refused(t, f.text, with(t, text, "hypothesis", f.text), f.says)
	}
	for _, f := range []fault{
		{`{"name": "tree"}`, "invalid class: depth 0 is outside 1..6"},
		{`{"name": "tree", "depth": 7}`, "invalid class: depth 7 is outside 1..6"},
		{`{"name": "tree", "depth": "2"}`, "the class is malformed"},
		{`{"name": "tree", "depth": 2, "penalty": 0}`, `the class is malformed: unknown key "penalty"`},
	} {
		refused(t, f.text, with(t, text, "class", f.text), f.says)
	}
	m := promising(t, parseSchema(t), model.DecisionTree{Depth: 1}, &dectree.Tree{Test: 1})[0]
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "does not belong to its class") {
		t.Errorf("a leaf that queries: %v", err)
	}
}

// If a model states risks of leaves, the rows of another table are ranked by these risks.
func TestOrderOfLeaves(t *testing.T) {
	schema := parseSchema(t)
	m := promising(t, schema, model.DecisionTree{Depth: 1}, &dectree.Tree{Yes: &dectree.Tree{}, No: &dectree.Tree{Outcome: 1}})[0]
	b := table.NewBuilder(schema.Sizes())
	for i := range 40 {
		if err := b.Add(table.Record{uint16(i % 2), 0, 0, 0}, i%2 == 0 || i < 3, 1); err != nil {
			t.Fatal(err)
		}
	}
	d := b.Table()
	order := func() []int {
		c, err := m.Count(d)
		if err != nil {
			t.Fatal(err)
		}
		return c.Assess(risk.Rows, nil).Order
	}
	if got := order(); !slices.Equal(got, []int{2, 1}) {
		t.Errorf("without risks the order is %v", got)
	}
	grading, err := m.Grades()
	if err != nil {
		t.Fatal(err)
	}
	epsilon := privacytest.Decimal(t, "0.1")
	var cells []*big.Int
	for _, n := range []int64{10, 90, 80, 20, 0} {
		cells = append(cells, big.NewInt(n))
	}
	if m.Risks, err = risk.Noisy(grading.Scale, cells, epsilon, m.Guarantee.Relation); err != nil {
		t.Fatal(err)
	}
	if got := order(); !slices.Equal(got, []int{1, 2}) || !slices.Equal(m.Order(), got) {
		t.Errorf("with risks the order is %v, the model says %v", got, m.Order())
	}
	rules, err := m.Sheet().Rules()
	if err != nil || *rules[0].Risk.Value != 0.1 || *rules[1].Risk.Value != 0.8 {
		t.Errorf("%+v: %v", rules, err)
	}
}
