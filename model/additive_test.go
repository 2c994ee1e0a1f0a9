package model_test

import (
	"bytes"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// additives returns valid models of every mechanism of additive forms, under both
// relations, with and without a guarantee.
func additives(t testing.TB) (all []*model.Model) {
	t.Helper()
	s := parseSchema(t)
	points := learn.Points{Prior: -7}
	for _, n := range s.Sizes() {
		points.Points = append(points.Points, make([]int, n))
		points.Points[len(points.Points)-1][n-1] = 1 << 30
	}
	add := func(kind string, m model.Mechanism, g privacy.Guarantee) {
		t.Helper()
		stated, err := model.State(g)
		if err != nil {
			t.Fatal(err)
		}
		form := model.Additive{Kind: kind, Scale: 40}
		all = append(all,
			&model.Model{Schema: s, Form: form, Hypothesis: points, Mechanism: m, Guarantee: stated},
			&model.Model{Schema: s, Form: form, Hypothesis: points, Mechanism: m, Void: model.InsecureSeed},
		)
	}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		budget, err := privacy.NewPure(r, decimal(t, "0.7"))
		if err != nil {
			t.Fatal(err)
		}
		counts, err := learn.NewNaiveBayes(s.Sizes(), budget, 40)
		if err != nil {
			t.Fatal(err)
		}
		add(model.NaiveBayes, model.OfNaiveBayes(counts), budget)
		for _, columns := range []convex.Encoding{convex.Reference, convex.OneHot, convex.Binary} {
			f, err := convex.NewFeatures(columns, s.Sizes())
			if err != nil {
				t.Fatal(err)
			}
			descent, err := convex.NewDPSGD(f, convex.Descent{
				Share: decimal(t, "0.25"), Steps: 20, Clip: decimal(t, "0.3"), Rate: 0.1, Batch: 1.0 / 3,
			}, decimal(t, "1.5"), decimal(t, "1e-7"), r)
			if err != nil {
				t.Fatal(err)
			}
			add(model.Logistic, model.OfDPSGD(descent, columns), descent.Guarantee())
			for _, kind := range []string{model.Logistic, model.SVM} {
				b := model.Box{Bound: 2, Ridge: 1}
				space, err := b.Space(model.Additive{Kind: kind, Scale: 40}, f)
				if err != nil {
					t.Fatal(err)
				}
				box, err := learn.NewBox(space, decimal(t, "1.5"), r)
				if err != nil {
					t.Fatal(err)
				}
				add(kind, model.OfBox(box, b, columns), box.Guarantee())
			}
			for kind, loss := range map[string]convex.Loss{
				model.Logistic: convex.LogisticLoss, model.SVM: convex.HingeLoss, model.LeastSquares: convex.SquaredLoss,
			} {
				perturbed, err := convex.NewOPSamp(f, convex.Perturbation{
					Loss: loss, Bound: 1, Calls: 50_000, Rate: decimal(t, "0.00001"), Slack: decimal(t, "2"),
				}, decimal(t, "1.5"), decimal(t, "1e-7"), r)
				if err != nil {
					t.Fatal(err)
				}
				add(kind, model.OfOPSamp(perturbed, columns), perturbed.Guarantee())
			}
		}
	}
	for _, kind := range []string{model.NaiveBayes, model.Logistic, model.SVM, model.LeastSquares} {
		all = append(all, &model.Model{
			Schema: s, Form: model.Additive{Kind: kind, Scale: 1}, Hypothesis: points,
			Mechanism: model.Mechanism{Name: model.None}, Void: model.NoMechanism,
		})
	}
	return all
}

func TestAdditiveRoundTrip(t *testing.T) {
	for _, m := range additives(t) {
		text := written(t, m)
		got, err := model.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, want %+v", got, m)
		}
	}
}

// Every number that bears on privacy or on a prediction, changed alone, is refused.
func TestAdditiveRefuses(t *testing.T) {
	half := decimal(t, "0.5")
	is := func(names ...string) func(m *model.Model) bool {
		return func(m *model.Model) bool { return m.Guarantee != nil && slices.Contains(names, m.Mechanism.Name) }
	}
	promises := is(model.Statistical, model.DPSGD, model.OPSamp, model.Exponential)
	for name, c := range map[string]struct {
		applies func(m *model.Model) bool
		change  func(m *model.Model)
	}{
		"epsilon":     {promises, func(m *model.Model) { m.Guarantee.Epsilon = half }},
		"delta":       {is(model.Statistical, model.Exponential), func(m *model.Model) { m.Guarantee.Delta = half }},
		"less delta":  {is(model.DPSGD, model.OPSamp), func(m *model.Model) { m.Guarantee.Delta = decimal(t, "1e-8") }},
		"no delta":    {is(model.DPSGD, model.OPSamp), func(m *model.Model) { m.Guarantee.Delta = privacy.Decimal{} }},
		"relation":    {promises, func(m *model.Model) { m.Guarantee.Relation = 0 }},
		"assumes":     {promises, func(m *model.Model) { m.Guarantee.Assumes = []privacy.Assumption{privacy.FloatBound} }},
		"rate":        {is(model.Statistical, model.OPSamp, model.Exponential), func(m *model.Model) { m.Mechanism.Rate = half.Rat() }},
		"no rate":     {is(model.Statistical, model.OPSamp), func(m *model.Model) { m.Mechanism.Rate = nil }},
		"loss":        {promises, func(m *model.Model) { m.Mechanism.Loss = learn.ZeroOne }},
		"oracle":      {promises, func(m *model.Model) { m.Mechanism.Oracle = "search" }},
		"sigma2":      {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Sigma2 = new(big.Int).Rsh(m.Mechanism.Sigma2, 1) }},
		"no sigma2":   {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Sigma2 = nil }},
		"zero sigma2": {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Sigma2 = new(big.Int) }},
		"steps":       {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Descent.Steps *= 2 }},
		"clip":        {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Descent.Clip = half }},
		"grid":        {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Descent.Grid *= 2 }},
		"no grid":     {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Descent.Grid = 0 }},
		"share":       {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Descent.Share = half }},
		"no descent":  {is(model.DPSGD), func(m *model.Model) { m.Mechanism.Descent = nil }},
		"no columns":  {is(model.DPSGD, model.OPSamp, model.Exponential), func(m *model.Model) { m.Mechanism.Columns = nil }},
		"stray":       {is(model.Statistical), func(m *model.Model) { m.Mechanism.Series = &model.Series{Round: 1, Rounds: 1} }},
		"mechanism":   {promises, func(m *model.Model) { m.Mechanism.Name = model.RSPM }},
		"box":         {is(model.Exponential), func(m *model.Model) { m.Mechanism.Box.Bound++ }},
		"no box":      {is(model.Exponential), func(m *model.Model) { m.Mechanism.Box = nil }},
		"stray box":   {is(model.Statistical, model.DPSGD, model.OPSamp), func(m *model.Model) { m.Mechanism.Box = &model.Box{Bound: 1} }},
		"family":      {promises, func(m *model.Model) { m.Form = cards }},
		"kind": {promises, func(m *model.Model) {
			m.Form = model.Additive{Kind: map[string]string{model.SVM: model.LeastSquares}[m.Form.Name()], Scale: 1}
		}},
		"bound":           {is(model.OPSamp), func(m *model.Model) { m.Mechanism.Perturbation.Bound++ }},
		"calls":           {is(model.OPSamp), func(m *model.Model) { m.Mechanism.Perturbation.Calls-- }},
		"slack":           {is(model.OPSamp), func(m *model.Model) { m.Mechanism.Perturbation.Slack = half }},
		"terms":           {is(model.OPSamp), func(m *model.Model) { m.Mechanism.Perturbation.Rate = half }},
		"no perturbation": {is(model.OPSamp), func(m *model.Model) { m.Mechanism.Perturbation = nil }},
		"other loss": {is(model.OPSamp), func(m *model.Model) {
			m.Mechanism.Perturbation.Loss = (m.Mechanism.Perturbation.Loss + 1) % 3
		}},
		"scale":      {promises, func(m *model.Model) { m.Form = model.Additive{Kind: m.Form.Name(), Scale: 1001} }},
		"hypothesis": {promises, func(m *model.Model) { m.Hypothesis = 7 }},
		"few":        {promises, func(m *model.Model) { m.Hypothesis = learn.Points{} }},
		"schema":     {promises, func(m *model.Model) { m.Schema = nil }},
	} {
		tried := 0
		for _, m := range additives(t) {
			if !c.applies(m) {
				continue
			}
			tried++
			c.change(m)
			if err := m.Write(new(bytes.Buffer)); err == nil {
				t.Errorf("a model of %s with another %s is valid", m.Mechanism.Name, name)
			}
		}
		if tried == 0 {
			t.Errorf("%s was not tried", name)
		}
	}
}

// The total that a record is graded with is the constant and its points, and tells
// the prediction.
func TestAdditivePredictor(t *testing.T) {
	for _, m := range additives(t) {
		predict, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		grade, err := m.Form.(model.Graded).Grader(m.Schema, m.Hypothesis)
		if err != nil {
			t.Fatal(err)
		}
		ones := 0
		for r := range records(m.Schema) {
			total := -7
			for j, c := range r {
				total += m.Hypothesis.(learn.Points).Points[j][c]
			}
			if predict(r) != (total > 0) || grade(r) != total {
				t.Fatalf("record %v: %v, %d; want the total %d", r, predict(r), grade(r), total)
			}
			if total > 0 {
				ones++
			}
		}
		if ones == 0 {
			t.Error("no record is positive")
		}
	}
}
