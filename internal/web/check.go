package web

import (
	"context"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// A checkResult is the result of comparing the data with a schema. It is private: only the curator may see
// it.
type checkResult struct {
	Rows, Null int64
	Places     string // the unit in which positions in the data are counted: "line" or "row"
	Fields     []checkedField
	Open       []string // the columns that have no categories yet
	Persons    int64    // as in source.Report
	Unnamed    int64    // the number of rows without a value in the person column
	Faults     []string
}

// A checkedField counts the values in a column of the data that the schema does not list.
type checkedField struct {
	Name                              string
	Outside, First, Other, FirstOther int64
}

// startCheck starts a job that counts the values outside the schema's domain. Its result is private.
func startCheck(q *request) error {
	name := q.form.Get("file")
	s, _, err := q.openSchema(name)
	if err != nil {
		return q.editPage(name, nil, err)
	}
	open, err := release.Provisional(name, s)
	if err != nil {
		return q.editPage(name, nil, err)
	}
	now := q.choice()
	if now.Location == "" {
		return q.editPage(name, nil, errors.New("no table is chosen; name one on the page Data"))
	}
	from := q.from(now.Location, now.Query)
	j := &job{ID: secret(), Title: "Check, for the curator only", Cancel: "Cancelling a check changes nothing."}
	started := q.start(j, func(ctx context.Context) outcome {
		r, err := source.Check(ctx, from.Location, s, from.Options)
		if err != nil {
			if ctx.Err() != nil {
				err = errors.New("the check was cancelled")
			}
			return outcome{Err: inWords(err)}
		}
		c := &checkResult{Rows: r.Rows, Null: r.Nulls, Places: "row"}
		if r.Lines {
			c.Places = "line"
		}
		fields := r.Attributes
		if r.Label != nil {
			fields = append(fields, *r.Label)
		}
		for j, f := range fields {
			if j < len(open) && open[j] {
				c.Open = append(c.Open, f.Column)
				if len(s.Attributes[j].Cuts) == 0 {
					f.Other, f.FirstOther = 0, 0 // without categories, every value counts as other
				}
			}
			c.Fields = append(c.Fields, checkedField{f.Column, f.Outside, f.FirstOutside, f.Other, f.FirstOther})
			for _, u := range f.Unreadable {
				what, remedy := r.Explain(u.Why, s)
				c.Faults = append(c.Faults, fmt.Sprintf("Column %s: %d values are %s, the first in %s %d. To mend it, %s.", f.Column, u.Count, what, c.Places, u.First, remedy))
			}
			for _, d := range f.Doubtful {
				what, remedy := r.ExplainDoubt(d.Why, s)
				c.Faults = append(c.Faults, fmt.Sprintf("Column %s: %d values are %s, the first in %s %d. To mend it, %s.", f.Column, d.Count, what, c.Places, d.First, remedy))
			}
		}
		for _, f := range r.Cells {
			what, remedy := f.Explain()
			c.Faults = append(c.Faults, fmt.Sprintf("Column %s: %d cells have %s, the first is %s%d. To mend it, %s.", f.Column, f.Count, what, r.Letters[f.Column], f.First, remedy))
		}
		if r.Person != nil {
			c.Persons, c.Unnamed = r.Persons, r.Person.Outside
		}
		return outcome{Content: c}
	})
	if !started {
		return q.editPage(name, nil, errors.New("another release or check is running; wait until it has ended"))
	}
	return q.redirect("job?id=" + j.ID)
}
