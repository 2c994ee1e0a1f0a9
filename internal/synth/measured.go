package synth

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Measured holds everything that a release of synthetic data publishes about the private rows: noisy counts and
// contrasts, and the selected conjunctions. Computations from these values consume no further privacy budget.
type Measured struct {
	Domain   Domain
	Relation privacy.Relation
	Number   *Measurement  // count of all rows; nil if it was not measured, because columns have counts
	Columns  []Measurement // counts or contrasts of all values of each column
	Pairs    []Measurement // the contrasts of all pairs, in the order of Domain.pairs
	Rounds   []Round

	// Bins has the counts of the bins of each column that has bins. The entry of any other column is the zero value. Bins
	// is nil if no bins were measured.
	Bins []Measurement

	// Planned is the cost of the plan, which is at least that of the measurements for every outcome of the release. Its
	// Square is nil if the budget was a ρ. In a file of an earlier version, Planned is the zero value.
	Planned Cost
}

// A Measurement holds noisy counts or contrasts of the cells of a marginal. A row belongs to at most one cell. A
// count is the sum of the weights of the rows in the cell. Each row has the weight 1 or, if neighbouring tables
// differ in a person, all rows of a person together have the weight table.Weight.
//
// If the marginal has r × c cells, the contrast of a cell is r·c times the difference that remains of its count after
// the means of its row and its column are subtracted and the mean of all cells is added. If the marginal has k cells
// of one column, the contrast of a cell is k times the difference of its count and the mean count.
type Measurement struct {
	Axes      []table.Axis // the axes, over the columns' values
	Sigma2    *big.Rat     // σ² of the noise of each count, in rows squared or persons squared
	Counts    []int64      // sums of weights (or of their contrasts), row-major, the last axis fastest
	Contrasts bool         // whether Counts are contrasts
	Bins      bool         // whether the axis is over the bins of a column instead of its values

	// Again is a second measurement of the same counts, and AgainSigma2 is σ² of its noise. Both are nil if there is none.
	Again       []int64
	AgainSigma2 *big.Rat
}

// A Round holds the result of a round of a release: the selected conjunction, and the measured marginal of its
// columns. The conjunction is not stored separately, because the axes of the measurement determine it: each axis has
// two cells, of which cell 1 has the values that satisfy the conjunction's term for this column, and cell 0 has all
// other values.
type Round struct {
	Fewer       bool            // whether it was selected because it has fewer rows than the model expects
	Epsilon     privacy.Decimal // ε of the selection
	Measurement Measurement
}

// MostCount is the maximum absolute value of a released count. JSON parsers with 64-bit floating-point numbers read
// all such counts exactly.
const MostCount = 1 << 53

// Rho returns the exact ρ of the release in zCDP: the sum of the ρ of all measurements and selections.
func (m *Measured) Rho() *big.Rat { return m.cost().Rho }

// cost returns the exact cost of the release: the part of the privacy budget that all measurements and selections
// consume.
func (m *Measured) cost() Cost {
	all := slices.Concat(m.Columns, m.Pairs)
	if m.Number != nil {
		all = append(all, *m.Number)
	}
	for _, bins := range m.Bins {
		if bins.Counts != nil {
			all = append(all, bins)
		}
	}
	sum := noCost()
	for _, of := range all {
		sum = sum.plus(of.Cost(m.Relation), 1)
	}
	for _, r := range m.Rounds {
		sum = sum.plus(selection(r.Epsilon), 1).plus(r.Measurement.Cost(m.Relation), 1)
	}
	return sum
}

// Cost returns the part of the privacy budget that the measurement consumes under the neighbour relation r.
func (m Measurement) Cost(r privacy.Relation) Cost {
	moves, unit := moved(r), whole(1)
	if m.Contrasts {
		moves = contrastMoved(r, m.sizes()...)
		if unit.Set(moves); len(m.Axes) == 1 {
			unit = whole(m.Axes[0].Size * m.Axes[0].Size)
		}
		moves.Quo(moves, unit)
	}
	// Dividing by the unit increases the μ² slightly, but keeps the denominators of sums small.
	sum := price(moves, new(big.Rat).Quo(m.Sigma2, unit))
	if m.Again != nil {
		sum = sum.plus(price(moves, new(big.Rat).Quo(m.AgainSigma2, unit)), 1)
	}
	return sum
}

// numberOf returns a measurement of the number of rows, without a value yet.
func numberOf(d Domain, sigma2 *big.Rat) Measurement {
	all := table.Axis{Column: 0, Cells: make([]uint16, d.Columns[0].Size), Size: 1}
	return Measurement{Axes: []table.Axis{all}, Sigma2: sigma2}
}

// binsOf returns a measurement of the bins of column j, without values yet.
func binsOf(j, bins int, sigma2 *big.Rat) Measurement {
	return Measurement{Axes: []table.Axis{{Column: j, Size: bins}}, Sigma2: sigma2, Bins: true}
}

// sizes returns the number of cells of each axis of the marginal.
func (m Measurement) sizes() []int {
	of := make([]int, len(m.Axes))
	for i, a := range m.Axes {
		of[i] = a.Size
	}
	return of
}

// scale returns the number by which the values in Counts are multiplied: the number of cells for contrasts, and
// otherwise 1.
func (m Measurement) scale() int64 {
	if m.Contrasts {
		return int64(len(m.Counts))
	}
	return 1
}

// Variance returns the variance of the noise of each number that Rows returns.
func (m Measurement) Variance() float64 {
	variance, _ := m.Sigma2.Float64()
	if m.Again != nil {
		variance = meanVariance(variance, m.AgainSigma2)
	}
	scale := float64(m.scale())
	return variance / (scale * scale)
}

// Deviation returns the standard deviation of the noise of each number that Rows returns.
func (m Measurement) Deviation() float64 { return math.Sqrt(m.Variance()) }

// meanVariance returns the variance of the weighted mean of two measurements with the variances variance and again,
// if the weights are the inverses of the variances.
func meanVariance(variance float64, again *big.Rat) float64 {
	other, _ := again.Float64()
	return variance / (1 + variance/other)
}

// Guarantee returns the privacy guarantee of the release. It is the guarantee of the plan or, if the plan is unknown,
// the guarantee that follows from the cost of all measurements and selections. It returns an error if there are none,
// or if the neighbour relation is invalid.
func (m *Measured) Guarantee() (privacy.Guarantee, error) {
	c := m.Planned
	if c.Rho == nil {
		c = m.cost()
	}
	g, err := c.guarantee(m.Relation)
	if err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	return g, nil
}

// histograms returns the noisy counts of each column as a histogram, the form from which package cells pools rare
// values.
func (m *Measured) histograms() []cells.Histogram {
	of := make([]cells.Histogram, len(m.Columns))
	for j, c := range m.Columns {
		of[j] = cells.Histogram{Counts: m.Values(j), Variance: c.Variance(), Ordered: m.Domain.Columns[j].Ordered}
	}
	return of
}

// Values returns the noisy counts of the values of column j, in rows or persons. If contrasts of the column were
// measured, it adds the mean count, which it computes from the noisy number of rows.
func (m *Measured) Values(j int) []float64 {
	rows := m.Columns[j].Rows(m.Relation)
	if m.Columns[j].Contrasts {
		for v := range rows {
			rows[v] += m.Total() / float64(len(rows))
		}
	}
	return rows
}

// Total estimates the number of non-null rows: it returns the measured number of rows or, if this was not measured,
// an estimate from the counts of the columns. The result is not negative.
func (m *Measured) Total() float64 {
	if m.Number != nil {
		return max(0, m.Number.Rows(m.Relation)[0])
	}
	return cells.Total(m.histograms())
}

// TotalVariance returns the variance of the noise of the number that Total returns, before negative numbers are
// raised to 0.
func (m *Measured) TotalVariance() float64 {
	if m.Number != nil {
		return m.Number.Variance()
	}
	sum := 0.0
	for _, c := range m.Columns {
		sum += 1 / (float64(len(c.Counts)) * c.Variance())
	}
	return 1 / sum
}

// pools decides, for each column, which rare values are pooled, that is treated as one value. The decision depends
// only on the released counts of the columns and on the public options of the fit.
func (m *Measured) pools(f Fitting) []*cells.Pooling {
	of := m.histograms()
	total := cells.Total(of)
	if !f.First {
		of = cells.Shrunk(of, total)
	}
	pools := make([]*cells.Pooling, len(of))
	for j, h := range of {
		if h.First = f.First; !f.First {
			h.Free = f.free(m.Domain, j)
		}
		pools[j] = h.Pool(total)
	}
	return pools
}

// Rows returns the measured values as numbers of rows or, if neighbouring tables differ in a person, as numbers of
// persons. It divides contrasts by the number of cells. If the counts were measured twice, it returns the means of
// the two measurements, weighted by the inverses of their variances.
func (m Measurement) Rows(r privacy.Relation) []float64 {
	one := unit(r) * m.scale()
	rows := inRows(m.Counts, one)
	if m.Again == nil {
		return rows
	}
	variance, _ := m.Sigma2.Float64()
	part := meanVariance(variance, m.AgainSigma2) / variance
	for i, n := range inRows(m.Again, one) {
		rows[i] = float64(part*rows[i]) + float64((1-part)*n)
	}
	return rows
}

// inRows divides sums of weights by one, the weight of a row or person, so the results are numbers of rows or
// persons.
func inRows(of []int64, one int64) []float64 {
	rows := make([]float64, len(of))
	for i, n := range of {
		rows[i] = float64(n) / float64(one)
	}
	return rows
}

// marginal returns the measurement in the form in which package loglinear fits a model to it.
func (m Measurement) marginal(r privacy.Relation) loglinear.Marginal {
	return loglinear.Marginal{Axes: m.Axes, Counts: m.Rows(r), Variance: m.Variance()}
}

// pooled converts a marginal over values to a marginal over pooled values. On each axis, all values that share a
// pooled value must be in the same cell.
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

// unpooled converts an axis over the pooled values of a column to an axis over its values.
func unpooled(a table.Axis, pools []*cells.Pooling) table.Axis {
	of := make([]uint16, len(pools[a.Column].Cells))
	for v, p := range pools[a.Column].Cells {
		of[v] = uint16(a.Cell(int(p)))
	}
	return table.Axis{Column: a.Column, Cells: of, Size: a.Size}
}
