package model_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
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
	var grow func(depth int) *dectree.Tree
	grow = func(depth int) *dectree.Tree {
		if depth == 0 {
			return &dectree.Tree{Outcome: random.IntN(2)}
		}
		return &dectree.Tree{Test: random.IntN(9), Yes: grow(random.IntN(depth)), No: grow(random.IntN(depth))}
	}
	for i := range 80 {
		h := convex.CardAndTree[any]{Tree: grow(i % 4), Card: learn.Points{Prior: random.IntN(9) - 4}, Bonus: random.IntN(5) - 2}
		for _, size := range schema.Sizes() {
			own := make([]int, size)
			for c := range own {
				own[c] = random.IntN(41) - 20
			}
			h.Card.Points = append(h.Card.Points, own)
		}
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
		text := model.WriteHypothesis(space, h)
		if again, err := model.ReadHypothesis(space, text); err != nil || !reflect.DeepEqual(again, any(h)) {
			t.Fatalf("%s is read as %v (%v)", text, again, err)
		}
	}
	for text, want := range map[string]string{
		`[]`:                       "the scorecard with a tree is malformed",
		`{"tree": {"predict": 1}}`: "points are malformed: it is missing",
		`{"card": {}}`:             "the decision tree is malformed: it is missing",
		`{"tree": {}, "card": {}}`: `a node of the decision tree needs either "predict"`,
		`{"tree": {"predict": 0}, "card": {"constant": 0, "attributes": []}, "bonus": 0.5}`: "bonus",
	} {
		if _, err := model.ReadHypothesis(space, json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
