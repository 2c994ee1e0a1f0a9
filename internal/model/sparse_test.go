package model_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Cards from two draws are unchanged if they are written and read, and their grades are their totals.
func TestSparseCards(t *testing.T) {
	schema := parseSchema(t)
	form := model.Sparse{Attributes: 1, Draws: 2, Points: 1, Threshold: 1}
	space, err := model.Over(form, schema)
	if err != nil {
		t.Fatal(err)
	}
	staged := space.Sampling().Staged
	first, err := staged.Stage(nil, nil)
	if err != nil || first.Size().Cmp(staged.First().Size()) != 0 {
		t.Fatal(first, err)
	}
	points := make([]int, schema.Attributes[0].Len())
	points[0], points[1] = 1, -1
	drawn := []any{
		sparse.Card{Attributes: []int{0}, Points: [][]int{points}},
		sparse.Card{Attributes: []int{1}, Points: [][]int{{0, 1}}},
	}
	h, err := staged.Join(drawn)
	if err != nil {
		t.Fatal(err)
	}
	second, err := staged.Stage(nil, drawn[:1])
	if err != nil {
		t.Fatal(err)
	}
	m := promising(t, schema, form, h)[0]
	text := written(t, m)
	again, err := model.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, again), text) || fmt.Sprint(again.Hypothesis) != fmt.Sprint(h) {
		t.Fatalf("%v is read as %v", h, again.Hypothesis)
	}
	predict, err := again.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	name, total := again.Grader()
	for _, x := range []table.Record{{0, 0, 1, 0}, {1, 1, 0, 0}, {0, 1, 1, 0}, {2, 0, 0, 0}} {
		want := []int{1, -1, 0, 0, 0}[x[0]] + int(x[1])
		if label := second.Predict(drawn[1], x); (predict(x) == 1) != label || name != "total" || total(x) != want || label != (want >= 1) {
			t.Errorf("on %v: %v, %s %d instead of %d", x, predict(x), name, total(x), want)
		}
	}
	if kind, most := space.MostGrades(); most != 5 {
		t.Errorf("%v: %d grades, not the totals -2..2", kind, most)
	}
}

// A card that cannot result from the stated draws is refused.
func TestSparseRefuses(t *testing.T) {
	schema := parseSchema(t)
	form := model.Sparse{Attributes: 1, Draws: 1, Points: 1, Threshold: 1}
	card := func(change func([][]int)) scorecard.Card {
		var h scorecard.Card
		for j := range schema.Attributes {
			h.Points = append(h.Points, make([]int, schema.Attributes[j].Len()))
		}
		change(h.Points)
		return h
	}
	for name, h := range map[string]scorecard.Card{
		"two attributes":     card(func(p [][]int) { p[0][0], p[1][0] = 1, 1 }),
		"two points":         card(func(p [][]int) { p[0][0] = 2 }),
		"a category too few": {Points: [][]int{{0}}},
	} {
		if _, err := promising(t, schema, form, h)[0].Outcome(); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, c := range []struct{ form, said string }{
		{`{"name": "sparse"}`, "invalid class: the maximum number of attributes in a set is 0, but must be 1 to 6"},
		{`{"name": "sparse", "attributes": 1, "draws": 0, "points": 1, "threshold": 1}`, "the number of draws is 0, but must be 1 to 100"},
		{`{"name": "sparse", "attributes": 1, "draws": 1, "points": [-1, 1], "threshold": 1}`, "the class is malformed"},
		{`{"name": "sparse", "attributes": 1, "draws": 1, "points": 1, "penalty": 0}`, `unknown key "penalty"`},
	} {
		text := written(t, promising(t, schema, form, card(func([][]int) {}))[0])
		at := bytes.Index(text, []byte(`"class": {`))
		end := at + bytes.IndexByte(text[at:], '}') + 1
		changed := string(text[:at]) + `"class": ` + c.form + string(text[end:])
		if _, err := model.Read(strings.NewReader(changed)); err == nil || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%s: %v", c.form, err)
		}
	}
}

// The usual parameters follow from the number of sets of attributes, the number of rows, and the
// product of this number with λ.
func TestUsualSparse(t *testing.T) {
	shaped := func(attributes int) *table.Schema {
		s := table.Schema{Label: &table.Label{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}}
		for j := range attributes {
			s.Attributes = append(s.Attributes, table.Attribute{Column: fmt.Sprint("x", j), Values: []string{"a", "b"}})
		}
		schema, err := table.NewSchema(s)
		if err != nil {
			t.Fatal(err)
		}
		return schema
	}
	for _, c := range []struct {
		attributes int
		rows       int64
		lambda     float64
		most, took int
	}{
		{14, 30_000, 0.05, 4, 1}, {15, 30_000, 0.05, 3, 1}, {14, 300_000, 0.01, 3, 1}, {36, 30_000, 0.05, 3, 1},
		{36, 40_000, 0.05, 2, 1}, {100, 10_000, 0.05, 2, 1}, {100, 100_000, 0.01, 1, 1}, {300, 10_000, 0.05, 1, 1},
		{14, 10_000, 0.5, 2, 3}, {14, 9_999, 0.5, 4, 1}, {100, 100_000, 0.5, 1, 3}, {2, 100, 0.05, 4, 1},
	} {
		f := model.UsualSparse(shaped(c.attributes), c.rows, c.lambda)
		if f.Attributes != c.most || f.Draws != c.took || f.Points != 1 || f.Threshold != 1 {
			t.Errorf("%d attributes, %d rows, λ = %v: %+v, not %d attributes in %d draws", c.attributes, c.rows, c.lambda, f, c.most, c.took)
		}
	}
}

// Draws are quick if the number of sets times the number of rows is small. Later draws are quick only
// with two attributes.
func TestQuick(t *testing.T) {
	schema := parseSchema(t)
	for attributes := 1; attributes <= 4; attributes++ {
		for draws := 1; draws <= 3; draws++ {
			space, err := model.Sparse{Attributes: attributes, Draws: draws, Points: 1, Threshold: 1}.Over(schema)
			if err != nil {
				t.Fatal(err)
			}
			few := draws == 1 || attributes <= 2
			for rows, quick := range map[int64]bool{1: few, 1 << 20: few, 1 << 40: false} {
				if got := space.Sampling().Staged.Quick(rows); got != quick {
					t.Errorf("%d attributes, %d draws, %d rows: %v", attributes, draws, rows, got)
				}
			}
		}
	}
}
