package model_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
)

// stated returns a model of a small class with that mechanism and promise.
func stated(t *testing.T, m model.Mechanism, g privacy.Guarantee) *model.Model {
	t.Helper()
	s, f := parseSchema(t), model.Parity{}
	promise, err := model.State(g)
	if err != nil {
		t.Fatal(err)
	}
	out := &model.Model{Schema: s, Form: f, Hypothesis: nth(over(t, f, s).All(), 5), Mechanism: m, Guarantee: promise}
	if err := out.Write(new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	return out
}

// A refusal is a change of a model, and what the sentence has that refuses it.
type refusal struct {
	says   string
	change func(m *model.Model)
}

func refuses(t *testing.T, m *model.Model, refusals ...refusal) {
	t.Helper()
	for _, r := range refusals {
		changed := changeable(m)
		r.change(changed)
		if err := changed.Write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), r.says) {
			t.Errorf("%s: %v, where it should say %q", m.Mechanism.Name, err, r.says)
		}
	}
}

// Each number of a promise is compared with what the mechanism's parameters give, by a
// sentence of its own.
func TestRecomputed(t *testing.T) {
	s, f := parseSchema(t), model.Parity{}
	c := over(t, f, s)
	one, two, delta := decimal(t, "1"), decimal(t, "2"), decimal(t, "1e-6")
	exponential, err := learn.NewExponential(c, one, privacy.ReplaceOne, loss)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := learn.NewExponential(c, one, privacy.AddRemove, loss)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, stated(t, model.OfExponential(exponential), exponential.Guarantee()),
		refusal{"rate", func(m *model.Model) { m.Guarantee.Epsilon = decimal(t, "0.5") }},
		refusal{"rate", func(m *model.Model) { m.Guarantee.Relation = privacy.AddRemove }},
		refusal{"positive epsilon", func(m *model.Model) { m.Guarantee.Epsilon = privacy.Decimal{} }},
		refusal{"delta of 0", func(m *model.Model) { m.Guarantee.Delta = delta }},
		refusal{"no relation", func(m *model.Model) { m.Guarantee.Relation = 0 }},
		refusal{"assumes", func(m *model.Model) { m.Guarantee.Assumes = []privacy.Assumption{privacy.ExactOracle} }},
		refusal{"says that it is not private", func(m *model.Model) { m.Void = model.InsecureSeed }},
		refusal{"no mechanism that could give it", func(m *model.Model) { m.Mechanism = model.Mechanism{Name: model.None, Loss: loss} }},
		refusal{"does not go with", func(m *model.Model) { m.Guarantee, m.Void = nil, model.NoMechanism }},
		refusal{"releases no hypothesis", func(m *model.Model) {
			m.Guarantee, m.Void, m.Mechanism.Name = nil, model.InsecureSeed, model.Statistical
		}},
		refusal{"does not say why", func(m *model.Model) { m.Guarantee = nil }},
	)
	gauss, err := learn.NewGaussianRSPM(oracle.Search(c), one, delta, privacy.ReplaceOne, loss, 0)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, stated(t, model.OfGaussianRSPM(gauss, "search"), gauss.Guarantee()),
		refusal{"sigma2", func(m *model.Model) { m.Mechanism.Sigma2 = new(big.Int).Sub(m.Mechanism.Sigma2, big.NewInt(1)) }},
		refusal{"sigma2", func(m *model.Model) { m.Guarantee.Delta = decimal(t, "1e-7") }},
		refusal{"shift", func(m *model.Model) { m.Mechanism.Shift-- }},
		refusal{"positive delta", func(m *model.Model) { m.Guarantee.Delta = privacy.Decimal{} }},
	)

	// What ran within more is stated by what it was, and promises another number.
	sample := model.Sample{Rows: 900, Size: 70, Epsilon: one}
	sampled, err := learn.NewSubsample(exponential, sample.Rows, sample.Size)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, stated(t, model.OfSample(exponential, sample), sampled.Guarantee()),
		refusal{"give an epsilon", func(m *model.Model) { m.Guarantee.Epsilon = decimal(t, "0.01") }},
		refusal{"give an epsilon", func(m *model.Model) { m.Mechanism.Sample.Size = 71 }},
		refusal{"rate", func(m *model.Model) { m.Mechanism.Sample.Epsilon = two }},
		refusal{"a rate and a size", func(m *model.Model) { m.Mechanism.Sample.Rate = decimal(t, "0.01") }},
	)
	taken := model.Sample{Rate: decimal(t, "0.125"), Epsilon: one}
	poisson, err := learn.NewPoissonSubsample(alone, taken.Rate)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, stated(t, model.OfSample(alone, taken), poisson.Guarantee()),
		refusal{"give an epsilon", func(m *model.Model) { m.Mechanism.Sample.Rate = decimal(t, "0.0625") }},
		refusal{"a rate and a size", func(m *model.Model) { m.Mechanism.Sample.Size = 3 }},
	)
	series := model.Series{Round: 2, Rounds: 3, Batch: 10, Epsilon: one}
	leader, err := learn.NewLeader(exponential, series.Batch)
	if err != nil {
		t.Fatal(err)
	}
	promise, err := leader.Guarantee(series.Rounds)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(s *model.Series)) func(m *model.Model) {
		return func(m *model.Model) {
			own := *m.Mechanism.Series
			change(&own)
			m.Mechanism.Series = &own
		}
	}
	online := stated(t, model.OfSeries(exponential, series), promise)
	refuses(t, online,
		refusal{"give an epsilon", func(m *model.Model) { m.Guarantee.Epsilon = one }},
		refusal{"give an epsilon", with(func(s *model.Series) { s.Rounds = 4 })},
		refusal{"rate", with(func(s *model.Series) { s.Epsilon = two })},
		refusal{"rounds", with(func(s *model.Series) { s.Rounds = 0 })},
		refusal{"rounds", with(func(s *model.Series) { s.Rounds = model.MostRounds + 1 })},
		refusal{"round 0", with(func(s *model.Series) { s.Round = 0 })},
		refusal{"round 5", with(func(s *model.Series) { s.Round = 5 })},
		refusal{"outside", with(func(s *model.Series) { s.Batch = 0 })},
	)
	removed := changeable(online)
	removed.Mechanism = model.OfSeries(alone, series)
	refuses(t, removed, refusal{"under add-remove", func(m *model.Model) { m.Guarantee.Relation = privacy.AddRemove }})

	plan := learn.BoostPlan{Rows: 100, Parts: 3, Validation: 20}
	boost, err := learn.NewBoost(exponential, plan, one)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, stated(t, model.OfBoost(boost, exponential), boost.Guarantee()),
		refusal{"needs its boost", func(m *model.Model) { m.Mechanism.Boost = nil }},
		refusal{"no use for its boost", func(m *model.Model) { m.Mechanism.Name = model.Exponential }},
		refusal{"rate", func(m *model.Model) { m.Guarantee.Epsilon = two }},
	)
}

// A promise that comes from a plan, and not from a stated ε and δ, is that of the plan.
func TestPlanRecomputed(t *testing.T) {
	c := over(t, model.Parity{}, parseSchema(t))
	base, err := learn.NewRSPM(oracle.Search(c), learn.Laplace, plan(t).BaseEpsilon, privacy.ReplaceOne, loss, 0)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := base.Within(oracle.Budget{Nodes: 500})
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewPRSMA(runs, plan(t))
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, stated(t, model.OfPRSMA(m, base, "search", 500), m.Guarantee()),
		refusal{"give an epsilon", func(m *model.Model) { m.Guarantee.Delta = decimal(t, "1e-12") }},
		refusal{"give an epsilon", func(m *model.Model) { m.Guarantee.Epsilon = decimal(t, "0.01") }},
		refusal{"rate", func(m *model.Model) { m.Mechanism.Plan.BaseEpsilon = decimal(t, "0.01") }},
		refusal{"on the word", func(m *model.Model) { m.Mechanism.Oracle = "clasp" }},
		refusal{"assumes", func(m *model.Model) { m.Mechanism.Oracle = "cbc" }},
		refusal{"node budget", func(m *model.Model) { m.Mechanism.NodeBudget = 0 }},
	)
}

// The rate of a box is that of the range of its loss, which scale and bound make.
func TestBoxRecomputed(t *testing.T) {
	for _, m := range additives(t) {
		if m.Guarantee == nil || m.Mechanism.Name != model.Exponential || m.Form.Name() != model.SVM {
			continue
		}
		refuses(t, m,
			refusal{"rate", func(m *model.Model) { m.Form = model.Additive{Kind: model.SVM, Scale: 1} }},
			refusal{"rate", func(m *model.Model) { m.Mechanism.Box = &model.Box{Bound: 3, Ridge: 1} }},
		)
	}
}

// What a guarantee assumes is what is known of the oracle that it names, no less and no more.
func TestAssumptionsOfOracles(t *testing.T) {
	s, f := parseSchema(t), model.Parity{}
	m, err := learn.NewRSPM(oracle.Search(over(t, f, s)), learn.Laplace, decimal(t, "1"), privacy.ReplaceOne, loss, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact, float := privacy.ExactOracle, privacy.FloatBound
	of := map[string][]privacy.Assumption{
		"search": nil, "exhaustive": nil, "transform": nil,
		"toulbar2": {exact}, "clasp": {exact}, "cbc": {exact, float}, "highs": {exact, float},
	}
	for name, want := range of {
		for _, assumes := range [][]privacy.Assumption{nil, {exact}, {float}, {exact, float}} {
			g, err := privacy.NewPure(privacy.ReplaceOne, decimal(t, "1"), assumes...)
			if err != nil {
				t.Fatal(err)
			}
			promise, err := model.State(g)
			if err != nil {
				t.Fatal(err)
			}
			out := &model.Model{Schema: s, Form: f, Hypothesis: nth(over(t, f, s).All(), 5), Mechanism: model.OfRSPM(m, name), Guarantee: promise}
			same := len(assumes) == len(want) && (len(want) == 0 || assumes[0] == want[0])
			if err := out.Write(new(bytes.Buffer)); (err == nil) != same {
				t.Errorf("%s assumes %q: %v", name, assumes, err)
			}
		}
	}
	for name, word := range map[string]bool{"search": false, "toulbar2": true, "clasp": true, "cbc": false} {
		if model.OnItsWord(name) != word {
			t.Errorf("%s on its word: %v", name, !word)
		}
	}
}
