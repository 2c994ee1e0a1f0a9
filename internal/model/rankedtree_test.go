package model_test

import (
	"math/rand/v2"
	"testing"

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
	for i := range 80 {
		h := learn.RankedTree[any]{Tree: randomTree(random, i%4, 2), Points: randomPoints(random, schema, 20)}
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
		readsBack(t, space, h)
	}
	refusesHypotheses(t, space, map[string]string{
		`[]`:                         "the ranked tree is malformed",
		`{"tree": {"predict": 1}}`:   "points are malformed: it is missing",
		`{"points": []}`:             "the decision tree is malformed: it is missing",
		`{"tree": {}, "points": []}`: `a node of the decision tree needs either "predict"`,
		`{"tree": {"predict": 0}, "points": [], "bonus": 1}`: "bonus",
	})
}
