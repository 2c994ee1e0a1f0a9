package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const incomes = `
[[attribute]]
column = "income"
cuts = [1, 500, 1000, 2000]
draw = "uniform"
places = 1
least = 0
most = 100000
other = "unknown"
[[attribute]]
column = "sex"
values = ["f", "m"]
`

// incomeModel returns a model of people, and their mean income. A quarter of the incomes are 0, and the
// others have an exponential distribution.
func incomeModel(t *testing.T) (m *Model, mean float64) {
	t.Helper()
	s := tabletest.Schema(t, incomes)
	r := rand.New(rand.NewPCG(1, 9))
	b := s.Builder()
	const people = 5000
	for range people {
		x := 0.0
		if r.IntN(4) > 0 {
			x = 1 + 800*r.ExpFloat64()
		}
		mean += x / people
		code, _ := s.Attributes[0].Code(strconv.FormatFloat(x, 'f', 1, 64))
		if err := b.Add(table.Record{uint16(code), uint16(r.IntN(2))}, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	return modelOf(t, s, b.Table(), "20"), mean
}

// Rows and answers have the same distribution of numbers within an interval, and their mean is near that
// of the table.
func TestNumbersAgree(t *testing.T) {
	m, mean := incomeModel(t)
	bounds := []float64{.1, 100, 300, 700, 1500, 2500, 4000, 8000}
	var questions []*Question
	for _, x := range bounds {
		q, err := ParseQuestion(m.Layout.Flat, fmt.Sprintf("income ≥ %v", x))
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, q)
	}
	answers, err := m.Ask(t.Context(), questions, Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 50_000
	rows, err := m.Draw(t.Context(), n, Drawing{Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	counts := make([]float64, len(bounds))
	for fields, err := range rows.All(t.Context(), "", "", nil) {
		if err != nil {
			t.Fatal(err)
		}
		x, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += x
		for i, bound := range bounds {
			if x >= bound {
				counts[i]++
			}
		}
	}
	if got := sum / n; math.Abs(got-mean) > 40 {
		t.Errorf("the rows have the mean %v, and the table %v", got, mean)
	}
	for i, a := range answers {
		if got := counts[i] / n; math.Abs(got-a.Share) > 7*math.Sqrt(a.Share/n) {
			t.Errorf("%s: the answer is %v, and the share of rows %v", a.Question, a.Share, got)
		}
	}
}
