package synthetic_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// measurements is a schema with numbers in intervals, numbers as single values, and dependent columns.
const measurements = `
[[attribute]]
column = "x"
cuts = [10, 20, 40, 80]
draw = "integer"
least = 0
most = 200
[[attribute]]
column = "y"
values = ["0", "1", "2", "3", "4"]
[[attribute]]
column = "z"
values = ["a", "b", "c"]
[[attribute]]
column = "w"
values = ["p", "q"]
`

// categories has, for each column, the conditions that its categories represent.
var categories = [][]string{
	{"x < 10", "x ≥ 10 and x < 20", "x ≥ 20 and x < 40", "x ≥ 40 and x < 80", "x ≥ 80"},
	{"y = 0", "y = 1", "y = 2", "y = 3", "y = 4"},
	{"z = a", "z = b", "z = c"},
	{"w = p", "w = q"},
}

// A measuredTable is a generated table with the true means of its numeric columns.
type measuredTable struct {
	*counted
	means map[string]float64
}

func newMeasuredTable(t *testing.T, rows int) measuredTable {
	t.Helper()
	s := tabletest.Schema(t, measurements)
	var err error
	c := &counted{columns: make([][]uint16, 4), total: float64(rows)}
	if c.layout, err = synthetic.NewLayout(s); err != nil {
		t.Fatal(err)
	}
	b, r, means := c.layout.Binned.Builder(), rand.New(rand.NewPCG(1, 1)), map[string]float64{}
	for range rows {
		z := uint16(r.IntN(3))
		x := math.Min(200, math.Floor(math.Exp(2+float64(z)/2+r.NormFloat64())))
		record := table.Record{0, min(4, z+uint16(r.IntN(4))), z, uint16(r.IntN(4) / 3)}
		for _, cut := range []float64{10, 20, 40, 80} {
			if x >= cut {
				record[0]++
			}
		}
		means["x"] += x / float64(rows)
		means["y"] += float64(record[1]) / float64(rows)
		for j, v := range record {
			c.columns[j] = append(c.columns[j], v)
		}
		bin, _ := c.layout.Binned.Attributes[0].Code(strconv.Itoa(int(x)))
		record[0] = uint16(bin)
		if err := b.Add(record, false, s.Weight()); err != nil {
			t.Fatal(err)
		}
		c.counts = append(c.counts, 1)
	}
	c.data = b.Table()
	return measuredTable{c, means}
}

// calibration compares stated standard errors of one kind with real errors.
type calibration struct {
	stated, real float64 // sums of squares
	held, all    int     // errors within two standard errors
}

func (c *calibration) add(stated, real float64) {
	c.stated += stated * stated
	c.real += real * real
	if c.all++; math.Abs(real) <= 2*stated {
		c.held++
	}
}

// check returns an error unless two conditions hold. The root mean square of the real errors is between least and
// most times that of the stated errors. At least .93 of the errors are within two standard errors; for normal errors,
// .954 are expected. The errors of a release depend on each other, because they share the error of the number of
// rows.
func (c *calibration) check(what string, least, most float64) error {
	ratio, held := math.Sqrt(c.real/c.stated), float64(c.held)/float64(c.all)
	if ratio < least || ratio > most || held < .93 {
		return fmt.Errorf("%s: real errors are %.3f of the stated ones, and %.3f of %d are within two", what, ratio, held, c.all)
	}
	return nil
}

// Over many releases of a generated table, the stated errors of columns, pairs and means agree with the real errors of
// released rows. If the stated errors were twice as large, or half as large, the check would fail.
func TestErrorsAreCalibrated(t *testing.T) {
	of := newMeasuredTable(t, 4000)
	kinds := map[float64]*[3]calibration{1: {}, .5: {}, 2: {}} // columns, cells of pairs and means, by scale
	var within int
	releases := heavy.Pick(6, 40)
	for seed := range releases {
		m := of.model(t, "1", uint64(seed), heavy.Pick(1000, 0))
		stated, err := m.Errors(t.Context(), synthetic.Drawing{})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(conditions ...condition) (share, off float64) {
			var tests []string
			for _, c := range conditions {
				tests = append(tests, categories[c.column][c.values[0]])
			}
			q, err := synthetic.ParseQuestion(of.layout.Flat, strings.Join(tests, " and "))
			if err != nil {
				t.Fatal(err)
			}
			answers, err := m.Ask(t.Context(), []*synthetic.Question{q}, synthetic.Drawing{})
			if err != nil {
				t.Fatal(err)
			}
			return answers[0].ShareError, answers[0].Share - of.count(conditions)/of.total
		}
		add := func(k int, stated, real float64) {
			for scale, kind := range kinds {
				kind[k].add(scale*stated, real)
			}
		}
		for j, column := range stated.Columns {
			squares := 0.0
			for v := range column.Values {
				e, off := ask(condition{j, []uint16{uint16(v)}})
				add(0, e, off)
				squares += e * e / float64(column.Values)
			}
			if math.Abs(column.Error-math.Sqrt(squares)) > 1e-12 {
				t.Errorf("%s: stated %v, answers %v", column.Column, column.Error, math.Sqrt(squares))
			}
			if column.Mean != nil && column.Mean.Within == 0 {
				add(2, column.Mean.Error, column.Mean.Mean-of.means[column.Column])
			}
		}
		for _, p := range stated.Pairs {
			squares := 0.0
			a, b := of.layout.Column(p.Columns[0]), of.layout.Column(p.Columns[1])
			for v := range p.Values[0] {
				for w := range p.Values[1] {
					e, off := ask(condition{a, []uint16{uint16(v)}}, condition{b, []uint16{uint16(w)}})
					add(1, e, off)
					squares += e * e / float64(p.Values[0]*p.Values[1])
				}
			}
			if p.Cells != p.Values || p.Divided != nil || math.Abs(p.Error-math.Sqrt(squares)) > 1e-12 {
				t.Errorf("%+v, and the answers have errors of %v", p, math.Sqrt(squares))
			}
		}
		x := stated.Columns[0].Mean
		if math.Abs(x.Mean-of.means["x"]) <= 2*x.Error+x.Within {
			within++
		}
	}
	check := func(kinds *[3]calibration) error {
		return errors.Join(kinds[0].check("columns", .8, 1.15), kinds[1].check("pairs", .6, 1.15), kinds[2].check("means", .4, 1.5))
	}
	for k, name := range []string{"columns", "pairs", "means"} {
		c := kinds[1][k]
		t.Logf("%s: real errors are %.3f of the stated ones, and %.3f of %d are within two", name, math.Sqrt(c.real/c.stated), float64(c.held)/float64(c.all), c.all)
	}
	if err := check(kinds[1]); err != nil {
		t.Error(err)
	}
	for _, scale := range []float64{.5, 2} {
		if check(kinds[scale]) == nil {
			t.Errorf("errors that are %g times as large pass", scale)
		}
	}
	if within < releases*19/20 {
		t.Errorf("%d of %d means of x are within the stated errors", within, releases)
	}
}
