package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/sibyl-dp/sibyl/internal/generated"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// An examplePage shows a model that was learned from generated rows, as an example of a planned release. It depends
// only on the schema and on the values of the form; no private data is read.
type examplePage struct {
	Asked planForm // the values of the form; its field Epsilons holds one ε

	Thing string // the kind of the model, such as scorecard
	Rows  int64
	Unit  string
	Text  string // the model in readable form

	Accuracy string // the accuracy of the model on the generated rows
	Best     string // the accuracy of the best predictor for the distribution of the generated rows
	Fault    string // the reason why there is no example
}

// example returns the address of the example page for the given ε, relative to the base of the session.
func (a planForm) example(epsilon string) string {
	return "example?" + url.Values{"schema": {a.Schema}, "rows": {a.Rows}, "epsilon": {epsilon}, "class": {a.Class}, "relation": {a.Relation}}.Encode()
}

// These constants limit the time, the number of generated records and the memory of an example. If the plan has more
// rows than exampleRecords, the generated records are repeated.
const (
	exampleTime    = 5 * time.Second
	exampleRecords = 20_000
	exampleBytes   = 512 << 20
)

func showExample(q *request) error {
	c := examplePage{Asked: q.planForm()}
	p := page{Title: "An example on made-up rows", Step: "plan"}
	r, err := q.plannedRequest(c.Asked)
	if err == nil {
		r.Epsilon, err = plannedEpsilon(c.Asked.Epsilons)
	}
	if err != nil {
		p.Error = inWords(err)
	} else if err := q.fillExample(&c, r); err != nil {
		c.Fault = inWords(err)
	}
	p.Content = c
	return q.render("example", p)
}

// fillExample learns the model of an example from generated rows. If the schema has a [person], each person has one
// generated row.
func (q *request) fillExample(c *examplePage, r release.Request) error {
	c.Rows, c.Unit = r.Rows, r.Schema.Unit(r.Rows)
	if _, err := nameClass(&r, c.Asked.Class); err != nil {
		return err
	}
	r.Schema = r.Schema.ByRow()
	p, err := r.Prepare()
	if err != nil {
		return err
	}
	few := r
	few.Rows = min(r.Rows, exampleRecords)
	sized, err := few.Prepare()
	if err != nil {
		return err
	}
	if e := sized.Effort; e != nil && e.Bytes > exampleBytes {
		return fmt.Errorf("an example of this class is not shown, because it needs up to %s of memory, and the limit is %s", mechanism.Size(e.Bytes), mechanism.Size(exampleBytes))
	}
	ctx, cancel := context.WithTimeout(q.r.Context(), exampleTime)
	defer cancel()
	select {
	case q.example <- struct{}{}:
		defer func() { <-q.example }()
	case <-ctx.Done():
		return errSlow
	}
	rows, best := generated.Table(r.Schema, r.Rows, exampleRecords)
	m, err := p.Release(ctx, release.Coded{Of: rows}, release.Terms{ProfiledElsewhere: true})
	switch {
	case ctx.Err() != nil:
		return errSlow
	case err != nil:
		return err
	}
	counts, err := m.Count(rows)
	if err != nil {
		return err
	}
	sheet := m.Sheet()
	c.Thing = sheet.Thing()
	c.Accuracy, c.Best = report.Percent(counts.Assess(risk.Rows, nil).Accuracy.Value, 0), report.Percent(&best, 0)
	var text bytes.Buffer
	if err := sheet.Write(&text); err != nil {
		return err
	}
	c.Text = text.String()
	return nil
}

var errSlow = errors.New("no example is shown, because sampling it takes more than 5 seconds; a release has no such limit")
