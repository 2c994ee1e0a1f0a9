package risk

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The moments of noise in units, converted to persons, agree with its exact distribution.
func TestNoiseOfUnits(t *testing.T) {
	for _, units := range []float64{1, 2, 6, 60} {
		for _, scale := range []float64{0.3, 2, 7} {
			q := math.Exp(-1 / (scale * units))
			total, square, moment := 0., 0., 0.
			s := 0.6 / scale
			for k := -60000.; k <= 60000; k++ {
				p := math.Pow(q, math.Abs(k))
				total += p
				square += p * (k / units) * (k / units)
				moment += p * math.Exp(s*k/units)
			}
			l := strayer{scale: scale, units: units}
			if got, want := l.logMoment()(s), math.Log(moment/total); math.Abs(got-want) > 1e-9 {
				t.Errorf("scale %v, %v units: ln E e^{sL} is %v, want %v", scale, units, got, want)
			}
			if got, want := variance(scale, units), square/total; math.Abs(got/want-1) > 1e-9 {
				t.Errorf("scale %v, %v units: a variance of %v, want %v", scale, units, got, want)
			}
		}
	}
}

// personCounts returns noisy counts of predictions for persons with at most most rows each, or for
// rows if most is 0.
func personCounts(t *testing.T, most int, epsilon string, units ...int64) *Counts {
	t.Helper()
	e := privacytest.Decimal(t, epsilon)
	cells := make([]*big.Int, len(units))
	for i, n := range units {
		cells[i] = big.NewInt(n)
	}
	c, err := Noisy(Predictions(2), cells, e, privacy.ReplaceOne.OfPersons(most))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Counts in units are converted to persons, rounded to the nearest integer; their bounds are
// rounded outward. The width is that of the histogram's noise.
func TestCountsOfPersons(t *testing.T) {
	c := personCounts(t, 3, "1", 600, 65, 62, 1201, 33)
	a := c.Assess(Rows, nil)
	h, err := learn.NewHistogram(5, c.Epsilon, c.Relation)
	if err != nil {
		t.Fatal(err)
	}
	w := h.HalfWidth(1, newBudget(Rows, Prediction, 2, 2).count).Int64()
	for _, v := range []struct {
		name  string
		got   Count
		units int64
	}{
		{"false negatives", a.Confusion[1][0], 600},
		{"true negatives", a.Confusion[0][0], 65},
		{"true positives", a.Confusion[1][1], 62},
		{"false positives", a.Confusion[0][1], 1201},
		{"outside", a.Outside, 33},
	} {
		least, most := max(math.Floor(float64(v.units-w)/6), 0), math.Ceil(float64(v.units+w)/6)
		if got, want := fmt.Sprint(v.got.Value, v.got.Least, v.got.Most), fmt.Sprint(math.Floor(float64(v.units)/6+0.5), least, most); got != want {
			t.Errorf("%s: %s, want %s", v.name, got, want)
		}
	}
	if got := a.Risks[0].Rows; got.Int64() != 321 { // pooled, 1928/6
		t.Errorf("a risk of %v persons, want 321", got)
	}
	if a.Counted() != "persons" || personCounts(t, 0, "1", 1, 1, 1, 1, 1).Assess(Rows, nil).Counted() != "rows" {
		t.Error("what was counted has another name")
	}
	errors, cell, err := Widths(Prediction, 2, 2, c.Epsilon, c.Relation)
	if err != nil || cell.Int64() != (w+5)/6 || errors.Cmp(cell) <= 0 {
		t.Errorf("widths of %v and %v, want %d for a cell; %v", errors, cell, (w+5)/6, err)
	}
}

// If each person has one row, the assessments by persons and by rows agree, except for the
// population: for persons its intervals are wider, because a part of a person may be in the cells.
func TestAssessPersons(t *testing.T) {
	rows := personCounts(t, 0, "2", 10, 400, 300, 20, 5)
	persons := personCounts(t, 2, "2", 20, 800, 600, 40, 10)
	scale := Totals(0, [][]int{{0, 1, 2, 3}}, 2)
	for _, c := range []*Counts{rows, persons} {
		u := big.NewInt(c.units())
		c.Scale = scale
		c.Cells[1] = []*big.Int{big.NewInt(5), big.NewInt(15), big.NewInt(100), big.NewInt(80)}
		c.Cells[0] = []*big.Int{big.NewInt(120), big.NewInt(90), big.NewInt(30), big.NewInt(2)}
		for i := range c.Cells[1] {
			c.Cells[1][i].Mul(c.Cells[1][i], u)
			c.Cells[0][i].Mul(c.Cells[0][i], u)
		}
	}
	within := func(a, b Share, slack float64) bool {
		return math.Abs(*a.Value-*b.Value) < 1e-12 && math.Abs(a.Least-b.Least) < slack && math.Abs(a.Most-b.Most) < slack
	}
	a, b := rows.Assess(Rows, nil), persons.Assess(Rows, nil)
	if !within(a.Accuracy, b.Accuracy, 2e-3) || !within(a.Sensitivity[1], b.Sensitivity[1], 2e-3) || !within(*a.AUC, *b.AUC, 2e-3) || a.Errors.Value.Cmp(b.Errors.Value) != 0 {
		t.Errorf("by rows %+v\nby persons %+v", a, b)
	}
	a, b = rows.Assess(Population, nil), persons.Assess(Population, nil)
	if a.Accuracy.Least < b.Accuracy.Least-1e-3 || 1.2*(a.Sensitivity[1].Most-a.Sensitivity[1].Least) > b.Sensitivity[1].Most-b.Sensitivity[1].Least {
		t.Errorf("by rows %+v\nby persons %+v", a, b)
	}
}

// The matrix of persons is converted to persons too.
func TestMatrixOfPersons(t *testing.T) {
	c := personCounts(t, 3, "1", 1, 1, 1, 1, 1)
	cells := []*big.Int{
		big.NewInt(600), big.NewInt(62), big.NewInt(0),
		big.NewInt(65), big.NewInt(1201), big.NewInt(6),
		big.NewInt(-7), big.NewInt(12), big.NewInt(900), big.NewInt(33),
	}
	m, err := Noisy(Predictions(3), byGrade(3, cells), c.Epsilon, c.Relation)
	if err != nil {
		t.Fatal(err)
	}
	m.Adjusted = false
	own := m.Assess(Rows, nil)
	w := newBudget(Rows, Prediction, 3, 3).width(1, c.Epsilon, c.Relation).Int64()
	for i, n := range []int64{600, 62, 0, 65, 1201, 6, 0, 12, 900} {
		got := own.Confusion[i/3][i%3]
		if want := math.Floor(float64(n)/6 + 0.5); float64(got.Value.Int64()) != want {
			t.Errorf("cell %d: %v persons, want %v", i, got.Value, want)
		}
		if most := math.Ceil(float64(cells[i].Int64()+w) / 6); float64(got.Most.Int64()) != max(most, 0) {
			t.Errorf("cell %d: at most %v persons, want %v", i, got.Most, most)
		}
	}
	if accuracy := *own.Accuracy.Value; math.Abs(accuracy-2701./2839) > 1e-12 || m.Counted() != "persons" {
		t.Errorf("an accuracy of %v of %s", accuracy, m.Counted())
	}
	all := m.Assess(Population, nil)
	if all.Sensitivity[0].Least >= own.Sensitivity[0].Least || all.Accuracy.Least >= own.Accuracy.Least {
		t.Errorf("%+v, for the population %+v", own.Sensitivity, all.Sensitivity)
	}
	errors, cell, err := Widths(Prediction, 3, 3, c.Epsilon, c.Relation)
	if err != nil || cell.Int64() != (w+5)/6 || errors.Cmp(cell) <= 0 {
		t.Errorf("within %v and %v persons", errors, cell)
	}
}

// byGrade converts the cells of a matrix, by label and then by prediction, to the order of a
// scale's cells.
func byGrade(outcomes int, matrix []*big.Int) (cells []*big.Int) {
	for p := range outcomes {
		for o := outcomes - 1; o >= 0; o-- {
			cells = append(cells, matrix[o*outcomes+p])
		}
	}
	return append(cells, matrix[len(matrix)-1])
}
