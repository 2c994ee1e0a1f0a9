package report_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// comparison compares two random tables with the given attributes, the second of which has fewer rows.
func comparison(t *testing.T, name string, rows int, class string, attributes ...table.Attribute) *report.Comparison {
	t.Helper()
	s, err := table.NewSchema(table.Schema{Name: name, Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	var tables []*table.Table
	for side := range 2 {
		r := rand.New(rand.NewPCG(uint64(side), 1))
		b := s.Builder()
		for range rows - side*rows/4 {
			record := make(table.Record, len(attributes))
			for j, n := range s.Sizes() {
				record[j] = uint16(r.IntN(1 + r.IntN(n)))
			}
			if err := b.Add(record, false, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.AddNull(int64(2 * side)); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, b.Table())
	}
	p, err := compare.New(s, tables[0], tables[1])
	if err != nil {
		t.Fatal(err)
	}
	var w compare.Worst
	switch class {
	case "parity":
		w, err = p.WorstParity(t.Context(), compare.Parities{Digits: true, Most: 2})
	case "scorecard":
		w, err = p.WorstCard(t.Context(), compare.Cards{Most: 2, Groups: 3, Points: 1, Threshold: 1})
	default:
		w, err = p.WorstConjunction(t.Context(), compare.Limits{Steps: 1e6})
	}
	if err != nil {
		t.Fatal(err)
	}
	var orders []compare.OrderErrors
	for order := 1; order <= min(3, len(attributes)); order++ {
		e, err := p.Errors(t.Context(), order, compare.Sample{Most: []int{0, 5050, 50}[order-1]})
		if err != nil {
			t.Fatal(err)
		}
		orders = append(orders, e)
	}
	c := report.NewComparison(name, p, class, w, orders)
	c.Measure(compare.NewFiner(s, false).Compare(tables[0], tables[1]))
	if last := len(attributes) - 1; compare.CanLearn(last, s.Sizes()) == nil {
		l, err := p.Learn(last)
		if err != nil {
			t.Fatal(err)
		}
		c.Predict(l)
	}
	return c
}

var people = []table.Attribute{
	{Column: "age", Cuts: []table.Decimal{"30", "50"}},
	{Column: "job", Values: []string{"clerk", "<b>", "and\x1b"}, Other: "rest"},
	{Column: "home", Values: []string{"own", "rent"}},
}

func TestComparison(t *testing.T) {
	for _, class := range []string{"conjunction", "parity", "scorecard"} {
		c := comparison(t, "People & <b>\x1b", 400, class, people...)
		var text, page strings.Builder
		if err := errors.Join(c.Write(&text), c.WriteHTML(&page)); err != nil {
			t.Fatal(err)
		}
		golden(t, "comparison-"+class+".txt", text.String())
		if class == "conjunction" {
			golden(t, "comparison.html", withoutAssets(t, page.String()))
			j, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "comparison.json", string(j)+"\n")
		}
		if strings.Contains(page.String(), "<b>") || strings.ContainsRune(page.String()+text.String(), '\x1b') {
			t.Error("a name is not escaped")
		}
	}
}

// The page of any comparison states that it is not private, and its drawings are well-formed.
func TestComparisonOfAnything(t *testing.T) {
	binary := func(d int) (all []table.Attribute) {
		for j := range d {
			all = append(all, table.Attribute{Column: strings.Repeat("column", 1+j%9) + string(rune('A'+j%26)) + strings.Repeat("x", j/26), Values: []string{"0", "1"}})
		}
		return all
	}
	wide := table.Attribute{Column: "wide"}
	for v := range 1000 {
		wide.Values = append(wide.Values, "v"+string(rune('a'+v%26))+strings.Repeat("'", v/26))
	}
	drawing := regexp.MustCompile(`(?s)<svg.*?</svg>`)
	for name, one := range map[string]struct {
		rows, drawings int
		attributes     []table.Attribute
	}{
		"no rows": {0, 4, people}, "one row": {1, 4, people}, "one column": {9, 1, people[:1]},
		"wide": {300, 1, []table.Attribute{wide}}, "seventy columns": {50, 61, binary(70)}, "many columns": {50, 60, binary(101)},
	} {
		var page strings.Builder
		if err := comparison(t, name, one.rows, "conjunction", one.attributes...).WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		text := page.String()
		if strings.Count(text, "NOT PRIVATE") != 2 || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Count(text, "http:") != strings.Count(text, `xmlns="http://www.w3.org/2000/svg"`) {
			t.Errorf("%s: %s", name, text)
		}
		drawings := drawing.FindAllString(text, -1)
		if len(drawings) != one.drawings {
			t.Errorf("%s: %d drawings", name, len(drawings))
		}
		for _, d := range drawings {
			for decoder := xml.NewDecoder(strings.NewReader(d)); ; {
				if _, err := decoder.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
}

// The text of a query describes the query correctly.
func TestQuery(t *testing.T) {
	s, err := table.NewSchema(table.Schema{Attributes: people})
	if err != nil {
		t.Fatal(err)
	}
	said := func(q rule.Body) string {
		sentence := report.NewQuery(s.Attributes, q).Sentence()
		text := sentence.Text
		for _, item := range sentence.Items {
			text += " " + item.Text + ";"
		}
		return text
	}
	for want, q := range map[string]rule.Body{
		"everywhere.":         compare.Conjunction{}.Rule(),
		"where age < 30.":     compare.Conjunction{{Column: 0}}.Rule(),
		"where job is rest.":  compare.Conjunction{{Column: 1, Value: 3}}.Rule(),
		"where home is rent.": compare.Conjunction{{Column: 2, Value: 1}}.Rule(),
		"nowhere.":            rule.Decision{Formula: rule.Odd{}},
		"where all of these are true: 30 ≤ age < 50; home is own;":             compare.Conjunction{{Column: 0, Value: 1}, {Column: 2}}.Rule(),
		"where age < 30 or age ≥ 50.":                                          rule.Decision{Formula: rule.Odd{rule.Condition{Attribute: 0, Accepts: []uint16{0, 2}}}},
		"where an odd number of these is true: home is rent; age ≥ 50;":        rule.Decision{Formula: rule.Odd{rule.Condition{Attribute: 2, Accepts: []uint16{1}}, rule.Condition{Attribute: 0, Accepts: []uint16{2}}}},
		"where these points add up to 1 at least: +2: age ≥ 50; −1: age < 30;": rule.Points{Threshold: 1, Of: [][]int{{-1, 0, 2}}},
		"where these points add up to 0 at least: −1: home is anything;":       rule.Points{Of: [][]int{nil, nil, {-1, -1}}},
	} {
		if got := said(q); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, threshold := range []int{-1, 0, 1} {
		want := []string{"everywhere.", "nowhere."}[max(threshold, 0)]
		if got := said(rule.Points{Threshold: threshold}); got != want {
			t.Errorf("from %d on: %q, want %q", threshold, got, want)
		}
	}
	j := report.NewQuery(s.Attributes, rule.Points{Threshold: 1, Of: [][]int{nil, {1, 0, 1, 0}}})
	if len(j.Conditions) != 1 || !slices.Equal(j.Conditions[0].Values, []string{"clerk", "and\x1b"}) || j.Conditions[0].Points != 1 || *j.Threshold != 1 {
		t.Errorf("%+v", j)
	}
}
