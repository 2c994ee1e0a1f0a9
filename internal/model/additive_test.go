package model_test

import (
	"bytes"
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
)

// additives returns valid models of every additive form, with and without a promise.
func additives(t testing.TB) (all []*model.Model) {
	t.Helper()
	s := parseSchema(t)
	points := learn.Points{Prior: -7}
	for _, n := range s.Sizes() {
		points.Points = append(points.Points, make([]int, n))
		points.Points[len(points.Points)-1][n-1] = 1 << 30
	}
	for _, kind := range []string{model.NaiveBayes, model.Logistic, model.SVM, model.LeastSquares} {
		all = append(all, promising(t, s, model.Additive{Kind: kind, Scale: 40}, points)...)
	}
	return all
}

func TestAdditiveRoundTrip(t *testing.T) {
	for _, m := range additives(t) {
		text := written(t, m)
		got, err := model.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !equal(got, m) {
			t.Errorf("got %+v, want %+v", got, m)
		}
	}
}

func TestAdditiveRefuses(t *testing.T) {
	points := func(change func(p *learn.Points)) func(m *model.Model) {
		return func(m *model.Model) {
			own := m.Hypothesis.(learn.Points)
			own.Points = slices.Clone(own.Points)
			change(&own)
			m.Hypothesis = own
		}
	}
	for _, c := range []struct {
		says   string
		change func(m *model.Model)
	}{
		{"scale 1001 is outside", func(m *model.Model) { m.Form = model.Additive{Kind: m.Form.Name(), Scale: 1001} }},
		{"scale 0 is outside", func(m *model.Model) { m.Form = model.Additive{Kind: m.Form.Name()} }},
		{"does not belong to its class", func(m *model.Model) { m.Form = cards }},
		{"must have points", func(m *model.Model) { m.Hypothesis = 7 }},
		{"must have points", func(m *model.Model) { m.Hypothesis = learn.Points{} }},
		{"are outside", points(func(p *learn.Points) { p.Prior = -1<<30 - 1 })},
		{"are outside", points(func(p *learn.Points) { p.Points[1] = []int{0, 1<<30 + 1} })},
		{"no schema", func(m *model.Model) { m.Schema = nil }},
	} {
		for _, m := range additives(t) {
			c.change(m)
			if err := m.Write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, where it should say %q", m.Form.Name(), err, c.says)
			}
		}
	}
}

// The grade of a record is the sum of the constant and the record's points, and determines the
// prediction.
func TestAdditivePredictor(t *testing.T) {
	for _, m := range additives(t) {
		predict, err := m.Outcome()
		if err != nil {
			t.Fatal(err)
		}
		name, grade := m.Grader()
		if name != "total" {
			t.Fatalf("it is graded with a %q", name)
		}
		ones := 0
		for r := range records(m.Schema) {
			total := -7
			for j, c := range r {
				total += m.Hypothesis.(learn.Points).Points[j][c]
			}
			if (predict(r) == 1) != (total > 0) || grade(r) != total {
				t.Fatalf("record %v: %v, %d; want the total %d", r, predict(r), grade(r), total)
			}
			if total > 0 {
				ones++
			}
		}
		if ones == 0 {
			t.Error("no record is positive")
		}
	}
}

// Scales from 1 to 1000 are valid. With 0, the mechanism chooses the scale.
func TestScales(t *testing.T) {
	s := parseSchema(t)
	for _, name := range []string{model.NaiveBayes, model.Logistic, model.SVM, model.LeastSquares} {
		for scale, ok := range map[int]bool{-1: false, 0: true, 1: true, 1000: true, 1001: false} {
			kind, _ := model.KindOf(name)
			asking := kind.New()
			f := flag.NewFlagSet(name, flag.ContinueOnError)
			asking.Parameters(f)
			if err := f.Set("scale", strconv.Itoa(scale)); err != nil {
				t.Fatal(err)
			}
			form, err := asking.Form(s)
			if ok != (err == nil) || ok && form != (model.Additive{Kind: name, Scale: scale}) {
				t.Errorf("%s of scale %d: %v, %v", name, scale, form, err)
			}
		}
	}
}

// For points that represent log-odds, the text states how many points double the odds.
func TestPointsThatDouble(t *testing.T) {
	for _, m := range additives(t) {
		says := strings.Contains(m.Sheet().Card.Note, "28 more points mean about twice the odds") // 40·ln 2 is 27.7
		if odds := m.Form.Name() == model.NaiveBayes || m.Form.Name() == model.Logistic; says != odds {
			t.Errorf("%s says so: %v", m.Form.Name(), says)
		}
	}
}
