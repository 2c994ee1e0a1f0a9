package release

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// graded returns the schema with a label of three classes.
func graded(t testing.TB) *table.Schema {
	t.Helper()
	s := *parseSchema(t)
	s.Label = &table.Label{Column: "ill", Values: []string{"no", "somewhat", "very"}}
	three, err := table.NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	return three
}

// learnedOutcomes returns a model that predicts each of three classes for some records.
func learnedOutcomes(t testing.TB) *model.Model {
	t.Helper()
	p := prepared(t, Request{Schema: graded(t), Form: model.DecisionTree{Depth: 2}, Epsilon: decimal(t, "1")})
	return p.model(&dectree.Tree{Test: 0, Yes: &dectree.Tree{Outcome: 2}, No: &dectree.Tree{Test: 1, Yes: &dectree.Tree{}, No: &dectree.Tree{Outcome: 1}}})
}

// The record of a release for three classes determines its guarantee. Changed records are refused.
func TestOutcomes(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		p := prepared(t, Request{Schema: graded(t), Form: model.DecisionTree{Depth: 2}, Epsilon: decimal(t, "0.5"), Relation: r})
		w := &world{t: t, rows: 12}
		m, err := p.Release(t.Context(), w, w.terms())
		if err != nil {
			t.Fatal(err)
		}
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mechanism.Read(bytes.NewReader(text)); err != nil || m.Guarantee.Epsilon != decimal(t, "0.5") || m.Guarantee.Relation != r {
			t.Fatalf("%+v, %v", m.Guarantee, err)
		}
		for _, c := range [][2]string{
			{`"epsilon": "0.5"`, `"epsilon": "0.25"`},
			{`"false_negative": 1`, `"false_negative": 2`},
		} {
			if strings.Count(string(text), c[0]) != 1 {
				t.Fatalf("%s is not there once in %s", c[0], text)
			}
			if _, err := mechanism.Read(strings.NewReader(strings.Replace(string(text), c[0], c[1], 1))); err == nil {
				t.Errorf("%s passes", c[1])
			}
		}
	}
}

// A release for three classes equals, with the same seed, the mechanism's sample with 4/5 of ε,
// followed by the noisy counts of each leaf and class with 1/5.
func TestOutcomesAreDrawn(t *testing.T) {
	seed, share := uint64(11), decimal(t, "0.2")
	for range 20 {
		seed++
		p := prepared(t, Request{Schema: graded(t), Form: model.DecisionTree{Depth: 1}, Epsilon: decimal(t, "0.5"), Risk: &share, Seed: &seed})
		w := &world{t: t, rows: 60}
		m, err := p.Release(t.Context(), w, Terms{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := w.Table(t.Context(), m.Schema)
		if err != nil {
			t.Fatal(err)
		}
		mechanism, err := learn.NewGibbs(p.setting.Space.Sampling().Tractable, decimal(t, "0.4"), privacy.ReplaceOne, learn.ByError(p.setting.Space.Sampling().Tractable.Outcomes()))
		if err != nil {
			t.Fatal(err)
		}
		random := noise.Insecure(seed)
		want, err := mechanism.Release(t.Context(), data, random)
		if err != nil || fmt.Sprint(want) != fmt.Sprint(m.Hypothesis) {
			t.Errorf("%v, want %v, %v", m.Hypothesis, want, err)
		}
		exact, err := m.Count(data)
		if err != nil {
			t.Fatal(err)
		}
		var cells []int64
		for leaf := range exact.Scale.Grades {
			for o := 2; o >= 0; o-- {
				cells = append(cells, exact.Cells[o][leaf].Int64())
			}
		}
		h, err := learn.NewHistogram(exact.Scale.Cells(), decimal(t, "0.1"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		noisy, err := h.Release(t.Context(), append(cells, exact.Outside.Int64()), random)
		if err != nil {
			t.Fatal(err)
		}
		risks, err := risk.Noisy(exact.Scale, noisy, decimal(t, "0.1"), privacy.ReplaceOne)
		if err != nil || fmt.Sprint(risks.Cells) != fmt.Sprint(m.Risks.Cells) || risks.Outside.Cmp(m.Risks.Outside) != 0 {
			t.Errorf("risks of %v, want %v, %v", m.Risks.Cells, risks.Cells, err)
		}
	}
}

// With a large ε the released tree has the fewest misclassifications, here none.
func TestReleasedOutcomes(t *testing.T) {
	p := prepared(t, Request{Schema: graded(t), Form: model.DecisionTree{Depth: 2}, Epsilon: decimal(t, "100")})
	w := &world{t: t, rows: 60}
	m, err := p.Release(t.Context(), w, Terms{})
	if err != nil {
		t.Fatal(err)
	}
	exact := w.counted(m)
	matrix := exact.Assess(risk.Rows, nil).Confusion
	for o := range 3 { // another tree has a probability below e^-400
		if n := matrix[o][o].Value.Int64(); n < 19 || exact.Rows.Int64() != 60 {
			t.Errorf("%v: outcome %d is predicted for %d rows: %v", m.Hypothesis, o, n, exact.Cells)
		}
	}
}

// Options for two classes are refused for three before any data is opened.
func TestOutcomesRefuse(t *testing.T) {
	trees := model.DecisionTree{Depth: 1}
	for _, c := range []struct {
		r    Request
		says string
	}{
		{Request{Form: plain}, "supports only two; choose --class tree"},
		{Request{Form: trees, Costs: loss}, "the label has 3 outcomes, but costs other than 1 require a label with two outcomes; leave --false-positive"},
		{Request{Form: model.UnionOf([]model.Form{plain, model.Parity{}}), Balanced: true}, "supports only two"},
	} {
		c.r.Schema, c.r.Epsilon, c.r.Rows = graded(t), decimal(t, "1"), 100
		if _, err := c.r.Prepare(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.r.Form, err, c.says)
		}
		if _, err := c.r.Plan(nil, false); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("a plan of %v: %v, want %q", c.r.Form, err, c.says)
		}
	}
	if _, err := (Stream{Request{Schema: graded(t), Form: plain, Epsilon: decimal(t, "1")}, 2, 10}).Prepare(); err == nil || !strings.Contains(err.Error(), "supports only two") {
		t.Error(err)
	}
}

// If no class is named, Choose picks one that supports three classes, with risks.
func TestChoiceOfOutcomes(t *testing.T) {
	r := Request{Schema: graded(t), Epsilon: decimal(t, "1"), Rows: 1000}
	choice, err := r.Choose()
	if err != nil || !strings.HasPrefix(choice.Taken().Class, "tree ") {
		t.Fatalf("%+v, %v", choice, err)
	}
	if p, err := r.Prepare(); err != nil || p.Risks != decimal(t, mechanism.UsualRisk) {
		t.Errorf("%+v, %v", p, err)
	}
	wide := shaped(t, 2, 3000)
	wide.Label = graded(t).Label
	r = Request{Schema: wide, Epsilon: decimal(t, "1")}
	if _, err := r.Choose(); err == nil || !strings.Contains(err.Error(), "group its categories") {
		t.Error(err)
	}
	r = Request{Schema: graded(t), Epsilon: decimal(t, "1"), Delta: decimal(t, "1e-9"), Rows: 1000}
	const pure = "--delta must be 0, because none of the classes that use it supports the schema: the label has 3 outcomes, but --class logistic supports only two; leave --delta out, or change the schema"
	if _, err := r.Choose(); err == nil || err.Error() != pure || !errors.Is(err, mechanism.ErrPure) {
		t.Error(err)
	}
	r = Request{Schema: graded(t), Epsilon: decimal(t, "1"), Costs: loss}
	if _, err := r.Choose(); err == nil || !strings.Contains(err.Error(), "costs other than 1 require a label with two outcomes") {
		t.Error(err)
	}
}

// If Choose selects no class, its error states the reason and a remedy that helps.
func TestChoiceOfNoClass(t *testing.T) {
	outcomes := func(attributes int) *table.Schema {
		s := shaped(t, attributes, 20)
		s.Label = graded(t).Label
		return s
	}
	const pure = "the label has 3 outcomes, but --class logistic supports only two; leave --delta out"
	for _, c := range []struct {
		r    Request
		pure bool // whether the release can be chosen without a δ
		says string
	}{
		{Request{Schema: outcomes(24), Delta: decimal(t, "1e-9"), Rows: 1000}, true, pure}, // too many tests for a tree of depth 4
		{Request{Schema: shaped(t, 3, 3), Delta: decimal(t, "1e-9"), Costs: loss, Rows: 1000}, true, "none of the classes that use it supports --false-positive and --false-negative; leave --delta out"},
		{Request{Schema: outcomes(12), Rows: 80_000_000}, false, "for every class that supports the schema, sampling takes more than 10 seconds; group categories, or name a class"},
	} {
		c.r.Epsilon = decimal(t, "1")
		if choice, err := c.r.Choose(); err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, mechanism.ErrPure) != c.pure {
			t.Errorf("%+v, %v; want %q", choice.Taken(), err, c.says)
		}
		if !c.pure {
			continue
		}
		c.r.Delta = privacy.Decimal{}
		if _, err := c.r.Choose(); err != nil {
			t.Error(err)
		}
	}
}

// A plan for three classes bounds the errors of predicting one class for everyone and of the
// confusion matrix.
func TestPlanOutcomes(t *testing.T) {
	p, err := Request{Schema: graded(t), Form: model.DecisionTree{Depth: 1}, Epsilon: decimal(t, "1"), Rows: 900}.Plan(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	errors, cell, err := risk.Widths(risk.Leaf, 2, 3, decimal(t, "1"), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if p.Constant() != 600 || p.ErrorsWithin.Cmp(errors) != 0 || p.CellsWithin.Cmp(cell) != 0 || len(p.Bounds) != 1 {
		t.Errorf("%+v", p)
	}
}
