package synthetic

import (
	"math"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// The mean of a column that is a function of another is that of the records. Its error is that of the sum of the numbers
// of the other column's values, less the mean.
func TestMeanOfAFunction(t *testing.T) {
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"z\"\nvalues = [\"a\", \"b\", \"c\"]\n[[attribute]]\ncolumn = \"cost\"\nvalues = [\"1\", \"2\", \"3\"]\n"+
		"[[rule]]\nfunction = \"cost\"\nof = [\"z\"]\ntable = [[\"a\", \"3\"], [\"b\", \"1\"]]\notherwise = \"1\"\n")
	b := s.Builder()
	for z, count := range []int64{500, 300, 200} {
		if err := b.AddOutcome(table.Record{uint16(z), []uint16{2, 0, 0}[z]}, 0, count); err != nil {
			t.Fatal(err)
		}
	}
	m := modelOf(t, s, b.Table(), "20")
	e, err := m.Errors(t.Context(), Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	codes := m.codes()
	costs, mean := []float64{3, 1, 1}, 0.0 // by the code of z
	for _, z := range codes[0] {
		mean += costs[z] / float64(len(codes[0]))
	}
	for z := range costs {
		costs[z] -= mean
	}
	u := m.estimator()
	want := u.column(0, costs).error(0, 0, u) / u.total
	if got := e.Columns[1].Mean; got == nil || math.Abs(got.Mean-mean) > 1e-9 || math.Abs(got.Error-want) > 1e-12 || got.Within != 0 {
		t.Errorf("got %+v, want a mean of %v ± %v", got, mean, want)
	}
}

// Fifty records are asked for their values within measured groups.
func TestSampledPairs(t *testing.T) {
	m, _ := incomeModel(t)
	var axes []table.Axis
	for k := range 2 {
		axes = append(axes, table.Axis{Column: k, Cells: make([]uint16, m.Layout.Domain.Columns[k].Size), Size: 1})
	}
	if cells, divided := m.ofPair(axes, m.estimator()); len(cells) != 1 || len(divided) != 50 {
		t.Errorf("%d cells, %d divided", len(cells), len(divided))
	}
}

// A text lists ten pairs, and states the number of the others.
func TestPairsOfText(t *testing.T) {
	for pairs, want := range map[int]string{10: "", 11: "and 1 pair with a smaller error\n", 13: "and 3 pairs with smaller errors\n"} {
		e := &Errors{Columns: []ColumnErrors{{Column: "a"}}, Pairs: make([]PairErrors, pairs)}
		var b strings.Builder
		if err := e.Write(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.HasSuffix(text, want) || strings.Contains(text, "smaller error") != (want != "") {
			t.Errorf("%d pairs:\n%s", pairs, text)
		}
	}
}
