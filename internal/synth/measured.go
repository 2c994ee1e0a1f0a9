package synth

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Measured holds all values that a mechanism releases: noisy counts and contrasts, and the selected conjunctions. The
// guarantee of the release follows from these values. Computations from them consume no further budget.
type Measured struct {
	Domain   Domain
	Relation privacy.Relation
	Columns  []Measurement // counts of all values of each column
	Pairs    []Contrasts   // the contrasts of all pairs, in the order of Domain.pairs
	Rounds   []Round
}

// A Measurement holds the noisy counts of the cells of a marginal. A row belongs to at most one cell. Counts are in
// units: a row is one unit or, under a relation of persons, the rows of a person are table.Weight units together.
type Measurement struct {
	Axes   []table.Axis // the axes, over the columns' values
	Sigma2 *big.Rat     // σ² of the noise of each count, in rows squared or persons squared
	Counts []int64      // row-major, the last axis fastest; in units

	// Again is a second measurement of the same counts, and AgainSigma2 is σ² of its noise. Both are nil if there is none.
	Again       []int64
	AgainSigma2 *big.Rat
}

// A Round holds the selected conjunction of a round and the measured marginal of its columns. The conjunction is not
// stored separately, because it follows from the axes of the measurement. Each axis has two cells: cell 1 has the
// values that satisfy the conjunction's term for this column, and cell 0 has all other values.
type Round struct {
	Fewer       bool            // whether it was selected because it has fewer rows than the model expects
	Epsilon     privacy.Decimal // ε of the selection
	Measurement Measurement
}

// MostCount bounds the absolute value of a released count, so that every JSON parser reads it
// exactly.
const MostCount = 1 << 53

// Rho returns the exact ρ of the release: the sum over all released values.
func (m *Measured) Rho() *big.Rat {
	rho := new(big.Rat)
	for _, c := range m.Columns {
		rho.Add(rho, c.Rho(m.Relation))
	}
	for _, p := range m.Pairs {
		rho.Add(rho, p.Rho(m.Relation))
	}
	for _, r := range m.Rounds {
		rho.Add(rho, privacy.RangeRho(r.Epsilon))
		rho.Add(rho, r.Measurement.Rho(m.Relation))
	}
	return rho
}

// Rho returns the ρ that the counts consume under the relation r.
func (m Measurement) Rho(r privacy.Relation) *big.Rat {
	rho := price(moved(r), m.Sigma2)
	if m.Again != nil {
		rho.Add(rho, price(moved(r), m.AgainSigma2))
	}
	return rho
}

// Variance returns the variance of the noise on each entry of Rows.
func (m Measurement) Variance() float64 {
	variance, _ := m.Sigma2.Float64()
	if m.Again != nil {
		variance = meanVariance(variance, m.AgainSigma2)
	}
	return variance
}

// meanVariance returns the variance of the mean of two measurements with weights inverse to their variances: variance and
// again.
func meanVariance(variance float64, again *big.Rat) float64 {
	other, _ := again.Float64()
	return variance / (1 + variance/other)
}

// Guarantee returns the guarantee of all released values. It fails if there are no released values or if
// the relation is invalid.
func (m *Measured) Guarantee() (privacy.ZCDP, error) {
	g, err := privacy.NewZCDP(m.Relation, m.Rho())
	if err != nil {
		return g, fmt.Errorf("synth: %w", err)
	}
	return g, nil
}

// histograms converts the counts of the columns for package cells.
func (m *Measured) histograms() []cells.Histogram {
	of := make([]cells.Histogram, len(m.Columns))
	for j, c := range m.Columns {
		marginal := c.marginal(m.Relation)
		of[j] = cells.Histogram{Counts: marginal.Counts, Variance: marginal.Variance, Ordered: m.Domain.Columns[j].Ordered}
	}
	return of
}

// Total estimates the number of non-null rows from the counts of the columns.
func (m *Measured) Total() float64 { return cells.Total(m.histograms()) }

// pools decides for each column which of its values are pooled. The decision depends only on the released counts
// of columns and on the public options of the fit.
func (m *Measured) pools(f Fitting) []*cells.Pooling {
	of := m.histograms()
	total := cells.Total(of)
	if !f.First {
		of = cells.Shrunk(of, total)
	}
	pools := make([]*cells.Pooling, len(of))
	for j, h := range of {
		if !f.First {
			h.Free = f.free(m.Domain, j)
		}
		pools[j] = h.Pool(total)
	}
	return pools
}

// Rows returns the counts in rows, or in persons under a relation of persons. If the counts were
// measured twice, it returns the means of the two measurements, with weights inverse to their variances.
func (m Measurement) Rows(r privacy.Relation) []float64 {
	rows := inRows(m.Counts, unit(r))
	if m.Again == nil {
		return rows
	}
	variance, _ := m.Sigma2.Float64()
	part := m.Variance() / variance
	for i, n := range inRows(m.Again, unit(r)) {
		rows[i] = float64(part*rows[i]) + float64((1-part)*n)
	}
	return rows
}

// inRows converts counts to rows or persons. The parameter one is the number of units of a row or person.
func inRows(of []int64, one int64) []float64 {
	rows := make([]float64, len(of))
	for i, n := range of {
		rows[i] = float64(n) / float64(one)
	}
	return rows
}

// marginal converts the counts to a marginal of package loglinear, whose axes are over the values
// of the columns.
func (m Measurement) marginal(r privacy.Relation) loglinear.Marginal {
	return loglinear.Marginal{Axes: m.Axes, Counts: m.Rows(r), Variance: m.Variance()}
}

// pooled converts a marginal of values to a marginal of pooled values. All values with the same pooled value must be
// in the same cell of an axis.
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

// unpooled converts an axis over pooled values to an axis over values.
func unpooled(a table.Axis, pools []*cells.Pooling) table.Axis {
	of := make([]uint16, len(pools[a.Column].Cells))
	for v, p := range pools[a.Column].Cells {
		of[v] = uint16(a.Cell(int(p)))
	}
	return table.Axis{Column: a.Column, Cells: of, Size: a.Size}
}
