package report

import (
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Query describes a query on a table for human readers and for programs.
type Query struct {
	// Holds states how many conditions a row must satisfy: "all" of them, or an "odd" number of them. "points" means
	// that the points of the satisfied conditions must reach the threshold.
	Holds      string            `json:"holds"`
	Threshold  *int              `json:"threshold,omitempty"`
	Conditions []QueryConditions `json:"conditions"`
}

// QueryConditions is one condition of a query: the column must have one of the listed values.
type QueryConditions struct {
	Column string   `json:"column"`
	Values []string `json:"values"`
	Points int      `json:"points,omitempty"`

	text string
}

// NewQuery describes a query on the given columns. A row satisfies the query if the rule q predicts 1. The rule must
// be a conjunction of conditions, a parity of conditions, or a sum of points.
func NewQuery(columns []table.Attribute, q rule.Body) Query {
	laid := Query{Holds: "all", Conditions: []QueryConditions{}}
	add := func(c rule.Condition, points int) {
		a := &columns[c.Attribute]
		names := a.Categories()
		of := QueryConditions{Column: a.Name, Points: points}
		for _, v := range c.Accepts {
			of.Values = append(of.Values, names[v])
		}
		if of.text = word(a.Name) + " is anything"; len(c.Accepts) < len(names) {
			of.text = condition(a, c.Accepts)
		}
		laid.Conditions = append(laid.Conditions, of)
	}
	p, points := q.(rule.Points)
	if !points {
		f := q.(rule.Decision).Formula
		if _, odd := f.(rule.Odd); odd {
			laid.Holds = "odd"
		}
		for _, c := range rule.Conditions(f) {
			add(c, 0)
		}
		return laid
	}
	laid.Holds, laid.Threshold = "points", &p.Threshold
	for j, of := range p.Of {
		values := map[int][]uint16{}
		for v, points := range of {
			values[points] = append(values[points], uint16(v))
		}
		distinct := slices.Clone(of)
		slices.Sort(distinct)
		for _, points := range slices.Backward(slices.Compact(distinct)) {
			if points != 0 {
				add(rule.Condition{Attribute: j, Accepts: values[points]}, points)
			}
		}
	}
	return laid
}

// Sentence returns a sentence which states the rows that satisfy the query. Several conditions are items of a list.
func (q Query) Sentence() Sentence {
	s := Sentence{Text: "everywhere"}
	for _, c := range q.Conditions {
		text := c.text
		if q.Threshold != nil {
			text = fmt.Sprintf("%s: %s", Signed(c.Points), text)
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
