package model_test

import (
	"iter"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/privacy"
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
[[attribute]]
column = "nothing to tell"
values = ["<\u202e\"&'>\\"]
`

func parseSchema(t testing.TB) *table.Schema {
	t.Helper()
	return tabletest.Schema(t, schemaText)
}

var (
	cards = model.Scorecard{
		Points: model.Points{Least: -1, Most: 1}, Threshold: -1, Penalty: 4, Most: 3,
		Monotone: []model.Monotone{{Attribute: "age"}},
	}
	formulas = model.Conjunction{Literals: model.Literals{Intervals: true}, Most: 3, Penalty: 2, Distance: 2}
)

// samples has an example of every searched form.
var samples = map[string]model.Form{
	"scorecard with a norm": model.Scorecard{Points: model.Points{Least: -2, Most: 1}, Norm: 6},
	"scorecard":             cards,
	"halfspace":             model.Halfspace{Weights: model.Points{Least: -1, Most: 2}, Threshold: 2, Penalty: 1, Most: 2, Distance: 2},
	"conjunction":           formulas,
	"disjunction":           model.Conjunction{Literals: model.Literals{Negated: true, Monotone: true}, Disjunction: true},
	"decision-list":         model.DecisionList{Literals: model.Literals{Negated: true, Intervals: true}, Rules: 2, Width: 2, Penalty: 1},
	"parity":                model.Parity{Digits: true, Most: 3, Penalty: 1, Affine: true, Points: 10},
	"one-hot parity":        model.Parity{},
	"majority":              model.ReadOnce{Penalty: 3},
	"nand":                  model.ReadOnce{NAND: true},
	"union":                 model.Union{Members: []model.Member{{Form: cards, Penalty: 7}, {Form: formulas}, {Form: model.ReadOnce{NAND: true, Depth: 1}}}},
}

// over returns the class that results from the form and the schema.
func over(t testing.TB, f model.Form, s *table.Schema) class.Enumerable[table.Record, any] {
	t.Helper()
	space, err := f.Over(s)
	if err != nil {
		t.Fatal(err)
	}
	return space.Sampling().Class.(class.Enumerable[table.Record, any])
}

// nth returns hypothesis number n, or the last one if there are fewer.
func nth(list iter.Seq[any], n int) (last any) {
	for h := range list {
		last = h
		if n--; n < 0 {
			break
		}
	}
	return last
}

// models returns new valid models of the form: one with a guarantee under each relation, and one
// without a guarantee for each reason.
func models(t testing.TB, f model.Form) []*model.Model {
	t.Helper()
	schema := parseSchema(t)
	space, err := f.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	return promising(t, schema, f, nth(space.Sampling().Class.(class.Enumerable[table.Record, any]).All(), 100))
}

// promising returns models of the hypothesis: with each kind of guarantee, and without one.
func promising(t testing.TB, s *table.Schema, f model.Form, h any) (all []*model.Model) {
	t.Helper()
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, assumes := range [][]privacy.Assumption{{}, {privacy.ExactOracle, privacy.FloatBound}} {
			all = append(all, &model.Model{
				Schema: s, Form: f, Hypothesis: h, Mechanism: coin,
				Guarantee: &privacy.Statement{Epsilon: privacytest.Decimal(t, "0.123456789"), Delta: privacytest.Decimal(t, "0"), Relation: r, Assumes: assumes},
			})
		}
	}
	all[1].Guarantee.Delta = privacytest.Decimal(t, "1e-7")
	return append(all,
		&model.Model{Schema: s, Form: f, Hypothesis: h, Mechanism: coin, Void: model.InsecureSeed},
		&model.Model{Schema: s, Form: f, Hypothesis: h, Mechanism: unprotected, Void: model.NoMechanism},
	)
}

// The package model does not interpret mechanisms, so the tests use these invented ones.
var (
	coin = model.NewMechanism(struct {
		Name  string    `json:"name"`
		Sides []float64 `json:"<sides>"`
	}{"coin", []float64{0.5, 1e-9}})
	unprotected = model.NewMechanism(struct {
		Name string `json:"name"`
	}{model.None})
)
