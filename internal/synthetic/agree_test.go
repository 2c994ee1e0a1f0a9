package synthetic_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// A generated table has columns with the given numbers of values, sizes.
type generated struct {
	name  string
	sizes []int
	rows  int
	more  string // of the schema
	draw  func(r *rand.Rand, record table.Record)
}

// anyValue returns a function that sets each code of a record to a uniformly random value.
func anyValue(sizes []int) func(*rand.Rand, table.Record) {
	return func(r *rand.Rand, record table.Record) {
		for j := range record {
			record[j] = uint16(r.IntN(sizes[j]))
		}
	}
}

// generatedTables returns tables for TestRowsAndAnswersAgree.
func generatedTables() (all []generated) {
	add := func(name string, rows int, more string, sizes []int, change func(r *rand.Rand, record table.Record)) {
		uniform := anyValue(sizes)
		all = append(all, generated{name, sizes, rows, more, func(r *rand.Rand, record table.Record) {
			uniform(r, record)
			if change != nil {
				change(r, record)
			}
		}})
	}
	equal := func(part float64) func(r *rand.Rand, record table.Record) {
		return func(r *rand.Rand, record table.Record) {
			if r.Float64() < part {
				record[1] = record[0]
			}
		}
	}
	add("independent", 900, "", []int{2, 3, 4}, nil)
	add("nearly equal", 1500, "", []int{6, 6, 3}, equal(.98))
	add("equal", 1500, "", []int{8, 8, 2}, equal(1))
	add("rarely different", 3000, "", []int{4, 4, 2, 3}, equal(.999))
	add("exclusive", 4000, "", []int{9, 15, 3}, func(r *rand.Rand, record table.Record) {
		if r.Float64() < .06 { // unknown in both, as in census data
			record[0], record[1] = 8, 14
		} else {
			record[0], record[1] = uint16(r.IntN(8)), uint16(r.IntN(14))
		}
	})
	add("exclusive thrice", 4000, "", []int{5, 5, 5, 2}, func(r *rand.Rand, record table.Record) {
		if r.Float64() < .1 {
			record[0], record[1], record[2] = 4, 4, 4
		} else {
			for j := range 3 {
				record[j] = uint16(r.IntN(4))
			}
		}
	})
	add("classes", 2000, "", []int{4, 4, 4, 4}, func(r *rand.Rand, record table.Record) {
		class := uint16(r.IntN(4))
		for j := range record {
			if r.Float64() < .8 {
				record[j] = (class + uint16(j)) % 4
			}
		}
	})
	add("parity", 2000, "", []int{2, 2, 2}, func(_ *rand.Rand, record table.Record) { record[2] = record[0] ^ record[1] })
	add("many values", 2000, "", []int{300, 3, 2}, func(r *rand.Rand, record table.Record) { record[0] = uint16(r.IntN(1 + r.IntN(300))) })
	add("rare values", 3000, "", []int{40, 2, 3}, func(r *rand.Rand, record table.Record) {
		if r.Float64() < .95 {
			record[0] = uint16(r.IntN(2))
		}
	})
	add("skewed", 3000, "", []int{2, 2, 2, 5}, func(r *rand.Rand, record table.Record) {
		for j := range 3 {
			record[j] = uint16(r.IntN(20) / 19)
		}
	})
	add("constant columns", 800, "", []int{1, 3, 4, 1}, func(_ *rand.Rand, record table.Record) { record[1] = 2 })
	add("all constant", 500, "", []int{3, 2}, func(_ *rand.Rand, record table.Record) { record[0], record[1] = 1, 1 })
	add("one column", 700, "", []int{7}, nil)
	add("one row", 1, "", []int{3, 2}, nil)
	add("three rows", 3, "", []int{2, 2, 2}, nil)
	add("no row", 0, "", []int{3, 2}, nil)
	add("persons", 2000, "[person]\ncolumn = \"who\"\nmost = 3\n", []int{5, 5, 2}, equal(.95))
	add("a function", 1500, "[[rule]]\nfunction = \"c2\"\nof = [\"c0\", \"c1\"]\ntable = [[\"v0\", \"v1\", \"v2\"], [\"v1\", \"v1\", \"v1\"]]\notherwise = \"v0\"\n",
		[]int{3, 3, 3, 2}, func(_ *rand.Rand, record table.Record) {
			switch record[2] = 0; {
			case record[1] == 1 && record[0] < 2:
				record[2] = 2 - record[0]
			}
		})
	// The rule distinguishes values that are pooled.
	add("a rule", 2000, "[[rule]]\nforbid = { c0 = [\"v1\", \"v7\", \"v30\"], c1 = [\"v0\"] }\n", []int{40, 2, 3}, func(r *rand.Rand, record table.Record) {
		if record[0] == 1 || record[0] == 7 || record[0] == 30 {
			record[1] = 1
		}
	})
	return all
}

// table returns the generated table for a seed.
func (g *generated) table(t *testing.T, seed uint64) *counted {
	t.Helper()
	var text strings.Builder
	rules := strings.HasPrefix(g.more, "[[rule]]")
	if !rules {
		text.WriteString(g.more)
	}
	for j, size := range g.sizes {
		var values []string
		for v := range size {
			values = append(values, fmt.Sprintf("%q", fmt.Sprint("v", v)))
		}
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"c%d\"\nvalues = [%s]\nordered = %v\n", j, strings.Join(values, ", "), size >= 300)
	}
	if rules {
		text.WriteString(g.more)
	}
	s := tabletest.Schema(t, text.String())
	var err error
	c := &counted{}
	if c.layout, err = synthetic.NewLayout(s); err != nil {
		t.Fatal(err)
	}
	b, r := s.Builder(), rand.New(rand.NewPCG(seed, uint64(len(g.name))))
	record := make(table.Record, len(g.sizes))
	for range g.rows {
		g.draw(r, record)
		if err := b.Add(record, false, s.Weight()); err != nil {
			t.Fatal(err)
		}
	}
	c.data = b.Table()
	return c
}

// countRows returns the number of rows that satisfy each conjunction.
func countRows(rows synthetic.Rows, of [][]condition) []float64 {
	counts := make([]float64, len(of))
	var record []uint16
	for i := range rows.Len() {
		record = rows.Record(i, record)
		for k, all := range of {
			if !slices.ContainsFunc(all, func(x condition) bool { return !slices.Contains(x.values, record[x.column]) }) {
				counts[k]++
			}
		}
	}
	return counts
}

// cellsOf returns the cells of all measured marginals as conjunctions. It includes the columns that are functions of
// others.
func cellsOf(m *synthetic.Model) (all [][]condition) {
	flat := m.Layout.Flat
	cells := func(axes []table.Axis) {
		of := [][]condition{nil}
		for _, a := range axes {
			column := slices.IndexFunc(flat.Attributes, func(x table.Attribute) bool { return x.Name == m.Layout.Name(a.Column) })
			var finer [][]condition
			for _, above := range of {
				for k := range a.Size {
					x := condition{column: column}
					for v := range flat.Attributes[column].Len() {
						if a.Cell(v) == k {
							x.values = append(x.values, uint16(v))
						}
					}
					if len(x.values) > 0 {
						finer = append(finer, append(slices.Clone(above), x))
					}
				}
			}
			of = finer
		}
		all = append(all, of...)
	}
	for _, c := range m.Measured.Columns {
		cells(c.Axes)
	}
	for _, p := range m.Measured.Pairs {
		cells(p.Axes)
	}
	for _, r := range m.Measured.Rounds {
		cells(r.Measurement.Axes)
	}
	for j := range flat.Attributes {
		for v := range flat.Attributes[j].Len() {
			all = append(all, []condition{{j, []uint16{uint16(v)}}})
		}
	}
	return all
}

// Released rows, any number of other rows, and answers are functions of the same records. So all measured marginals of
// rows agree with the answers, except for the rounding of records to whole rows.
func TestRowsAndAnswersAgree(t *testing.T) {
	for i, g := range generatedTables() {
		const seed = 0
		c := g.table(t, seed)
		m := c.model(t, []string{"1", "0.3", "5"}[i%3], seed, heavy.Pick(120, 0))
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		read, err := synthetic.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		cells := cellsOf(m)
		var questions []*synthetic.Question
		for _, of := range cells {
			questions = append(questions, question(t, c.layout, of))
		}
		answers, err := read.Ask(t.Context(), questions, synthetic.Drawing{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		records := m.Records.Len()
		for _, n := range []int{int(m.Rows), 3 * records, records*2/3 + 1, records*3/2 + 1} {
			rows, err := read.Draw(t.Context(), n, synthetic.Drawing{Seed: seed + 1})
			if err != nil {
				t.Fatal(err)
			}
			part := math.Mod(float64(n)/float64(records), 1) // the fraction of the records that occur once more than the others
			for k, count := range countRows(rows, cells) {
				share := answers[k].Share
				off := 5*math.Sqrt(float64(records)*share*(1-share)*part*(1-part)) + 1e-6
				if part > 0 {
					off += 2
				}
				if n > 0 && math.Abs(count-share*float64(n)) > off {
					t.Errorf("%s: of %d rows %v have %s, and the answer is a share of %v", g.name, n, count, answers[k].Question, share)
				}
			}
		}
		checkParts(t, read, questions[len(questions)-1], g.sizes[0])
		checkErrors(t, g.name, read)
	}
}

// checkParts restricts a question to each value of the first column. It fails if the counts of these questions do not
// sum to that of the question.
func checkParts(t *testing.T, m *synthetic.Model, whole *synthetic.Question, values int) {
	t.Helper()
	questions := []*synthetic.Question{whole}
	for v := range values {
		q, err := synthetic.ParseQuestion(m.Layout.Flat, fmt.Sprintf("%v and c0 = v%d", whole, v))
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, q)
	}
	answers, err := m.Ask(t.Context(), questions, synthetic.Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, a := range answers[1:] {
		sum += a.Count
	}
	if math.Abs(sum-answers[0].Count) > 1e-9*(1+sum) {
		t.Errorf("%v: parts add up to %v, and the whole is %v", whole, sum, answers[0].Count)
	}
}

// checkErrors fails unless the model states a finite error of the right basis for each column and each pair.
func checkErrors(t *testing.T, name string, m *synthetic.Model) {
	t.Helper()
	e, err := m.Errors(t.Context(), synthetic.Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(e); err != nil { // not a number, or infinite
		t.Errorf("%s: %v", name, err)
	}
	if len(e.Columns) != len(m.Layout.Flat.Attributes) || len(e.Pairs) != len(m.Measured.Pairs) {
		t.Errorf("%s: %d columns and %d pairs", name, len(e.Columns), len(e.Pairs))
	}
	for _, c := range e.Columns {
		if basis := map[bool]string{true: synthetic.Measured, false: synthetic.Modelled}[m.Layout.Column(c.Column) >= 0]; c.Basis != basis || c.Shares != c.Values || (c.Bound != nil) != (basis == synthetic.Measured) || !(c.Error > 0) && c.Values > 1 {
			t.Errorf("%s: %+v, expected to be %s", name, c, basis)
		}
	}
	for _, p := range e.Pairs {
		if p.Shares != p.Cells[0]*p.Cells[1] || (p.Divided != nil) && p.Cells == p.Values {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
