package release

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// With the same seed, a release of a tree by the graded loss equals the sample that package learn
// draws from trees of levels, with the more likely outcome at each leaf.
func TestGradedTrees(t *testing.T) {
	for seed := range uint64(20) {
		p := prepared(t, Request{Form: model.DecisionTree{Depth: 1}, Epsilon: decimal(t, "0.5"), Seed: &seed, Mechanism: &mechanism.Gibbs{Loss: mechanism.GradedName}})
		w := &world{t: t, rows: 60}
		m, err := p.Release(t.Context(), w, Terms{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := w.Table(t.Context(), m.Schema)
		if err != nil {
			t.Fatal(err)
		}
		space, err := p.setting.Space.(model.Multilevel).WithLevels(learn.GradedLevels)
		if err != nil {
			t.Fatal(err)
		}
		mechanism, err := learn.NewGibbs(space.Sampling().Tractable, decimal(t, "0.5"), privacy.ReplaceOne, learn.Graded())
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := mechanism.Release(t.Context(), data, noise.Insecure(seed))
		if err != nil {
			t.Fatal(err)
		}
		if want := drawn.(*dectree.Tree).Relabel(func(level int) int { return level / 2 }); fmt.Sprint(want) != fmt.Sprint(m.Hypothesis) {
			t.Errorf("%v, want %v", m.Hypothesis, want)
		}
	}
}

// The record of a release by the graded loss determines its guarantee, and changed records are
// refused. The class laid out is that of trees of levels.
func TestGradedRecord(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		p := prepared(t, Request{Form: model.DecisionTree{Depth: 2}, Epsilon: decimal(t, "0.5"), Relation: r, Mechanism: &mechanism.Gibbs{Loss: mechanism.GradedName}})
		text, err := p.model(&dectree.Tree{Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{}}).Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mechanism.Read(bytes.NewReader(text)); err != nil || p.Guarantee.Epsilon != decimal(t, "0.5") {
			t.Fatalf("%+v, %v", p.Guarantee, err)
		}
		for _, c := range [][2]string{
			{`"epsilon": "0.5"`, `"epsilon": "0.25"`},
			{`"graded": true`, `"graded": false`},
			{`"false_negative": 1`, `"false_negative": 2`},
		} {
			if strings.Count(string(text), c[0]) != 1 {
				t.Fatalf("%s is not there once in %s", c[0], text)
			}
			if _, err := mechanism.Read(strings.NewReader(strings.Replace(string(text), c[0], c[1], 1))); err == nil {
				t.Errorf("%s passes", c[1])
			}
		}
		errors := prepared(t, Request{Form: model.DecisionTree{Depth: 2}, Epsilon: decimal(t, "0.5"), Relation: r})
		if p.Effort.Seconds <= errors.Effort.Seconds {
			t.Errorf("%v seconds, of errors %v", p.Effort.Seconds, errors.Effort.Seconds)
		}
	}
}

// The graded loss supports decision trees for two classes without costs only. Other names of losses
// are refused.
func TestGradedRefuses(t *testing.T) {
	trees := model.DecisionTree{Depth: 1}
	for _, c := range []struct {
		r    Request
		says string
	}{
		{Request{Form: trees, Mechanism: &mechanism.Gibbs{Loss: "squared"}}, `--loss "squared" is unknown; it must be graded`},
		{Request{Form: trees, Costs: loss, Mechanism: &mechanism.Gibbs{Loss: mechanism.GradedName}}, "--loss graded cannot be combined with costs"},
		{Request{Form: trees, Schema: graded(t), Mechanism: &mechanism.Gibbs{Loss: mechanism.GradedName}}, "--loss graded requires a label with two outcomes, but this label has 3"},
		{Request{Form: model.UnionOf([]model.Form{plain, trees}), Mechanism: &mechanism.Gibbs{Loss: mechanism.GradedName}}, "--loss graded requires --class tree"},
	} {
		if c.r.Schema == nil {
			c.r.Schema = parseSchema(t)
		}
		c.r.Epsilon, c.r.Rows = decimal(t, "1"), 100
		if _, err := c.r.Prepare(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.r.Form, err, c.says)
		}
		if _, err := c.r.Plan(map[string]mechanism.Mechanism{mechanism.ExponentialName: c.r.Mechanism}, false); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("a plan of %v: %v, want %q", c.r.Form, err, c.says)
		}
	}
}
