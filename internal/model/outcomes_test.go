package model_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// graded returns a schema whose label has three outcomes.
func graded(t testing.TB) *table.Schema {
	t.Helper()
	s := *parseSchema(t)
	s.Label = &table.Label{Column: "y", Values: []string{"low", "mid, or so", "high"}}
	three, err := table.NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	return three
}

// A form for two outcomes is refused if the label has more, also as a member of a union.
func TestTwoOutcomesOnly(t *testing.T) {
	two, three := parseSchema(t), graded(t)
	for name, f := range samples {
		if _, err := model.Over(f, two); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := model.Over(f, three); err == nil || !strings.HasPrefix(err.Error(), "the label has 3 outcomes, but --class "+f.Name()+" supports only two; ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every tree for three outcomes is unchanged if it is written and read, and predicts the number and
// the name of an outcome.
func TestTreesOfOutcomes(t *testing.T) {
	schema := graded(t)
	typed, err := dectree.New([]dectree.Attribute{{Categories: 5, Ordered: 4}, {Categories: 2}, {Categories: 2}, {Categories: 1}}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	predicted := map[int]bool{}
	for h := range typed.All() {
		again, err := model.Read(bytes.NewReader(written(t, promising(t, schema, model.DecisionTree{Depth: 1}, h)[0])))
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Hypothesis.(*dectree.Tree).String(); got != h.String() {
			t.Fatalf("%v is read as %s", h, got)
		}
		predict, err := again.Outcome()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []table.Record{{0, 0, 1, 0}, {2, 1, 0, 0}, {4, 1, 1, 0}} {
			got := predict(x)
			predicted[got] = true
			if got != typed.Predict(h, x) {
				t.Errorf("%v on %v: %d", h, x, got)
			}
		}
	}
	if len(predicted) != 3 {
		t.Errorf("predicted are only %v", predicted)
	}
}

// A model for three outcomes is refused if it predicts another outcome, or has risks for grades that
// are not its leaves.
func TestMalformedOutcomes(t *testing.T) {
	schema := graded(t)
	m := promising(t, schema, model.DecisionTree{Depth: 1}, &dectree.Tree{Outcome: 2})[0]
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	if g, err := m.Grades(); err != nil || g.Scale.Cells() != 4 {
		t.Errorf("%+v, %v", g, err)
	}
	text := string(written(t, m))
	for _, c := range [][3]string{
		{`{"predict": 2}`, `{"predict": 3}`, "a prediction is 3, but must be one of the outcomes 0 to 2"},
		{`{"predict": 2}`, `{"predict": -1}`, "a prediction is -1, but must be one of the outcomes 0 to 2"},
		{`{"predict": 2}`, `{"predict": "high"}`, "the decision tree is malformed"},
		{`"values": ["low", "mid, or so", "high"]`, `"values": ["low", "high"]`, "[label] has 2 classes"},
		{`"values": ["low", "mid, or so", "high"]`, `"positive": ["low"], "negative": ["high"]`, "a prediction is 2, but must be one of the outcomes 0 to 1"},
	} {
		if strings.Count(text, c[0]) != 1 {
			t.Fatalf("%s is not there once in %s", c[0], text)
		}
		if _, err := model.Read(strings.NewReader(strings.Replace(text, c[0], c[1], 1))); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	other, err := risk.Leaves(4, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []risk.Scale{risk.Predictions(3), other} {
		if m.Risks, err = risk.Noisy(s, make([]*big.Int, s.Cells()), privacytest.Decimal(t, "0.1"), privacy.ReplaceOne); err != nil {
			t.Fatal(err)
		}
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), "the same grades as its hypothesis") {
			t.Error(err)
		}
	}
}
