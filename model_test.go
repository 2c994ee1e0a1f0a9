package sibyl

import (
	"bytes"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Every setting is passed to the request.
func TestSettingsReachTheRequest(t *testing.T) {
	s := answers(t)
	set := Settings{Epsilon: "0.50", Relation: AddRemove, Rows: 9, FalsePositive: 2, FalseNegative: 3, Risk: "0.1", Total: true, InsecureSeed: new(uint64(7))}
	r, _, err := set.request(s, Scorecard{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Epsilon.Rat().Cmp(big.NewRat(1, 2)) != 0 || r.Relation != privacy.AddRemove || r.Rows != 9 || r.Costs != (learn.Loss{FalsePositive: 2, FalseNegative: 3}) ||
		r.Risk.String() != "0.1" || *r.Seed != 7 || !r.Total || r.Mechanism != nil || !r.Delta.IsZero() {
		t.Errorf("%+v", r)
	}
	half := Settings{Epsilon: "1", FalseNegative: 3}
	if r, _, err := half.request(s, Scorecard{}); err != nil || r.Costs != (learn.Loss{FalsePositive: 1, FalseNegative: 3}) {
		t.Errorf("%+v, %v", r.Costs, err)
	}
	if r, _, err := half.request(s, Union{Classes: []Class{Scorecard{}, Parity{}}, Balanced: true}); err != nil || !r.Balanced {
		t.Errorf("%+v, %v", r, err)
	}
}

// Coded records are counted as the same rows in text are. Records outside the domain are null.
func TestCodedNulls(t *testing.T) {
	s := answers(t)
	all := []struct {
		codes   []uint16
		outcome int
		row     []string
	}{
		{[]uint16{0, 2}, 1, []string{"no", "z", "1"}}, {[]uint16{2, 0}, 1, []string{"?", "x", "1"}}, {[]uint16{0, 3}, 0, []string{"no", "?", "0"}},
		{[]uint16{1, 1}, 2, []string{"yes", "y", "?"}}, {[]uint16{1, 1}, -1, []string{"yes", "y", "?"}}, {[]uint16{1}, 0, []string{"yes", "", "0"}},
	}
	codes := Coded(func(yield func([]uint16, int) bool) {
		for _, r := range all {
			if !yield(r.codes, r.outcome) {
				return
			}
		}
	})
	texts := Rows([]string{"a", "b", "late"}, func(yield func([]string) bool) {
		for _, r := range all {
			if !yield(r.row) {
				return
			}
		}
	})
	a, err := codes.data.Table(t.Context(), s.schema)
	b, err2 := texts.data.Table(t.Context(), s.schema)
	if err != nil || err2 != nil || !a.Equal(b) || a.Rows() != 6 || a.Len() != 1 {
		t.Errorf("%v, %v: %d rows", err, err2, a.Rows())
	}
}

// A label with more than two classes has no positive class, and the risks of the classes sum to 1.
func TestOutcomes(t *testing.T) {
	type day struct {
		Rain string `sibyl:"rain,values=no|yes"`
		Late string `sibyl:"late,values=no|a little|very,label"`
	}
	s, err := SchemaOf[day]()
	if err != nil {
		t.Fatal(err)
	}
	data := Slice(slices.Repeat([]day{{"no", "a little"}, {"yes", "very"}}, 10_000))
	m, err := Learn(t.Context(), data, s, Tree{}, Settings{Epsilon: "1"})
	if err != nil {
		t.Fatal(err)
	}
	row := day{Rain: "no"}
	if name, number, err := m.Outcome(&row); err != nil || name != `"a little"` || number != 1 || m.OutcomeOfCodes([]uint16{1}) != 2 {
		t.Errorf("%s, %d, %v", name, number, err)
	}
	if _, err := m.Predict(row); err == nil {
		t.Error("a label of three outcomes has a positive one")
	}
	risks, err := m.Risks(row)
	if err != nil || len(risks) != 3 || risks[1].Value < .8 || math.Abs(risks[0].Value+risks[1].Value+risks[2].Value-1) > 1e-9 || len(m.Assessment().Outcomes) != 3 {
		t.Errorf("%+v, %v", risks, err)
	}
	for _, bad := range []any{day{Rain: "snow"}, map[string]string{"rain": "snow"}, map[string]string{}, nil, (*day)(nil), 7, struct{ Rain int }{}} {
		if _, _, err := m.Outcome(bad); err == nil {
			t.Errorf("%v has an outcome", bad)
		}
	}
	e, err := Evaluate(t.Context(), m, data, Settings{Epsilon: "1"})
	if err != nil || e.Rows.Outcomes[1].Name != `"a little"` || e.Rows.Accuracy.Least < .8 || e.Population.Accuracy.Least >= e.Rows.Accuracy.Least || e.Calibration != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// A saved model predicts the same after it is read. A struct and a map give the same prediction.
func TestModel(t *testing.T) {
	s := answers(t)
	data := Slice(slices.Repeat([]answer{{"no", "x", 0}, {"yes", "z", 1}, {"yes", "y", 1}}, 10_000))
	m, err := Learn(t.Context(), data, s, Scorecard{}, Settings{Epsilon: "4", Risk: "0.5"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.json")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	totals := map[bool]int{}
	for a, others := range map[string][]string{"no": {"x"}, "yes": {"y", "z"}} {
		for _, b := range others {
			texts, of := map[string]string{"a": a, "b": b}, answer{A: a, B: b}
			one, err1 := m.Predict(texts)
			other, err2 := read.Predict(of)
			risks, err3 := m.Risks(of)
			name, total, err4 := read.Total(texts)
			if err1 != nil || err2 != nil || err3 != nil || err4 != nil || one != other || one != (a == "yes") || name != "total" ||
				math.Abs(risks[0].Value+risks[1].Value-1) > 1e-9 || risks[1].Least > risks[1].Value || risks[1].Value > risks[1].Most || (risks[1].Value > .5) != one {
				t.Errorf("%v: %v, %v, %+v, %s %d; %v, %v, %v, %v", texts, one, other, risks, name, total, err1, err2, err3, err4)
			}
			if of, there := totals[!one]; there && (total > of) != one {
				t.Errorf("%v: the total %d, and %d of the other prediction", texts, total, of)
			}
			totals[one] = total
		}
	}
	a := m.Assessment()
	if a.AUC == nil || a.AUC.Least < .8 || a.Best(1, 1).Errors.Value > .1 || len(a.Outcomes) > 0 || !strings.Contains(m.String(), "ε = 4") || m.Schema().Columns()[0] != "a" {
		t.Errorf("%+v\n%v", a, m)
	}
	bare, err := Learn(t.Context(), data, s, Conjunction{}, Settings{Epsilon: "1"})
	if err != nil || bare.Assessment() != nil {
		t.Fatal(err)
	}
	if _, err := bare.Risks(answer{A: "no", B: "x"}); err == nil {
		t.Error("a model without risks has one")
	}
	e, err := Evaluate(t.Context(), m, data, Settings{Epsilon: "4"})
	if err != nil || len(e.Calibration) == 0 || e.Calibration[0].Found.Least > e.Calibration[0].Stated+.1 || e.Rows.Sensitivity.Least < .8 {
		t.Errorf("%+v, %v", e, err)
	}
}

// Chosen selects a class from public facts, so it is the same for every table.
func TestChosen(t *testing.T) {
	s := answers(t)
	for _, rows := range []int{0, 1, 5000} {
		m, err := Learn(t.Context(), Slice(slices.Repeat([]answer{{"yes", "x", 1}}, rows)), s, Chosen{}, Settings{Epsilon: "1", Relation: AddRemove})
		if err != nil || m.model.Form.Name() != "tree" {
			t.Fatalf("of %d rows: %v", rows, err)
		}
	}
	p, err := PlanFor(s, Chosen{}, Settings{Epsilon: "1", Rows: 100})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Candidates, func(c Candidate) bool { return c.Chosen })
	if at < 0 || p.Candidates[at].Class != (Tree{4}) || p.Candidates[at].Mechanism != "exponential" || slices.ContainsFunc(p.Candidates, func(c Candidate) bool { return c.Class == nil || c.Why == "" }) {
		t.Errorf("%+v", p.Candidates)
	}
	if text := p.String(); !strings.HasPrefix(text, "Tree by exponential, chosen since "+p.Candidates[at].Why+"\n") {
		t.Error(text)
	}
	if _, err := PlanFor(s, Scorecard{}, Settings{Epsilon: "1"}); err == nil {
		t.Error("a plan without rows")
	}
}

// The iterator, the writer and the file give the same synthetic rows, which are a function of the seed. Rows can satisfy
// a condition. The page states the guarantee.
func TestSynthetic(t *testing.T) {
	s, ctx := answers(t), t.Context()
	data := Slice(slices.Repeat([]answer{{"no", "x", 0}, {"yes", "z", 1}}, 5000))
	set := Settings{Epsilon: "1", Delta: "1e-6", Rows: 10_000}
	d, err := Synthesize(ctx, data, s, Synthesis{Target: "late", Pairs: [][2]string{{"a", "b"}}}, set)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	rows, model := filepath.Join(directory, "rows.csv"), filepath.Join(directory, "model.json")
	if err := d.Save(ctx, rows); err != nil {
		t.Fatal(err)
	}
	if err := d.Save(ctx, rows); err == nil || strings.Contains(err.Error(), "--") {
		t.Errorf("a file is written over: %v", err)
	}
	if err := d.SaveModel(model); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := d.Write(ctx, &text); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(rows)
	if err != nil || !bytes.Equal(file, text.Bytes()) {
		t.Errorf("the file is not what is written: %v", err)
	}
	lines := strings.Join(d.Columns(), ",") + "\n"
	var kept [][]string
	for row, err := range d.Rows(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, row)
	}
	for _, row := range kept {
		lines += strings.Join(row, ",") + "\n"
	}
	if lines != text.String() || len(kept) != 10_000 || d.Len() != 10_000 {
		t.Errorf("%d rows are\n%s\nnot\n%s", d.Len(), lines, text.String())
	}
	read, err := ReadSynthetic(model)
	if err != nil || read.String() != d.String() || read.Len() != 0 || !strings.Contains(d.String(), "ε = 1, δ = 0.000001") {
		t.Fatalf("%v", err)
	}
	one, err := read.Draw(ctx, 70, 5)
	other, err2 := d.Draw(ctx, 70, 5)
	var a, b bytes.Buffer
	if err != nil || err2 != nil || one.Write(ctx, &a) != nil || other.Write(ctx, &b) != nil || a.String() != b.String() || one.Len() != 70 {
		t.Errorf("%v, %v: %d rows", err, err2, one.Len())
	}
	if _, err := d.Draw(ctx, -1, 0); err == nil {
		t.Error("-1 rows are drawn")
	}
	if got, err := d.Ask(ctx, "a = yes"); err != nil || math.Abs(got.Share-.5) > .3 || !got.Measured || got.CountError <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := d.Ask(ctx, "a = q"); parameterError("", err).(*ParameterError).Field != "question" {
		t.Errorf("%v", err)
	}
	satisfying, err := read.DrawWhere(ctx, "a = yes", 20, 5)
	if err != nil || satisfying.Len() != 20 {
		t.Fatalf("%d rows, %v", satisfying.Len(), err)
	}
	for row, err := range satisfying.Rows(ctx) {
		if err != nil || row[slices.Index(satisfying.Columns(), "a")] != "yes" {
			t.Errorf("%v does not satisfy the condition, %v", row, err)
		}
	}
	if _, err := read.DrawWhere(ctx, "a = q", 20, 5); parameterError("", err).(*ParameterError).Field != "condition" {
		t.Errorf("%v", err)
	}
	var page bytes.Buffer
	if err := read.WriteHTML(ctx, &page); err != nil || !strings.Contains(page.String(), "ε = "+read.Guarantee().Epsilon.String()) {
		t.Errorf("the page does not state the guarantee %v, %v", read.Guarantee(), err)
	}
	p, err := prepareSynthesis(s, Synthesis{Pairwise: true}, &set)
	if err != nil || p.Plan.Rounds != 0 {
		t.Errorf("%v", err)
	}
}
