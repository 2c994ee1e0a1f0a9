package synthetic

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// Rows that are sampled with a condition satisfy it, even if it divides an interval. The distribution of sex and the share
// of another condition among them agree with the answers.
func TestDrawWhere(t *testing.T) {
	m, _ := incomeModel(t)
	question := func(text string) *Question {
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	const n = 10_000
	for text, keeps := range map[string]func(x float64, sex string) bool{
		"income ≥ 300 and income < 2500":                   func(x float64, _ string) bool { return x >= 300 && x < 2500 },
		"income ≥ 2500 and sex = f":                        func(x float64, sex string) bool { return x >= 2500 && sex == "f" },
		"income in {700, 3000.5, 0}":                       func(x float64, _ string) bool { return x == 700 || x == 3000.5 || x == 0 },
		"income < 1 and income ≠ 0 and income ≠ 0.3":       func(x float64, _ string) bool { return x < 1 && x != 0 && x != .3 },
		"sex = m and income ≠ unknown and income ≥ 0":      func(_ float64, sex string) bool { return sex == "m" },
		"income ≥ 99999.9 and income ≤ 100000 and sex = f": func(x float64, sex string) bool { return x >= 99999.9 && sex == "f" },
	} {
		rows, err := m.DrawWhere(t.Context(), question(text), n, Drawing{Seed: 3})
		if errors.Is(err, ErrNone) {
			if answers, err := m.Ask(t.Context(), []*Question{question(text)}, Drawing{}); err != nil || answers[0].Share > 0 {
				t.Errorf("%s: %v, %v", text, answers, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		high, count := 0.0, 0
		for fields, err := range rows.All(t.Context(), "", "", nil) {
			if err != nil {
				t.Fatal(err)
			}
			x, err := strconv.ParseFloat(fields[0], 64)
			if err != nil || !keeps(x, fields[1]) {
				t.Fatalf("%s: a row is %v", text, fields)
			}
			if count++; x >= 1200 {
				high++
			}
		}
		answers, err := m.Ask(t.Context(), []*Question{question(text), question(text + " and income ≥ 1200")}, Drawing{})
		if err != nil {
			t.Fatal(err)
		}
		if want := answers[1].Share / answers[0].Share; count != n || math.Abs(high/n-want) > .03 {
			t.Errorf("%s: %v of %d rows have incomes of 1200, not %v", text, high/n, count, want)
		}
	}
	if _, err := m.DrawWhere(t.Context(), question("sex = f and sex = m"), n, Drawing{}); !errors.Is(err, ErrNone) {
		t.Errorf("a contradiction: %v", err)
	}
}

// A condition must not divide an interval of a column that a rule orders.
func TestWhereOfOrderedColumns(t *testing.T) {
	const numbers = "cuts = [10]\ndraw = \"integer\"\nleast = 0\nmost = 20\n"
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\n"+numbers+"[[attribute]]\ncolumn = \"b\"\n"+numbers+"[[attribute]]\ncolumn = \"c\"\n"+numbers+"[[rule]]\nat_most = [\"a\", \"b\"]\n")
	b := s.Builder()
	for _, record := range []table.Record{{0, 0, 0}, {0, 1, 1}, {1, 1, 0}} {
		if err := b.AddOutcome(record, 0, 300); err != nil {
			t.Fatal(err)
		}
	}
	m := modelOf(t, s, b.Table(), "20")
	for text, want := range map[string]string{"a ≥ 10": "", "c ≥ 5": "", "a ≥ 5": `the condition divides an interval of "a"`, "b < 15": `the condition divides an interval of "b"`} {
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.DrawWhere(t.Context(), q, 10, Drawing{Seed: 1}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// As many rows are expected to satisfy a condition as its answer says. Null records satisfy none.
func TestExpected(t *testing.T) {
	m, _ := incomeModel(t)
	m.Rows *= 2 // half of the records are null
	q, err := ParseQuestion(m.Layout.Flat, "income ≥ 700 and sex = f")
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Ask(t.Context(), []*Question{q}, Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := m.Expected(t.Context(), q, Drawing{})
	if want := int64(math.Round(a[0].Count)); err != nil || rows != want || want < 100 {
		t.Errorf("%d rows, want %d: %v", rows, want, err)
	}
}
