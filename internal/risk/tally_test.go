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

// number returns a count by its value and bounds.
func number(value, least, most int64) Count {
	return Count{big.NewInt(value), big.NewInt(least), big.NewInt(most)}
}

// Bounds are added and subtracted as intervals. A difference is at least 0.
func TestCountArithmetic(t *testing.T) {
	for name, c := range map[string]struct{ got, want Count }{
		"plus":               {number(10, 7, 15).plus(number(4, 3, 6)), number(14, 10, 21)},
		"minus":              {number(10, 7, 15).minus(number(4, 3, 6)), number(6, 1, 12)},
		"minus alike":        {number(4, 3, 6).minus(number(4, 3, 6)), number(0, 0, 3)},
		"minus more":         {number(4, 3, 6).minus(number(10, 7, 15)), number(0, 0, 0)},
		"minus one more":     {number(3, 3, 3).minus(number(4, 4, 4)), number(0, 0, 0)},
		"times":              {number(10, 7, 15).times(3), number(30, 21, 45)},
		"around":             {around(big.NewInt(50), big.NewInt(8), nil, 6), number(8, 7, 10)},
		"around nothing":     {around(big.NewInt(1), big.NewInt(8), nil, 1), number(1, 0, 9)},
		"around all":         {around(big.NewInt(50), big.NewInt(8), big.NewInt(55), 1), number(50, 42, 55)},
		"around more":        {around(big.NewInt(50), big.NewInt(8), big.NewInt(48), 1), number(48, 42, 48)},
		"around much more":   {around(big.NewInt(50), big.NewInt(8), big.NewInt(40), 1), number(40, 40, 40)},
		"around less by one": {around(big.NewInt(-1), big.NewInt(0), big.NewInt(40), 1), number(0, 0, 0)},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// A share increases with its part and decreases with the other count. It has no interval only if
// neither count has one.
func TestShareOfCounts(t *testing.T) {
	const r = rounding
	value := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		part, other Count
		want        Share
	}{
		{number(30, 20, 40), number(10, 5, 20), Share{value(0.75), 0.5 - r, 40./45 + r}},
		{number(30, 30, 30), number(10, 5, 20), Share{value(0.75), 0.6 - r, 30./35 + r}},
		{number(30, 20, 40), number(10, 10, 10), Share{value(0.75), 20./30 - r, 0.8 + r}},
		{number(30, 30, 40), number(10, 10, 10), Share{value(0.75), 0.75 - r, 0.8 + r}},
		{number(30, 30, 30), number(10, 10, 20), Share{value(0.75), 0.6 - r, 0.75 + r}},
		{number(30, 30, 30), number(10, 10, 10), Share{value(0.75), 0.75, 0.75}},
		{number(0, 0, 5), number(10, 5, 20), Share{value(0), 0, 0.5 + r}},
		{number(30, 20, 40), number(0, 0, 5), Share{value(1), 0.8 - r, 1}},
		{number(0, 0, 0), number(0, 0, 7), Share{nil, 0, 1}},
		{number(0, 0, 7), number(0, 0, 0), Share{nil, 0, 1}},
		{number(0, 0, 0), number(0, 0, 0), Share{nil, 0, 1}},
	} {
		if got := c.part.of(c.other); text(got) != text(c.want) || math.Abs(got.Least-c.want.Least) > r/2 || math.Abs(got.Most-c.want.Most) > r/2 || got.Least == got.Most && got.Least != *got.Value {
			t.Errorf("%v of %v: %s, want %s", c.part, c.other, text(got), text(c.want))
		}
	}
}

// The matrix sums the grades that predict each class. If the number of rows is public, the numbers
// of rows inside and of correct predictions are derived from it.
func TestTally(t *testing.T) {
	s, err := Rules([]bool{false, true, false, true, true, false})
	if err != nil {
		t.Fatal(err)
	}
	epsilon := privacytest.Decimal(t, "1")
	var cells []*big.Int // of positive and negative rows by grade, then outside
	for i := range s.Cells() {
		cells = append(cells, big.NewInt(1000+1<<i))
	}
	value := func(of ...int) (sum int64) {
		for _, i := range of {
			sum += cells[i].Int64()
		}
		return sum
	}
	hit, alarm := value(2, 6, 8), value(3, 7, 9)
	missed, spared := value(0, 4, 10), value(1, 5, 11)
	for _, released := range []bool{false, true} {
		c, err := Noisy(s, cells, epsilon, privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		h, err := learn.NewHistogram(s.Cells(), epsilon, privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		width := func(cells int) int64 { return h.HalfWidth(cells, newBudget(Rows, Rule, 6, 2).count).Int64() }
		if !released {
			c.Epsilon, c.Relation = privacy.Decimal{}, 0
			width = func(int) int64 { return 0 }
		}
		give := func(v int64, cells int) Count { return number(v, v-width(cells), v+width(cells)) }
		errors, outside := give(missed+alarm, 6), give(cells[12].Int64(), 1)
		for _, rows := range []*big.Int{nil, big.NewInt(30000)} {
			c.Rows, c.Adjusted = rows, false
			a := &Assessment{Of: Rows, counts: c.estimate()}
			right := a.tally(a.counts.matrix(), newBudget(Rows, Rule, 6, 2))
			wantRight := give(hit+spared, 6)
			inside := wantRight.plus(errors)
			if rows != nil {
				inside = number(30000, 30000, 30000).minus(outside)
				wantRight = inside.minus(errors)
			}
			got := fmt.Sprint(a.Confusion, a.Errors, a.Outside, a.Inside, right)
			if want := fmt.Sprint([][]Count{{give(spared, 3), give(alarm, 3)}, {give(missed, 3), give(hit, 3)}}, errors, outside, inside, wantRight); got != want {
				t.Errorf("released %v, rows %v:\n%s, want\n%s", released, rows, got, want)
			}
		}
	}
}

// For a single prediction, exact counts give shares without an interval.
func TestExactPrediction(t *testing.T) {
	c, err := Exact(Predictions(2), []int64{10, 60, 30, 20, 7})
	if err != nil {
		t.Fatal(err)
	}
	a := c.Assess(Rows, nil)
	for name, s := range map[string]struct {
		got  Share
		want float64
	}{"accuracy": {a.Accuracy, 90. / 120}, "sensitivity": {a.Sensitivity[1], 0.75}, "specificity": {a.Sensitivity[0], 0.75}, "prevalence": {a.Prevalence, 40. / 120}} {
		if *s.got.Value != s.want || s.got.Least != s.want || s.got.Most != s.want {
			t.Errorf("%s is %s, want %v", name, text(s.got), s.want)
		}
	}
}

// Intervals divide the allowed failure probability: a part for each share, for both sides and the
// number of rows, and for both sides of each count.
func TestMissIsShared(t *testing.T) {
	for _, c := range []struct {
		kind           Kind
		grades, shares int
	}{
		{Rule, 1, 1 + 4}, {Rule, 5, 5 + 4},
		{Leaf, 1, 1 + 4}, {Leaf, 2, 2 + 4 + 3}, {Leaf, 5, 5 + 4 + 12},
		{Total, 1, 1 + 2}, {Total, 3, 6 + 4 + 4}, {Total, 5, 15 + 8 + 6},
	} {
		want := big.NewRat(4, 100*int64(3*c.shares+2*7))
		want.Mul(want, big.NewRat(2, 1))
		if got := newBudget(Rows, c.kind, c.grades, 2).count; got.Cmp(want) != 0 {
			t.Errorf("%s of %d grades: %v, want %v", c.kind, c.grades, got, want)
		}
	}
}

// Widths are converted to persons and rounded up.
func TestWidthsOfPersons(t *testing.T) {
	epsilon := privacytest.Decimal(t, "0.3")
	for most, units := range map[int]int64{1: 1, 2: 2, 3: 6, 4: 12} {
		r := privacy.ReplaceOne.OfPersons(most)
		h, err := learn.NewHistogram(7, epsilon, r)
		if err != nil {
			t.Fatal(err)
		}
		miss := newBudget(Rows, Rule, 3, 2).count
		errors, cell, err := Widths(Rule, 3, 2, epsilon, r)
		w := h.HalfWidth(3, miss).Int64()
		if want := (w + units - 1) / units; err != nil || errors.Int64() != want || cell.Int64() != want {
			t.Errorf("%d rows a person: %v and %v, %v, want %d", most, errors, cell, err, want)
		}
	}
}
