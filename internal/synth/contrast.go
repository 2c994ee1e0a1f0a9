package synth

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The counts of single columns determine everything about a pair of columns except the dependence of the
// two. So the mechanism measures the contrasts of a pair instead of its counts. Consider the contingency
// table of the pair with r × c cells. The contrast of a cell is r·c times
//
//	count of the cell - mean count of its row - mean count of its column + mean count of all cells,
//
// which is an integer. The sensitivity of the contrasts, divided by r·c, is lower than that of the counts.
// For two columns with two values each it is half as large.

// Contrasts holds the noisy contrasts of a pair of columns. In a contingency table of r × c cells, the contrast of a
// cell is r·c times this number: the count of the cell, less the mean counts of its row and of its column, plus the
// mean count of all cells.
type Contrasts struct {
	Axes   []table.Axis // two, over the columns' values
	Sigma2 *big.Rat     // σ² of the noise of each contrast, in rows squared or persons squared
	Values []int64      // row-major, the second axis fastest; in units, as of a Measurement
}

// contrasts computes the contrasts of the nonnegative counts of a table of r × c cells. It first limits
// each count to at most farCount/(4rc), so that every contrast is within ±farCount.
func contrasts(counts []int64, r, c int) []int64 {
	most := farCount / (4 * int64(r) * int64(c))
	rows, columns, total := make([]int64, r), make([]int64, c), int64(0)
	for k, n := range counts {
		n = min(n, most)
		rows[k/c] += n
		columns[k%c] += n
		total += n
	}
	of := make([]int64, len(counts))
	for k, n := range counts {
		of[k] = int64(r*c)*min(n, most) - int64(r)*rows[k/c] - int64(c)*columns[k%c] + total
	}
	return of
}

// contrastMoved returns γ, the squared L2 sensitivity of the contrasts of a table of r × c cells.
// Under add-remove, γ is r(r-1)·c(c-1). Under replace, it is 2rc(rc - min(r, c)). If r or c is 1,
// all contrasts are 0, and contrastMoved returns 1.
func contrastMoved(relation privacy.Relation, r, c int) *big.Rat {
	n := int64(r) * int64(c)
	moves := big.NewRat(n, 1)
	switch {
	case r == 1 || c == 1:
		return big.NewRat(1, 1)
	case relation.Replaces():
		return moves.Mul(moves, big.NewRat(2*(n-int64(min(r, c))), 1))
	}
	return moves.Mul(moves, big.NewRat(int64(r-1)*int64(c-1), 1))
}

// Rho returns the ρ that the contrasts consume under the relation r.
func (c Contrasts) Rho(r privacy.Relation) *big.Rat {
	return price(contrastMoved(r, c.Axes[0].Size, c.Axes[1].Size), c.Sigma2)
}

// Deviation returns the standard deviation of the noise on each number in Rows, in rows or persons.
func (c Contrasts) Deviation() float64 {
	sigma2, _ := c.Sigma2.Float64()
	return math.Sqrt(sigma2) / float64(len(c.Values))
}

// Rows returns the contrasts divided by r·c, in rows or persons. For each cell, this is its count less the
// mean counts of its row and of its column, plus the mean count of all cells, with noise.
func (c Contrasts) Rows(r privacy.Relation) []float64 {
	return inRows(c.Values, unit(r)*int64(len(c.Values)))
}

// marginal converts the contrasts to a marginal of package loglinear, whose axes are over the
// values of the columns.
func (c Contrasts) marginal(r privacy.Relation) loglinear.Marginal {
	deviation := c.Deviation()
	return loglinear.Marginal{Axes: c.Axes, Counts: c.Rows(r), Variance: deviation * deviation}
}
