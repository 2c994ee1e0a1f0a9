package model_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
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
[[attribute]]
column = "nothing to tell"
values = ["<\u202e\"&'>\\"]
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

// A sample is a family with others that have another separator, to which the
// hypotheses of the family belong too.
type sample struct {
	family model.Family
	others []model.Family
}

var (
	cards = model.Scorecard{
		Points: model.Points{Least: -1, Most: 1}, Threshold: -1, Penalty: 4, Most: 3,
		Monotone: []model.Monotone{{Attribute: "age"}},
	}
	formulas = model.Conjunction{Literals: model.Literals{Intervals: true}, Most: 3, Penalty: 2, Distance: 2}
)

// samples has every family.
var samples = map[string]sample{
	"scorecard with a norm": {model.Scorecard{Points: model.Points{Least: -2, Most: 1}, Norm: 6}, []model.Family{
		model.Scorecard{Points: model.Points{Least: -2, Most: 1}}, model.Scorecard{Points: model.Points{Least: -2, Most: 1}, Norm: 9},
	}},
	"scorecard": {cards, []model.Family{
		model.Scorecard{Points: model.Points{Least: -1, Most: 2}},
		model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Distance: 4},
	}},
	"halfspace": {
		model.Halfspace{Weights: model.Points{Least: -1, Most: 2}, Threshold: 2, Penalty: 1, Most: 2, Distance: 2},
		[]model.Family{
			model.Halfspace{Weights: model.Points{Least: -1, Most: 2}, Distance: 4},
			model.Halfspace{Weights: model.Points{Least: -2, Most: 2}, Distance: 2},
		},
	},
	"conjunction": {formulas, []model.Family{
		model.Conjunction{Literals: formulas.Literals, Distance: 3},
	}},
	"disjunction": {
		model.Conjunction{Literals: model.Literals{Negated: true, Monotone: true}, Disjunction: true},
		[]model.Family{
			model.Conjunction{Literals: model.Literals{Negated: true}, Disjunction: true, Distance: 4},
		},
	},
	"decision-list": {
		model.DecisionList{Literals: model.Literals{Negated: true, Intervals: true}, Rules: 2, Width: 2, Penalty: 1},
		[]model.Family{
			model.DecisionList{Literals: model.Literals{Negated: true, Intervals: true}, Rules: 3, Width: 2},
		},
	},
	"parity": {
		model.Parity{Digits: true, Most: 3, Penalty: 1, Affine: true, Points: 10},
		[]model.Family{
			model.Parity{Digits: true, Most: 3, Penalty: 1, Affine: true, Points: 12},
			model.Parity{Digits: true, Most: 3, Penalty: 1, Affine: true},
		},
	},
	"one-hot parity": {model.Parity{}, []model.Family{model.Parity{Affine: true}}},
	"majority":       {model.ReadOnce{Penalty: 3}, nil},
	"nand":           {model.ReadOnce{NAND: true}, nil},
	"union": {
		model.Union{Members: []model.Member{{Family: cards, Penalty: 7}, {Family: formulas}, {Family: model.ReadOnce{NAND: true, Depth: 1}}}},
		[]model.Family{
			model.UnionOf([]model.Family{cards, formulas, model.ReadOnce{NAND: true, Depth: 1}, model.Parity{}, model.Parity{Affine: true}}),
		},
	},
}

// over returns the family's class over the schema.
func over(t testing.TB, f model.Family, s *table.Schema) class.Enumerable[table.Record, any] {
	t.Helper()
	c, err := f.Over(s)
	if err != nil {
		t.Fatal(err)
	}
	return c.(class.Enumerable[table.Record, any])
}

// nth returns hypothesis number n, or the last before.
func nth(list iter.Seq[any], n int) (last any) {
	for h := range list {
		last = h
		if n--; n < 0 {
			break
		}
	}
	return last
}

// A described mechanism with what it promises.
type described struct {
	mechanism model.Mechanism
	promise   privacy.Guarantee
}

// mechanisms returns every mechanism over the class, under both relations.
func mechanisms(t testing.TB, c class.Class[table.Record, any]) (all []described) {
	t.Helper()
	add := func(m model.Mechanism, promise privacy.Guarantee) { all = append(all, described{m, promise}) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o, epsilon, delta := oracle.Search(c), decimal(t, "2.5"), decimal(t, "1e-6")
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		e, err := learn.NewExponential(c, decimal(t, "0.123456789"), r, loss)
		check(err)
		add(model.OfExponential(e), e.Guarantee())
		for _, kind := range []learn.Noise{learn.Laplace, learn.Cube} {
			m, err := learn.NewRSPM(o, kind, epsilon, r, loss, 0)
			check(err)
			add(model.OfRSPM(m, "search"), m.Guarantee())
		}
		gauss, err := learn.NewGaussianRSPM(o, epsilon, delta, r, loss, 0)
		check(err)
		add(model.OfGaussianRSPM(gauss, "search"), gauss.Guarantee())
		ball, err := learn.NewOPDisc(o, epsilon, privacy.Decimal{}, r, loss, 0)
		check(err)
		add(model.OfOPDisc(ball, "search"), ball.Guarantee())
		spread, err := learn.NewOPDisc(o, epsilon, delta, r, loss, 0)
		check(err)
		add(model.OfOPDisc(spread, "search"), spread.Guarantee())
	}
	sample := model.Sample{Rows: 900, Size: 70, Epsilon: epsilon}
	inner, err := learn.NewExponential(c, sample.Epsilon, privacy.ReplaceOne, loss)
	check(err)
	sampled, err := learn.NewSubsample(inner, sample.Rows, sample.Size)
	check(err)
	add(model.OfSample(inner, sample), sampled.Guarantee())
	for _, kind := range []learn.Noise{learn.Laplace, learn.Cube} {
		base, err := learn.NewRSPM(o, kind, plan(t).BaseEpsilon, privacy.ReplaceOne, loss, 0)
		check(err)
		runs, err := base.Within(oracle.Budget{Nodes: 500})
		check(err)
		m, err := learn.NewPRSMA(runs, plan(t))
		check(err)
		add(model.OfPRSMA(m, base, "search", 500), m.Guarantee())
	}
	return all
}

// plan returns a plan of PRSMA that proves something.
func plan(t testing.TB) learn.PRSMAPlan {
	t.Helper()
	p := learn.PRSMAPlan{
		Rows: 4000, Parts: 40, Runs: 3000, Threshold: 34, TestEpsilon: decimal(t, "0.7"),
		Floor: 16, LogRatio: decimal(t, "1.5"), Failing: decimal(t, "0.01"), Split: decimal(t, "1e-5"), Tilt: decimal(t, "0.3"),
	}
	var err error
	if p.BaseEpsilon, err = learn.BaseEpsilon(p.LogRatio, p.PartRows(), p.Parts, p.Split); err != nil {
		t.Fatal(err)
	}
	return p
}

var loss = learn.Loss{FalsePositive: 3, FalseNegative: 2}

// models returns valid models of the family: of every mechanism, with and
// without a guarantee. Each call returns new ones.
func models(t testing.TB, f model.Family) []*model.Model {
	t.Helper()
	schema := parseSchema(t)
	c := over(t, f, schema)
	var all []*model.Model
	h := nth(c.All(), 100)
	add := func(m model.Mechanism, g privacy.Guarantee, void model.Void) {
		one := &model.Model{Schema: schema, Form: f, Hypothesis: h, Mechanism: m, Void: void}
		if g != nil {
			var err error
			if one.Guarantee, err = model.State(g); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, one)
	}
	for _, d := range mechanisms(t, c) {
		add(d.mechanism, d.promise, "")
		if d.mechanism.Oracle == "search" {
			d.mechanism.Oracle = "exhaustive"
		}
		add(d.mechanism, nil, model.InsecureSeed)
	}
	add(model.Mechanism{Name: model.None, Loss: loss}, nil, model.NoMechanism)
	return all
}
