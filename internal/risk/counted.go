package risk

import (
	"math/big"
)

// The number of rows in a group of cells also has an interval. Its estimate is the sum of the noisy cells, and the error
// of this estimate is the sum of their noise. learn.Histogram computes the distribution of this sum.
//
// If there are two outcomes and the grades are predictions, all shares are computed from the intervals of seven such
// numbers, each a sum of one or two cells. The intervals of strayer would be wider (docs/explanation/proofs/risk.md,
// section 3).

// A Count is an estimated number of rows or persons, with its interval. The value and the ends of the interval are
// clipped to the range of possible values. If counts divide a person into several units (see learn.Units), the value is
// rounded to the nearest integer, and the ends of the interval are rounded outward.
type Count struct {
	Value *big.Int `json:"value"`
	Least *big.Int `json:"least"`
	Most  *big.Int `json:"most"`
}

// up returns the quotient a/b, rounded up to an integer, for b > 0.
func up(a, b *big.Int) *big.Int {
	q := new(big.Int).Neg(a)
	return q.Neg(q.Div(q, b))
}

// toWhole converts n units to rows or persons, and rounds to the nearest integer. Each row or person consists of the
// given number of units (see learn.Units).
func toWhole(n *big.Int, units int64) *big.Int {
	one := big.NewInt(units)
	half := new(big.Int).Rsh(one, 1)
	return half.Div(half.Add(half, n), one)
}

// around returns the count with the value v and the interval v ± w, both given in units (see learn.Units).
func (c *Counts) around(v, w *big.Int) Count { return around(v, w, c.Rows, c.units()) }

// around returns the count with the value v and the interval v ± w, both given in units. Each row or person consists of
// the given number of units (see learn.Units). The parameter rows is the number of rows or persons if it is public, and
// otherwise nil.
func around(v, w, rows *big.Int, units int64) Count {
	possible := func(v *big.Int) *big.Int { return possible(v, rows) }
	one, least, most := big.NewInt(units), new(big.Int).Sub(v, w), new(big.Int).Add(v, w)
	return Count{possible(toWhole(v, units)), possible(least.Div(least, one)), possible(up(most, one))}
}

// possible clips the number v to the possible numbers of rows, from 0 to the parameter rows. If rows is nil, there is
// no upper limit.
func possible(v, rows *big.Int) *big.Int {
	switch {
	case v.Sign() < 0:
		return new(big.Int)
	case rows != nil && v.Cmp(rows) > 0:
		return rows
	}
	return v
}

// containing returns the count with the given value, and with the interval extended to contain this value.
func (c Count) containing(v *big.Int) Count {
	c.Value = v
	if c.Least.Cmp(v) > 0 {
		c.Least = v
	}
	if c.Most.Cmp(v) < 0 {
		c.Most = v
	}
	return c
}

// counted converts a sum of counts from units (see learn.Units) to rows or persons, and clips it to the range of
// possible values.
func (c *Counts) counted(sum *big.Int) *big.Int { return possible(toWhole(sum, c.units()), c.Rows) }

// tally computes the counts of the assessment from the confusion matrix. It returns the number of correctly classified
// rows.
func (a *Assessment) tally(m [][]entry, b budget) (right Count) {
	c := a.counts
	widths := map[int]*big.Int{} // by the number of cells
	around := func(v *big.Int, cells int) Count {
		if widths[cells] == nil {
			widths[cells] = b.width(cells, c.Epsilon, c.Relation)
		}
		return c.around(v, widths[cells])
	}
	rightly, wrongly := new(big.Int), new(big.Int)
	for o, row := range m {
		counts := make([]Count, len(row))
		for p, in := range row {
			counts[p] = around(in.units, in.cells.n)
			if o == p {
				rightly.Add(rightly, in.units)
			} else {
				wrongly.Add(wrongly, in.units)
			}
		}
		a.Confusion = append(a.Confusion, counts)
	}
	g := len(c.Scale.Grades)
	a.Outside, a.Errors = around(c.Outside, 1), around(wrongly, g*(len(m)-1))
	right = around(rightly, g)
	if c.Adjusted {
		right = a.settle(m, right)
	}
	if c.Rows != nil {
		a.Inside = (Count{c.Rows, c.Rows, c.Rows}).minus(a.Outside)
		return a.Inside.minus(a.Errors)
	}
	a.Inside = right.plus(a.Errors)
	return right
}

func (c Count) plus(d Count) Count {
	add := func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
	return Count{add(c.Value, d.Value), add(c.Least, d.Least), add(c.Most, d.Most)}
}

// minus returns the difference c - d with its interval. Negative values become 0.
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

// of returns the share a/(a + b) and its interval. Because the share increases in a and decreases in b, the ends of its
// interval follow from those of the intervals of a and b.
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
