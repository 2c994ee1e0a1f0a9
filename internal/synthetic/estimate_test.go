package synthetic

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/privacy"
)

// measuredAgain returns measurements, with normal noise, of a table of three columns with 3, 4 and 2 values. They are
// those of all columns, of the pair of the first two over 2 × 4 cells, and of a round about the first and the third
// column. If contrasts is true, columns have contrasts, and the number of rows is measured too.
func measuredAgain(counts [24]float64, r *rand.Rand, contrasts bool) *synth.Measured {
	sizes := []int{3, 4, 2}
	of := &synth.Measured{Relation: privacy.AddRemove}
	axis := func(column int, cells ...uint16) table.Axis {
		a := table.Axis{Column: column, Cells: cells}
		for _, c := range cells {
			a.Size = max(a.Size, int(c)+1)
		}
		return a
	}
	count := func(axes ...table.Axis) []float64 {
		size := 1
		for _, a := range axes {
			size *= a.Size
		}
		out := make([]float64, size)
		for i, n := range counts {
			value, at := []int{i / 8, i / 2 % 4, i % 2}, 0
			for _, a := range axes {
				at = at*a.Size + a.Cell(value[a.Column])
			}
			out[at] += n
		}
		return out
	}
	noisy := func(exact []float64, deviation int64) (*big.Rat, []int64) {
		out := make([]int64, len(exact))
		for k, n := range exact {
			out[k] = int64(math.Round(n + float64(deviation)*r.NormFloat64()))
		}
		return big.NewRat(deviation*deviation, 1), out
	}
	total := 0.0
	for _, n := range counts {
		total += n
	}
	for j, size := range sizes {
		cells := make([]uint16, size)
		for v := range cells {
			cells[v] = uint16(v)
		}
		a := axis(j, cells...)
		exact, deviation := count(a), int64(100*(j+1))
		if contrasts {
			deviation *= int64(size)
			for v := range exact {
				exact[v] = float64(size)*exact[v] - total
			}
		}
		sigma2, values := noisy(exact, deviation)
		of.Domain.Columns = append(of.Domain.Columns, synth.Column{Size: size})
		of.Columns = append(of.Columns, synth.Measurement{Axes: []table.Axis{a}, Sigma2: sigma2, Counts: values, Contrasts: contrasts})
	}
	if contrasts {
		sigma2, values := noisy([]float64{total}, 250)
		of.Number = &synth.Measurement{Axes: []table.Axis{axis(0, 0, 0, 0)}, Sigma2: sigma2, Counts: values}
	}
	a, b := axis(0, 0, 1, 1), axis(1, 0, 1, 2, 3)
	cells := count(a, b)
	ofPair := make([]float64, 8)
	for k := range ofPair {
		for l, n := range cells {
			part := n
			for _, same := range []struct {
				line  bool
				lines float64
			}{{k/4 == l/4, 2}, {k%4 == l%4, 4}} {
				if same.line {
					part *= same.lines - 1
				} else {
					part = -part
				}
			}
			ofPair[k] += part
		}
	}
	sigma2, values := noisy(ofPair, 2000)
	of.Pairs = []synth.Measurement{{Axes: []table.Axis{a, b}, Sigma2: sigma2, Counts: values, Contrasts: true}}
	axes := []table.Axis{axis(0, 0, 0, 1), axis(2, 1, 0)}
	sigma2, values = noisy(count(axes...), 150)
	of.Rounds = []synth.Round{{Measurement: synth.Measurement{Axes: axes, Sigma2: sigma2, Counts: values}}}
	return of
}

// Estimates of counts and of shares of the total are unbiased and have the stated variance. An estimate is known exactly
// if no cell has both values that satisfy the conditions and values that do not.
func TestEstimates(t *testing.T) {
	const draws = 4000
	r := rand.New(rand.NewPCG(2, 2))
	var counts [24]float64
	for i := range counts {
		counts[i] = float64(r.IntN(5000))
	}
	for name, c := range map[string]struct {
		weights map[int][]float64
		share   float64
		known   bool
	}{
		"all":                {nil, 0, true},
		"all of a share":     {nil, 1, true},
		"all values":         {map[int][]float64{1: {1, 1, 1, 1}}, 0, true},
		"a value":            {map[int][]float64{0: {0, 1, 0}}, 0, true},
		"a value's share":    {map[int][]float64{0: {0, 1, 0}}, .3, true},
		"no value":           {map[int][]float64{0: {0, 0, 0}}, 0, true},
		"values":             {map[int][]float64{1: {1, 0, 1, 1}, 2: {1, 1}}, 0, true},
		"half a value":       {map[int][]float64{1: {1, 0, .5, 1}}, 0, false},
		"a cell":             {map[int][]float64{0: {1, 0, 0}, 1: {0, 0, 1, 0}}, 0, true},
		"a cell's share":     {map[int][]float64{0: {1, 0, 0}, 1: {0, 0, 1, 0}}, .2, true},
		"cells":              {map[int][]float64{0: {0, 1, 1}, 1: {1, 0, 1, 0}}, 0, true},
		"no cell":            {map[int][]float64{0: {0, 0, 0}, 1: {1, 0, 1, 0}}, 0, true},
		"a part of a cell":   {map[int][]float64{0: {0, 1, 0}, 1: {1, 0, 1, 0}}, 0, false},
		"a round":            {map[int][]float64{0: {0, 0, 1}, 2: {1, 0}}, 0, true},
		"a round's rest":     {map[int][]float64{0: {1, 1, 0}, 2: {0, 1}}, .1, true},
		"a part of a round":  {map[int][]float64{0: {1, 0, 0}, 2: {0, 1}}, 0, false},
		"a pair not counted": {map[int][]float64{1: {1, 0, 0, 0}, 2: {0, 1}}, 0, false},
		"three columns":      {map[int][]float64{0: {0, 0, 1}, 1: {1, 0, 0, 0}, 2: {0, 1}}, 0, false},
	} {
		truth := 0.0
		for i, n := range counts {
			w := 1.0
			for j, v := range []int{i / 8, i / 2 % 4, i % 2} {
				if c.weights[j] != nil {
					w *= c.weights[j][v]
				}
			}
			truth += n * (w - c.share)
		}
		for _, contrasts := range []bool{false, true} {
			sum, squares, told := 0.0, 0.0, 0.0
			for range draws {
				u := (&Model{Measured: measuredAgain(counts, r, contrasts)}).estimator()
				e, known := u.measured(c.weights)
				if known != c.known {
					t.Fatalf("%s: known is %v", name, known)
				}
				if !known {
					break
				}
				off := e.rest + (e.times-c.share)*u.total - truth
				sum += off / draws
				squares += off * off / draws
				told = e.varianceLess(c.share, u)
			}
			if c.known && (math.Abs(sum) > 5*math.Sqrt(told/draws)+1 || math.Abs(squares-told) > .12*told+1) {
				t.Errorf("%s, contrasts %v: %.1f off in the mean, a variance of %.0f, told %.0f", name, contrasts, sum, squares, told)
			}
		}
	}
}

// A standard error includes the distance between the answer and the measurements. If all records are equal, the stated
// error of an answer is about its real error.
func TestErrorsTellTheDistance(t *testing.T) {
	m := released(t, "1000")
	rows := make([][]uint16, len(m.Layout.Domain.Columns))
	for j := range rows {
		rows[j] = make([]uint16, m.Records.n)
		for i := range rows[j] {
			rows[j][i] = m.Layout.Witness[j]
		}
	}
	m.Records = NewRecords(m.Layout.Domain, rows)
	for text, truth := range map[string]float64{"ward = birth": 870, "ward = heart": 1300, "ward = birth and sex = f": 850, "building = new": 870} {
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		answers, err := m.Ask(t.Context(), []*Question{q}, Drawing{})
		if err != nil {
			t.Fatal(err)
		}
		a := answers[0]
		if off := math.Abs(a.Count - truth); a.Basis != Measured || math.Abs(a.CountError-off) > 30 || math.Abs(a.ShareError-off/2570) > .02 {
			t.Errorf("%+v, and there are %v", a, truth)
		}
	}
	broken := released(t, "2")
	broken.Records.columns[0][0], broken.Records.columns[1][0] = 2, 1
	if err := broken.Validate(); err == nil || err.Error() != "a record of the model violates a rule of the schema" {
		t.Errorf("a record that breaks a rule: %v", err)
	}
}

// The variance of hidden dependence is that of an assumed correlation for a pair that was not measured. For a measured
// pair it is at most the noise if the model agrees with the measurement, and otherwise the squared error of the model.
func TestHiddenDependence(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var counts [24]float64
	for i := range counts {
		if value := i / 8; (value == 0) == (i/2%4 == 0) {
			counts[i] = 5000
		}
	}
	// The records of a model that has these counts, or in which the columns are independent.
	records := func(dependent bool) *Records {
		rows := make([][]uint16, 3)
		for i, n := range counts {
			if dependent && n == 0 {
				continue
			}
			for j, v := range []int{i / 8, i / 2 % 4, i % 2} {
				rows[j] = append(rows[j], uint16(v))
			}
		}
		return NewRecords(synth.Domain{Columns: []synth.Column{{Size: 3}, {Size: 4}, {Size: 2}}}, rows)
	}
	// Of the 70,000 rows, 10,000 are in the first cell of the measured pair. If the columns are independent, a twelfth
	// of the records are in this cell.
	const total, missed = 70_000, 10_000 - 70_000./12
	unmeasured := map[int][]float64{1: {1, 0, 0, 0}, 2: {1, 0}}
	measured := map[int][]float64{0: {1, 0, 0}, 1: {1, 0, 0, 0}}
	assumed := .3 * .3 * (1. / 7 * 6 / 7) * .25 * total * total
	for range 20 {
		of := measuredAgain(counts, r, false)
		for name, c := range map[string]struct {
			weights     map[int][]float64
			dependent   bool
			least, most float64
		}{
			"not measured":          {unmeasured, true, .8 * assumed, 1.2 * assumed},
			"as the model":          {measured, true, 1, 2e6},
			"greater than modelled": {measured, false, .8 * missed * missed, 1.2 * missed * missed},
		} {
			m := &Model{Measured: of, Records: records(c.dependent)}
			u := m.estimator()
			if got := m.hiddenDependence(c.weights, u); got < c.least || got > c.most {
				t.Errorf("%s: %.3g, want %.3g to %.3g", name, got, c.least, c.most)
			}
			if only := m.hiddenDependence(map[int][]float64{1: {1, 0, 0, 0}}, u); only != 0 {
				t.Errorf("one condition: %v", only)
			}
		}
	}
}
