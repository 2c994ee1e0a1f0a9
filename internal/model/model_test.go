package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/privacy"
)

// written returns the text of the model's file.
func written(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// equal compares two models by the contents of their files.
func equal(a, b *model.Model) bool {
	x, y := *a, *b
	x.Space, y.Space = nil, nil
	return reflect.DeepEqual(x, y)
}

// sameHypothesis compares by value. An empty list equals a nil list.
func sameHypothesis(a, b any) bool { return fmt.Sprintf("%T%+v", a, a) == fmt.Sprintf("%T%+v", b, b) }

func TestRoundTrip(t *testing.T) {
	for name, f := range samples {
		for _, m := range models(t, f) {
			text := written(t, m)
			got, err := model.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if !equal(got, m) {
				t.Errorf("%s: got %+v, want %+v", name, got, m)
			}
		}
	}
}

// TestEveryHypothesis writes every hypothesis of the classes that are small
// enough, and about 150 of the others, and reads it back.
func TestEveryHypothesis(t *testing.T) {
	schema := parseSchema(t)
	for name, f := range samples {
		c := over(t, f, schema)
		step := 1 + c.Size().Int64()/heavy.Pick[int64](40, 150)
		files := map[string]bool{}
		tried, number := 0, int64(0)
		for h := range c.All() {
			if number++; number%step != 0 {
				continue
			}
			tried++
			text := written(t, &model.Model{
				Schema: schema, Form: f, Hypothesis: h, Void: model.NoMechanism,
				Mechanism: unprotected,
			})
			m, err := model.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if !sameHypothesis(m.Hypothesis, h) {
				t.Fatalf("%s: got %+v, want %+v", name, m.Hypothesis, h)
			}
			files[string(text)] = true
		}
		if len(files) != tried {
			t.Errorf("%s: %d files for %d hypotheses", name, len(files), tried)
		}
	}
}

// TestPredictor checks that a model predicts the same as its class, and that the grade of a record
// agrees with the prediction.
func TestPredictor(t *testing.T) {
	for of, f := range samples {
		m := models(t, f)[0]
		c := over(t, f, m.Schema)
		predict, err := m.Outcome()
		if err != nil {
			t.Fatal(err)
		}
		name, grade := m.Grader()
		form, h := m.Form, m.Hypothesis
		if u, ok := form.(model.Union); ok {
			choice := h.(union.Choice[any])
			form, h = u.Members[choice.Member].Form, choice.Hypothesis
		}
		for r := range records(m.Schema) {
			want := c.Predict(m.Hypothesis, r)
			if (predict(r) == 1) != want {
				t.Fatalf("%s: record %v is predicted %v, want %v", of, r, predict(r), want)
			}
			given := want
			switch f := form.(type) {
			case model.Scorecard:
				given = grade(r) >= f.Threshold-h.(scorecard.Card).Offset()
			case model.Halfspace:
				given = grade(r) >= f.Threshold-h.(scorecard.Card).Offset()
			case model.DecisionList:
				list := h.(declist.List)
				if n := grade(r); n > 0 {
					given = list.Rules[n-1].Label
				} else {
					given = list.Default
				}
			default:
				if grade != nil {
					t.Fatalf("%s is graded", of)
				}
			}
			if given != want {
				t.Fatalf("%s: record %v is graded %s %d, but predicted %v", of, r, name, grade(r), want)
			}
		}
	}
}

// records yields all records of the schema.
func records(s *table.Schema) func(yield func(table.Record) bool) {
	return func(yield func(table.Record) bool) {
		r := make(table.Record, len(s.Attributes))
		for {
			if !yield(r) {
				return
			}
			j := 0
			for ; j < len(r) && int(r[j]) == s.Attributes[j].Len()-1; j++ {
				r[j] = 0
			}
			if j == len(r) {
				return
			}
			r[j]++
		}
	}
}

// A model with a guarantee states all of it, and a model without one states the reason.
func TestGuarantee(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(m *model.Model)
	}{
		{"positive epsilon", func(m *model.Model) { m.Guarantee.Epsilon = privacy.Decimal{} }},
		{"no neighbour relation", func(m *model.Model) { m.Guarantee.Relation = 0 }},
		{"must have either a guarantee or the key \"not_private\"", func(m *model.Model) { m.Void = model.InsecureSeed }},
		{"but its mechanism gives none", func(m *model.Model) { m.Mechanism = unprotected }},
		{"does not match the mechanism", func(m *model.Model) { m.Guarantee, m.Void = nil, model.NoMechanism }},
		{"does not match the mechanism", func(m *model.Model) { m.Guarantee, m.Void, m.Mechanism = nil, model.InsecureSeed, unprotected }},
		{"must state the reason", func(m *model.Model) { m.Guarantee = nil }},
		{"must state the reason", func(m *model.Model) { m.Guarantee, m.Void = nil, "habit" }},
		{"no [label]", func(m *model.Model) { s := *m.Schema; s.Label = nil; m.Schema = &s }},
		{"no schema", func(m *model.Model) { m.Schema = nil }},
		{"does not belong to its class", func(m *model.Model) { m.Hypothesis = 7 }},
	} {
		for name, f := range samples {
			m := models(t, f)[0]
			c.change(m)
			if err := m.Write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, where it should say %q", name, err, c.says)
			}
		}
	}
}

// TestOutside checks that a hypothesis outside the class is refused.
func TestOutside(t *testing.T) {
	rule := func(antecedent int) declist.Rule { return declist.Rule{Antecedent: antecedent, Label: true} }
	for name, outside := range map[string][]any{
		"scorecard": {
			scorecard.Card{Points: [][]int{{0, 0, 0, 0, 0}, {4, 0}, {0, 0}, {0}}},
			scorecard.Card{Points: [][]int{{0, -1, 1, 0, 0}, {0, 0}, {0, 0}, {0}}},
			scorecard.Card{Points: [][]int{{0, 1, 1, 1, 0}, {1, 0}, {1, 0}, {1}}},
			scorecard.Card{Points: [][]int{{0}}}, scorecard.Card{},
		},
		"halfspace": {
			scorecard.Card{Points: [][]int{{0, 0, 0, 0, 3}, {0, 0}, {0, 0}, {0}}}, scorecard.Card{},
		},
		"conjunction": {
			conjunction.Formula{Tests: []int{1, 1, 1, 1}}, conjunction.Formula{Tests: []int{-1, 0, 0, 0}},
			conjunction.Formula{Tests: []int{1, 1, 1}}, conjunction.Formula{},
		},
		"decision-list": {
			declist.List{Rules: []declist.Rule{rule(0), rule(1), rule(2)}}, declist.List{Rules: []declist.Rule{rule(1), rule(0)}},
			declist.List{Rules: []declist.Rule{rule(0), rule(0)}}, declist.List{Rules: []declist.Rule{rule(-1)}},
			declist.List{Rules: []declist.Rule{rule(1 << 20)}}, declist.List{Rules: []declist.Rule{rule(0)}, Default: true},
		},
		"parity":         {parity.Parity{Bits: 1 << 20}, parity.Parity{Bits: 15}},
		"one-hot parity": {parity.Parity{Constant: true}},
		"majority": {
			readonce.Formula{Inputs: []int{0, 1, 1}}, readonce.Formula{Inputs: []int{0, 1}}, readonce.Formula{Inputs: []int{2, 1, 0}},
			readonce.Formula{Gate: readonce.Nand, Inputs: []int{0, 1, 2}}, readonce.Formula{Inputs: []int{0, 1, 99}}, readonce.Formula{},
		},
		"nand": {readonce.Formula{Gate: readonce.Nand, Inputs: []int{0, 1, 2}}},
		"union": {
			union.Choice[any]{Member: 3, Hypothesis: scorecard.Card{}}, union.Choice[any]{Member: -1},
			union.Choice[any]{Member: 1, Hypothesis: conjunction.Formula{}}, union.Choice[any]{Member: 0, Hypothesis: conjunction.Formula{Tests: []int{0, 0, 0, 0}}},
		},
	} {
		m := models(t, samples[name])[0]
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, h := range append(outside, nil, 7) {
			m.Hypothesis = h
			if err := m.Write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "does not belong to its class") {
				t.Fatalf("%s: %#v: %v", name, h, err) // what comes next may not even be printed
			}
		}
	}
}

// TestTooLarge checks that classes are refused before they take long to build.
func TestTooLarge(t *testing.T) {
	values := make([]string, 60000)
	for i := range values {
		values[i] = strings.Repeat("x", 1+i%50) + string(rune('a'+i%26)) + string(rune(0x4e00+i%20000)) + string(rune(0x4e00+i/3))
	}
	schema := &table.Schema{Attributes: []table.Attribute{{Name: "a", Column: "a", Values: values}}}
	for _, f := range []model.Form{
		model.Scorecard{Points: model.Points{Least: -90, Most: 90}},
		model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Monotone: []model.Monotone{{Attribute: "a"}}},
		model.Halfspace{Weights: model.Points{Least: -90, Most: 90}},
		model.Conjunction{Literals: model.Literals{Negated: true}},
		model.Conjunction{Disjunction: true},
		model.DecisionList{}, model.DecisionList{Literals: model.Literals{Negated: true}}, model.DecisionList{Rules: 1, Width: 9},
		model.Parity{}, model.Parity{Digits: true, Points: 1 << 30}, model.Parity{Digits: true, Points: -1},
		model.ReadOnce{}, model.ReadOnce{NAND: true}, model.ReadOnce{Depth: 60}, model.ReadOnce{Depth: -1},
		model.UnionOf(make([]model.Form, 200)), model.Union{},
		model.UnionOf([]model.Form{model.ReadOnce{}}),
	} {
		if c, err := f.Over(schema); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, %v", f, c, err)
		}
	}
}

// FuzzRead searches for a text that makes Read panic, or from which Read returns a model that changes
// if it is written and read again.
func FuzzRead(f *testing.F) {
	for _, form := range samples {
		for _, m := range models(f, form) {
			text := written(f, m)
			f.Add(text)
			var short bytes.Buffer
			if err := json.Compact(&short, text); err != nil {
				f.Fatal(err)
			}
			f.Add(short.Bytes())
		}
	}
	for _, m := range additives(f) {
		f.Add(written(f, m))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := model.Read(bytes.NewReader(text))
		if err != nil {
			if m != nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v with %q", m, err)
			}
			return
		}
		var again bytes.Buffer
		if err := m.Write(&again); err != nil {
			t.Fatal(err)
		}
		got, err := model.Read(&again)
		if err != nil || !equal(got, m) {
			t.Fatalf("%v: got %+v, want %+v", err, got, m)
		}
	})
}
