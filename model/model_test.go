package model_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

const schemaText = `
name = "a <b> & \"c\""
[label]
column = "y"
positive = ["1", ">5"]
negative = ["0"]
[[attribute]]
column = "age"
cuts = [-3, 0.5, 60]
other = "unknown"
[[attribute]]
name = "town, again"
column = "town"
groups = { z = ["Zürich", "Zug"], a = ["Aarau"] }
[[attribute]]
column = "town"
values = ["Zug"]
other = "no"
`

func parseSchema(t testing.TB) *table.Schema {
	t.Helper()
	s, err := table.ParseSchema("schema", strings.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decimal(t testing.TB, text string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// card returns a card with points drawn from the range, not falling along the
// cuts of age.
func card(schema *table.Schema, p model.Points) scorecard.Card {
	r := rand.New(rand.NewPCG(1, 2))
	var h scorecard.Card
	for _, n := range schema.Sizes() {
		points := make([]int, n)
		for c := range points {
			points[c] = p.Least + r.IntN(p.Most-p.Least+1)
		}
		h.Points = append(h.Points, points)
	}
	age := h.Points[0]
	for c := 1; c < len(age)-1; c++ {
		age[c] = max(age[c], age[c-1])
	}
	return h
}

// models returns a valid model of every mechanism, with and without guarantee.
func models(t testing.TB) []*model.Model {
	t.Helper()
	schema := parseSchema(t)
	family := model.Scorecard{
		Points: model.Points{Least: -2, Most: 3}, Threshold: -1, Penalty: 4, Most: 3,
		Monotone: []model.Monotone{{Attribute: "age"}},
	}
	c, err := family.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	var all []*model.Model
	add := func(m model.Mechanism, g privacy.Guarantee, void model.Void) {
		one := &model.Model{Schema: schema, Family: family, Hypothesis: card(schema, family.Points), Mechanism: m, Void: void}
		if g != nil {
			if one.Guarantee, err = model.State(g); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, one)
	}
	loss := learn.Loss{FalsePositive: 3, FalseNegative: 2}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		e, err := learn.NewExponential(c, decimal(t, "0.123456789"), r, loss)
		if err != nil {
			t.Fatal(err)
		}
		add(model.OfExponential(e), e.Guarantee(), "")
		add(model.OfExponential(e), nil, model.InsecureSeed)
		for _, kind := range []learn.Noise{learn.Laplace, learn.Cube} {
			m, err := learn.NewRSPM(oracle.Search(c), kind, decimal(t, "2.5"), r, loss, 0)
			if err != nil {
				t.Fatal(err)
			}
			add(model.OfRSPM(m, "search"), m.Guarantee(), "")
			add(model.OfRSPM(m, "exhaustive"), nil, model.InsecureSeed)
		}
	}
	add(model.Mechanism{Name: model.None, Loss: loss}, nil, model.NoMechanism)
	return all
}

func TestRoundTrip(t *testing.T) {
	for _, m := range models(t) {
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		got, err := model.Read(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatalf("%v\n%s", err, &text)
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, want %+v", got, m)
		}
	}
}

// change changes the class of a model.
func change(m *model.Model, by func(*model.Scorecard)) {
	c := m.Family.(model.Scorecard)
	by(&c)
	m.Family = c
}

// TestGuarantee checks that no guarantee stands on parameters that do not give
// it: every number that bears on privacy, changed alone, is refused.
func TestGuarantee(t *testing.T) {
	half := decimal(t, "0.5")
	for name, change := range map[string]func(m *model.Model){
		"epsilon":   func(m *model.Model) { m.Guarantee.Epsilon = half },
		"zero":      func(m *model.Model) { m.Guarantee.Epsilon = privacy.Decimal{} },
		"delta":     func(m *model.Model) { m.Guarantee.Delta = half },
		"relation":  func(m *model.Model) { m.Guarantee.Relation = 3 - m.Guarantee.Relation },
		"none":      func(m *model.Model) { m.Guarantee.Relation = 0 },
		"assumes":   func(m *model.Model) { m.Guarantee.Assumes = []privacy.Assumption{privacy.ExactOracle} },
		"rate":      func(m *model.Model) { m.Mechanism.Rate = half.Rat() },
		"no rate":   func(m *model.Model) { m.Mechanism.Rate = nil },
		"loss":      func(m *model.Model) { m.Mechanism.Loss.FalseNegative = 7 },
		"no loss":   func(m *model.Model) { m.Mechanism.Loss.FalsePositive = 0 },
		"mechanism": func(m *model.Model) { m.Mechanism.Name = "magic" },
		"void":      func(m *model.Model) { m.Void = model.InsecureSeed },
		"silence":   func(m *model.Model) { m.Guarantee = nil },
		"label":     func(m *model.Model) { s := *m.Schema; s.Label = nil; m.Schema = &s },
		"schema":    func(m *model.Model) { m.Schema = nil },
		"card":      func(m *model.Model) { m.Hypothesis.(scorecard.Card).Points[1][0] = 4 },
		"order":     func(m *model.Model) { m.Hypothesis.(scorecard.Card).Points[0] = []int{0, -1, 1, 0} },
		"other":     func(m *model.Model) { m.Hypothesis = 7 },
		"oracle":    func(m *model.Model) { m.Mechanism.Oracle = "toulbar2" },
		"wide":      func(m *model.Model) { change(m, func(c *model.Scorecard) { c.Points.Most = 1000 }) },
		"most":      func(m *model.Model) { change(m, func(c *model.Scorecard) { c.Most = 4 }) },
		"monotone": func(m *model.Model) {
			change(m, func(c *model.Scorecard) { c.Monotone = []model.Monotone{{Attribute: "height"}} })
		},
	} {
		for _, m := range models(t) {
			if m.Guarantee == nil {
				continue
			}
			change(m)
			if err := m.Write(new(bytes.Buffer)); err == nil {
				t.Errorf("%s: %s is valid", name, m.Mechanism.Name)
			}
		}
	}
	for _, m := range models(t) {
		if m.Guarantee == nil || m.Mechanism.Name != model.RSPM {
			continue
		}
		m.Mechanism.Grid++
		if m.Validate() == nil {
			t.Error("another grid is valid")
		}
		m.Mechanism.Grid--
		m.Mechanism.Noise = learn.Laplace + learn.Cube - m.Mechanism.Noise
		if m.Validate() == nil {
			t.Error("another noise is valid")
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
	if _, err := (model.Scorecard{Points: model.Points{Least: -50, Most: 50}}).Over(schema); err == nil {
		t.Error("a class of 60,000 categories and 101 points is built")
	}
}

// FuzzRead looks for a text that makes Read panic, or that it reads to a model
// that does not survive being written.
func FuzzRead(f *testing.F) {
	for _, m := range models(f) {
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
		var short bytes.Buffer
		if err := json.Compact(&short, text.Bytes()); err != nil {
			f.Fatal(err)
		}
		f.Add(short.Bytes())
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
