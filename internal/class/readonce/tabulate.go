package readonce

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Tabulate returns the cost of every formula. It merges records that agree on all inputs, and
// evaluates formulas on words of 64 records. The work per formula and word is a few operations for
// each gate and for each binary digit of the costs. Tabulate fails with class.ErrRange if costs are
// too large.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if _, ok := p.Spread(c.mostPenaltyOfFormula); !ok {
		return nil, class.ErrRange
	}
	columns, weights, base := c.collapse(p.Points)
	records, costs := newEvaluator(c.options.Gate, columns), newWeightedSum(weights)
	points, terms := newEvaluator(c.options.Gate, c.separator.columns), newWeightedSum(p.Terms)
	penalties := make([]int64, len(c.inputs))
	for i, in := range c.inputs {
		penalties[i] = p.PenaltyUnit() * in.Penalty
	}
	table := make([]int64, c.size)
	for i, inputs := range c.formulas() {
		cost := base + costs.sum(records.labels(inputs)) + terms.sum(points.labels(inputs))
		for _, i := range inputs {
			cost += penalties[i]
		}
		table[i] = cost
	}
	return table, nil
}

// collapse returns the distinct rows of input bits of the points, sorted by weight. The weight of a
// row is the cost of predicting 1 minus the cost of predicting 0. Rows of weight 0 are omitted. The
// result base is the total cost of predicting 0 for all points.
func (c *Class) collapse(points []class.Point[[]uint16]) (rows columns, weights []int64, base int64) {
	type row struct {
		bits   []byte
		weight int64
	}
	bits := make([]class.Point[[]byte], len(points))
	for i, pt := range points {
		x := make([]byte, len(c.inputs))
		for i, in := range c.inputs {
			x[i] = byte(in.value(pt.X))
		}
		bits[i] = class.Point[[]byte]{X: x, Cost: pt.Cost}
	}
	var all []row
	for _, pt := range class.Distinct(bits, bytes.Compare) {
		base += pt.Cost[0]
		if weight := pt.Cost[1] - pt.Cost[0]; weight != 0 {
			all = append(all, row{pt.X, weight})
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.weight, b.weight) })
	rows = newColumns(len(c.inputs), len(all))
	for r, row := range all {
		weights = append(weights, row.weight)
		for i, bit := range row.bits {
			if bit == 1 {
				rows.set(i, r)
			}
		}
	}
	return rows, weights, base
}
