package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// The tests run exported programs in their languages, on records with values that are easily confused with each other or
// with a category. For each record the result must equal that of the command predict, which reads the records from a
// file in the format of the model's schema. The runtime of each language is started once, for all models.

// An exportCase is a model with records, and the cells that predict writes for them.
type exportCase struct {
	File    string   `json:"file"` // the name of the exported program, without its ending
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"` // the records: texts or numbers, by column
	name    string   // the name of the kind of model
	model   *model.Model
	want    [][]string // by record, the cells that predict writes; all are empty for a record without a prediction
}

// cells returns the number of cells that predict writes for a record.
func (c *exportCase) cells() int { return len(c.want[0]) }

// programs collects cases.
type programs struct {
	random *rand.Rand
	rows   int // the number of records of each case
	cases  []*exportCase
}

// add adds a case for the model m. Its records consist of texts inside and outside the domain.
func (p *programs) add(t *testing.T, name string, m *model.Model) {
	t.Helper()
	name, _, _ = strings.Cut(name, " ")
	c := &exportCase{File: fmt.Sprintf("m%d", len(p.cases)), Columns: m.Schema.Columns(), name: name, model: m}
	c.Columns = c.Columns[:len(c.Columns)-1]
	var texts [][2][]string
	for _, column := range c.Columns {
		inside, outside := fileTexts(m.Schema, column)
		texts = append(texts, [2][]string{inside, outside})
	}
	var records [][]string
	for range p.rows {
		var row []string
		for _, of := range texts {
			from := of[0]
			if len(from) == 0 || len(of[1]) > 0 && p.random.IntN(12*(1+len(texts)/10)) == 0 {
				from = of[1]
			}
			row = append(row, from[p.random.IntN(len(from))])
		}
		records = append(records, row)
		c.Rows = append(c.Rows, anys(row))
	}
	c.want = predictedCells(t, m, writtenAs(m.Schema, c.Columns, records))
	p.cases = append(p.cases, c)
}

func anys[T any](of []T) (all []any) {
	for _, v := range of {
		all = append(all, v)
	}
	return all
}

// fileTexts returns texts for a column of a file in the format of the schema. The texts inside are in the domain of all
// attributes of the column, and the texts outside are the others.
func fileTexts(s *table.Schema, column string) (inside, outside []string) {
	var of []*table.Attribute
	var coders []*table.Coder
	for j := range s.Attributes {
		if a := &s.Attributes[j]; a.Column == column {
			of, coders = append(of, a), append(coders, a.Coder(&s.File))
		}
	}
	some, others := textsFor(of)
	for _, text := range append(append(some, others...), spelledTexts(of)...) {
		if s.File.Trim {
			text = strings.Trim(text, " \t")
		}
		switch {
		case strings.ContainsRune(text, 0):
		case slices.ContainsFunc(coders, func(c *table.Coder) bool { _, ok := c.Code([]byte(text)); return !ok }):
			outside = append(outside, text)
		default:
			inside = append(inside, text)
		}
	}
	return inside, outside
}

// spelledTexts returns texts that resemble numbers and dates in the formats of the attributes.
func spelledTexts(of []*table.Attribute) []string {
	all := []string{
		"1,5", "1.5", "1.234,5", "1,234.5", "1'234", "1’234.5", "1 234", "1\u00a0234", "12_345", "1,23", "1,2345", "0,5e1", "5e-1", "1e5", "1e+5", "1E00000000000000000000001", "1e-99999999999999999999",
		"-1e99999999999999999999", "5.e1", ".e1", "e1", "1e", "1e+", "0e9", "1_0e2", "+1,5 %", "%1", "% 1", "-% 5", "+%5", "%-5", "-%-5", "5%", "5 \u2003%", "5\u0085%", "5\ufeff%", "5 %%", "%", "€ 5", "5 €", "5 EUR", "-€5", "%e", "5 % ",
		"2020-02-29", "2021-02-29", "2020-02-29T12:30", "2020-02-29 1:30", "2020-02-29, 11:59 PM", "2020-02-29,11:59", "2020-02-29 123", "2020-02-29 12345", "2020-02-29 1:2x3", "2020-2-29", "0000-01-01", "0001-01-01", "9999-12-31", "0099-05-06",
		"29.2.2020", "29.02.2020", "2/29/2020", "29/2/2020", "1-1-1900", "1.1/1900", "31.12.1999 23:59", "1.1.20", "1969-12-31", "1900-03-01", "12/31/1999", "31.4.2001",
		"0", "-1", "86399", "86400", "-86400", "-86400.0", "-86400.5", "-0.5", "-0.000", "1580000000.25", "253402300799", "253402300800", "-62135596800", "-62135596801", "5.", "99999999999999999999999", "-", "000000000000000000000001",
	}
	for _, a := range of {
		for _, unit := range a.Units {
			for _, cut := range a.Cuts {
				text := strings.ReplaceAll(string(cut), ".", ",")
				all = append(all, string(cut)+unit, unit+" "+text, text+" "+unit)
			}
		}
		all = append(all, a.Missing...)
		for i := range a.Cuts {
			all = append(all, a.CutText(i), strings.ReplaceAll(string(a.Cuts[i]), ".", ","))
		}
	}
	return all
}

// writtenAs returns records as delimited text in the format of the schema.
func writtenAs(s *table.Schema, columns []string, records [][]string) []byte {
	var b bytes.Buffer
	line := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				b.WriteByte(s.File.Delimiter)
			}
			if i == 0 || strings.ContainsAny(cell, "\"\r\n"+string(rune(s.File.Delimiter))) {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	all := columns
	if len(s.File.Columns) > 0 {
		all = s.File.Columns
	}
	if !s.File.Headerless {
		line(all)
	}
	for _, record := range records {
		cells := make([]string, len(all))
		for i, name := range columns {
			cells[slices.Index(all, name)] = record[i]
		}
		line(cells)
	}
	return b.Bytes()
}

// predictedCells returns what predict writes for the records of a file, by cell.
func predictedCells(t *testing.T, m *model.Model, file []byte) [][]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return cellsOf(t, m, func(write func(source.Row) error) error {
		return source.Records(context.Background(), path, m.Schema, source.Options{LabelOptional: true, Reasons: true}, write)
	})
}

// cellsOf returns the cells that the predictor of the model m writes for the rows, by record.
func cellsOf(t *testing.T, m *model.Model, rows func(write func(source.Row) error) error) [][]string {
	t.Helper()
	p, err := newPredictor(m, "")
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	p.w = &written
	if err := p.header(); err != nil {
		t.Fatal(err)
	}
	if err := rows(p.write); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&written)
	r.Comma = rune(m.Schema.File.Delimiter)
	cells, err := r.ReadAll()
	if err != nil || len(cells) != int(p.rows)+1 {
		t.Fatal(len(cells), err)
	}
	for i, name := range cells[0] {
		for _, line := range cells[1:] {
			if strings.HasPrefix(name, risked) {
				line[i] = strings.Replace(line[i], string(rune(m.Schema.File.Decimal)), ".", 1)
			}
		}
	}
	return cells[1:]
}

// addTyped adds a case for the model m whose records have numbers in the columns of attributes with cuts, and texts in
// the other columns. A missing value is nil.
func (p *programs) addTyped(t *testing.T, name string, m *model.Model) {
	t.Helper()
	c := &exportCase{File: fmt.Sprintf("m%d", len(p.cases)), Columns: m.Schema.Columns(), name: name, model: m}
	c.Columns = c.Columns[:len(c.Columns)-1]
	var coders []*table.Coder
	choices := map[string][]any{}
	for j := range m.Schema.Attributes {
		a := &m.Schema.Attributes[j]
		coders = append(coders, a.Coder(nil))
		if len(a.Cuts) == 0 {
			inside, outside := textsFor([]*table.Attribute{a})
			choices[a.Column] = append(anys(inside), append(anys(outside[:min(len(outside), len(inside)/4)]), nil)...)
			continue
		}
		all := append(choices[a.Column], nil, 0.0, 0.1, -7.0, 1e21, -1e-7, 5e-324, 1.5e300, 100000000000000000000.0, p.random.NormFloat64()*50)
		for _, d := range append(a.MissingNumbers(), a.Cuts...) {
			x, _ := d.Rat().Float64()
			all = append(all, x, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)), x+0.001, x-0.001)
		}
		choices[a.Column] = all
	}
	c.want = cellsOf(t, m, func(write func(source.Row) error) error {
		for range p.rows {
			row, record := source.Row{}, map[string]any{}
			var values []any
			for _, name := range c.Columns {
				record[name] = choices[name][p.random.IntN(len(choices[name]))]
				values = append(values, record[name])
			}
			for j, coder := range coders {
				var text []byte
				switch v := record[m.Schema.Attributes[j].Column].(type) {
				case float64:
					text = plaintext.AppendFloat(nil, v, 64)
				case string:
					text = []byte(v)
				}
				code, ok := coder.Code(text)
				row.Record, row.Null = append(row.Record, uint16(max(code, 0))), row.Null || !ok
			}
			c.Rows = append(c.Rows, values)
			if err := write(row); err != nil {
				return err
			}
		}
		return nil
	})
	p.cases = append(p.cases, c)
}

// compareCases compares the cells of each case with those of predict, and logs the number of records by kind of model.
func compareCases(t *testing.T, engine string, cases []*exportCase, got [][][]string) {
	t.Helper()
	if len(got) != len(cases) {
		t.Fatalf("%s: %d cases of %d", engine, len(got), len(cases))
	}
	var counts kindCounts
	for i, c := range cases {
		empty := 0
		if len(got[i]) != len(c.want) {
			t.Fatalf("%s, %s: %d records of %d", engine, c.name, len(got[i]), len(c.want))
		}
		for k, cells := range got[i] {
			for len(cells) < c.cells() && cells[0] == "" { // if there is no prediction, the risk is null
				cells = append(cells, "")
			}
			if len(cells) == c.cells()+1 && c.model.Risks == nil && cells[c.cells()] == "" { // the model states no risk
				cells = cells[:c.cells()]
			}
			if !slices.Equal(cells, c.want[k]) {
				t.Fatalf("%s, %s %s: %q: %q, predict has %q\n%s", engine, c.File, c.name, c.Rows[k], cells, c.want[k], documentText(t, c.model))
			}
			if cells[0] == "" {
				empty++
			}
		}
		counts.add(c.model, len(c.want), empty)
	}
	counts.log(t, engine)
}

func documentText(t *testing.T, m *model.Model) []byte {
	text, err := export.JSON(m, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// writeCases writes exported programs and cases.json to a directory.
func writeCases(t *testing.T, directory string, cases []*exportCase, formats map[string]func(*model.Model, export.Options) ([]byte, error)) {
	t.Helper()
	put := func(name string, text []byte) {
		path := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range cases {
		for ending, write := range formats {
			text, err := write(c.model, export.Options{})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if bytes.Contains(text, []byte("NOT PRIVATE.")) != (c.model.Guarantee == nil) {
				t.Fatalf("%s: the guarantee is missing: %.300s", c.name, text)
			}
			put(c.File+ending, text)
		}
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	put("cases.json", text)
}

// runCases runs a command that prints the cells of all cases as JSON.
func runCases(t *testing.T, command *exec.Cmd) (got [][][]string) {
	t.Helper()
	var failed bytes.Buffer
	command.Stderr = &failed
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %.3000s", err, failed.Bytes())
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	return got
}

// tool returns the path of a program, or skips the test.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	shareddata.Missing(t, strings.Join(names, " and ")+" are not installed")
	return ""
}

// spellings are formats of numbers in random schemas, as lines of an attribute with cuts.
var spellings = []string{"", "unit = [\"%\", \"€\"]\n", "thousands = \"'\"\nunit = \"EUR\"\n", "thousands = \" \"\n", "thousands = \"_\"\nmissing = [\"?\", \"-1\"]\n"}

// randomSchema returns a random schema with attributes of all kinds. The text label is that of its label.
func randomSchema(t *testing.T, random *rand.Rand, label string) *table.Schema {
	t.Helper()
	var b strings.Builder
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	fmt.Fprintf(&b, "[file]\ndelimiter = %s\ndecimal = %s\ntrim = %s\n[label]\ncolumn = \"y\"\n%s", pick(`","`, `";"`, `"|"`), pick(`"."`, `","`), pick("true", "false"), label)
	attribute := func(column, text string) {
		fmt.Fprintf(&b, "[[attribute]]\ncolumn = %s\n%s", column, text)
	}
	for i := range 2 + random.IntN(2) {
		cut, cuts := float64(random.IntN(20)-15), []string(nil)
		for range 1 + random.IntN(4) {
			cuts = append(cuts, strconv.FormatFloat(cut, 'f', -1, 64))
			cut += float64(1+random.IntN(500)) / 8
		}
		text := "cuts = [" + strings.Join(cuts, ", ") + "]\n" + spellings[random.IntN(len(spellings))]
		if random.IntN(3) > 0 {
			text += "other = \"none\"\n"
		}
		attribute(fmt.Sprintf("\"number %d\\\"\"", i), text)
	}
	dates := []string{
		"cuts = [1900-03-01, 2000-01-01, 2020-02-29]\n", "part = \"weekday\"\ngroups = { week = [\"1\", \"2\", \"3\", \"4\", \"5\"], end = [\"6\", \"7\"] }\n",
		"part = \"month\"\ncuts = [3, 6.5]\n", "part = \"year\"\ncuts = [1900, 1970, 2020]\n", "part = \"day\"\nvalues = [\"1\", \"29\", \"31\"]\n", "age_at = 2021-03-01\ncuts = [0, 1, 21]\n",
	}
	for i, text := range []string{dates[random.IntN(3)], dates[3+random.IntN(3)]} {
		text = "format = \"" + pick("iso", "d.m.y", "m/d/y", "epoch") + "\"\n" + text
		if random.IntN(2) == 0 {
			text += "missing = [\"1900-01-01\", \"never\"]\n"
		}
		if random.IntN(4) > 0 || strings.Contains(text, "missing") {
			text += "other = \"unknown\"\n"
		}
		attribute(fmt.Sprintf("\"date %d\"", i), text)
	}
	attribute(pick(`"__proto__"`, `"constructor"`, `"<script>"`, `"=1+1"`, `"\u202Ertl"`), pick("values = [\"__proto__\", \"toString\", \"None\", \"null\", \"😀\", \"=SUM(A1)\"]\n",
		"groups = { \"</script>\" = [\"a'''\", \"b\\\"\\\"\\\"\"], \"`${x}`\" = [\"`\", \"{}\", \"\\u2028\"] }\n")+pick("", "other = \"\\\\ other\"\n"))
	s, err := table.ParseSchema("random", strings.NewReader(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return s
}

const (
	twoOutcomes   = "positive = [\"1\"]\nnegative = [\"0\"]\n"
	threeOutcomes = "values = [\"lo'w\", \"mid\\\", or so\", \"😀\"]\n"
)

// plainSchema returns a schema in which no column is read both as numbers and as texts. Its cuts have at most 15 digits.
func plainSchema(t *testing.T, label string) *table.Schema {
	t.Helper()
	s := tabletest.Schema(t, "[label]\ncolumn = \"y\"\n"+label+hostileDomain+
		"[[attribute]]\ncolumn = \"codes\"\ncuts = [-0.1, 0.3, 123456789012.345]\nmissing = [\"-999\", \"0.5\"]\nother = \"none\"\n")
	return s
}

// casesOfPrograms returns cases of models that are stored in the repository, of models with hostile names, and of models
// over random schemas. The seed determines the random choices.
func casesOfPrograms(t *testing.T, seed uint64) []*exportCase {
	p := &programs{random: rand.New(rand.NewPCG(seed, 0)), rows: heavy.Pick(10, 120)}
	n := 0
	add := func(name string, made func() *model.Model) {
		if n++; heavy.On() || name != "wide" && n%5 == 0 {
			p.add(t, strings.TrimSuffix(name, ".json"), made())
		}
	}
	exportedModels(t, p.random, heavy.Pick(2, 4), add)
	for range heavy.Pick(2, 10) {
		two := randomSchema(t, p.random, "positive = [\"1\"]\nnegative = [\"0\"]\n")
		formModels(t, p.random, two, withThreeOutcomes(two), heavy.Pick(1, 2), add)
	}
	formModels(t, p.random, plainSchema(t, twoOutcomes), plainSchema(t, twoOutcomes), 1, func(name string, made func() *model.Model) {
		if strings.HasPrefix(name, model.SVM) {
			p.addTyped(t, "numbers", made())
		}
	})
	return p.cases
}

// withThreeOutcomes returns the schema with three outcomes in place of two.
func withThreeOutcomes(two *table.Schema) *table.Schema {
	three, label := *two, *two.Label
	label.Positive, label.Negative, label.Values = nil, nil, []string{"__proto__", "b\"'\\", "😀</script>"}
	three.Label = &label
	return &three
}

func TestExportJavaScript(t *testing.T) {
	node := tool(t, "node")
	cases, directory := casesOfPrograms(t, 21), t.TempDir()
	writeCases(t, directory, cases, map[string]func(*model.Model, export.Options) ([]byte, error){".mjs": export.JavaScript})
	compareCases(t, "javascript", cases, runCases(t, exec.Command(node, "testdata/export/run.mjs", directory)))
}

func TestExportPython(t *testing.T) {
	python := tool(t, "/usr/bin/python3", "python3")
	cases, directory := casesOfPrograms(t, 22), t.TempDir()
	writeCases(t, directory, cases, map[string]func(*model.Model, export.Options) ([]byte, error){".py": export.Python, ".json": export.JSON})
	compareCases(t, "python", cases, runCases(t, exec.Command(python, "testdata/export/run.py", directory)))
}

func TestExportONNX(t *testing.T) {
	node := tool(t, "node")
	if err := exec.Command(node, "-e", "require.resolve('onnxruntime-node')").Run(); err != nil {
		shareddata.Missing(t, "the npm package onnxruntime-node is not on NODE_PATH")
	}
	p := &programs{random: rand.New(rand.NewPCG(25, 0)), rows: heavy.Pick(20, 400)}
	refused, dated := map[string]int{}, 0
	add := func(name string, made func() *model.Model) {
		m := made()
		if _, err := export.ONNX(m, export.Options{}); err != nil {
			why, _, _ := strings.Cut(err.Error(), `"`)
			refused[why]++
			return
		}
		if slices.ContainsFunc(m.Schema.Attributes, func(a table.Attribute) bool { return a.IsDate() }) {
			dated++ // the model does not depend on its dates
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, ".json"), " ")
		p.addTyped(t, name, m)
	}
	for range heavy.Pick(1, 10) {
		formModels(t, p.random, plainSchema(t, twoOutcomes), plainSchema(t, threeOutcomes), 2, add)
	}
	n := 0
	exportedModels(t, p.random, 1, func(name string, made func() *model.Model) {
		if n++; heavy.On() || n%5 == 0 {
			add(name, made)
		}
	})
	formModels(t, p.random, randomSchema(t, p.random, twoOutcomes), randomSchema(t, p.random, threeOutcomes), 1, add) // with dates
	for range 100 {
		if dated >= heavy.Pick(5, 20) {
			break
		}
		formModels(t, p.random, randomSchema(t, p.random, twoOutcomes), randomSchema(t, p.random, threeOutcomes), 1, func(name string, made func() *model.Model) {
			if dated < heavy.Pick(5, 20) {
				add(name, made)
			}
		})
	}
	if len(refused) != 1 || refused["the model reads dates in attribute "] == 0 || dated == 0 {
		t.Errorf("refused: %v; exported with dates: %d", refused, dated)
	}
	directory := t.TempDir()
	writeCases(t, directory, p.cases, map[string]func(*model.Model, export.Options) ([]byte, error){".onnx": export.ONNX})
	compareCases(t, "onnxruntime", p.cases, runCases(t, exec.Command(node, "testdata/export/onnx.cjs", directory)))
}

// fullFormOnly skips a test in the short form. The reason why the test takes long is part of the message.
func fullFormOnly(t *testing.T, why string) {
	t.Helper()
	if !heavy.On() {
		t.Skip(why + "; SIBYL_HEAVY=1 runs this test")
	}
}

// goMain is a program that prints the cells of all cases, with the imports and the packages of the cases.
const goMain = `package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
%s)

func cells(outcome, measure string, risk []float64) []string {
	all := []string{outcome}
	if measure != "" {
		all = append(all, measure)
	}
	for _, r := range risk {
		if all = append(all, fmt.Sprintf("%%.4f", r)); math.IsNaN(r) {
			all[len(all)-1] = ""
		}
	}
	return all
}

func main() {
	var cases []struct {
		Columns []string
		Rows    [][]string
	}
	text, err := os.ReadFile("cases.json")
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil {
		panic(err)
	}
	predictors := []func(map[string]string) []string{%s}
	var all [][][]string
	for i, c := range cases {
		var rows [][]string
		for _, row := range c.Rows {
			record := map[string]string{}
			for k, name := range c.Columns {
				record[name] = row[k]
			}
			rows = append(rows, predictors[i](record))
		}
		all = append(all, rows)
	}
	json.NewEncoder(os.Stdout).Encode(all)
}
`

func TestExportGo(t *testing.T) {
	fullFormOnly(t, "the Go command compiles a package for each model")
	cases, directory := casesOfPrograms(t, 23), t.TempDir()
	cases = cases[:len(cases)-1] // records of texts only
	writeCases(t, directory, cases, map[string]func(*model.Model, export.Options) ([]byte, error){"/predict.go": export.Go})
	var imports, calls strings.Builder
	for _, c := range cases {
		measure, field := c.model.Rule().Measure(), ""
		if measure != "" {
			field = "fmt.Sprint(p." + map[string]string{"total": "Points", "rule": "Rule", "leaf": "Leaf"}[measure] + ")"
		} else {
			field = `""`
		}
		fmt.Fprintf(&imports, "\t%s \"predictors/%[1]s\"\n", c.File)
		fmt.Fprintf(&calls, "func(record map[string]string) []string {\np, ok, err := %s.Predict(record)\nif err != nil {\npanic(err)\n}\nif !ok {\nreturn make([]string, %d)\n}\nreturn cells(p.Outcome, %s, p.Risk)\n},\n", c.File, c.cells(), field)
	}
	for name, text := range map[string]string{"go.mod": "module predictors\n\ngo 1.26\n", "main.go": fmt.Sprintf(goMain, imports.String(), calls.String())} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", ".")
	command.Dir, command.Env = directory, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	compareCases(t, "go", cases, runCases(t, command))
}

// TestExportGoIsFormatted checks that gofmt would not change exported Go files.
func TestExportGoIsFormatted(t *testing.T) {
	random := rand.New(rand.NewPCG(26, 0))
	files := 0
	check := func(name string, made func() *model.Model) {
		text, err := export.Go(made(), export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		files++
		if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	exportedModels(t, random, heavy.Pick(1, 4), check)
	for range heavy.Pick(3, 10) {
		two := randomSchema(t, random, "positive = [\"1\"]\nnegative = [\"0\"]\n")
		formModels(t, random, two, withThreeOutcomes(two), 1, check)
	}
	if files < 30 {
		t.Errorf("%d files", files)
	}
}

// adultCases returns models of several kinds for the records of Adult.
func adultCases(t *testing.T, seed uint64) []*exportCase {
	random := rand.New(rand.NewPCG(seed, 1))
	s := census.Schema(t, "adult", "adult-12.toml")
	data, err := os.ReadFile(shareddata.Path(t, "adult", "adult.data"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	lines = lines[:5000]
	columns := s.Columns()[:len(s.Columns())-1]
	var cases []*exportCase
	formModels(t, random, s, s, 1, func(name string, made func() *model.Model) {
		m := made()
		c := &exportCase{File: fmt.Sprintf("m%d", len(cases)), Columns: columns, name: "adult, " + m.Form.Name(), model: m}
		c.want = predictedCells(t, m, []byte(strings.Join(lines, "\n")+"\n"))
		for _, line := range lines {
			cells := strings.Split(line, ",")
			var row []any
			for _, name := range columns {
				row = append(row, cells[slices.Index(s.File.Columns, name)])
			}
			c.Rows = append(c.Rows, row)
		}
		cases = append(cases, c)
	})
	return cases
}

func TestExportAdult(t *testing.T) {
	fullFormOnly(t, "TestExportJavaScript and TestExportPython check the same programs on other records")
	node, python := tool(t, "node"), tool(t, "/usr/bin/python3", "python3")
	cases, directory := adultCases(t, 24), t.TempDir()
	writeCases(t, directory, cases, map[string]func(*model.Model, export.Options) ([]byte, error){".mjs": export.JavaScript, ".py": export.Python, ".json": export.JSON})
	compareCases(t, "javascript", cases, runCases(t, exec.Command(node, "testdata/export/run.mjs", directory)))
	compareCases(t, "python", cases, runCases(t, exec.Command(python, "testdata/export/run.py", directory)))
}
