package export

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// XLSX returns an error of one sentence for models that formulas cannot compute exactly, and for no others.
func TestXLSXRefuses(t *testing.T) {
	for _, c := range []struct {
		attributes   int
		domain, says string
	}{
		{2, "cuts = [9999999999999.5]", ""},
		{2, "cuts = [99999999999999.5]", `the number "99999999999999.5" of attribute "a0" is not exact in this format; use numbers of at most 14 digits, or`},
		{2, "cuts = [1]\nmissing = [\"-123456789012345\"]\nother = \"none\"", `the number "-123456789012345" of attribute "a0" is not exact`},
		{2, fmt.Sprintf("values = [%q, \"b\"]", strings.Repeat("x", 32768)), `attribute "a0" has a text of more than 32767 characters`},
		// The rule does not use the attribute number. But a text in its column that is not a number has no prediction.
		{1, "values = [\"x\", \"y\"]\n[[attribute]]\nname = \"number\"\ncolumn = \"a0\"\ncuts = [1]", `the column "a0" is read as values of several types`},
		{1, "values = [\"x\", \"y\"]\n[[attribute]]\nname = \"number\"\ncolumn = \"a0\"\ncuts = [1]\nother = \"none\"", ""},
	} {
		m := sums(t, c.attributes, c.domain)
		points := learn.Points{}
		for _, size := range m.Schema.Sizes() {
			points.Points = append(points.Points, make([]int, size))
		}
		points.Points[0][0] = 1 // the rule does not use the other attributes
		m.Hypothesis = points
		text, err := XLSX(m, Options{})
		if c.says == "" && (err != nil || len(text) == 0) || c.says != "" && (err == nil || !strings.HasPrefix(err.Error(), c.says) || text != nil) {
			t.Errorf("%.80s: %v, want %q", c.domain, err, c.says)
		}
	}
}

// The list of an input offers the names of groups, or their values if a name is a value of another group.
func TestXLSXLists(t *testing.T) {
	for domain, want := range map[string]string{
		`groups = { "=a" = ["x", "y"], b = ["z"] }`: "=a b",
		`groups = { a = ["x", "b"], b = ["z"] }`:    "x b z",
		`groups = { a = ["a", "x"], b = ["z"] }`:    "a b",
		"values = [\"+1\", \"@2\"]\nother = \"-\"":  "+1 @2 -",
	} {
		m := sums(t, 1, domain)
		codes := make([]int, m.Schema.Attributes[0].Len())
		codes[0] = 1
		m.Hypothesis = learn.Points{Points: [][]int{codes}}
		file, err := XLSX(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := excelize.OpenReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		all, err := f.GetDataValidations("Calculator")
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		sheet, cells, _ := strings.Cut(strings.ReplaceAll(all[0].Formula1, "$", ""), "!")
		from, to, _ := strings.Cut(cells, ":")
		column, row, _ := excelize.CellNameToCoordinates(from)
		_, last, _ := excelize.CellNameToCoordinates(to)
		var offered []string
		for ; row <= last; row++ {
			name, _ := excelize.CoordinatesToCellName(column, row)
			text, _ := f.GetCellValue(sheet, name)
			offered = append(offered, text)
		}
		if got := strings.Join(offered, " "); got != want {
			t.Errorf("%s: %q, want %q", domain, got, want)
		}
		f.Close()
	}
}

// For a date, the formula of dateNumber computes the same number as the command predict. The days lie on both sides of a
// birthday and of a leap day.
func TestDateNumber(t *testing.T) {
	for _, a := range []table.Attribute{
		{Dates: table.Dates{Format: "iso", Part: "year"}}, {Dates: table.Dates{Format: "iso", Part: "weekday"}}, {Dates: table.Dates{Format: "iso", AgeAt: "2021-03-01"}}, {Dates: table.Dates{Format: "iso"}},
	} {
		f := excelize.NewFile()
		for day, want := range map[string]map[string]string{
			"44256": {"year": "2021", "weekday": "1", "": "18687", "age": "0"}, // 2021-03-01, a Monday
			"43890": {"year": "2020", "weekday": "6", "": "18321", "age": "1"}, // 2020-02-29, a Saturday
			"43891": {"year": "2020", "weekday": "7", "": "18322", "age": "1"}, // 2020-03-01
			"43892": {"year": "2020", "weekday": "1", "": "18323", "age": "0"}, // 2020-03-02
			"44257": {"year": "2021", "weekday": "2", "": "18688", "age": "-1"},
		} {
			if err := f.SetCellFormula("Sheet1", "A1", dateNumber(&a, "INT("+day+")")); err != nil {
				t.Fatal(err)
			}
			kind := a.Part
			if a.AgeAt != "" {
				kind = "age"
			}
			if got, err := f.CalcCellValue("Sheet1", "A1"); got != want[kind] || err != nil {
				t.Errorf("%q of %s: %q, %v, want %q", kind, day, got, err, want[kind])
			}
		}
		f.Close()
	}
}
