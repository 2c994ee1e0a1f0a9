package mechanism

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// What is said of a search follows from the class and the schema.
func TestEffort(t *testing.T) {
	schema := func(attributes, categories int) *table.Schema {
		s := &table.Schema{}
		for j := range attributes {
			name := fmt.Sprint("x", j)
			a := table.Attribute{Name: name, Column: name}
			for c := range categories {
				a.Values = append(a.Values, fmt.Sprint("v", c))
			}
			s.Attributes = append(s.Attributes, a)
		}
		return s
	}
	cards := model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Threshold: 1}
	for _, c := range []struct {
		form       model.Form
		attributes int
		categories int
		want       Outlook
	}{
		{model.ReadOnce{}, 5, 4, NoSearch},
		{model.Conjunction{}, 1, 65535, Briefly},
		{cards, 3, 4, Briefly},
		{cards, 5, 5, Usually},
		{cards, 14, 7, Unbounded},
		{model.UnionOf([]model.Form{model.ReadOnce{}, model.Conjunction{}}), 3, 4, Briefly},
		{model.UnionOf([]model.Form{model.ReadOnce{}, cards}), 14, 7, Unbounded},
	} {
		s := schema(c.attributes, c.categories)
		q, err := c.form.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		most, err := MostRows(q.Class(), s, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if e := EffortOf(c.form, q, s, 1000, most); e.Search != c.want || (e.Quicker != "") != (c.want == Unbounded) {
			t.Errorf("%v: %+v; want %q", q.Class(), e, c.want)
		}
	}
}
