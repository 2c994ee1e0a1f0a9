package release

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// wideSchema returns a schema with the given numbers of attributes and of categories per attribute.
func wideSchema(attributes, categories int) *table.Schema {
	s := &table.Schema{Label: &table.Label{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}}
	for j := range attributes {
		a := table.Attribute{Name: fmt.Sprint("x", j), Column: fmt.Sprint("x", j)}
		for c := range categories {
			a.Values = append(a.Values, fmt.Sprint("v", c))
		}
		s.Attributes = append(s.Attributes, a)
	}
	return s
}

// The row limit is exactly the number at which the bound on cells exceeds the maximum of a tree.
// Schemas with few distinct records have no limit. A larger stated number is refused before the
// data is opened, and a larger table when it is read.
func TestMostRows(t *testing.T) {
	for _, f := range []model.Form{plain, model.UnionOf([]model.Form{plain, model.Conjunction{}})} {
		s := wideSchema(14, 7)
		space, err := f.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		c := space.Sampling().Class
		most, err := mechanism.MostRows(c, s, 0)
		if err != nil || most >= learn.MostRows {
			t.Fatalf("%v: %d rows, %v", c, most, err)
		}
		if fit, over := c.Layout(most).Cells, c.Layout(most+1).Cells; fit > class.MostCells || over <= class.MostCells {
			t.Errorf("%v: %d rows have %d cells, one more %d", c, most, fit, over)
		}
		ask := Request{Schema: s, Form: f, Epsilon: decimal(t, "1")}
		p, err := ask.Prepare()
		if err != nil || p.most != most || p.Effort.MostRows != most {
			t.Errorf("%v: %d rows, %v", c, p.most, err)
		}
		for _, rows := range []int64{most, most + 1} {
			ask.Rows = rows
			_, err := ask.Prepare()
			_, series := Stream{ask, 1, rows}.Prepare()
			_, plan := ask.Plan(nil, false)
			for _, err := range []error{err, series, plan} {
				if (err == nil) != (rows == most) || err != nil && (!strings.Contains(err.Error(), fmt.Sprint(most)) || strings.Contains(err.Error(), "\n")) {
					t.Errorf("%v: %d rows: %v", c, rows, err)
				}
			}
		}
	}
	s := wideSchema(3, 7)
	space, err := plain.Over(s)
	if err != nil {
		t.Fatal(err)
	}
	if most, err := mechanism.MostRows(space.Sampling().Class, s, 0); most != learn.MostRows || err != nil {
		t.Errorf("343 distinct records: %d rows, %v", most, err)
	}
}

// bulky is a class that is too wide for any table.
type bulky struct{ model.Class }

func (bulky) Layout(int64) class.Layout { return class.Layout{Cells: class.MostCells + 1} }

func TestTooWideForAnyTable(t *testing.T) {
	_, err := mechanism.MostRows(bulky{}, wideSchema(1, 2), 0)
	if err == nil || !strings.Contains(err.Error(), "2147483648 cells, and the maximum is 2147483647") {
		t.Error(err)
	}
}
