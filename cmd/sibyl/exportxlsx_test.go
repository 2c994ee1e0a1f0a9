package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// The test enters records into the cells of exported workbooks, and LibreOffice computes the formulas. For each record, the
// cells with the results must equal the output of predict for a workbook that contains the same record.

// A sheetCase is a model with the values of its input cells: texts, numbers, serial numbers of dates, or nil.
type sheetCase struct {
	File    string     `json:"file"`
	Columns [][]string `json:"columns"` // for each column, its attributes
	Results string     `json:"results"` // the range of the cells with results; the ends of intervals are beside risks
	Risks   int        `json:"risks"`   // the index of the first risk
	Rows    [][]any    `json:"rows"`
	exportCase
	ends [][]string // by record, the ends of the intervals of risks
}

// A serial is a date in a cell, in days since 1970-01-01. Its JSON is the number that a workbook stores.
type serial int64

func (s serial) MarshalJSON() ([]byte, error) { return json.Marshal(int64(s) + 25569) }

// cellText returns the plain text of the value of a cell.
func cellText(value any) []byte {
	switch v := value.(type) {
	case float64:
		return plaintext.AppendFloat(nil, v, 64)
	case serial:
		return plaintext.AppendDate(nil, time.Unix(int64(v)*86400, 0).UTC())
	case string:
		return []byte(v)
	}
	return nil
}

// cellValues returns values for cells of an attribute that are easily confused with each other.
func cellValues(t *testing.T, random *rand.Rand, a *table.Attribute) (values []any) {
	t.Helper()
	digits := func(x float64) float64 { // rounds to the digits that a spreadsheet compares
		x, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 14, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	switch {
	case a.IsDate():
		days := append(a.MissingDays(), -25508, 0, -1, 58, 59, 10957, 18321, 18322, 2932896, random.Int64N(40000)-20000)
		for _, cut := range a.Cuts {
			if n, err := strconv.ParseInt(string(cut), 10, 64); err == nil {
				days = append(days, n-1, n, n+1)
			}
		}
		for range 12 {
			days = append(days, random.Int64N(60000)-25508)
		}
		for _, day := range days {
			values = append(values, serial(max(day, -25508))) // 1900-03-01
		}
	case len(a.Cuts) > 0:
		values = append(values, 0.0, 0.1, -7.0, 1e21, -1e-7, 1.5e300, 5e-300, digits(random.NormFloat64()*50))
		for _, d := range append(a.MissingNumbers(), a.Cuts...) {
			x, _ := d.Rat().Float64()
			values = append(values, x, x, digits(x*(1+1e-13)), digits(x*(1-1e-13)), digits(x+0.001), digits(x-0.001), digits(x-1))
		}
	default:
		inside, outside := textsFor([]*table.Attribute{a})
		for _, text := range append(inside, outside[:min(len(outside), len(inside)/4)]...) {
			values = append(values, text)
			if d, ok := table.ParseDecimal(text); ok && len(d) < 14 {
				x, _ := d.Rat().Float64()
				values = append(values, x)
			}
		}
	}
	return append(values, nil)
}

// newSheetCase returns a case for the model m with random records. The rule of the model may not need all columns; the
// values of columns that it does not need are in the domain.
func newSheetCase(t *testing.T, random *rand.Rand, file string, rows int, m *model.Model) *sheetCase {
	t.Helper()
	c := &sheetCase{File: file, exportCase: exportCase{Columns: m.Schema.Columns(), File: file, name: m.Form.Name(), model: m}}
	columns := c.exportCase.Columns[:len(c.exportCase.Columns)-1]
	results := 1
	if grade, _ := m.Grader(); grade != "" {
		results++
	}
	c.Risks = results
	if m.Risks != nil {
		results += max(1, len(m.Schema.Label.Outcomes()))
	}
	c.Results = fmt.Sprintf("B3:D%d", 2+results)
	needed := map[string]bool{}
	for _, j := range rule.Attributes(m.Rule()) {
		needed[m.Schema.Attributes[j].Column] = true
	}
	coders := make([]*table.Coder, len(m.Schema.Attributes))
	choices := make([][]any, len(columns))
	c.Columns = make([][]string, len(columns))
	for j := range m.Schema.Attributes {
		a := &m.Schema.Attributes[j]
		at := slices.Index(columns, a.Column)
		coders[j] = a.Coder(nil)
		c.Columns[at] = append(c.Columns[at], a.Name)
		choices[at] = append(choices[at], cellValues(t, random, a)...)
	}
	for j := range m.Schema.Attributes {
		if at := slices.Index(columns, m.Schema.Attributes[j].Column); !needed[columns[at]] {
			choices[at] = slices.DeleteFunc(choices[at], func(v any) bool { _, ok := coders[j].Code(cellText(v)); return !ok })
		}
	}
	c.want = cellsOf(t, m, func(write func(source.Row) error) error {
		for range rows {
			row := source.Row{}
			values := make([]any, len(columns))
			for i := range columns {
				values[i] = choices[i][random.IntN(len(choices[i]))]
			}
			for j, coder := range coders {
				at := slices.Index(columns, m.Schema.Attributes[j].Column)
				code, ok := coder.Code(cellText(values[at]))
				row.Record, row.Null = append(row.Record, uint16(max(code, 0))), row.Null || !ok
				if a := &m.Schema.Attributes[j]; ok && code < len(a.Groups) && !a.IsDate() && chosenByName(a) && random.IntN(2) == 0 {
					values[at] = a.Groups[code].Name // the choice in the list of the cell
				}
			}
			c.Rows, c.ends = append(c.Rows, values), append(c.ends, endsOf(m, row))
			if err := write(row); err != nil {
				return err
			}
		}
		return nil
	})
	return c
}

// endsOf returns the ends of the intervals of a record's risks, rounded outward.
func endsOf(m *model.Model, row source.Row) (ends []string) {
	risks := m.Risk()
	if risks == nil {
		return nil
	}
	for _, share := range risks(row.Record) {
		for _, end := range []float64{math.Floor(share.Least * 1e4), math.Ceil(share.Most * 1e4)} {
			if row.Null {
				ends = append(ends, "")
			} else {
				ends = append(ends, strconv.FormatFloat(end/1e4, 'f', riskDigits, 64))
			}
		}
	}
	return ends
}

// chosenByName reports whether no name of a category is a value of an attribute.
func chosenByName(a *table.Attribute) bool {
	for _, name := range a.Categories() {
		if slices.ContainsFunc(a.Groups, func(g table.Group) bool { return slices.Contains(g.Values, name) }) {
			return false
		}
	}
	return true
}

// shortSchema returns plainSchema with cuts of at most 14 digits.
func shortSchema(t *testing.T, label string) *table.Schema {
	s := plainSchema(t, label)
	last := s.Attributes[len(s.Attributes)-1].Cuts
	last[len(last)-1] = "12345678901.345"
	return s
}

func TestExportXLSX(t *testing.T) {
	fullFormOnly(t, "LibreOffice takes seconds to start")
	office, python := tool(t, "soffice"), tool(t, "/usr/bin/python3", "python3")
	if err := exec.Command(python, "-c", "import uno").Run(); err != nil {
		shareddata.Missing(t, "Python has no module uno; it is in the Debian package python3-uno")
	}
	random := rand.New(rand.NewPCG(26, 0))
	directory := t.TempDir()
	var cases []*sheetCase
	refused := map[string]int{}
	add := func(_ string, made func() *model.Model) {
		m := made()
		text, err := export.XLSX(m, export.Options{})
		if err != nil {
			refused[err.Error()]++
			return
		}
		c := newSheetCase(t, random, fmt.Sprintf("m%d", len(cases)), 60, m)
		cases = append(cases, c)
		put(t, filepath.Join(directory, c.File+".xlsx"), string(text))
	}
	for range 3 {
		formModels(t, random, shortSchema(t, twoOutcomes), shortSchema(t, threeOutcomes), 2, add)
		two := randomSchema(t, random, twoOutcomes)
		three := *two
		label := *two.Label
		label.Positive, label.Negative, label.Values = nil, nil, []string{"=1+1", "@x", "😀"}
		three.Label = &label
		formModels(t, random, two, &three, 2, add)
	}
	exportedModels(t, random, 1, add)
	if len(refused) != 0 {
		t.Errorf("refused: %v", refused)
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(directory, "cases.json"), string(text))

	got := runCases(t, exec.Command(python, "testdata/export/office.py", office, directory))
	var compared []*exportCase
	for i, c := range cases {
		for k, cells := range got[i] {
			if !slices.Equal(cells[c.cells():], c.ends[k]) {
				t.Fatalf("%s %s: %v: intervals %q, want %q", c.File, c.name, c.Rows[k], cells[c.cells():], c.ends[k])
			}
			got[i][k] = cells[:c.cells()]
		}
		c.exportCase.Rows = c.Rows
		compared = append(compared, &c.exportCase)
	}
	compareCases(t, "libreoffice", compared, got)
}
