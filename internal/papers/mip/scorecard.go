package mip

import (
	"context"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// Scorecards returns an oracle for scorecards, which it encodes as halfspaces. An attribute with independent points
// for each category (one-hot) becomes one 0/1 column for each category. An attribute whose vectors of points are
// multiples of one vector (scorecard.Numeric) becomes one numeric column. The oracle verifies its answers like the
// oracle that New returns.
//
// Scorecards returns an error for classes that cannot be encoded in this way:
//
//   - with monotone points
//   - with an attribute whose vectors are not all multiples of one vector
//   - with a penalty or a limit on used attributes, if an attribute has several columns
//   - with a limit on the norm, if the norm of an attribute's points can differ from the absolute value of its weight
func Scorecards(c *scorecard.Class, s Solver) (oracle.Minimizer[[]uint16, scorecard.Card], error) {
	o := c.Options()
	if o.Most >= len(c.Attributes()) {
		o.Most = 0
	}
	m := &cards{class: c}
	var columns []numeric.Column
	for j, a := range c.Attributes() {
		col, err := newColumns(a)
		if err != nil {
			return nil, fmt.Errorf("mip: attribute %d: %w", j+1, err)
		}
		if len(col) > 1 && (o.Penalty > 0 || o.Most > 0) {
			return nil, fmt.Errorf("mip: attribute %d needs %d weights, but a penalty or a limit on the used attributes requires one weight per attribute", j+1, len(col))
		}
		for _, w := range col {
			if o.Norm > 0 && !w.unit() {
				return nil, fmt.Errorf("mip: a limit on the norm is not supported for attribute %d, because the norm of its points differs from the absolute value of their weight", j+1)
			}
		}
		m.attributes = append(m.attributes, col)
		for _, w := range col {
			columns = append(columns, w.Column)
		}
	}
	h, err := numeric.New(columns, []int64{int64(o.Threshold)}, numeric.Options{Most: o.Most, Penalty: o.Penalty, Norm: int64(o.Norm), NormBits: o.Norm > 0})
	if err != nil {
		return nil, err
	}
	m.halfspaces = minimizer{h, s}
	return m, nil
}

// A column is a numeric column of the records on which halfspaces are defined. It encodes an attribute, or one
// category of an attribute. The slice values has the value of the column for each category of the attribute.
type column struct {
	numeric.Column
	values []int
}

// unit reports whether the norm of the points that the column encodes always equals the absolute value of the
// column's weight.
func (c column) unit() bool {
	norm := 0
	for _, v := range c.values {
		norm += v * v
	}
	return norm == 1 || len(c.Weights) == 1 && c.Weights[0] == 0
}

// newColumns returns the columns that encode the attribute a. It returns an error if a cannot be encoded.
func newColumns(a scorecard.Attribute) ([]column, error) {
	if list := a.List(); list != nil {
		w, err := multiples(list)
		return []column{w}, err
	}
	if len(a.Order()) > 1 {
		return nil, fmt.Errorf("its points are monotone, which halfspaces cannot represent")
	}
	columns := make([]column, a.Categories())
	for c := range columns {
		values := make([]int, a.Categories())
		values[c] = 1
		columns[c] = newColumn(values, a.Levels(c))
	}
	return columns, nil
}

// newColumn returns the column with the given values and possible weights. The weights must be ascending.
func newColumn(values, weights []int) column {
	w := column{numeric.Column{Lo: int64(slices.Min(values)), Hi: int64(slices.Max(values))}, values}
	for _, v := range weights {
		w.Weights = append(w.Weights, int64(v))
	}
	return w
}

// multiples returns a column that encodes an attribute with the given vectors of points. Each vector is a multiple of
// the column's values, and the multiples are the column's possible weights. multiples returns an error if the vectors
// are not multiples of one vector.
func multiples(vectors [][]int) (column, error) {
	values := make([]int, len(vectors[0]))
	divisor := 0
	for _, v := range vectors {
		if divisor = divisorOf(v); divisor > 0 {
			for c := range values {
				values[c] = v[c] / divisor
			}
			break
		}
	}
	var weights []int
	for _, v := range vectors {
		w := 0
		for c, x := range values {
			if x != 0 {
				w = v[c] / x
				break
			}
		}
		for c, x := range values {
			if v[c] != w*x {
				return column{}, fmt.Errorf("its vectors of points are not multiples of one vector")
			}
		}
		weights = append(weights, w)
	}
	slices.Sort(weights)
	return newColumn(values, weights), nil
}

// divisorOf returns the greatest common divisor of the numbers v, or 0 if all of them are 0.
func divisorOf(v []int) int {
	d := int64(0)
	for _, x := range v {
		d = gcd(d, int64(x))
	}
	return int(max(d, -d))
}

// cards is the oracle for scorecards that Scorecards returns.
type cards struct {
	class      *scorecard.Class
	attributes [][]column
	halfspaces minimizer
}

func (m *cards) Class() class.Class[[]uint16, scorecard.Card] { return m.class }

func (m *cards) Kind() oracle.Kind { return m.halfspaces.Kind() }

// FloatBound returns true, because answers rely on a lower bound that is computed in floating point.
func (m *cards) FloatBound() bool { return m.halfspaces.FloatBound() }

func (m *cards) Minimize(ctx context.Context, p class.Problem[[]uint16], b oracle.Budget) (oracle.Solution[scorecard.Card], error) {
	var none oracle.Solution[scorecard.Card]
	if _, ok := p.Range(); !ok {
		return none, class.ErrRange
	}
	q, offset := m.problem(p)
	found, err := m.halfspaces.Minimize(ctx, q, b)
	if err != nil {
		return none, err
	}
	h := m.card(found.Hypothesis)
	if cost := class.Cost(m.class, p, h); !m.class.Contains(h) || cost != found.Cost+offset {
		return none, fmt.Errorf("%w: the cost of the scorecard differs from that of its halfspace", oracle.ErrFail)
	}
	return oracle.Solution[scorecard.Card]{Hypothesis: h, Cost: found.Cost + offset}, nil
}

// problem returns a problem q over halfspaces that represents the problem p: the cost of a scorecard on p is the cost
// of its halfspace on q, plus offset.
func (m *cards) problem(p class.Problem[[]uint16]) (q class.Problem[[]int64], offset int64) {
	q.Unit = p.Unit
	for _, pt := range p.Points {
		var x []int64
		for j, c := range pt.X {
			for _, w := range m.attributes[j] {
				x = append(x, int64(w.values[c]))
			}
		}
		q.Points = append(q.Points, class.Point[[]int64]{X: x, Cost: pt.Cost})
	}
	if p.Terms == nil {
		return q, 0
	}
	terms := p.Terms
	for _, columns := range m.attributes {
		for _, w := range columns {
			steps := make([]int64, len(w.Weights)-1)
			for _, v := range w.values {
				if v == 0 {
					continue // the terms of this category belong to another column
				}
				for i := range steps {
					if v > 0 {
						steps[i] += terms[i]
						continue
					}
					// The points of the category decrease in the weight. The least weight sets
					// all separator bits of the category, and the greatest weight sets none.
					steps[len(steps)-1-i] -= terms[i]
					offset += terms[i]
				}
				terms = terms[len(steps):]
			}
			q.Terms = append(q.Terms, steps...)
		}
	}
	q.Terms = append(q.Terms, terms...) // the terms of the norm
	return q, offset
}

// card returns the scorecard that the halfspace h encodes.
func (m *cards) card(h numeric.Halfspace) (card scorecard.Card) {
	weights := h.Weights
	for _, columns := range m.attributes {
		points := make([]int, len(columns[0].values))
		for _, w := range columns {
			for c, v := range w.values {
				points[c] += int(weights[0]) * v
			}
			weights = weights[1:]
		}
		card.Points = append(card.Points, points)
	}
	return card
}

var _ oracle.Floating = (*cards)(nil)
