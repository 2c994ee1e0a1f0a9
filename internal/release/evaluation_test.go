package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An estimate has the relation of the model: another one would reveal the number of rows that
// add-remove hides, or its ε could not be added to the model's.
func TestRelationOfEstimate(t *testing.T) {
	replace, add := privacy.ReplaceOne, privacy.AddRemove
	for _, c := range []struct{ of, asked, want privacy.Relation }{
		{replace, 0, replace},
		{replace, replace, replace},
		{replace, add, 0},
		{add, 0, add},
		{add, add, add},
		{add, replace, 0},
		{0, 0, replace},
		{0, replace, replace},
		{0, add, add},
	} {
		m := learned(t)
		m.Guarantee.Relation = c.of
		if c.of == 0 {
			m.Guarantee, m.Void = nil, model.InsecureSeed
		}
		p, err := Evaluation{Model: m, Epsilon: decimal(t, "0.5"), Relation: c.asked}.Prepare()
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error(), "differs from the relation of the model") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil || p.Guarantee.Relation != c.want || p.histogram.Guarantee().Relation() != c.want || p.Guarantee.Epsilon != decimal(t, "0.5") {
			t.Fatalf("%+v: %+v, %v", c, p, err)
		}
		w := &world{t: t, rows: 9}
		e, err := p.Release(t.Context(), w, w.terms())
		if err != nil || (e.Rows == nil) != (c.want == add) || e.Rows != nil && e.Rows.Cmp(big.NewInt(9)) != 0 || len(e.Cells[1]) != 2 {
			t.Errorf("%+v: %+v, %v", c, e, err)
		}
	}
}

func TestEvaluationRefuses(t *testing.T) {
	for _, epsilon := range []string{"0", "0.0000009", "1000001"} {
		if _, err := (Evaluation{Model: learned(t), Epsilon: decimal(t, epsilon)}).Prepare(); err == nil || !strings.Contains(err.Error(), "outside") {
			t.Errorf("ε = %s: %v", epsilon, err)
		}
	}
	m := learned(t)
	m.Hypothesis = 7
	if _, err := (Evaluation{Model: m, Epsilon: decimal(t, "1")}).Prepare(); err == nil {
		t.Error("a model that is invalid is evaluated")
	}
}

// The stored description of an estimate determines its guarantee. Changed descriptions are refused.
func TestRecomputeEstimate(t *testing.T) {
	p, err := Evaluation{Model: learned(t), Epsilon: decimal(t, "0.5")}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.describe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Recompute(text)
	if err != nil || state(t, g) != state(t, p.histogram.Guarantee()) {
		t.Fatalf("%v, %v", g, err)
	}
	for _, c := range []struct{ old, by, says string }{
		{`"delta":"0"`, `"delta":"0.1"`, "a delta of 0"},
		{`"relation":"replace"`, `"relation":""`, "relation"},
		{`"assumes":[]`, `"assumes":["exact-oracle"]`, "assumptions"},
		{`"cells":5`, `"cells":0`, ""},
		{`"cells":5`, `"cells":5,"colour":1`, `unknown key "colour"`},
		{`"guarantee":{`, `"guarantee":null,"other":{`, `unknown key "other"`},
		{`"epsilon":"0.5"`, `"epsilon":"0"`, ""},
		{estimateFormat, "sibyl-estimate/2", ""},
	} {
		if g, err := Recompute(edited(t, text, c.old, c.by)); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", c.by, g, err)
		}
	}
	for _, text := range []string{``, `7`, `{}`, `null`, `{"format": "sibyl-estimate/1"}`, `{"format": "sibyl-model/1"}`} {
		if g, err := Recompute(json.RawMessage(text)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
}

// The stored description of a model is refused if the model would be.
func TestRecomputeModel(t *testing.T) {
	p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")})
	text, err := p.model(nil).Describe(p.Risks)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := Recompute(text); err != nil || state(t, g) != state(t, p.made.Guarantee()) {
		t.Fatalf("%v, %v", g, err)
	}
	for _, c := range [][2]string{
		{`"epsilon":"1"`, `"epsilon":"0.5"`}, {`"epsilon":"1"`, `"epsilon":"0"`}, {`"assumes":[]}`, `"assumes":[]},"not_private":"insecure-seed"`},
		{`"guarantee":{"epsilon":"1","delta":"0","relation":"replace","assumes":[]}`, `"guarantee":null`},
		{`"guarantee":{"epsilon":"1","delta":"0","relation":"replace","assumes":[]}`, `"guarantee":null,"not_private":"insecure-seed"`}, {`"rate":"1/2"`, `"rate":"1/4"`}, {`"replace"`, `"add-remove"`},
		{`"schema":`, `"hypothesis":7,"schema":`}, {`"schema":`, `"colour":7,"schema":`}, {`"name":"exponential"`, `"name":"magic"`},
	} {
		if g, err := Recompute(edited(t, text, c[0], c[1])); err == nil {
			t.Errorf("%s: %v", c[1], g)
		}
	}
}

// A panic in a prediction is reported as a defect after the data was read, without details.
func TestDefectOfEstimate(t *testing.T) {
	p, err := Evaluation{Model: learned(t), Epsilon: decimal(t, "1")}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	p.grading = risk.Grading{Scale: p.grading.Scale, Of: func(r table.Record) int { panic(r) }}
	w := &world{t: t, rows: 9}
	if e, err := p.Release(t.Context(), w, w.terms()); e != nil || !errors.Is(err, ErrDefect) {
		t.Errorf("%v, %v", e, err)
	}
	w.happened("reserve", "read")
	if bytes.Contains(w.description, []byte("hypothesis")) {
		t.Error(string(w.description))
	}
}
