package mip

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
)

// A formulation is a class and a problem as an integer program, whose cost is
// that of the problem less a constant.
type formulation struct {
	program
	class    *numeric.Class
	constant int64
	weight   []int // the variable of each weight
	step     []int // of each threshold but the least: whether θ is at least that
}

// formulate writes the problem as a program; ok is false where its numbers are
// too large for doubles. The problem's costs keep to the class's Spread.
func formulate(c *numeric.Class, p class.Problem[[]int64]) (f *formulation, ok bool) {
	f = &formulation{class: c}
	charge := c.Charge(p.Terms, c.Options().Penalty*p.PenaltyUnit())
	var norm, used limit
	for j, col := range c.Columns() {
		f.addWeight(j, col, charge.Weight[j], &norm, &used)
	}
	norm.apply(&f.program, c.Options().Norm)
	used.apply(&f.program, int64(c.Options().Most))
	if c.Options().NormBits {
		f.addNorm(charge.Norm, norm)
	}
	f.constant += charge.Threshold[0]
	f.step = f.bits("t", charge.Threshold)
	for i, pt := range p.Points {
		f.constant += min(pt.Cost[0], pt.Cost[1])
		if d := pt.Cost[1] - pt.Cost[0]; d != 0 {
			f.addRecord(fmt.Sprintf("e%d", i), pt.X, d)
		}
	}
	return f, f.moderate()
}

// A limit is a sum of functions of the weights that must not exceed something.
type limit struct {
	constant int64
	sum      []term
}

// add adds a function that has the given values where no bit is set, the first
// bit is set, and so on.
func (l *limit) add(values []int64, bits []int) {
	l.constant += values[0]
	for i, b := range bits {
		if values[i] != values[i+1] {
			l.sum = append(l.sum, term{b, values[i] - values[i+1]})
		}
	}
}

// apply adds the limit to the program, if there is one.
func (l *limit) apply(p *program, most int64) {
	if most > 0 {
		p.atLeast(l.sum, l.constant-most)
	}
}

// addWeight adds the variable of weight j, and unary bits of it where something
// depends on the weight that is not linear.
func (f *formulation) addWeight(j int, col numeric.Column, costs []int64, norm, used *limit) {
	ws := col.Weights
	w := variable{name: fmt.Sprintf("w%d", j), lo: ws[0], hi: ws[len(ws)-1]}
	o := f.class.Options()
	slope, linear := line(ws, costs)
	f.constant += costs[0]
	if linear && o.Norm == 0 && o.Most == 0 && !o.NormBits {
		w.cost = slope
		f.constant -= slope * ws[0]
		f.weight = append(f.weight, f.add(w))
		return
	}
	f.weight = append(f.weight, f.add(w))
	bits := f.bits(fmt.Sprintf("w%db", j), costs)
	sum := []term{{f.weight[j], 1}}
	squares, uses := make([]int64, len(ws)), make([]int64, len(ws))
	for i, v := range ws {
		squares[i] = v * v
		uses[i] = min(v*v, 1)
		if i > 0 {
			sum = append(sum, term{bits[i-1], ws[i-1] - v})
		}
	}
	f.rows = append(f.rows, row{sum: sum, exact: true, least: ws[0]})
	norm.add(squares, bits)
	used.add(uses, bits)
}

// addNorm adds unary bits of the squared norm, which the sum holds.
func (f *formulation) addNorm(costs map[int64]int64, norm limit) {
	squares := f.class.Norms()
	var charges []int64
	for _, s := range squares {
		charges = append(charges, costs[s])
	}
	f.constant += charges[0]
	sum := norm.sum
	for i, b := range f.bits("n", charges) {
		sum = append(sum, term{b, squares[i+1] - squares[i]})
	}
	f.rows = append(f.rows, row{sum: sum, exact: true, least: norm.constant - squares[0]})
}

// line tells whether the costs of consecutive integers are a linear function of
// them, and with which slope.
func line(ws, costs []int64) (slope int64, ok bool) {
	for i := 1; i < len(ws); i++ {
		step := costs[i] - costs[i-1]
		if ws[i] != ws[i-1]+1 || i > 1 && step != slope {
			return 0, false
		}
		slope = step
	}
	return slope, true
}

// bits adds unary bits, each at most the one before it, that tell len(costs)
// values apart; cost and objective differ by costs[0].
func (f *formulation) bits(name string, costs []int64) []int {
	var bits []int
	for i := 1; i < len(costs); i++ {
		b := f.add(variable{name: fmt.Sprintf("%s%d", name, i), hi: 1, cost: costs[i] - costs[i-1]})
		if i > 1 {
			f.atLeast([]term{{bits[i-2], 1}, {b, -1}}, 0)
		}
		bits = append(bits, b)
	}
	return bits
}

// addRecord adds a variable that is 1 where the record gets the dearer of its
// predictions; d is what predicting 1 costs more than predicting 0. Values and
// thresholds are divided by the greatest common divisor of the values.
func (f *formulation) addRecord(name string, x []int64, d int64) {
	divisor := int64(0)
	for _, v := range x {
		divisor = gcd(divisor, v)
	}
	divisor = max(divisor, 1)
	var sum []term
	low, high := int64(0), int64(0) // of the sum
	for j, col := range f.class.Columns() {
		v := x[j] / divisor
		if v == 0 {
			continue
		}
		sum = append(sum, term{f.weight[j], v})
		first, last := col.Weights[0]*v, col.Weights[len(col.Weights)-1]*v
		low += min(first, last)
		high += max(first, last)
	}
	thresholds := make([]int64, 0, len(f.step)+1)
	for i, t := range f.class.Thresholds() {
		thresholds = append(thresholds, ceilDiv(t, divisor))
		if gap := thresholds[i] - thresholds[max(i-1, 0)]; gap > 0 {
			sum = append(sum, term{f.step[i-1], -gap})
		}
	}
	first, last := thresholds[0], thresholds[len(thresholds)-1]
	// Now the record is predicted 1 iff the sum is at least first, which is
	// wrong by at most big.
	wrong, right := low >= last, high < first
	least, big := 1-first, high-first+1
	if d > 0 {
		for i := range sum {
			sum[i].times = -sum[i].times
		}
	} else {
		wrong, right = right, wrong
		least, big = first, last-low
	}
	switch {
	case right:
	case wrong:
		f.constant += max(d, -d)
	default:
		e := f.add(variable{name: name, hi: 1, cost: max(d, -d)})
		f.atLeast(append(sum, term{e, big}), least)
	}
}

// gcd returns the greatest common divisor of a ≥ 0 and b.
func gcd(a, b int64) int64 {
	for b = max(b, -b); b != 0; {
		a, b = b, a%b
	}
	return a
}

// ceilDiv returns ⌈a/b⌉ for b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// halfspace reads the halfspace at a point, which must be integral but for
// mostFraction.
func (f *formulation) halfspace(point []float64) (h numeric.Halfspace, ok bool) {
	h.Threshold = f.class.Thresholds()[0]
	for _, v := range f.weight {
		w, ok := integer(point[v])
		if !ok {
			return numeric.Halfspace{}, false
		}
		h.Weights = append(h.Weights, w)
	}
	for i, v := range f.step {
		set, ok := integer(point[v])
		if !ok {
			return numeric.Halfspace{}, false
		}
		if set == 1 {
			h.Threshold = f.class.Thresholds()[i+1]
		}
	}
	return h, f.class.Contains(h)
}

// mostFraction is how far from an integer a solver's weight may be.
const mostFraction = 1e-6

// integer returns the integer that v stands for.
func integer(v float64) (n int64, ok bool) {
	near := math.Round(v)
	return int64(near), math.Abs(near) <= mostNumber && math.Abs(v-near) <= mostFraction
}
