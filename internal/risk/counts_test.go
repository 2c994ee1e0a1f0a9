package risk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

func bigs(n ...int64) (out []*big.Int) {
	for _, v := range n {
		out = append(out, big.NewInt(v))
	}
	return out
}

// noisy returns counts with one total per pair of cells; the upper half of the totals predicts 1.
func noisy(t testing.TB, epsilon string, r privacy.Relation, cells ...int64) *risk.Counts {
	t.Helper()
	g := len(cells) / 2
	points := make([]int, g)
	for i := range points {
		points[i] = i
	}
	c, err := risk.Noisy(risk.Totals(0, [][]int{points}, (g+1)/2), bigs(cells...), privacytest.Decimal(t, epsilon), r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const written = `{"kind":"total","grades":[{"least":0,"most":0,"predict":0,"positive":3,"negative":40},{"least":1,"most":1,"predict":1,"positive":-2,"negative":123456789012345678901234567890}],"outside":-1,"epsilon":"0.2","relation":"replace","adjusted":true}`

func TestCountsJSON(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	c := noisy(t, "0.2", privacy.ReplaceOne, 3, 40, -2, 0, -1)
	c.Cells[0][1] = huge
	text, err := json.Marshal(c)
	if err != nil || string(text) != written {
		t.Errorf("%s, %v", text, err)
	}
	var back risk.Counts
	if err := json.Unmarshal([]byte(written), &back); err != nil || !reflect.DeepEqual(&back, c) {
		t.Errorf("%+v, %v", back, err)
	}
	// Files of earlier versions lack the key "adjusted".
	earlier := strings.Replace(written, `,"adjusted":true`, "", 1)
	var old risk.Counts
	if err := json.Unmarshal([]byte(earlier), &old); err != nil || old.Adjusted {
		t.Errorf("%+v, %v", old, err)
	}
	if text, err := json.Marshal(&old); err != nil || string(text) != earlier {
		t.Errorf("%s, %v", text, err)
	}
	exact, err := risk.Exact(risk.Predictions(2), []int64{1, 2, 3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(exact); !errors.Is(err, risk.ErrExact) {
		t.Errorf("exact counts are written: %s, %v", text, err)
	}
	if _, err := risk.Exact(risk.Predictions(2), []int64{1, 2}); err == nil || err.Error() != "risk: there are 2 counts for 5 cells, but each cell must have one count" {
		t.Error(err)
	}
}

const writtenOutcomes = `{"kind":"leaf","grades":[{"least":1,"most":1,"predict":2,"counts":[3,-1,40]},{"least":2,"most":2,"predict":0,"counts":[7,0,2]}],"outside":-1,"epsilon":"0.2","relation":"replace","adjusted":true}`

// Counts of three classes are written by class, and read back.
func TestOutcomesJSON(t *testing.T) {
	s, err := risk.Leaves(3, []int{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	c, err := risk.Noisy(s, bigs(40, -1, 3, 2, 0, 7, -1), privacytest.Decimal(t, "0.2"), privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(c); err != nil || string(text) != writtenOutcomes {
		t.Errorf("%s, %v", text, err)
	}
	var back risk.Counts
	if err := json.Unmarshal([]byte(writtenOutcomes), &back); err != nil || fmt.Sprint(back.Cells) != fmt.Sprint(c.Cells) || !back.Scale.Equal(s) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestMalformedCounts(t *testing.T) {
	malformed(t, written, []misread{
		{`"total"`, `"sum"`, "the kind of grades must be total, rule, leaf or prediction"},
		{`"total"`, `"prediction"`, ""},
		{`"total"`, `"rule"`, ""},
		{`"least":1,"most":1`, `"least":2,"most":2`, ""},
		{`"total","grades":[{"least":0,"most":0`, `"prediction","grades":[{"least":-1,"most":-1`, "grades of kind prediction must be the outcomes 0 to 1"},
		{`"total","grades":[{"least":0,"most":0`, `"rule","grades":[{"least":-1,"most":-1`, "grades of kind rule must be the rule numbers 0 to 1"},
		{`"total"`, `"leaf"`, "grades of kind leaf must be the leaf numbers 1 to 2"},
		{`"least":1,"most":1`, `"least":2,"most":1`, "the range of grade 2 is empty: the key \"least\", 2, must not exceed the key \"most\", 1"},
		{`"least":1,"most":1`, `"least":0,"most":1`, "grade 2 begins before grade 1 ends"},
		{`"predict":0`, `"predict":2`, "grade 1 predicts 2, but must predict one of the outcomes 0 to 1"},
		{`"predict":0,"positive":3,"negative":40},{"least":1,"most":1,"predict":1`, `"predict":1,"positive":3,"negative":40},{"least":1,"most":1,"predict":0`, "grade 2 predicts 0, but a lower grade predicts 1"},
		{`"positive":3`, `"positive":3.0`, "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"positive":3`, `"positive":3e1`, "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"positive":3`, `"positive":-0`, "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"positive":3`, `"positive":"3"`, "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"positive":3`, `"positive":null`, "the value at grades.1.positive must not be null; write a value, or remove the key"},
		{`"positive":3`, `"positive":` + strings.Repeat("9", 600), "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"positive":3`, `"positive":` + strings.Repeat("9", 160), "grade 1 lacks a count, or one of its counts has more than 512 bits"},
		{`"positive":3`, `"positive":` + strings.Repeat("9", 512), "grade 1 lacks a count, or one of its counts has more than 512 bits"},
		{`"positive":3`, `"positive":` + strings.Repeat("9", 513), "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"positive":3`, `"positive":` + powerOf2(512, -1), ""},
		{`"positive":3`, `"positive":` + powerOf2(512, 0), "grade 1 lacks a count, or one of its counts has more than 512 bits"},
		{`"positive":-2`, `"positive":` + powerOf2(512, 0), "grade 2 lacks a count, or one of its counts has more than 512 bits"},
		{`"positive":3,`, ``, "grade 1 lacks a count, or one of its counts has more than 512 bits"},
		{`"outside":-1,`, ``, "the count of rows outside the domain is missing, or has more than 512 bits"},
		{`"0.2"`, `"0"`, "the keys \"epsilon\" and \"relation\" must be a positive number and a neighbour relation"},
		{`,"relation":"replace"`, ``, "the keys \"epsilon\" and \"relation\" must be a positive number and a neighbour relation"},
		{`"outside"`, `"Outside"`, `unknown key "Outside"; remove it, or write one of adjusted, epsilon, grades, kind, outside, relation`},
		{`"outside"`, `"more":1,"outside"`, `unknown key "more"; remove it, or write one of adjusted, epsilon, grades, kind, outside, relation`},
		{written, `{"kind":"total","grades":[],"outside":-1,"epsilon":"0.2","relation":"replace","adjusted":true}`, "the number of grades is 0; it must be 1 to 64"},
	})
	malformed(t, writtenOutcomes, []misread{
		{`"counts":[3,-1,40]`, `"counts":[3,-1]`, "grade 1 has 2 counts; it must have one for each of the 3 to 64 outcomes of the label"},
		{`"counts":[3,-1,40]`, `"counts":[]`, "grade 1 has 0 counts; it must have one for each of the 3 to 64 outcomes of the label"},
		{`"counts":[7,0,2]`, `"counts":[7,0,2,4]`, "grade 2 has 4 counts; it must have one for each of the 3 to 64 outcomes of the label"},
		{`"counts":[7,0,2]`, `"positive":7,"negative":2`, "grade 2 has the key \"negative\" or \"positive\"; these are allowed only for a label with two outcomes and without the key \"counts\""},
		{`"counts":[7,0,2]`, `"counts":[7,0,2],"negative":7`, "grade 2 has the key \"negative\" or \"positive\"; these are allowed only for a label with two outcomes and without the key \"counts\""},
		{`"counts":[7,0,2]`, `"counts":[7,0,2],"positive":7`, "grade 2 has the key \"negative\" or \"positive\"; these are allowed only for a label with two outcomes and without the key \"counts\""},
		{`"counts":[3,-1,40]`, `"positive":3,"negative":1`, "grade 2 has 3 counts; it must have one for each of the 3 to 64 outcomes of the label"},
		{`"counts":[3,-1,40]`, `"counts":[3,-1,0.5]`, "a count must be an integer of at most 512 digits, without a fraction or an exponent"},
		{`"counts":[3,-1,40]`, `"counts":[3,-1,null]`, "the value at grades.1.counts.3 must not be null; write a value, or remove the key"},
		{`"predict":2`, `"predict":3`, "grade 1 predicts 3, but must predict one of the outcomes 0 to 2"},
		{`"predict":2`, `"predict":-1`, "grade 1 predicts -1, but must predict one of the outcomes 0 to 2"},
		{`"leaf"`, `"total"`, "grades of kind total require a label with two outcomes, but the label has 3"},
		{`"leaf"`, `"rule"`, "grades of kind rule require a label with two outcomes, but the label has 3"},
		{`"leaf"`, `"prediction"`, "grades of kind prediction must be the outcomes 0 to 2"},
	})
	var many []string
	for i := range risk.MostGrades + 1 {
		many = append(many, fmt.Sprintf(`{"least":%d,"most":%d,"predict":0,"positive":0,"negative":0}`, i, i))
	}
	err := json.Unmarshal([]byte(`{"kind":"total","grades":[`+strings.Join(many, ",")+`],"outside":0,"epsilon":"1","relation":"add-remove"}`), new(risk.Counts))
	if err == nil || err.Error() != "the risks are malformed: the number of grades is 65; it must be 1 to 64" {
		t.Error(err)
	}
}

// powerOf2 returns 2^bits + more in decimal digits.
func powerOf2(bits uint, more int64) string {
	n := new(big.Int).Lsh(big.NewInt(1), bits)
	return n.Add(n, big.NewInt(more)).String()
}

// Counts with several totals per grade, with a single grade, and with the maximum number of classes
// are read back as written.
func TestShapesOfCounts(t *testing.T) {
	wide := risk.Totals(0, [][]int{make([]int, 1), {0, 1000}, {0, 300}, {0, 70}, {0, 15}, {0, 4}, {0, 1}, {0, 2}}, 500)
	if wide.Grades[0].Least == wide.Grades[0].Most {
		t.Fatal("each total has a grade of its own")
	}
	for _, s := range []risk.Scale{wide, leavesOf(t, 3, 2), leavesOf(t, 2, 1), leavesOf(t, table.MostOutcomes, 5, 63)} {
		cells := make([]*big.Int, s.Cells())
		for i := range cells {
			cells[i] = big.NewInt(int64(i*i - 3))
		}
		c, err := risk.Noisy(s, cells, privacytest.Decimal(t, "0.2"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back risk.Counts
		if err := json.Unmarshal(text, &back); err != nil || !back.Scale.Equal(s) || fmt.Sprint(back.Cells, back.Outside) != fmt.Sprint(c.Cells, c.Outside) {
			t.Errorf("%s is read as %+v, %v", text, back, err)
		}
	}
	many := strings.TrimSuffix(strings.Repeat("1,", table.MostOutcomes+1), ",")
	err := json.Unmarshal([]byte(`{"kind":"leaf","grades":[{"least":1,"most":1,"predict":2,"counts":[`+many+`]}],"outside":-1,"epsilon":"0.2","relation":"replace","adjusted":true}`), new(risk.Counts))
	if err == nil || err.Error() != "the risks are malformed: grade 1 has 65 counts; it must have one for each of the 3 to 64 outcomes of the label" {
		t.Error(err)
	}
}

// The unit of counts of persons is "persons", also if only one row of each counts.
func TestCountedNames(t *testing.T) {
	for most, want := range map[int]string{0: "rows", 1: "persons", 2: "persons"} {
		if got := noisy(t, "1", privacy.AddRemove.OfPersons(most), 1, 2, 3, 4, 5).Counted(); got != want {
			t.Errorf("%d rows a person: %s, want %s", most, got, want)
		}
	}
}

// A misread case replaces a part of a text. want is the error, or "" if the result is valid.
type misread struct{ old, new, want string }

// malformed reads the text with each replacement.
func malformed(t *testing.T, written string, of []misread) {
	t.Helper()
	for _, c := range of {
		if !strings.Contains(written, c.old) {
			t.Fatalf("%s is not there", c.old)
		}
		text := strings.Replace(written, c.old, c.new, 1)
		var got risk.Counts
		err := json.Unmarshal([]byte(text), &got)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.new, err)
		case c.want != "" && (err == nil || err.Error() != "the risks are malformed: "+c.want || !reflect.DeepEqual(got, risk.Counts{})):
			t.Errorf("%.80s: %v, want %s", c.new, err, c.want)
		}
	}
}
