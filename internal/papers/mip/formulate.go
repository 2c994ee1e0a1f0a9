package mip

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
)

// A formulation is an integer program that represents an optimization problem over a class of halfspaces. Several
// points of the program can represent the same halfspace. The cost of a halfspace is the least objective of these
// points, plus constant.
type formulation struct {
	program
	class    *numeric.Class
	constant int64
	weight   []int // for each column, the variable of its weight
	step     []int // for each i ≥ 1, the variable of the bit "θ is at least thresholds[i]"
}

// formulate returns the integer program of the problem p over the class c. The method c.Spread must accept p. The
// result ok is false if a coefficient or the range of the objective exceeds mostNumber.
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

// A limit is a sum that must not exceed a maximum, for example the squared norm of the weights. Each summand is a
// function of one weight, so the sum is linear in the unary bits of the weights: it equals constant minus the linear
// function in the field sum.
type limit struct {
	constant int64
	sum      []term
}

// add adds a summand that is a function of one weight. The slice bits holds the variables of the weight's unary bits,
// and values holds the value of the function for each number of these bits that are set.
func (l *limit) add(values []int64, bits []int) {
	l.constant += values[0]
	for i, b := range bits {
		if values[i] != values[i+1] {
			l.sum = append(l.sum, term{b, values[i] - values[i+1]})
		}
	}
}

// apply adds a constraint to the integer program p: the sum is at most maximum. If maximum is 0, there is no limit,
// and apply does nothing.
func (l *limit) apply(p *program, maximum int64) {
	if maximum > 0 {
		p.atLeast(l.sum, l.constant-maximum)
	}
}

// addWeight adds a variable for the weight of column j, with the cost of each possible weight (costs). It also adds
// unary bits of the weight, with which it adds the squared weight to norm, and 1 to used if the weight is not 0. It
// omits these bits if the costs are linear in the weight, and the class has no limit on the norm, no limit on the
// number of used weights and no NormBits.
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

// addNorm adds unary bits that represent the squared norm of the weights, with a cost for each squared norm. The
// parameter norm is the squared norm as a function of the weights' bits, and a constraint makes the new bits equal to
// it.
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

// line reports whether the possible weights ws are consecutive integers and their costs are a linear function of the
// weight. It also returns the slope of this function.
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

// bits adds len(costs)-1 unary bits and returns their variables. Constraints allow a bit to be set only if the previous
// bit is set. If exactly the first i bits are set, the bits together add costs[i] - costs[0] to the objective.
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

// addRecord adds the cost of the predictions for the record x. The parameter d is the cost of predicting 1 minus the
// cost of predicting 0.
//
// It adds a 0/1 variable with the given name and the cost |d|, and the constraint that the variable is 1 if the
// hypothesis makes the more expensive prediction for x. The constraint is divided by the greatest common divisor of
// the record's values, and the thresholds are rounded up.
//
// If bounds on the weighted sum show that all hypotheses make the same prediction for x, addRecord adds no variable.
// It then adds |d| to f.constant if this prediction is the more expensive one.
func (f *formulation) addRecord(name string, x []int64, d int64) {
	divisor := int64(0)
	for _, v := range x {
		divisor = gcd(divisor, v)
	}
	divisor = max(divisor, 1)
	var sum []term
	low, high := int64(0), int64(0) // bounds on the weighted sum
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
	// The prediction is 1 if and only if sum, which is reduced by the bits of the threshold, is at
	// least first. The constant big is the maximum violation of the constraint "the prediction is the
	// cheaper one".
	wrong, right := low >= last, high < first
	least, big := 1-first, high-first+1
	if d > 0 {
		for i := range sum {
			sum[i].coefficient = -sum[i].coefficient
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

// gcd returns the greatest common divisor of the integers a ≥ 0 and b.
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

// halfspace returns the halfspace that a point of the program represents. The result ok is false if the variable of a
// weight or of a threshold bit differs from an integer by more than mostFraction, or if the halfspace is not in the
// class.
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

// mostFraction is the maximum difference between a variable's value in a solver's solution and an integer.
const mostFraction = 1e-6

// integer rounds v to an integer. The result ok is false if v differs from this integer by more than mostFraction, or
// if its absolute value exceeds mostNumber.
func integer(v float64) (n int64, ok bool) {
	near := math.Round(v)
	return int64(near), math.Abs(near) <= mostNumber && math.Abs(v-near) <= mostFraction
}
