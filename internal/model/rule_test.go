package model_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// byClass returns the predictions of the model's class, which do not use rules.
func byClass(t testing.TB, m *model.Model) func(table.Record) int {
	space, err := m.Over()
	if err != nil {
		t.Fatal(err)
	}
	form, h := m.Form, m.Hypothesis
	if choice, ok := h.(union.Choice[any]); ok {
		if f, ok := form.(model.CardOrTree); ok {
			form = []model.Form{f.Card(), f.Tree(), model.NewSumScore()}[choice.Member]
		} else {
			form = form.(model.Union).Members[choice.Member].Form
		}
		space, h = model.Members(space)[choice.Member], choice.Hypothesis
	}
	digit := func(predict func(table.Record) bool) func(table.Record) int {
		return func(r table.Record) int {
			if predict(r) {
				return 1
			}
			return 0
		}
	}
	if ranked, ok := h.(learn.RankedTree[any]); ok {
		form, h = model.DecisionTree{Depth: form.(model.RankedTree).Depth}, ranked.Tree
	}
	if sum, ok := h.(convex.CardAndTree[any]); ok {
		of := byClass(t, &model.Model{Schema: m.Schema, Form: model.DecisionTree{Depth: form.(model.CardAndTree).Depth}, Hypothesis: sum.Tree})
		return func(r table.Record) int {
			card := sum.Card
			card.Prior += of(r) * sum.Bonus
			return digit(card.Predict)(r)
		}
	}
	switch f := form.(type) {
	case model.Additive:
		return digit(h.(learn.Points).Predict)
	case model.Sparse:
		return digit(func(r table.Record) bool { return h.(scorecard.Card).Total(r) >= f.Threshold })
	case model.DecisionTree:
		var attributes []dectree.Attribute
		for _, a := range m.Schema.Attributes {
			ordered := 0
			if len(a.Cuts) > 0 {
				ordered = len(a.Cuts) + 1
			}
			attributes = append(attributes, dectree.Attribute{Categories: a.Len(), Ordered: ordered})
		}
		c, err := dectree.New(attributes, f.Depth, m.Schema.Outcomes())
		if err != nil {
			t.Fatal(err)
		}
		return func(r table.Record) int { return c.Predict(h.(*dectree.Tree), r) }
	}
	return digit(func(r table.Record) bool { return space.Sampling().Class.Predict(h, r) })
}

// agree compares the predictions of a model's rule with those of its class, on all records or on
// random ones. It returns the number of compared records.
func agree(t testing.TB, name string, m *model.Model, random *rand.Rand) (n int) {
	t.Helper()
	want, body := byClass(t, m), m.Rule()
	try := func(r table.Record) {
		if n++; body.Outcome(r) != want(r) {
			t.Fatalf("%s: %v on %v predicts %d, the class %d", name, m.Hypothesis, r, body.Outcome(r), want(r))
		}
	}
	const most = 2000
	if m.Schema.Records(most) < most {
		for r := range records(m.Schema) {
			try(r)
		}
		return n
	}
	r := make(table.Record, len(m.Schema.Attributes))
	for range most {
		for j := range r {
			r[j] = uint16(random.IntN(m.Schema.Attributes[j].Len()))
		}
		try(r)
	}
	return n
}

// The rules of all stored models, and of hypotheses of every form, predict the same as their classes.
func TestRuleIsTheModel(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	paths, err := filepath.Glob("../release/testdata/old/*.json")
	if err != nil || len(paths) < 70 {
		t.Fatal(len(paths), err)
	}
	tried := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		tried += agree(t, path, m, random)
	}
	kept := tried
	schema := parseSchema(t)
	for name, f := range samples {
		i := 0
		for h := range over(t, f, schema).All() {
			if i++; i > 40 {
				break
			}
			tried += agree(t, name, &model.Model{Schema: schema, Form: f, Hypothesis: h}, random)
		}
	}
	for i := range 60 {
		schema, outcomes := schema, 2
		if i%2 == 0 {
			schema, outcomes = graded(t), 3
		}
		tried += agree(t, "tree", &model.Model{Schema: schema, Form: model.DecisionTree{Depth: 3}, Hypothesis: randomTree(random, 3, outcomes)}, random)
		if outcomes > 2 {
			continue
		}
		points := learn.Points{Prior: random.IntN(9) - 4, Points: randomPoints(random, schema, 4)}
		tree := randomTree(random, 3, 2)
		tried += agree(t, "ranked tree", &model.Model{Schema: schema, Form: model.RankedTree{Scale: 4, Depth: 3}, Hypothesis: learn.RankedTree[any]{Tree: tree, Points: points.Points}}, random)
		sum := convex.CardAndTree[any]{Card: points, Tree: tree, Bonus: random.IntN(9) - 4}
		tried += agree(t, "card and tree", &model.Model{Schema: schema, Form: model.CardAndTree{Scale: 4, Depth: 3}, Hypothesis: sum}, random)
		tried += agree(t, "points", &model.Model{Schema: schema, Form: model.Additive{Kind: model.Logistic, Scale: 4}, Hypothesis: points}, random)
	}
	t.Logf("%d records of %d kept models, and %d of others", kept, len(paths), tried-kept)
}
