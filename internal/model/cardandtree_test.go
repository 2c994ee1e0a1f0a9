package model_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// The total of a record is the constant, the points of its categories, and the bonus if the tree predicts 1. A
// hypothesis can be written and read.
func TestCardAndTree(t *testing.T) {
	schema, random := parseSchema(t), rand.New(rand.NewPCG(9, 0))
	form := model.CardAndTree{Scale: 10, Depth: 3}
	space, err := form.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	tests := model.DecisionTree{Depth: 3}
	for i := range 80 {
		h := convex.CardAndTree[any]{Tree: randomTree(random, i%4, 2), Card: learn.Points{Prior: random.IntN(9) - 4, Points: randomPoints(random, schema, 20)}, Bonus: random.IntN(5) - 2}
		m := &model.Model{Schema: schema, Form: form, Hypothesis: h}
		predict, points := byClass(t, &model.Model{Schema: schema, Form: tests, Hypothesis: h.Tree}), m.Rule().(rule.Points)
		if i%4 == 0 && points.If != nil {
			t.Fatal("a tree with one leaf has a bonus")
		}
		for r := range records(schema) {
			want := h.Card.Prior + predict(r)*h.Bonus
			for j, own := range h.Card.Points {
				want += own[r[j]]
			}
			if total := points.Grade(r); total != want || points.Outcome(r) != min(max(want, 0), 1) {
				t.Fatalf("%v has the total %d and the prediction %d, but the sum is %d", r, total, points.Outcome(r), want)
			}
		}
		readsBack(t, space, h)
	}
	refusesHypotheses(t, space, map[string]string{
		`[]`:                       "the scorecard with a tree is malformed",
		`{"tree": {"predict": 1}}`: "points are malformed: it is missing",
		`{"card": {}}`:             "the decision tree is malformed: it is missing",
		`{"tree": {}, "card": {}}`: `a node of the decision tree needs either "predict"`,
		`{"tree": {"predict": 0}, "card": {"constant": 0, "attributes": []}, "bonus": 0.5}`: "bonus",
	})
}
