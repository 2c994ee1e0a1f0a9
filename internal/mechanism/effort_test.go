package mechanism

import (
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// schemaOf returns a schema whose attributes have the given number of categories each.
func schemaOf(attributes, categories int) *table.Schema {
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

// The stated effort of a search follows from the class and the schema.
func TestEffort(t *testing.T) {
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
		s := schemaOf(c.attributes, c.categories)
		q, err := c.form.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		most, err := MostRows(q.Sampling().Class, s, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if e := EffortOf(c.form, q, s, 1000, most); e.Search != c.want || (e.Quicker != "") != (c.want == Unbounded) {
			t.Errorf("%v: %+v; want %q", q.Sampling().Class, e, c.want)
		}
	}
}

// The time of draws in stages grows with the work of each draw and with the number of draws.
func TestEffortOfStages(t *testing.T) {
	s := &table.Schema{}
	for j := range 4 {
		name := fmt.Sprint("x", j)
		s.Attributes = append(s.Attributes, table.Attribute{Name: name, Column: name, Values: []string{"a", "b", "c", "d", "e"}})
	}
	seconds := func(draws int, rows int64) float64 {
		form := model.Sparse{Attributes: 2, Draws: draws, Points: 1, Threshold: 1}
		space, err := form.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		return EffortOf(form, space, s, rows, 1<<20).Seconds
	}
	two := seconds(2, 100)
	if one := seconds(1, 100); one <= 0 || one > two || two > 1 {
		t.Errorf("one draw over 100 rows takes %v s, and two take %v", one, two)
	}
	for draws := 3; draws < 6; draws++ {
		if got := seconds(draws, 100) / two; math.Abs(got-float64(draws)/2) > 1e-9 {
			t.Errorf("%d draws take %v times as long as two", draws, got)
		}
	}
	if more := seconds(2, 500); more <= two {
		t.Errorf("500 rows take %v s, and 100 take %v", more, two)
	}
}

// A union of sparse cards and trees is sampled without a search if the cards can be enumerated within seconds. The
// stated time then includes that of the trees and that of the enumeration.
func TestEffortOfUnions(t *testing.T) {
	effort := func(attributes, categories int, members ...model.Form) Effort {
		s := schemaOf(attributes, categories)
		form := model.UnionOf(members)
		space, err := form.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		return EffortOf(form, space, s, 1000, 1<<20)
	}
	cards := func(most int) model.Form { return model.Sparse{Attributes: most, Draws: 1, Points: 1, Threshold: 1} }
	trees := model.DecisionTree{Depth: 2}
	two, three, four := effort(10, 4, cards(2), trees), effort(10, 4, cards(3), trees), effort(10, 4, cards(4), trees)
	if two.Search != Fixed || three.Search != Fixed || four.Search != Usually {
		t.Errorf("two, three and four attributes: %q, %q and %q", two.Search, three.Search, four.Search)
	}
	if two.Seconds <= 0 || three.Seconds <= 10*two.Seconds || three.Seconds > 10 {
		t.Errorf("two attributes take %v s, and three take %v", two.Seconds, three.Seconds)
	}
	if e := effort(10, 4, cards(2), trees, model.Conjunction{}); e.Search == Fixed {
		t.Errorf("a union with a searched class: %+v", e)
	}
}
