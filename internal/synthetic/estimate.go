package synthetic

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Released counts and contrasts are the exact values plus noise of known variance. Suppose that a question is
// about columns of one measurement, and that each of its conditions accepts all values of a cell of this
// measurement or none. Then the measurement gives an unbiased estimate of the answer with known variance
// (docs/explanation/proofs/synth.md, section 8).

// An estimate is the estimated number of rows that satisfy a condition: rest + times·T, where T is the estimated
// number of all rows. The two terms are stored separately because the noise of rest is uncorrelated with the noise of
// T.
type estimate struct {
	rest     float64
	times    float64
	variance float64 // variance of rest
}

// error returns the standard error √(v + d²) of an answer, where d is the difference between the answer and the
// estimate e, and v is the variance of e - share·T, with T the estimated number of rows.
//
// For the error of a count, share must be 0. For the error of a fraction of the rows, share must be this fraction and
// the answer must be share·T; the result is then the error of the fraction times T.
func (e estimate) error(answer, share float64, u *estimator) float64 {
	away := answer - e.rest - e.times*u.total
	return math.Sqrt(e.varianceLess(share, u) + away*away)
}

// varianceLess returns the variance of e - share·T, where T is the estimated number of all rows.
func (e estimate) varianceLess(share float64, u *estimator) float64 {
	return e.variance + (e.times-share)*(e.times-share)*u.variance
}

// An estimator estimates numbers of rows or persons from the measurements of a release.
type estimator struct {
	of       *synth.Measured
	total    float64 // T, the estimated total
	variance float64 // variance of T

	columns   [][]float64              // counts or contrasts of the values of each column
	pairs     map[[2]int][]*contrasted // by columns, ascending
	pairNoise float64                  // maximum standard deviation of the noise in the contrasts of a pair
}

// A contrasted holds the measured contrasts of a pair of columns, in rows or persons.
type contrasted struct {
	axes      []table.Axis
	rows      []float64
	deviation float64 // standard deviation of the noise of each of rows
	records   []int32 // number of records of the model in each cell; nil before the first call of modelled
}

// modelled returns the mean over all records of the product of two weights: those of the record's cells in the two
// columns of p. The weight of a cell is the greatest weight of its values. The slices first and second have the
// weights of the values of the two columns.
func (p *contrasted) modelled(of *Records, first, second []float64) float64 {
	a, b := p.axes[0], p.axes[1]
	if p.records == nil {
		p.records = make([]int32, a.Size*b.Size)
		for i, v := range of.columns[a.Column] {
			p.records[a.Cell(int(v))*b.Size+b.Cell(int(of.columns[b.Column][i]))]++
		}
	}
	sum := 0.0
	x, y := onCells(first, a), onCells(second, b)
	for k, n := range p.records {
		sum += x[k/b.Size] * y[k%b.Size] * float64(n)
	}
	return sum / float64(of.n)
}

func (m *Model) estimator() *estimator {
	u := &estimator{of: m.Measured, total: m.Measured.Total(), variance: m.Measured.TotalVariance(), pairs: make(map[[2]int][]*contrasted)}
	for _, c := range m.Measured.Columns {
		u.columns = append(u.columns, c.Rows(m.Measured.Relation))
	}
	for _, p := range m.Measured.Pairs {
		of := [2]int{p.Axes[0].Column, p.Axes[1].Column}
		u.pairs[of] = append(u.pairs[of], &contrasted{axes: p.Axes, rows: p.Rows(m.Measured.Relation), deviation: p.Deviation()})
		u.pairNoise = max(u.pairNoise, p.Deviation())
	}
	return u
}

// measured estimates the number of rows that satisfy a conjunction from a single measurement. If several measurements
// are suitable, it uses the one that gives the least variance. A measurement is suitable if it includes all columns
// of the conjunction, and if the values within each of its cells have equal weights.
//
// The map weights holds, by column, the weight of each value: 1 if it satisfies the condition on this column, and 0
// otherwise. The result known is false if no measurement is suitable, or if a weight is neither 0 nor 1.
func (u *estimator) measured(weights map[int][]float64) (best estimate, known bool) {
	var asked []int // columns
	for j, w := range weights {
		if slices.ContainsFunc(w, func(x float64) bool { return x != 0 && x != 1 }) {
			return best, false
		}
		if slices.Contains(w, 0) {
			asked = append(asked, j)
		}
	}
	consider := func(e estimate) {
		if !known || e.varianceLess(0, u) < best.varianceLess(0, u) {
			best, known = e, true
		}
	}
	switch len(asked) {
	case 0:
		consider(estimate{times: 1})
	case 1:
		consider(u.column(asked[0], weights[asked[0]]))
	case 2:
		a, b := min(asked[0], asked[1]), max(asked[0], asked[1])
		for _, p := range u.pairs[[2]int{a, b}] {
			if whole(weights[a], p.axes[0]) && whole(weights[b], p.axes[1]) {
				consider(u.pair(p, weights[a], weights[b]))
			}
		}
	}
	for _, r := range u.of.Rounds {
		if e, ok := u.round(r.Measurement, asked, weights); ok {
			consider(e)
		}
	}
	return best, known
}

// column estimates the sum, over all rows, of the weights of the rows' values in column j.
func (u *estimator) column(j int, weights []float64) estimate {
	mean, squares := meanAndSquares(weights)
	e := estimate{times: mean, variance: u.of.Columns[j].Variance() * squares}
	for v, count := range u.columns[j] {
		e.rest += (weights[v] - mean) * count
	}
	return e
}

// spread returns the estimated variance p(1 - p) of the 0/1 variable of a condition on column j, where p is the share
// of the rows that satisfies the condition. The slice weights has the weight of each value.
func (u *estimator) spread(j int, weights []float64) float64 {
	e := u.column(j, weights)
	p := min(max((e.rest+e.times*u.total)/max(u.total, 1), 0), 1)
	return p * (1 - p)
}

// pair estimates the sum, over all rows, of the product of two weights: those of the row's cells in the two columns
// of p. The weight of a cell is the greatest weight of its values. The slices first and second have the weights of
// the values of the two columns. The estimate combines the measured contrasts of the pair with the row and column
// means of its contingency table, which follow from the counts of the columns.
func (u *estimator) pair(p *contrasted, first, second []float64) estimate {
	x, y := onCells(first, p.axes[0]), onCells(second, p.axes[1])
	meanX, squaresX := meanAndSquares(x)
	meanY, squaresY := meanAndSquares(y)
	a, b := u.column(p.axes[0].Column, overValues(x, p.axes[0], len(first))), u.column(p.axes[1].Column, overValues(y, p.axes[1], len(second)))
	e := estimate{
		rest:     meanY*a.rest + meanX*b.rest,
		times:    meanY*a.times + meanX*b.times - meanX*meanY,
		variance: p.deviation*p.deviation*squaresX*squaresY + meanY*meanY*a.variance + meanX*meanX*b.variance,
	}
	for k, c := range p.rows {
		e.rest += (x[k/len(y)] - meanX) * (y[k%len(y)] - meanY) * c
	}
	return e
}

// round estimates the number of rows that satisfy a conjunction from m, the measurement of a round. The slice asked
// lists the columns of the conjunction, and the map weights has the weights of their values. The result ok is false
// if m does not include one of these columns, or if a cell of m contains values with different weights.
func (u *estimator) round(m synth.Measurement, asked []int, weights map[int][]float64) (e estimate, ok bool) {
	of, found := []float64{1}, 0 // the weight of each cell
	for _, a := range m.Axes {
		x := slices.Repeat([]float64{1}, a.Size)
		if slices.Contains(asked, a.Column) {
			if !whole(weights[a.Column], a) {
				return e, false
			}
			x = onCells(weights[a.Column], a)
			found++
		}
		var finer []float64
		for _, w := range of {
			for _, each := range x {
				finer = append(finer, w*each)
			}
		}
		of = finer
	}
	if found < len(asked) {
		return e, false
	}
	mean, squares := meanAndSquares(of)
	e = estimate{times: mean, variance: m.Variance() * squares}
	for k, count := range m.Rows(u.of.Relation) {
		e.rest += (of[k] - mean) * count
	}
	return e, true
}

// bound returns a variance for an answer that was not measured. It is the least variance of an estimate of a larger,
// measured count that includes all rows of the answer: the number of rows that satisfy one condition of the question,
// or the number of rows in the cells of all rows that satisfy two conditions.
func (u *estimator) bound(weights map[int][]float64) float64 {
	least := math.Inf(1)
	for j, w := range weights {
		least = min(least, u.column(j, w).varianceLess(0, u))
	}
	for a, first := range weights {
		for b, second := range weights {
			for _, p := range u.pairs[[2]int{a, b}] {
				least = min(least, u.pair(p, first, second).varianceLess(0, u))
			}
		}
	}
	if math.IsInf(least, 1) { // all conditions are on functions of several columns
		least = u.of.Columns[0].Variance()
	}
	return least
}

// meanAndSquares returns the mean of the numbers and the sum of their squared deviations from the mean.
func meanAndSquares(of []float64) (mean, squares float64) {
	for _, x := range of {
		mean += x / float64(len(of))
	}
	for _, x := range of {
		squares += (x - mean) * (x - mean)
	}
	return mean, squares
}

// onCells returns, for each cell of an axis, the greatest weight of its values.
func onCells(weights []float64, a table.Axis) []float64 {
	out := make([]float64, a.Size)
	for v, x := range weights {
		out[a.Cell(v)] = max(out[a.Cell(v)], x)
	}
	return out
}

// overValues returns, for each of the given number of values, the weight of its cell on the axis a. The slice x has
// the weights of the cells.
func overValues(x []float64, a table.Axis, values int) []float64 {
	of := make([]float64, values)
	for v := range of {
		of[v] = x[a.Cell(v)]
	}
	return of
}

// whole reports whether all values in the same cell of the axis have the same weight.
func whole(weights []float64, a table.Axis) bool {
	return slices.Equal(overValues(onCells(weights, a), a, len(weights)), weights)
}
