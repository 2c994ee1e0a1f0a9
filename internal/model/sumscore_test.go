package model_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// answers is a schema with two groups of attributes that have the same categories: three of three categories, and three
// of two. Other attributes have categories of their own, or the same ones in another order.
func answers(t testing.TB) *table.Schema {
	t.Helper()
	text := "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n"
	for j, categories := range []string{`"a", "b", "c"`, `"yes", "no"`, `"a", "b", "c"`, `"c", "b", "a"`, `"yes", "no"`, `"a", "b", "c"`, `"yes", "no"`, `"no", "yes"`, `"one"`, `"one"`, `"one"`} {
		text += fmt.Sprintf("[[attribute]]\ncolumn = \"q%d\"\nvalues = [%s]\n", j, categories)
	}
	return tabletest.Schema(t, text)
}

// Every sum score is unchanged if it is written and read. Its rule predicts as the class does, and has points in the
// range of the form.
func TestSumScores(t *testing.T) {
	schema := answers(t)
	for _, points := range []model.Points{{Least: -1, Most: 1}, {Least: 0, Most: 2}, {Least: -3, Most: -1}, {Least: 2, Most: 3}} {
		form := model.SumScore{Points: points}
		space, err := model.Over(form, schema)
		if err != nil {
			t.Fatal(err)
		}
		draw, seen := 0, map[string]bool{}
		for h := range over(t, form, schema).All() {
			m := promising(t, schema, form, h)[0]
			text := written(t, m)
			again, err := model.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatalf("%v: %v", h, err)
			}
			if seen[string(text)] || !bytes.Equal(written(t, again), text) || fmt.Sprint(again.Hypothesis) != fmt.Sprint(h) {
				t.Fatalf("%v is read as %v, or has the text of another score", h, again.Hypothesis)
			}
			seen[string(text)] = true
			body := again.Rule().(rule.Points)
			for j, own := range body.Of {
				score := h.(sumscore.Score)
				in := slices.Contains([][]int{{0, 2, 5}, {1, 4, 6}}[score.Group], j)
				linear := points.Most-points.Least < 2 && slices.Max(score.Points) == 2 // the numbers of three categories
				for _, v := range own {
					if !in && v != 0 || in && !linear && (v < points.Least || v > points.Most) {
						t.Fatalf("%v gives attribute %d the points %v", h, j, own)
					}
				}
			}
			predict, err := again.Outcome()
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				x := make(table.Record, len(schema.Attributes))
				for j := range x {
					draw = (draw*1103515245 + 12345) & 0x7fffffff
					x[j] = uint16(draw >> 16 % schema.Attributes[j].Len())
				}
				if want := space.Sampling().Class.Predict(h, x); (predict(x) == 1) != want {
					t.Fatalf("%v predicts %v on %v", h, predict(x), x)
				}
			}
		}
		if kind, most := space.MostGrades(); most != 7 {
			t.Errorf("%v: %d grades, not the sums 0..6", kind, most)
		}
	}
}

// The groups are the attributes with the same categories in the same order: at least three, of at least two categories
// and of not too many.
func TestAlike(t *testing.T) {
	if got := fmt.Sprint(model.Alike(answers(t))); got != "[[0 2 5] [1 4 6]]" {
		t.Errorf("%v", got)
	}
	if got := fmt.Sprint(model.SumScore{Points: model.Points{Least: 0, Most: 13}}.Groups(answers(t))); got != "[{[1 4 6] 2}]" {
		t.Errorf("%v", got)
	}
}

// A sum score of the form card-or-tree is member 2. It is unchanged if it is written and read.
func TestCardOrTreeWithSumScores(t *testing.T) {
	schema := answers(t)
	form := model.CardOrTree{Scale: 4, Depth: 2, SumScores: true}
	space, err := model.Over(form, schema)
	if err != nil {
		t.Fatal(err)
	}
	h := model.MemberOf(sumscore.Score{Points: []int{0, 1, 2}, Threshold: 4})
	if model.SumScores(space) == nil || h.Member != 2 {
		t.Fatalf("%+v", h)
	}
	m := promising(t, schema, form, h)[0]
	text := written(t, m)
	if !bytes.Contains(text, []byte(`"sum_scores": true`)) || !bytes.Contains(text, []byte(`"member": 2`)) {
		t.Errorf("%s", text)
	}
	again, err := model.Read(bytes.NewReader(text))
	if err != nil || !bytes.Equal(written(t, again), text) {
		t.Fatalf("%+v, %v", again, err)
	}
	refused(t, "card-or-tree", with(t, text, "class", `{"name": "card-or-tree", "scale": 4, "depth": 2}`), "the union has no member 2")
	if plain, err := model.Over(model.CardOrTree{Scale: 4, Depth: 2}, schema); err != nil || model.SumScores(plain) != nil {
		t.Errorf("%+v, %v", plain, err)
	}
	if _, err := model.Over(form, parseSchema(t)); err == nil || !strings.Contains(err.Error(), "needs at least 3 attributes with the same categories") {
		t.Error(err)
	}
}

func TestSumScoresRefuse(t *testing.T) {
	schema := answers(t)
	for says, points := range map[string]model.Points{
		"has only one value": {Least: 1, Most: 1},
		"must not be empty":  {Least: 1, Most: 0},
		"needs at least 3 attributes with the same categories, of which there may be at most 2 ": {Least: 0, Most: 40},
	} {
		s := schema
		if points.Most == 40 {
			s = parseSchema(t)
		}
		if _, err := model.Over(model.SumScore{Points: points}, s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", points, err)
		}
	}
	form := model.SumScore{Points: model.Points{Least: -1, Most: 1}}
	h := sumscore.Score{Points: []int{0, 1, 2}, Threshold: 4}
	text := written(t, promising(t, schema, form, h)[0])
	if want := []byte(`"attributes": ["q0", "q2", "q5"], "points": [-1, 0, 1], "threshold": 1}`); !bytes.Contains(text, want) {
		t.Errorf("%s", text)
	}
	for _, f := range []fault{
		{`[]`, "the sum score is malformed"},
		{`{"attributes": ["q0", "q2"], "points": [-1, 0, 1], "threshold": 1}`, "must be all attributes of the schema that have the same categories"},
		{`{"attributes": ["q0", "q2", "q4"], "points": [-1, 0, 1], "threshold": 1}`, "must be all attributes of the schema that have the same categories"},
		{`{"attributes": ["q0", "q2", "q5"], "points": [-1, 1], "threshold": 1}`, "points for 2 categories, but its attributes have 3"},
		{`{"attributes": ["q0", "q2", "q5"], "points": [0, 1, 2], "threshold": 4}`, "not in the range of its class"},
		{`{"attributes": ["q0", "q2", "q5"], "points": [0, 1, 9], "threshold": 4}`, "does not belong to its class"},
		{`{"attributes": ["q0", "q2", "q5"], "points": [-1, 0, 1], "threshold": 4}`, "does not belong to its class"},
		{`{"attributes": ["q0", "q2", "q5"], "points": [-1, 0, 1], "threshold": -3}`, "does not belong to its class"},
	} {
		refused(t, "sum-score", with(t, text, "hypothesis", f.text), f.says)
	}
	for _, f := range []fault{
		{`{"name": "sum-score"}`, "the key \"points\" must be a list of two numbers"},
		{`{"name": "sum-score", "points": [1, 1]}`, "has only one value"},
		{`{"name": "sum-score", "points": [-1, 1], "threshold": 1}`, "unknown key"},
	} {
		refused(t, "sum-score", with(t, text, "class", f.text), f.says)
	}
}
