package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A profilePage contains the form for completing a schema from private data by a private release.
type profilePage struct {
	selection
	File    string
	Ledgers []string
	Asked   map[string]string
}

func showProfile(q *request) error { return q.profilePage(q.form.Get("file"), nil) }

func (q *request) profilePage(name string, refused error) error {
	c := profilePage{selection: q.choice(), File: name}
	var err error
	if c.Ledgers, err = q.list(ledgerEnding); err != nil {
		return err
	}
	p := page{Title: "Cuts and values, with privacy", Step: "schema"}
	if refused != nil {
		p.Error, c.Asked = inWords(refused), q.asked()
	}
	p.Content = c
	return q.render("profile", p)
}

// reviewProfile checks the public parameters of a profile, and shows how much budget its release would consume.
func reviewProfile(q *request) error {
	r, err := q.reviewProfile()
	if err == nil {
		err = q.admits(r)
	}
	if err != nil {
		return q.profilePage(q.form.Get("schema"), err)
	}
	return q.redirect("confirm?ticket=" + q.keep(r))
}

func (q *request) reviewProfile() (*pendingRelease, error) {
	name := q.form.Get("schema")
	s, text, err := q.openSchema(name)
	if err != nil {
		return nil, err
	}
	r, epsilon, delta, rows, err := q.common(s, "Schema", name)
	if err != nil {
		return nil, err
	}
	p, err := release.Profile{Name: name, Text: text, Epsilon: epsilon, Delta: delta, Relation: relationOf(r.relates), Rows: rows}.Prepare()
	if err != nil {
		return nil, err
	}
	out, err := q.free(q.form.Get("file"), schemaEnding)
	if err != nil {
		return nil, err
	}
	r.Title, r.outputs, r.page = "Choose cuts and values with privacy", []string{out}, "schema-edit?file="+escape(out)
	if len(p.Columns) > 0 {
		r.Facts = append(r.Facts, fact{"Cuts of", fmt.Sprintf("%s; at most %d each, which miss their rank by about %.0f %s", strings.Join(p.Columns, ", "), p.Cuts, p.RankError, p.Domain().Unit(2))})
	}
	if len(p.Categories) > 0 {
		r.Facts = append(r.Facts, fact{"Values of", fmt.Sprintf("%s; a value of %d %s becomes a category in 95 of 100 runs", strings.Join(p.Categories, ", "), p.Kept, p.Domain().Unit(p.Kept))})
	}
	r.Facts = append(r.Facts, fact{"File", out})
	r.state("schema", p.Guarantee, &table.Schema{Profiles: s.Profiles, Attributes: s.Attributes})
	choose := q.choose
	r.release = func(ctx context.Context, data release.From, t release.Terms) error {
		_, err := p.Release(ctx, data, t)
		if err == nil {
			choose(func(c *selection) { c.Schema = out })
		}
		return err
	}
	return r, nil
}
