package synthetic

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synth/copula"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const homes = `
[[attribute]]
column = "income"
cuts = [500, 1000, 2000]
draw = "integer"
least = 0
most = 10000
other = "unknown"
[[attribute]]
column = "rent"
cuts = [400, 800]
draw = "uniform"
places = 1
least = 0
most = 3000
[[attribute]]
column = "sex"
values = ["f", "m"]
`

// homesModel returns a model of people, in whose homes incomes and rents depend on each other. A tenth of the incomes are
// unknown.
func homesModel(t *testing.T) *Model {
	t.Helper()
	s := tabletest.Schema(t, homes)
	r := rand.New(rand.NewPCG(1, 9))
	b := s.Builder()
	for range 4000 {
		x := r.NormFloat64()
		y := .9*x + math.Sqrt(1-.81)*r.NormFloat64()
		income := strconv.Itoa(int(min(10_000, 1000*math.Exp(.8*x))))
		if r.IntN(10) == 0 {
			income = "?"
		}
		record := table.Record{0, 0, uint16(r.IntN(2))}
		for j, text := range []string{income, strconv.FormatFloat(min(3000, 500*math.Exp(.6*y)), 'f', 1, 64)} {
			code, _ := s.Attributes[j].Code(text)
			record[j] = uint16(code)
		}
		if err := b.Add(record, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	return modelOf(t, s, b.Table(), "20")
}

// asked returns the shares of the rows that satisfy questions.
func asked(t *testing.T, m *Model, texts ...string) (shares []float64) {
	t.Helper()
	var questions []*Question
	for _, text := range texts {
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, q)
	}
	answers, err := m.Ask(t.Context(), questions, Drawing{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		shares = append(shares, a.Share)
	}
	return shares
}

// sampled returns the fractions of n rows that satisfy conditions on income and rent. The income is not a number if it is
// unknown.
func sampled(t *testing.T, rows Rows, keeps ...func(income, rent float64) bool) []float64 {
	t.Helper()
	of := make([]float64, len(keeps))
	for fields, err := range rows.All(t.Context(), "", "", nil) {
		if err != nil {
			t.Fatal(err)
		}
		income, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			income = math.NaN()
		}
		rent, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		for k, keep := range keeps {
			if keep(income, rent) {
				of[k] += 1 / float64(rows.Len())
			}
		}
	}
	return of
}

var homeQuestions = []string{
	"income ≥ 3000 and rent ≥ 1000", "income < 200 and rent < 200", "income ≥ 700 and income < 1500 and rent < 600.5",
	"rent ≥ 1200", "income ≥ 2500", "income = unknown and rent ≥ 1000", "income ≥ 3000 and rent < 800",
}

var homeConditions = []func(income, rent float64) bool{
	func(x, y float64) bool { return x >= 3000 && y >= 1000 },
	func(x, y float64) bool { return x < 200 && y < 200 },
	func(x, y float64) bool { return x >= 700 && x < 1500 && y < 600.5 },
	func(_, y float64) bool { return y >= 1200 },
	func(x, _ float64) bool { return x >= 2500 },
	func(x, y float64) bool { return math.IsNaN(x) && y >= 1000 },
	func(x, y float64) bool { return x >= 3000 && y < 800 },
}

// Numbers of two columns depend on each other within intervals. Rows and answers agree about this dependence, and answers
// about one column do not depend on it.
func TestPlacesInRowsAndAnswers(t *testing.T) {
	m := homesModel(t)
	answers := asked(t, m, homeQuestions...)
	const n = 60_000
	rows, err := m.Draw(t.Context(), n, Drawing{Seed: 3, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for k, share := range sampled(t, rows, homeConditions...) {
		if off := 4 * math.Sqrt(answers[k]*(1-answers[k])/n); math.Abs(share-answers[k]) > off {
			t.Errorf("%s: %.4f of the rows, and the answer is %.4f", homeQuestions[k], share, answers[k])
		}
	}
	m.Independent = true
	for k, share := range asked(t, m, homeQuestions...) {
		one := !strings.Contains(homeQuestions[k], "rent") || !strings.Contains(homeQuestions[k], "income")
		if one && math.Abs(share-answers[k]) > 1e-9 {
			t.Errorf("%s: the answer is %v, and %v without places", homeQuestions[k], answers[k], share)
		}
		if k == 0 && answers[k] < 1.2*share {
			t.Errorf("%s: the answer is %v, and %v without places", homeQuestions[k], answers[k], share)
		}
	}
}

// Rows that satisfy a condition have the dependence within intervals that the answers state.
func TestPlacesWithACondition(t *testing.T) {
	m := homesModel(t)
	for text, keep := range map[string]func(x, y float64) bool{
		"income ≥ 3000":                  homeConditions[4],
		"rent ≥ 1200 and income ≥ 2500":  func(x, y float64) bool { return x >= 2500 && y >= 1200 },
		"income in {40, 41, 90}":         func(x, _ float64) bool { return x == 40 || x == 41 || x == 90 },
		"rent < 600 and rent ≠ 400":      func(_, y float64) bool { return y < 600 && y != 400 },
		"income < 1500 and income ≥ 700": func(x, _ float64) bool { return x < 1500 && x >= 700 },
	} {
		q, err := ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			t.Fatal(err)
		}
		const n = 20_000
		rows, err := m.DrawWhere(t.Context(), q, n, Drawing{Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		answers := asked(t, m, text, text+" and rent ≥ 450.5", text+" and income ≥ 1200")
		of := sampled(t, rows, keep, func(_, y float64) bool { return y >= 450.5 }, func(x, _ float64) bool { return x >= 1200 })
		for k := range of {
			want := answers[k] / answers[0]
			if off := 4*math.Sqrt(want*(1-want)/n) + 1e-9; math.Abs(of[k]-want) > off {
				t.Errorf("%s, condition %d: %.4f of the rows, and the answers say %.4f", text, k, of[k], want)
			}
		}
	}
}

// The records of an interval divide its distribution into ranges of equal probability. Parts of an interval divide each
// range of a record.
func TestPlacesDivideIntervals(t *testing.T) {
	m := homesModel(t)
	p, err := m.places(t.Context(), 1, m.densities())
	if err != nil {
		t.Fatal(err)
	}
	for j, of := range m.codes() {
		whole, starts, records := make(map[uint16]float64), make(map[uint16]float64), make(map[uint16]float64) // by interval
		for i, v := range of {
			switch r := p.quantiles(i, j, v); {
			case int(v) >= len(p.densities[j]):
				if r != [2]float64{0, 1} {
					t.Fatalf("record %d has the range %v in column %d", i, r, j)
				}
			case r[0] < 0 || r[0] >= r[1] || r[1] > 1:
				t.Fatalf("record %d has the range %v in column %d", i, r, j)
			default:
				whole[v] += r[1] - r[0]
				starts[v] += r[0]
				records[v]++
			}
		}
		for v, sum := range whole {
			// The ranges of n records begin at 0, 1/n, …, (n-1)/n.
			if math.Abs(sum-1) > 1e-9 || math.Abs(starts[v]-(records[v]-1)/2) > 1e-6 {
				t.Errorf("the ranges of interval %d of column %d have the sum %v, and their starts have the sum %v", v, j, sum, starts[v])
			}
		}
	}
	low, high := m.weights(t, p, "rent < 637.2"), m.weights(t, p, "rent ≥ 637.2")
	for i := range low {
		if math.Abs(low[i]+high[i]-1) > 1e-9 || low[i] < 0 || high[i] < 0 {
			t.Fatalf("record %d is %v below and %v above", i, low[i], high[i])
		}
	}
}

// weights returns the share of each record that satisfies a question.
func (m *Model) weights(t *testing.T, p *places, text string) (of []float64) {
	t.Helper()
	q, err := ParseQuestion(m.Layout.Flat, text)
	if err != nil {
		t.Fatal(err)
	}
	if q, err = q.within(m.Layout.Flat, m.densities()); err != nil {
		t.Fatal(err)
	}
	for i := range m.Records.n {
		of = append(of, q.weight(i, m.Layout.complete(m.Records, i, nil), p))
	}
	return of
}

// Places belong to the columns with numbers, whatever the order of the columns is. Other ordered columns influence them,
// and columns without an order do not. Intervals whose numbers are equally likely have a uniform density.
func TestPlacesOfColumns(t *testing.T) {
	const numbers = "cuts = [10, 11, 30]\ndraw = \"integer\"\nleast = 0\nmost = 60\n"
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"sex\"\nvalues = [\"f\", \"m\"]\n[[attribute]]\ncolumn = \"size\"\nvalues = [\"1\", \"2\", \"3\"]\n"+
		"[[attribute]]\ncolumn = \"y\"\nname = \"years\"\n"+numbers+"[[attribute]]\ncolumn = \"only\"\nvalues = [\"7\"]\n[[attribute]]\ncolumn = \"days\"\n"+numbers)
	b, r := s.Builder(), rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		v := uint16(0)
		if r.IntN(100) == 0 {
			v = uint16(r.IntN(3))
		}
		if err := b.Add(table.Record{uint16(r.IntN(2)), v, v + uint16(r.IntN(2)), 0, v}, false, 1); err != nil {
			t.Fatal(err)
		}
	}
	m := modelOf(t, s, b.Table(), "20")
	densities := m.densities()
	p, err := m.places(t.Context(), 1, densities)
	if err != nil {
		t.Fatal(err)
	}
	codes := m.codes()
	columns := []copula.Column{{Codes: codes[1], Size: 3, Ordered: 3}, {Codes: codes[2], Size: 4, Ordered: 4}, {Codes: codes[4], Size: 4, Ordered: 4}}
	ranks, err := copula.Ranks(t.Context(), 1, columns)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range [][]int32{nil, nil, ranks[1], nil, ranks[2]} {
		if !slices.Equal(p.ranks[j], want) || (p.densities[j] != nil) != (want != nil) {
			t.Errorf("column %d has other places", j)
		}
	}
	uniform := 0
	for _, j := range []int{2, 4} {
		for c, r := range [][2]int64{{0, 9}, {10, 10}, {11, 29}, {30, 60}} {
			d := p.densities[j][c]
			if densities[j][c] != nil {
				if d != densities[j][c] {
					t.Errorf("interval %d of column %d has another density", c, j)
				}
				continue
			}
			uniform++
			if first, all := d.Between(r[0], r[0]), d.Between(r[0], r[1]); all != 1 || math.Abs(first*float64(r[1]-r[0]+1)-1) > 1e-12 {
				t.Errorf("interval %d of column %d has the density %v of its first number, and %v in all", c, j, first, all)
			}
		}
	}
	if uniform == 0 {
		t.Error("all intervals have densities of their own")
	}
}

// Columns in rules with at_most have no places, because their numbers are sampled together. There are no places if only
// one column has an order.
func TestNoPlaces(t *testing.T) {
	const numbers = "cuts = [10]\ndraw = \"integer\"\nleast = 0\nmost = 20\n"
	for text, placed := range map[string][]bool{
		"[[attribute]]\nname = \"a\"\ncolumn = \"x\"\n" + numbers + "[[attribute]]\ncolumn = \"b\"\n" + numbers + "[[attribute]]\ncolumn = \"c\"\n" + numbers + "[[rule]]\nat_most = [\"a\", \"b\"]\n": {false, false, true},
		"[[attribute]]\ncolumn = \"a\"\n" + numbers + "[[attribute]]\ncolumn = \"b\"\n" + numbers:                                                                                                      {true, true},
		"[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\", \"2\"]\n[[attribute]]\ncolumn = \"b\"\nvalues = [\"1\", \"2\"]\n":                                                                             nil,
		"[[attribute]]\ncolumn = \"a\"\n" + numbers + "[[attribute]]\ncolumn = \"b\"\nvalues = [\"x\", \"y\"]\n":                                                                                       nil,
	} {
		s := tabletest.Schema(t, text)
		b := s.Builder()
		if err := b.AddOutcome(make(table.Record, len(s.Attributes)), 0, 300); err != nil {
			t.Fatal(err)
		}
		m := modelOf(t, s, b.Table(), "20")
		p, err := m.places(t.Context(), 1, m.densities())
		if err != nil || (p == nil) != (placed == nil) {
			t.Fatalf("%s: %v, %v", text, p, err)
		}
		for j, want := range placed {
			if (p.ranks[j] != nil) != want {
				t.Errorf("%s: places of column %d: %v", text, j, !want)
			}
		}
	}
}

// A model in the second file format gives the same rows as when it was released.
func TestSecondFormat(t *testing.T) {
	text, err := os.ReadFile("testdata/second.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/second.csv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := m.Text(); err != nil || string(again) != string(text) {
		t.Errorf("the model changes: %v", err)
	}
	rows, err := m.Draw(t.Context(), 60, Drawing{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := rows.Write(t.Context(), &got, "second.csv", "", nil); err != nil || got.String() != string(want) {
		t.Errorf("its rows are %s instead of %s: %v", got.String(), want, err)
	}
}
