package release

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// publicCuts returns a schema whose profile gave one column the public cuts 1000, 1100, …, 9900.
func publicCuts(t *testing.T) *table.Schema {
	t.Helper()
	var cuts []string
	for n := 1000; n < 10_000; n += 100 {
		cuts = append(cuts, fmt.Sprint(n))
	}
	return tabletest.Schema(t, fmt.Sprintf(`
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "gain"
cuts = [%s]
[[attribute]]
column = "job"
values = ["a", "b", "c"]
[[profile]]
columns = ["gain"]
not_private = true
`, strings.Join(cuts, ", ")))
}

// A Newton step gets finer public cuts, and other mechanisms do not. Data that is coded by the schema of the request keeps its
// cuts, and so does a small budget. The guarantee and the charge are the same.
func TestRefinedCuts(t *testing.T) {
	s := publicCuts(t)
	none := decimal(t, "0")
	asked := Request{Schema: s, Epsilon: decimal(t, "1"), Delta: decimal(t, "0.00001"), Relation: privacy.AddRemove, Rows: 10_000, Risk: &none}
	small := asked
	small.Form, small.Mechanism, small.Rows = model.Additive{Kind: model.NaiveBayes}, &mechanism.Newton{}, 5000
	if n := prepared(t, small).setting.Schema.Attributes[0].Len(); n != 91 {
		t.Errorf("%d categories for %d rows", n, small.Rows)
	}
	for _, c := range []struct {
		form model.Form
		of   mechanism.Mechanism
		want int
	}{
		{model.Additive{Kind: model.NaiveBayes}, &mechanism.Newton{}, 91 + 9*89},
		{model.CardOrTree{Scale: 10, Depth: 2}, &mechanism.Newton{}, 91 + 9*89},
		{model.Additive{Kind: model.NaiveBayes}, nil, 91},
		{model.DecisionTree{Depth: 2}, nil, 91},
	} {
		r := asked
		if r.Form, r.Mechanism = c.form, c.of; c.of == nil {
			r.Delta = none
		}
		p := prepared(t, r)
		if got := p.setting.Schema.Attributes[0].Len(); got != c.want || s.Attributes[0].Len() != 91 {
			t.Errorf("%s: %d categories, want %d", c.form.Name(), got, c.want)
		}
		if p.coarse != nil && state(t, p.coarse.promise) != state(t, p.promise) {
			t.Errorf("%s: %v and %v", c.form.Name(), p.coarse.promise, p.promise)
		}
		if _, err := p.Release(context.Background(), Coded{p.setting.Schema.Builder().Table()}, Terms{}); err != nil {
			t.Errorf("%s: %v", c.form.Name(), err)
		}
		m, err := p.Release(context.Background(), Coded{s.Builder().Table()}, Terms{})
		if err != nil || m.Schema.Attributes[0].Len() != 91 {
			t.Errorf("%s: %v", c.form.Name(), err)
		}
	}
}
