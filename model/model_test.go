package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class/conjunction"
	"github.com/sibyl-dp/sibyl/class/declist"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/readonce"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/class/union"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// written returns the model as a file.
func written(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// sameHypothesis compares by value: an empty list is no other than none.
func sameHypothesis(a, b any) bool { return fmt.Sprintf("%T%+v", a, a) == fmt.Sprintf("%T%+v", b, b) }

func TestRoundTrip(t *testing.T) {
	for name, s := range samples {
		for _, m := range models(t, s.family) {
			text := written(t, m)
			got, err := model.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if !reflect.DeepEqual(got, m) {
				t.Errorf("%s: got %+v, want %+v", name, got, m)
			}
		}
	}
}

// TestEveryHypothesis writes every hypothesis of the classes that are small
// enough, and about 150 of the others, and reads it back.
func TestEveryHypothesis(t *testing.T) {
	schema := parseSchema(t)
	for name, s := range samples {
		c := over(t, s.family, schema)
		step := 1 + c.Size().Int64()/150
		files := map[string]bool{}
		tried, number := 0, int64(0)
		for h := range c.All() {
			if number++; number%step != 0 {
				continue
			}
			tried++
			text := written(t, &model.Model{
				Schema: schema, Form: s.family, Hypothesis: h, Void: model.NoMechanism,
				Mechanism: model.Mechanism{Name: model.None, Loss: learn.Loss{FalsePositive: 1, FalseNegative: 1}},
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

// TestPredictor checks that a model predicts as its class does, and that what
// grades a record goes with the prediction.
func TestPredictor(t *testing.T) {
	for name, s := range samples {
		m := models(t, s.family)[0]
		c := over(t, s.family, m.Schema)
		predict, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		family, h := m.Chosen()
		graded, isGraded := family.(model.Graded)
		var grade func(table.Record) int
		if isGraded {
			if grade, err = graded.Grader(m.Schema, h); err != nil {
				t.Fatal(err)
			}
		}
		for r := range records(m.Schema) {
			want := c.Predict(m.Hypothesis, r)
			if predict(r) != want {
				t.Fatalf("%s: record %v is predicted %v, want %v", name, r, predict(r), want)
			}
			if !isGraded {
				continue
			}
			given := want
			switch f := family.(type) {
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
			}
			if given != want {
				t.Fatalf("%s: record %v is graded %d, but predicted %v", name, r, grade(r), want)
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

// TestGuarantee checks that no guarantee stands on parameters that do not give
// it: every number that bears on privacy, changed alone, is refused.
func TestGuarantee(t *testing.T) {
	half := decimal(t, "0.5")
	changes := map[string]func(m *model.Model){
		"epsilon":   func(m *model.Model) { m.Guarantee.Epsilon = half },
		"zero":      func(m *model.Model) { m.Guarantee.Epsilon = privacy.Decimal{} },
		"delta":     func(m *model.Model) { m.Guarantee.Delta = half },
		"relation":  func(m *model.Model) { m.Guarantee.Relation = 3 - m.Guarantee.Relation },
		"none":      func(m *model.Model) { m.Guarantee.Relation = 0 },
		"assumes":   func(m *model.Model) { m.Guarantee.Assumes = []privacy.Assumption{privacy.ExactOracle} },
		"rate":      func(m *model.Model) { m.Mechanism.Rate = half.Rat() },
		"loss":      func(m *model.Model) { m.Mechanism.Loss.FalseNegative = 7 },
		"no loss":   func(m *model.Model) { m.Mechanism.Loss.FalsePositive = 0 },
		"mechanism": func(m *model.Model) { m.Mechanism.Name = "magic" },
		"void":      func(m *model.Model) { m.Void = model.InsecureSeed },
		"silence":   func(m *model.Model) { m.Guarantee = nil },
		"label":     func(m *model.Model) { s := *m.Schema; s.Label = nil; m.Schema = &s },
		"schema":    func(m *model.Model) { m.Schema = nil },
		"other":     func(m *model.Model) { m.Hypothesis = 7 },
		"oracle":    func(m *model.Model) { m.Mechanism.Oracle = "highs" },
	}
	some := map[string]struct {
		applies func(m model.Mechanism) bool
		change  func(m *model.Mechanism)
	}{
		"grid":    {perturbs, func(m *model.Mechanism) { m.Grid *= 2 }},
		"shift":   {perturbs, func(m *model.Mechanism) { m.Shift-- }},
		"noise":   {isRSPM, func(m *model.Mechanism) { m.Noise = "pink" }},
		"law":     {isRSPM, func(m *model.Mechanism) { m.Noise = map[string]string{"laplace": "cube", "cube": "laplace"}[m.Noise] }},
		"gauss":   {isRSPM, func(m *model.Mechanism) { m.Noise = map[string]string{"gauss": "cube"}[m.Noise] }},
		"silence": {perturbs, func(m *model.Mechanism) { m.Oracle = "" }},
		"sigma2":  {hasSigma, func(m *model.Mechanism) { m.Sigma2 = new(big.Int).Sub(m.Sigma2, big.NewInt(1)) }},
		"more":    {hasSigma, func(m *model.Mechanism) { m.Sigma2 = new(big.Int).Add(m.Sigma2, big.NewInt(1)) }},
		"nothing": {hasSigma, func(m *model.Mechanism) { m.Sigma2 = new(big.Int) }},
		"exact":   {func(m model.Mechanism) bool { return !isPRSMA(m) }, func(m *model.Mechanism) { m.Oracle = "clasp" }},
		"no rate": {func(m model.Mechanism) bool { return !hasSigma(m) }, func(m *model.Mechanism) { m.Rate = nil }},
		"two":     {func(m model.Mechanism) bool { return !hasSigma(m) }, func(m *model.Mechanism) { m.Sigma2 = big.NewInt(9) }},
		"sample":  {isSample, func(m *model.Mechanism) { m.Sample = nil }},
		"no use":  {perturbs, func(m *model.Mechanism) { m.Sample = &model.Sample{Rows: 1, Size: 1} }},
		"stray":   {func(m model.Mechanism) bool { return m.Name == model.Exponential }, func(m *model.Mechanism) { m.Grid = 16 }},
		"size":    {isSample, func(m *model.Mechanism) { m.Sample.Size++ }},
		"rows":    {isSample, func(m *model.Mechanism) { m.Sample.Rows-- }},
		"inner":   {isSample, func(m *model.Mechanism) { m.Sample.Epsilon = half }},
		"plan":    {isPRSMA, func(m *model.Mechanism) { m.Plan = nil }},
		"parts":   {isPRSMA, func(m *model.Mechanism) { m.Plan.Parts++ }},
		"n":       {isPRSMA, func(m *model.Mechanism) { m.Plan.Rows *= 2 }},
		"runs":    {isPRSMA, func(m *model.Mechanism) { m.Plan.Runs /= 2 }},
		"theta":   {isPRSMA, func(m *model.Mechanism) { m.Plan.Threshold-- }},
		"test":    {isPRSMA, func(m *model.Mechanism) { m.Plan.TestEpsilon = half }},
		"base":    {isPRSMA, func(m *model.Mechanism) { m.Plan.BaseEpsilon = half }},
		"floor":   {isPRSMA, func(m *model.Mechanism) { m.Plan.Floor-- }},
		"ratio":   {isPRSMA, func(m *model.Mechanism) { m.Plan.LogRatio = half }},
		"failing": {isPRSMA, func(m *model.Mechanism) { m.Plan.Failing = half }},
		"split":   {isPRSMA, func(m *model.Mechanism) { m.Plan.Split = privacy.Decimal{} }},
		"budget":  {isPRSMA, func(m *model.Mechanism) { m.NodeBudget = 0 }},
		"debt":    {isPRSMA, func(m *model.Mechanism) { m.NodeBudget = -1 }},
	}
	for of, s := range samples {
		valid := models(t, s.family)
		refused := func(name string, change func(m *model.Model), applies func(m *model.Model) bool) {
			for _, m := range valid {
				if m.Guarantee == nil || !applies(m) {
					continue
				}
				changed := changeable(m)
				change(changed)
				if err := changed.Write(new(bytes.Buffer)); err == nil {
					t.Errorf("%s: a model of %s with another %s is valid", of, m.Mechanism.Name, name)
				}
			}
		}
		for name, change := range changes {
			refused(name, change, func(*model.Model) bool { return true })
		}
		for name, s := range some {
			refused(name, func(m *model.Model) { s.change(&m.Mechanism) }, func(m *model.Model) bool { return s.applies(m.Mechanism) })
		}
		for i, other := range s.others {
			refused(fmt.Sprint("class ", i), func(m *model.Model) { m.Form = other }, func(m *model.Model) bool {
				return m.Mechanism.Name == model.RSPM && m.Mechanism.Noise == learn.Laplace.String()
			})
		}
	}
}

func perturbs(m model.Mechanism) bool { return m.Grid != 0 }
func isRSPM(m model.Mechanism) bool   { return m.Noise != "" }
func hasSigma(m model.Mechanism) bool { return m.Sigma2 != nil }
func isSample(m model.Mechanism) bool { return m.Sample != nil }
func isPRSMA(m model.Mechanism) bool  { return m.Plan != nil }

// changeable returns a copy of which everything that a test changes is its own.
func changeable(m *model.Model) *model.Model {
	own, g := *m, *m.Guarantee
	own.Guarantee = &g
	if s := m.Mechanism.Sample; s != nil {
		sample := *s
		own.Mechanism.Sample = &sample
	}
	if p := m.Mechanism.Plan; p != nil {
		plan := *p
		own.Mechanism.Plan = &plan
	}
	return &own
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
		m := models(t, samples[name].family)[0]
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, h := range append(outside, nil, 7) {
			m.Hypothesis = h
			if err := m.Write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "not of the stated class") {
				t.Errorf("%s: %+v: %v", name, h, err)
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
	for _, f := range []model.Family{
		model.Scorecard{Points: model.Points{Least: -90, Most: 90}},
		model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Monotone: []model.Monotone{{Attribute: "a"}}},
		model.Halfspace{Weights: model.Points{Least: -90, Most: 90}},
		model.Conjunction{Literals: model.Literals{Negated: true}},
		model.Conjunction{Disjunction: true},
		model.DecisionList{}, model.DecisionList{Literals: model.Literals{Negated: true}}, model.DecisionList{Rules: 1, Width: 9},
		model.Parity{}, model.Parity{Digits: true, Points: 1 << 30}, model.Parity{Digits: true, Points: -1},
		model.ReadOnce{}, model.ReadOnce{NAND: true}, model.ReadOnce{Depth: 60}, model.ReadOnce{Depth: -1},
		model.UnionOf(make([]model.Family, 200)), model.Union{},
		model.UnionOf([]model.Family{model.ReadOnce{}}),
	} {
		if c, err := f.Over(schema); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, %v", f, c, err)
		}
	}
}

// FuzzRead looks for a text that makes Read panic, or that it reads to a model
// that does not survive being written.
func FuzzRead(f *testing.F) {
	for _, s := range samples {
		for _, m := range models(f, s.family) {
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
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%v: got %+v, want %+v", err, got, m)
		}
	})
}
