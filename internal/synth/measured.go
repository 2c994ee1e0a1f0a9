package synth

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Measured is all that a mechanism releases of a table: noisy counts and contrasts, and what was
// drawn.
// Whatever is made of it costs nothing more, and its guarantee follows from it alone.
type Measured struct {
	Domain   Domain
	Relation privacy.Relation
	Columns  []Measurement // of each column, all values
	Pairs    []Contrasts   // of all pairs, in order
	Rounds   []Round
}

// A Measurement is the noisy counts of the rows in the cells of a marginal. A row is in at
// most one of them. Under a relation of persons counts are in units, of which a person's rows
// together weigh table.Weight.
type Measurement struct {
	Axes   []table.Axis // over the columns' values
	Sigma2 *big.Rat     // σ² of the noise of each count, in rows or persons
	Counts []int64      // row-major, the last axis fastest; in units
}

// A Round is a conjunction that was drawn, and the counts of its columns, each divided into
// the rest, cell 0, and the values of its term, cell 1.
type Round struct {
	Fewer       bool            // drawn as one with fewer rows than the model expects
	Epsilon     privacy.Decimal // of the draw
	Measurement Measurement
}

// MostCount bounds what is released of a count either way, so that every reader of JSON reads
// the same number.
const MostCount = 1 << 53

// Rho is the ρ of all that was released, exactly.
func (m *Measured) Rho() *big.Rat {
	rho := new(big.Rat)
	for _, c := range m.Columns {
		rho.Add(rho, c.Rho(m.Relation))
	}
	for _, p := range m.Pairs {
		rho.Add(rho, p.Rho(m.Relation))
	}
	for _, r := range m.Rounds {
		rho.Add(rho, drawPrice(r.Epsilon))
		rho.Add(rho, r.Measurement.Rho(m.Relation))
	}
	return rho
}

// Rho is the ρ that the counts cost.
func (m Measurement) Rho(r privacy.Relation) *big.Rat { return price(moved(r), m.Sigma2) }

// Guarantee is the guarantee of all that was released. It fails where there is nothing, or
// no relation.
func (m *Measured) Guarantee() (privacy.ZCDP, error) {
	g, err := privacy.NewZCDP(m.Relation, m.Rho())
	if err != nil {
		return g, fmt.Errorf("synth: %w", err)
	}
	return g, nil
}

// histograms returns the counts of columns as packages cells reads them.
func (m *Measured) histograms() []cells.Histogram {
	of := make([]cells.Histogram, len(m.Columns))
	for j, c := range m.Columns {
		marginal := c.marginal(m.Relation)
		of[j] = cells.Histogram{Counts: marginal.Counts, Variance: marginal.Variance, Ordered: m.Domain.Columns[j].Ordered}
	}
	return of
}

// Total estimates the number of rows that are not null, from the columns' counts.
func (m *Measured) Total() float64 { return cells.Total(m.histograms()) }

// Pools returns how the values of each column are pooled, which the columns' counts decide.
func (m *Measured) Pools() []*cells.Pooling {
	of := m.histograms()
	total := cells.Total(of)
	pools := make([]*cells.Pooling, len(of))
	for j, h := range of {
		pools[j] = h.Pool(total)
	}
	return pools
}

// Rows returns the counts in rows, or persons.
func (m Measurement) Rows(r privacy.Relation) []float64 { return inRows(m.Counts, unit(r)) }

// inRows returns whole numbers, of which so many are one.
func inRows(of []int64, one int64) []float64 {
	rows := make([]float64, len(of))
	for i, n := range of {
		rows[i] = float64(n) / float64(one)
	}
	return rows
}

// marginal returns the counts as a fit reads them, over the columns' values.
func (m Measurement) marginal(r privacy.Relation) loglinear.Marginal {
	variance, _ := m.Sigma2.Float64()
	return loglinear.Marginal{Axes: m.Axes, Counts: m.Rows(r), Variance: variance}
}

// pooled returns a marginal over the columns' pooled values: all values of one are in the same
// cell.
func pooled(m loglinear.Marginal, pools []*cells.Pooling) loglinear.Marginal {
	axes := m.Axes
	m.Axes = make([]table.Axis, len(axes))
	for i, a := range axes {
		pool := pools[a.Column]
		of := make([]uint16, pool.Size)
		for v, p := range pool.Cells {
			of[p] = uint16(a.Cell(v))
		}
		m.Axes[i] = table.Axis{Column: a.Column, Cells: of, Size: a.Size}
	}
	return m
}

// unpooled returns an axis over pooled values as one over values.
func unpooled(a table.Axis, pools []*cells.Pooling) table.Axis {
	of := make([]uint16, len(pools[a.Column].Cells))
	for v, p := range pools[a.Column].Cells {
		of[v] = uint16(a.Cell(int(p)))
	}
	return table.Axis{Column: a.Column, Cells: of, Size: a.Size}
}
