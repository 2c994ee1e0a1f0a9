package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
)

// wideSchema has so many attributes of so many categories.
func wideSchema(attributes, categories int) *table.Schema {
	s := &table.Schema{}
	for j := range attributes {
		a := table.Attribute{Name: fmt.Sprint("x", j), Column: fmt.Sprint("x", j)}
		for c := range categories {
			a.Values = append(a.Values, fmt.Sprint("v", c))
		}
		s.Attributes = append(s.Attributes, a)
	}
	return s
}

// The number of rows that fit is exactly where the bound on cells passes what a
// tree can have, and no limit where the schema has few distinct records.
func TestMostRows(t *testing.T) {
	for _, f := range []model.Family{
		model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Threshold: 1},
		model.UnionOf([]model.Family{model.Scorecard{Points: model.Points{Least: -1, Most: 1}}, model.Conjunction{}}),
	} {
		s := wideSchema(14, 7)
		c, err := f.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		most, err := model.MostRows(c, s)
		if err != nil || most >= learn.MostRows {
			t.Fatalf("%v: %d rows, %v", c, most, err)
		}
		if fit, over := c.Layout(most).Cells, c.Layout(most+1).Cells; fit > class.MostCells || over <= class.MostCells {
			t.Errorf("%v: %d rows have %d cells, one more %d", c, most, fit, over)
		}
		if err := model.CheckRows(c, s, most); err != nil {
			t.Error(err)
		}
		err = model.CheckRows(c, s, most+1)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(most)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d rows: %v", most+1, err)
		}
	}
	s := wideSchema(3, 7)
	c, err := model.Scorecard{Points: model.Points{Least: -1, Most: 1}}.Over(s)
	if err != nil {
		t.Fatal(err)
	}
	if most, err := model.MostRows(c, s); most != learn.MostRows || err != nil {
		t.Errorf("343 distinct records: %d rows, %v", most, err)
	}
}

// bulky is a class that is too wide for any table.
type bulky struct{ model.Class }

func (bulky) Layout(int64) class.Layout { return class.Layout{Cells: class.MostCells + 1} }

func TestTooWideForAnyTable(t *testing.T) {
	_, err := model.MostRows(bulky{}, wideSchema(1, 2))
	if err == nil || !strings.Contains(err.Error(), "2147483648 cells, and 2147483647 fit") {
		t.Error(err)
	}
}
