package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const numbered = `
[[attribute]]
column = "x"
cuts = [10.5, 20, 40]
draw = "integer"
least = 0
most = 50
other = "unknown"
[[attribute]]
column = "y"
values = ["0", "1", "2.5", "4"]
[[attribute]]
column = "z"
cuts = [5]
draw = "uniform"
places = 1
least = 0
most = 9.9
[[attribute]]
column = "no numbers"
values = ["a", "b"]
[[attribute]]
column = "no limits"
cuts = [3]
`

func numberedSchema(t *testing.T, text string) *table.Schema {
	t.Helper()
	s := tabletest.Schema(t, text)
	flat, err := s.Flat()
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// With a finer schema, means, standard deviations, deciles, correlations and regressions equal those of the
// original numbers.
func TestNumbers(t *testing.T) {
	flat := numberedSchema(t, numbered)
	f := compare.NewFiner(flat, true)
	if got := f.Schema.Attributes[0].Cuts; len(got) != 50 || got[9] != "10" || got[10] != "10.5" || got[11] != "12" {
		t.Fatalf("cuts of x: %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var tables [2]*table.Table
	var columns [2][3][]float64 // of the rows with all numbers
	for side := range tables {
		b, coarse := f.Schema.Builder(), flat.Builder()
		for range 400 - 100*side {
			y := uint16(r.IntN(4))
			z := uint16(r.IntN(100))
			x := uint16(min(50, r.IntN(30)+int(y)*(3+side)+int(z)/10))
			record := table.Record{x, y, z, uint16(r.IntN(2)), uint16(r.IntN(2))}
			in := uint16(0)
			for _, cut := range []uint16{11, 20, 40} {
				if x >= cut {
					in++
				}
			}
			if r.IntN(20) == 0 {
				record[0], in = 51, 4 // unknown
			} else {
				for k, v := range []float64{float64(x), []float64{0, 1, 2.5, 4}[y], float64(z) / 10} {
					columns[side][k] = append(columns[side][k], v)
				}
			}
			if err := b.Add(record, false, 1); err != nil {
				t.Fatal(err)
			}
			half := uint16(0)
			if z >= 50 {
				half = 1
			}
			if err := coarse.Add(table.Record{in, y, half, record[3], record[4]}, false, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.AddNull(3); err != nil {
			t.Fatal(err)
		}
		if err := coarse.AddNull(3); err != nil {
			t.Fatal(err)
		}
		tables[side] = b.Table()
		if got, err := f.Coarse(tables[side], side == 1); err != nil || !got.Equal(coarse.Table()) {
			t.Errorf("side %d: the coarse table differs, %v", side, err)
		}
	}
	got := f.Compare(tables[0], tables[1])
	if len(got.Columns) != 3 || len(got.Correlations) != 3 || len(got.Coefficients) != 6 || !slices.Equal(got.Without, []string{"no limits"}) {
		t.Fatalf("%+v", got)
	}
	equal := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s is %v, not %v", what, got, want)
		}
	}
	x := got.Columns[0]
	for side := range tables {
		mean, deviation := stat.MeanStdDev(columns[side][0], nil)
		equal("a mean", x.Mean[side], mean)
		equal("a standard deviation", x.Deviation[side], deviation)
		sorted := slices.Sorted(slices.Values(columns[side][0]))
		equal("a decile", x.Deciles[side][3], stat.Quantile(.4, stat.Empirical, sorted, nil))
		equal("a median", x.Quartiles[side][1], stat.Quantile(.5, stat.Empirical, sorted, nil))
		equal("a correlation", got.Correlations[1].Of[side], stat.Correlation(columns[side][0], columns[side][2], nil))
		n := len(columns[side][0])
		design, response := mat.NewDense(n, 3, nil), mat.NewVecDense(n, columns[side][1])
		for i := range n {
			design.SetRow(i, []float64{1, columns[side][0][i], columns[side][2][i]})
		}
		var solution, residual mat.VecDense
		if err := solution.SolveVec(design, response); err != nil {
			t.Fatal(err)
		}
		residual.MulVec(design, &solution)
		residual.SubVec(response, &residual)
		var gram, inverse mat.Dense
		gram.Mul(design.T(), design)
		if err := inverse.Inverse(&gram); err != nil {
			t.Fatal(err)
		}
		for k, c := range got.Coefficients[2:4] {
			if c.Response != 1 || c.Predictor != 2*k {
				t.Fatalf("%+v", c)
			}
			equal("a coefficient", c.Of[side], solution.AtVec(k+1))
			equal("a standard error", c.Error[side], math.Sqrt(mat.Dot(&residual, &residual)/float64(n-3)*inverse.At(k+1, k+1)))
		}
	}
	worst := 0.0
	for d := range 9 {
		below, upTo := 0.0, 0.0
		for _, v := range columns[0][0] {
			if v < x.Deciles[1][d] {
				below += 1 / float64(len(columns[0][0]))
			}
			if v <= x.Deciles[1][d] {
				upTo += 1 / float64(len(columns[0][0]))
			}
		}
		rank := float64(d+1) / 10
		worst = max(worst, below-rank, rank-upTo)
	}
	equal("the rank of deciles", x.DecileRank, worst)
	if same := f.Compare(tables[0], tables[0]); same.Columns[0].Overlap != 1 || math.Abs(same.Correlations[0].Overlap-1) > 1e-9 || math.Abs(same.Coefficients[0].Overlap-1) > 1e-9 {
		t.Errorf("a table with itself: %+v", same)
	}
}

// Numbers with a wide range are rounded to steps. Regressions leave out constant columns and tables without rows.
func TestNumbersOfWideRanges(t *testing.T) {
	flat := numberedSchema(t, "[[attribute]]\ncolumn = \"x\"\ncuts = [1000, 123456]\ndraw = \"integer\"\nleast = 0\nmost = 1000000\n[[attribute]]\ncolumn = \"y\"\nvalues = [\"0\", \"1\"]\n")
	f := compare.NewFiner(flat, true)
	if n := len(f.Schema.Attributes[0].Cuts); n < 1<<14 || n > 1<<15+3 {
		t.Errorf("%d cuts", n)
	}
	b := f.Schema.Builder()
	for _, code := range []uint16{0, 5, 5} {
		if err := b.Add(table.Record{code, 1}, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	d := b.Table()
	got := f.Compare(d, d)
	if len(got.Columns) != 2 || math.Abs(got.Columns[0].Mean[0]-(15+2*170)/3.) > 1 || len(got.Correlations) != 0 || len(got.Coefficients) != 0 {
		t.Errorf("%+v", got)
	}
	if none := f.Compare(f.Schema.Builder().Table(), d); len(none.Columns) != 0 || len(none.Coefficients) != 0 {
		t.Errorf("of no rows: %+v", none)
	}
	if whole := compare.NewFiner(flat, false).Compare(flat.Builder().Table(), flat.Builder().Table()); !slices.Equal(whole.Without, []string{"x"}) {
		t.Errorf("without division: %+v", whole)
	}
}
