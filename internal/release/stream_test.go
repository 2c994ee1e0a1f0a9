package release

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The guarantee of a series is the sum of its rounds, at most the requested budget. Every model
// states its position in the series.
func TestSeries(t *testing.T) {
	ask := Stream{Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1"), Costs: loss}, 3, 7}
	p, err := ask.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if g := p.Guarantee; g.Epsilon != decimal(t, "0.999999999") || g.Relation != privacy.ReplaceOne || p.series.Epsilon != decimal(t, "0.333333333") {
		t.Errorf("it promises %+v, of rounds of %s", g, p.series.Epsilon)
	}
	w := &world{t: t, rows: 20}
	models, err := p.Release(t.Context(), w, w.terms())
	if err != nil || len(models) != 4 || len(w.published) != 4 || p.Models() != 4 {
		t.Fatalf("%v, %v", models, err)
	}
	for i, text := range w.published {
		m, err := mechanism.Read(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if number, of := mechanism.Place(m); number != i+1 || of != 4 {
			t.Errorf("model %d is number %d of %d", i, number, of)
		}
		if mechanism.Costs(m) != loss {
			t.Errorf("its costs are %v", mechanism.Costs(m))
		}
	}
	if number, of := mechanism.Place(learned(t)); number != 0 || of != 0 {
		t.Errorf("a model of no series is number %d of %d", number, of)
	}
}

// Batches are consecutive rows. Null rows count as rows but belong to no batch.
func TestBatches(t *testing.T) {
	p, err := Stream{Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1")}, 3, 4}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	for null, want := range map[int][]int{2: {3, 4, 2}, 5: {4, 3, 2}, 9: {4, 4, 1}} {
		batches, err := p.read(t.Context(), &world{t: t, rows: 10, null: null})
		if err != nil {
			t.Fatal(err)
		}
		row := 0
		for i, batch := range batches {
			if len(batch) != want[i] {
				t.Errorf("with row %d null batch %d has %d records", null, i, len(batch))
			}
			for _, e := range batch {
				if row == null {
					row++
				}
				if e.X[0] != uint16(row%3) || e.Label != (row%3 == 0) || e.Count != 1 {
					t.Errorf("row %d is %+v", row, e)
				}
				row++
			}
		}
	}
}

// A stated number of rows is that of the whole stream.
func TestRowsOfStream(t *testing.T) {
	for rows, right := range map[int64]bool{0: true, 10: true, 9: false, 11: false} {
		p, err := Stream{Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1"), Rows: rows}, 3, 4}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.read(t.Context(), &world{t: t, rows: 10}); (err == nil) != right {
			t.Errorf("--rows %d: %v", rows, err)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	most := int64(learn.MostRows)
	for _, c := range []struct {
		says   string
		change func(s *Stream)
	}{
		{"--rounds 0 is outside", func(s *Stream) { s.Rounds = 0 }},
		{"--rounds 10001 is outside", func(s *Stream) { s.Rounds = mechanism.MostRounds + 1 }},
		{"--batch 0 is not supported: for 3 rounds", func(s *Stream) { s.Batch = 0 }},
		{"--batch", func(s *Stream) { s.Batch = most/3 + 1 }},
		{"add-remove", func(s *Stream) { s.Relation = privacy.AddRemove }},
		{"--epsilon", func(s *Stream) { s.Epsilon = decimal(t, "0") }},
		{"[label]", func(s *Stream) { s.Schema = nil }},
		{"--balanced", func(s *Stream) { s.Balanced = true }},
		{"because its regret has no bound", func(s *Stream) { s.Form = model.Additive{Kind: model.NaiveBayes} }},
		{"points", func(s *Stream) { s.Form = model.Scorecard{Points: model.Points{Least: 2, Most: 1}} }},
	} {
		s := Stream{Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1")}, 3, 7}
		c.change(&s)
		if p, err := s.Prepare(); p != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// Invalid requests are refused by their public parameters, before any data is opened.
func TestRequestRefuses(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(r *Request)
	}{
		{"--epsilon 0 is outside", func(r *Request) { r.Epsilon = privacy.Decimal{} }},
		{"--epsilon 0.0000009 is outside", func(r *Request) { r.Epsilon = decimal(t, "9e-7") }},
		{"--epsilon 1000001 is outside", func(r *Request) { r.Epsilon = decimal(t, "1000001") }},
		{"--delta 1 must be below 1", func(r *Request) { r.Delta = decimal(t, "1") }},
		{"delta must be 0", func(r *Request) { r.Delta = decimal(t, "1e-6") }},
		{"--rows -1 is outside", func(r *Request) { r.Rows = -1 }},
		{"is outside 1..", func(r *Request) { r.Rows = learn.MostRows + 1 }},
		{"must be an integer", func(r *Request) { r.Costs = learn.Loss{FalsePositive: 1} }},
		{"--sample needs --rows", func(r *Request) { r.Mechanism = &mechanism.Exponential{Size: 3} }},
		{"--sample 11 must be at least 1 and at most the number of rows, 10", func(r *Request) { r.Mechanism, r.Rows = &mechanism.Exponential{Size: 11}, 10 }},
		{"cannot be used together", func(r *Request) { r.Mechanism, r.Rows = &mechanism.Exponential{Size: 1, Rate: "0.5"}, 10 }},
		{"--sample-rate requires --relation add-remove", func(r *Request) { r.Mechanism = &mechanism.Exponential{Rate: "0.5"} }},
		{"outside (0, 1]", func(r *Request) { r.Mechanism, r.Relation = &mechanism.Exponential{Rate: "1.5"}, privacy.AddRemove }},
		{"requires --relation replace", func(r *Request) {
			r.Mechanism, r.Relation, r.Rows = &mechanism.Exponential{Size: 3}, privacy.AddRemove, 10
		}},
		{"needs a --delta above 0", func(r *Request) {
			r.Mechanism = &mechanisms.RSPM{Noise: "gauss", Perturbing: mechanisms.Perturbing{Oracle: "search"}}
		}},
		{"needs a --delta above 0", func(r *Request) { r.Mechanism, r.Rows = mechanisms.NewPRSMA(), 100 }},
		{"the answers of this solver are not verified", func(r *Request) {
			m := mechanisms.NewPRSMA()
			m.Oracle = "clasp"
			r.Mechanism, r.Rows, r.Delta = m, 100, decimal(t, "0.1")
		}},
		{"needs --rows", func(r *Request) { r.Mechanism = &mechanisms.Boost{} }},
		{"every part needs at least one row", func(r *Request) { r.Mechanism, r.Rows = &mechanisms.Boost{Parts: 8, Validation: 5}, 10 }},
		{"[label]", func(r *Request) { s := *r.Schema; s.Label = nil; r.Schema = &s }},
	} {
		r := Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1")}
		c.change(&r)
		if p, err := r.Prepare(); p != nil || err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
