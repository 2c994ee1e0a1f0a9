package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
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
		family     model.Family
		attributes int
		categories int
		want       outlook
	}{
		{model.ReadOnce{}, 5, 4, noSearch},
		{model.Conjunction{}, 1, 65535, briefly},
		{cards, 3, 4, briefly},
		{cards, 5, 5, usually},
		{cards, 14, 7, unbounded},
		{model.UnionOf([]model.Family{model.ReadOnce{}, model.Conjunction{}}), 3, 4, briefly},
		{model.UnionOf([]model.Family{model.ReadOnce{}, cards}), 14, 7, unbounded},
	} {
		s := schema(c.attributes, c.categories)
		q, err := c.family.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		e, err := effortOf(q, c.family.Name(), s, 1000)
		if err != nil || e.Search != c.want || (e.Quicker != "") != (c.want == unbounded) {
			t.Errorf("%v: %+v, %v; want %q", q, e, err, c.want)
		}
	}
}

func TestAdmit(t *testing.T) {
	r := &release{most: 10}
	if err := r.admit(10); err != nil {
		t.Error(err)
	}
	if err := r.admit(11); err == nil || !strings.Contains(err.Error(), "than the 10 that") {
		t.Error(err)
	}
	r.most = learn.MostRows
	if err := r.admit(learn.MostRows); err != nil {
		t.Error(err)
	}
}
