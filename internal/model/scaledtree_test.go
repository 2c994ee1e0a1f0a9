package model_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// randomTree returns a tree whose depth is at most the given one. The schema must have at least nine tests.
func randomTree(random *rand.Rand, depth, outcomes int) *dectree.Tree {
	if depth == 0 {
		return &dectree.Tree{Outcome: random.IntN(outcomes)}
	}
	below := func() *dectree.Tree { return randomTree(random, random.IntN(depth), outcomes) }
	return &dectree.Tree{Test: random.IntN(9), Yes: below(), No: below()}
}

// randomPoints returns points from -most to most for each category of each attribute.
func randomPoints(random *rand.Rand, s *table.Schema, most int) [][]int {
	var points [][]int
	for _, size := range s.Sizes() {
		own := make([]int, size)
		for c := range own {
			own[c] = random.IntN(2*most+1) - most
		}
		points = append(points, own)
	}
	return points
}

// readsBack checks that a hypothesis is read as it was written.
func readsBack(t *testing.T, space model.Space, h any) {
	t.Helper()
	text := model.WriteHypothesis(space, h)
	if again, err := model.ReadHypothesis(space, text); err != nil || !reflect.DeepEqual(again, h) {
		t.Fatalf("%s is read as %v (%v)", text, again, err)
	}
}

// refusesHypotheses checks that reading each text returns an error that contains the given part.
func refusesHypotheses(t *testing.T, space model.Space, texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		if _, err := model.ReadHypothesis(space, json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
