package report

import (
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Query is a query to a table, laid out for people and programs.
type Query struct {
	// Holds says of how many conditions a row must satisfy: "all" of them, an "odd" number, or
	// so many that their "points" reach the threshold.
	Holds      string            `json:"holds"`
	Threshold  *int              `json:"threshold,omitempty"`
	Conditions []QueryConditions `json:"conditions"`
}

// QueryConditions are that a column has one of some values.
type QueryConditions struct {
	Column string   `json:"column"`
	Values []string `json:"values"`
	Points int      `json:"points,omitempty"`

	text string
}

// NewQuery lays out a query to the columns.
func NewQuery(columns []table.Attribute, q compare.Query) Query {
	of := func(column int, values []uint16, points int) QueryConditions {
		a := &columns[column]
		names := a.Categories()
		c := QueryConditions{Column: a.Name, Points: points}
		for _, v := range values {
			c.Values = append(c.Values, names[v])
		}
		if c.text = word(a.Name) + " is anything"; len(values) < len(names) {
			c.text = condition(a, values)
		}
		return c
	}
	laid := Query{Holds: "all", Conditions: []QueryConditions{}}
	switch q := q.(type) {
	case compare.Conjunction:
		for _, l := range q {
			laid.Conditions = append(laid.Conditions, of(l.Column, []uint16{l.Value}, 0))
		}
	case compare.Parity:
		laid.Holds = "odd"
		for _, b := range q {
			laid.Conditions = append(laid.Conditions, of(b.Column, b.Values, 0))
		}
	case compare.Card:
		laid.Holds, laid.Threshold = "points", &q.Threshold
		for _, c := range q.Columns {
			values := map[int][]uint16{}
			for v, points := range c.Of {
				values[points] = append(values[points], uint16(v))
			}
			distinct := slices.Clone(c.Of)
			slices.Sort(distinct)
			for _, points := range slices.Backward(slices.Compact(distinct)) {
				if points != 0 {
					laid.Conditions = append(laid.Conditions, of(c.Column, values[points], points))
				}
			}
		}
	}
	return laid
}

// Sentence says where the query holds, with several conditions as items.
func (q Query) Sentence() Sentence {
	s := Sentence{Text: "everywhere"}
	for _, c := range q.Conditions {
		text := c.text
		if q.Threshold != nil {
			text = fmt.Sprintf("%s: %s", signed(c.Points), text)
		}
		s.Items = append(s.Items, Sentence{Text: text})
	}
	switch {
	case len(s.Items) > 0 && q.Threshold != nil:
		s.Text = fmt.Sprintf("where these points add up to %d at least:", *q.Threshold)
	case len(s.Items) == 1:
		s = Sentence{Text: "where " + s.Items[0].Text}
	case len(s.Items) > 0 && q.Holds == "odd":
		s.Text = "where an odd number of these is true:"
	case len(s.Items) > 0:
		s.Text = "where all of these are true:"
	case q.Holds == "odd" || q.Threshold != nil && *q.Threshold > 0:
		s.Text = "nowhere"
	}
	if len(s.Items) == 0 {
		s.Text += "."
	}
	return s
}
