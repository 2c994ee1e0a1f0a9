package model_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// The total of a record reaches the threshold if and only if the tree predicts 1. Among records with the same
// prediction, totals differ by as much as the sums of points do. A hypothesis can be written and read.
func TestRankedTree(t *testing.T) {
	schema, random := parseSchema(t), rand.New(rand.NewPCG(9, 0))
	form := model.RankedTree{Scale: 10, Depth: 3}
	space, err := form.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	var grow func(depth int) *dectree.Tree
	grow = func(depth int) *dectree.Tree {
		if depth == 0 {
			return &dectree.Tree{Outcome: random.IntN(2)}
		}
		return &dectree.Tree{Test: random.IntN(9), Yes: grow(random.IntN(depth)), No: grow(random.IntN(depth))}
	}
	for i := range 80 {
		h := learn.RankedTree[any]{Tree: grow(i % 4)}
		for _, size := range schema.Sizes() {
			own := make([]int, size)
			for c := range own {
				own[c] = random.IntN(41) - 20
			}
			h.Points = append(h.Points, own)
		}
		m := &model.Model{Schema: schema, Form: form, Hypothesis: h}
		predict, points := byClass(t, m), m.Rule().(rule.Points)
		if want := predict(make([]uint16, len(schema.Attributes))); i%4 == 0 && (points.If != nil || points.Bonus != 0) {
			t.Fatalf("a tree that always predicts %d has a bonus", want)
		}
		offset := map[int]int{} // by prediction, the difference between the total and the sum of points
		for r := range records(schema) {
			sum := 0
			for j, own := range h.Points {
				sum += own[r[j]]
			}
			y, total := predict(r), points.Grade(r)
			if (total >= points.Threshold) != (y == 1) {
				t.Fatalf("%v has the total %d and the prediction %d", r, total, y)
			}
			if before, known := offset[y]; known && before != total-sum {
				t.Fatalf("%v with the prediction %d: the total exceeds the sum of points by %d, and elsewhere by %d", r, y, total-sum, before)
			}
			offset[y] = total - sum
		}
		text := model.WriteHypothesis(space, h)
		if again, err := model.ReadHypothesis(space, text); err != nil || !reflect.DeepEqual(again, any(h)) {
			t.Fatalf("%s is read as %v (%v)", text, again, err)
		}
	}
	for text, want := range map[string]string{
		`[]`:                         "the ranked tree is malformed",
		`{"tree": {"predict": 1}}`:   "points are malformed: it is missing",
		`{"points": []}`:             "the decision tree is malformed: it is missing",
		`{"tree": {}, "points": []}`: `a node of the decision tree needs either "predict"`,
		`{"tree": {"predict": 0}, "points": [], "bonus": 1}`: "bonus",
	} {
		if _, err := model.ReadHypothesis(space, json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
