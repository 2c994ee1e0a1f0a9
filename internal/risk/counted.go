package risk

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Numbers of rows have intervals too: a sum of cells is off by the sum of their noise,
// of which learn.Histogram knows the law. Of a scale of two grades all shares follow from
// these numbers: there are few of them, each of one cell or of two, and intervals of
// T would be wider (docs/explanation/proofs/risk.md, section 3).

// A Count is a number of rows with an interval, cut to what is possible; of persons, the
// next whole number to the sum of what their rows weigh, and bounds rounded outward.
type Count struct {
	Value *big.Int `json:"value"`
	Least *big.Int `json:"least"`
	Most  *big.Int `json:"most"`
}

// Confusion is the confusion matrix of the model's own predictions.
type Confusion struct {
	TruePositive  Count `json:"true_positive"`
	FalseNegative Count `json:"false_negative"`
	FalsePositive Count `json:"false_positive"`
	TrueNegative  Count `json:"true_negative"`
}

// countStatements is how many counts an assessment states: those of the confusion matrix,
// the rows outside, the errors, and what is right. All others follow from them.
const countStatements = 7

// shareStatements is how many shares an assessment states of so many grades, of which
// those of the own threshold and of the longest run serve for all rows too.
func shareStatements(k Kind, grades int) int {
	switch k {
	case Rule:
		return grades + 4 // risks, prevalence, accuracy, sensitivity, specificity
	case Leaf:
		return grades + 4 + 3*(grades-1) // those, and sensitivities, specificities, errors in an order fixed before
	}
	return grades*(grades+1)/2 + 3*grades - 1 // risks of any run, sensitivities, specificities, errors
}

// bounds is how many ends of intervals share shareMiss: for a share T either way and the
// number of rows, for a count either way.
func bounds(k Kind, grades int) int { return 3*shareStatements(k, grades) + 2*countStatements }

// missOfCount returns the probability with which the interval of a count may miss; alone
// tells that nothing but counts is stated.
func missOfCount(k Kind, grades int, alone bool) *big.Rat {
	if alone {
		return big.NewRat(1, 20*countStatements)
	}
	return big.NewRat(2, 25*int64(bounds(k, grades)))
}

// boxed tells whether shares follow from counts.
func boxed(of Target, k Kind) bool { return of == Rows && k == Prediction }

// Widths returns, before any data is seen, within how many rows what follows from counts
// tells the errors of a model with so many grades, of so many outcomes, and each cell of its
// matrix at most.
func Widths(k Kind, grades, outcomes int, epsilon privacy.Decimal, r privacy.Relation) (errors, cell *big.Int, err error) {
	h, err := learn.NewHistogram(outcomes*grades+1, epsilon, r)
	if err != nil {
		return nil, nil, err
	}
	most := grades
	if k == Prediction {
		most = 1
	}
	units := big.NewInt(learn.Units(r))
	if outcomes > 2 {
		bounds := comparisonBounds(k, grades, outcomes)
		width := func(cells int) *big.Int { return up(comparisonWidth(cells, bounds, epsilon, r), units) }
		return width(grades * (outcomes - 1)), width(most), nil
	}
	miss := missOfCount(k, grades, boxed(Rows, k))
	return up(h.HalfWidth(grades, miss), units), up(h.HalfWidth(most, miss), units), nil
}

// up returns a/b rounded up, for b > 0.
func up(a, b *big.Int) *big.Int {
	q := new(big.Int).Neg(a)
	return q.Neg(q.Div(q, b))
}

// toWhole returns the whole number of rows or persons, of so many units each, next to a
// number of units.
func toWhole(n *big.Int, units int64) *big.Int {
	one := big.NewInt(units)
	half := new(big.Int).Rsh(one, 1)
	return half.Div(half.Add(half, n), one)
}

// width returns how far a sum of so many cells may be off, in units.
func (c *Counts) width(cells int, miss *big.Rat) *big.Int {
	if cells == 0 || !c.Released() {
		return new(big.Int)
	}
	h, err := learn.NewHistogram(c.Scale.Cells(), c.Epsilon, c.Relation)
	if err != nil {
		panic(err) // Noisy and UnmarshalJSON have seen to it
	}
	return h.HalfWidth(cells, miss)
}

// around returns v give or take w, both in units.
func (c *Counts) around(v, w *big.Int) Count { return around(v, w, c.Rows, c.units()) }

// around returns v give or take w, both in units of which so many are a row or a person,
// of so many of these, nil where that is not told.
func around(v, w, rows *big.Int, units int64) Count {
	possible := func(v *big.Int) *big.Int { return possible(v, rows) }
	one, least, most := big.NewInt(units), new(big.Int).Sub(v, w), new(big.Int).Add(v, w)
	return Count{possible(toWhole(v, units)), possible(least.Div(least, one)), possible(up(most, one))}
}

// possible returns the number of so many rows or persons, nil where that is not told, that is
// next to v.
func possible(v, rows *big.Int) *big.Int {
	switch {
	case v.Sign() < 0:
		return new(big.Int)
	case rows != nil && v.Cmp(rows) > 0:
		return rows
	}
	return v
}

// counted returns the number of rows or persons that a sum of cells, in units, tells of.
func (c *Counts) counted(sum *big.Int) *big.Int { return possible(toWhole(sum, c.units()), c.Rows) }

// tally fills in the counts, and returns that of what is right.
func (a *Assessment) tally() (right Count) {
	c := a.counts
	g := len(c.Scale.Grades)
	miss := missOfCount(c.Scale.Kind, g, boxed(a.Of, c.Scale.Kind))
	hit, missed, alarm, spared := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	ones := 0
	for i, grade := range c.Scale.Grades {
		if grade.Predicted == 1 {
			hit.Add(hit, c.positive()[i])
			alarm.Add(alarm, c.negative()[i])
			ones++
		} else {
			missed.Add(missed, c.positive()[i])
			spared.Add(spared, c.negative()[i])
		}
	}
	one, zero, all := c.width(ones, miss), c.width(g-ones, miss), c.width(g, miss)
	a.Confusion = Confusion{c.around(hit, one), c.around(missed, zero), c.around(alarm, one), c.around(spared, zero)}
	a.Errors = c.around(new(big.Int).Add(missed, alarm), all)
	a.Outside = c.around(c.Outside, c.width(1, miss))
	if c.Rows != nil {
		a.Inside = (Count{c.Rows, c.Rows, c.Rows}).minus(a.Outside)
		return a.Inside.minus(a.Errors)
	}
	right = c.around(new(big.Int).Add(hit, spared), all)
	a.Inside = right.plus(a.Errors)
	return right
}

// Cost returns what the errors cost.
func (a *Assessment) Cost(l learn.Loss) Count {
	return a.Confusion.FalsePositive.times(l.FalsePositive).plus(a.Confusion.FalseNegative.times(l.FalseNegative))
}

func (c Count) plus(d Count) Count {
	add := func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
	return Count{add(c.Value, d.Value), add(c.Least, d.Least), add(c.Most, d.Most)}
}

// minus returns c - d, at least 0.
func (c Count) minus(d Count) Count {
	less := func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return new(big.Int)
		}
		return new(big.Int).Sub(a, b)
	}
	return Count{less(c.Value, d.Value), less(c.Least, d.Most), less(c.Most, d.Least)}
}

func (c Count) times(n int64) Count {
	factor := big.NewInt(n)
	mul := func(a *big.Int) *big.Int { return new(big.Int).Mul(a, factor) }
	return Count{mul(c.Value), mul(c.Least), mul(c.Most)}
}

// of returns a/(a + b), which grows with a and falls with b.
func (a Count) of(b Count) Share {
	s := Share{Value: ratio(float(a.Value), float(b.Value)), Least: 0, Most: 1}
	if least := ratio(float(a.Least), float(b.Most)); least != nil {
		s.Least = max(*least-rounding, 0)
	}
	if most := ratio(float(a.Most), float(b.Least)); most != nil {
		s.Most = min(*most+rounding, 1)
	}
	if a.Least.Cmp(a.Most) == 0 && b.Least.Cmp(b.Most) == 0 && s.Value != nil {
		s.Least, s.Most = *s.Value, *s.Value
	}
	return s
}

func float(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}
