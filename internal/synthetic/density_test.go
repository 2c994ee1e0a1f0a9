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
	var questions []string
	for _, x := range bounds {
		questions = append(questions, fmt.Sprintf("income ≥ %v", x))
	}
	shares := asked(t, m, questions...)
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
	for i, share := range shares {
		if got := counts[i] / n; math.Abs(got-share) > 7*math.Sqrt(share/n) {
			t.Errorf("%s: the answer is %v, and the share of rows %v", questions[i], share, got)
		}
	}
}

// An answer about a part of an interval or group is not measured. Its standard error includes the unknown distribution
// of the values within, even if the density of the model has no number in this part.
func TestPartsOfCategories(t *testing.T) {
	s := tabletest.Schema(t, `
[[attribute]]
column = "hours"
cuts = [20, 35, 40, 41, 50, 60]
draw = "integer"
least = 1
most = 99
[[attribute]]
column = "ward"
groups = { medical = ["heart", "lung"], surgical = ["surgery"] }
`)
	r := rand.New(rand.NewPCG(1, 12))
	b := s.Builder()
	const people = 20_000
	var hours [people]int // hours; most are multiples of five, and all medical wards are for the heart
	for i := range hours {
		x := int(math.Round(40 + 12*r.NormFloat64()))
		if r.IntN(3) > 0 {
			x = (x + 2) / 5 * 5
		}
		hours[i] = min(max(x, 1), 99)
		code, _ := s.Attributes[0].Code(strconv.Itoa(hours[i]))
		if err := b.Add(table.Record{uint16(code), uint16(i % 2)}, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	m := modelOf(t, s, b.Table(), "20")
	ask := func(text string) Answer {
		t.Helper()
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Ask(t.Context(), []*Question{q}, Drawing{})
		if err != nil {
			t.Fatal(err)
		}
		return a[0]
	}
	parts, good := 0, 0
	for x := 2; x <= 99; x++ {
		cut := x == 20 || x == 35 || x == 40 || x == 41 || x == 50 || x == 60
		a := ask(fmt.Sprintf("hours ≥ %d", x))
		if (a.Basis == Measured) != cut || a.CountError == 0 {
			t.Errorf("%+v", a)
		}
		truth := 0.0
		for _, h := range hours {
			if h >= x {
				truth++
			}
		}
		if !cut {
			parts++
			if math.Abs(a.Count-truth) <= 2*a.CountError {
				good++
			}
		}
	}
	t.Logf("within two standard errors: %d of %d", good, parts)
	if 10*good < 8*parts {
		t.Errorf("only %d of %d answers are within two standard errors", good, parts)
	}
	q, err := ParseQuestion(m.Layout.Flat, "hours ≥ 55")
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := q.within(m.Layout.Flat, m.densities())
	if err != nil {
		t.Fatal(err)
	}
	const divided = 5 // the interval from 50 to 59
	w, u := fitted.shares[0][divided], q.shares[0][divided]
	records := 0.0
	for i := range m.Records.n {
		if int(m.Records.columns[0][i]) == divided {
			records++
		}
	}
	want := records / float64(m.Records.n) * math.Sqrt((w-u)*(w-u)+w*(1-w)/100)
	if got := m.positions(fitted, [][]float64{m.within(0, q, fitted, m.densities())}); math.Abs(got-want) > 1e-9 || w == u {
		t.Errorf("the error of positions is %v, want %v", got, want)
	}
	if a := ask("ward = lung"); a.Basis == Measured || math.Abs(a.CountError-people/4) > people/100 {
		t.Errorf("%+v", a)
	}
}

// If bins are measured, answers about single numbers with many rows are near the truth, and so are the numbers of written
// rows. The stated errors of parts of intervals agree with real errors: over several releases, at least nine of ten real
// errors are within two stated errors, and the stated errors are not much larger.
func TestAnswersWithBins(t *testing.T) {
	s := tabletest.Schema(t, incomes)
	l, err := NewLayout(s)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 19))
	b := l.Binned.Builder()
	const people = 20_000
	var of [people]int
	for i := range of {
		x := int(1500 * r.ExpFloat64())
		if r.IntN(2) == 0 {
			x = (x + 500) / 1000 * 1000
		}
		of[i] = min(x, 100_000)
		code, _ := l.Binned.Attributes[0].Code(strconv.Itoa(of[i]))
		if err := b.Add(table.Record{uint16(code), uint16(r.IntN(2))}, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	questions := map[string]func(x float64) bool{
		"income = 1000":                    func(x float64) bool { return x == 1000 },
		"income = 2000":                    func(x float64) bool { return x == 2000 },
		"income = 3000":                    func(x float64) bool { return x == 3000 },
		"income ≥ 1000 and income < 1400":  func(x float64) bool { return x >= 1000 && x < 1400 },
		"income > 2000 and income < 2500":  func(x float64) bool { return x > 2000 && x < 2500 },
		"income > 3000 and income ≤ 20000": func(x float64) bool { return x > 3000 && x <= 20_000 },
		"income ≥ 10000":                   func(x float64) bool { return x >= 10_000 },
	}
	stated, real, held, all := 0.0, 0.0, 0, 0
	for seed := range uint64(8) {
		m := seededModel(t, s, b.Table(), "1", seed)
		rows, err := m.Draw(t.Context(), m.Records.Len(), Drawing{})
		if err != nil {
			t.Fatal(err)
		}
		written := map[string]int{}
		for fields, err := range rows.All(t.Context(), "", "", nil) {
			if err != nil {
				t.Fatal(err)
			}
			x, _ := strconv.ParseFloat(fields[0], 64)
			for text, satisfies := range questions {
				if satisfies(x) {
					written[text]++
				}
			}
		}
		for text, satisfies := range questions {
			q, err := ParseQuestion(m.Layout.Flat, text)
			if err != nil {
				t.Fatal(err)
			}
			answers, err := m.Ask(t.Context(), []*Question{q}, Drawing{})
			if err != nil {
				t.Fatal(err)
			}
			truth := 0.0
			for _, x := range of {
				if satisfies(float64(x)) {
					truth++
				}
			}
			a := answers[0]
			if a.Basis == Measured {
				t.Errorf("%s is measured", text)
			}
			off := math.Abs(a.Count - truth)
			if off > 500 || math.Abs(float64(written[text])-a.Count) > 6*math.Sqrt(a.Count)+30 {
				t.Errorf("%s: %.0f rows, answered %.0f, and written %d", text, truth, a.Count, written[text])
			}
			stated, real = stated+a.CountError*a.CountError, real+off*off
			if all++; off <= 2*a.CountError {
				held++
			}
		}
	}
	t.Logf("real errors are %.2f of the stated ones, and %d of %d are within two", math.Sqrt(real/stated), held, all)
	if 10*held < 9*all || real < .15*stated {
		t.Errorf("real errors are %.2f of the stated ones, and %d of %d are within two", math.Sqrt(real/stated), held, all)
	}
}
