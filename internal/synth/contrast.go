package synth

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Of a pair of columns the counts of single columns tell all but how they depend. So what is
// measured of it are contrasts: r·c times what is left of the counts of its r × c cells when the
// means of their rows and columns are taken off, which is whole. A row moves them by less than
// counts, on two columns of two values by half as much.

// Contrasts are the noisy contrasts of the counts of the cells of a pair.
type Contrasts struct {
	Axes   []table.Axis // two, over the columns' values
	Sigma2 *big.Rat     // σ² of the noise of each contrast, in rows or persons
	Values []int64      // row-major, the second axis fastest; in units, as of a Measurement
}

// contrasts returns those of counts that are not negative. Counts are brought to at most
// farCount over the cells first, so that no contrast is beyond ±farCount.
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

// contrastMoved is the square of how far a row moves the contrasts of r × c cells, at most:
// r(r-1)·c(c-1) if it is added, 2rc(rc - min(r, c)) if it is replaced; or 1, if these are 0.
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

// Rho is the ρ that the contrasts cost.
func (c Contrasts) Rho(r privacy.Relation) *big.Rat {
	return price(contrastMoved(r, c.Axes[0].Size, c.Axes[1].Size), c.Sigma2)
}

// Deviation is the standard deviation of the noise of each contrast, in rows.
func (c Contrasts) Deviation() float64 {
	sigma2, _ := c.Sigma2.Float64()
	return math.Sqrt(sigma2) / float64(len(c.Values))
}

// Rows returns the contrasts divided by the number of cells: by how many rows, or persons, each
// cell differs from what the means of its row and column give it, with noise.
func (c Contrasts) Rows(r privacy.Relation) []float64 {
	return inRows(c.Values, unit(r)*int64(len(c.Values)))
}

// marginal returns the contrasts in rows as a fit reads them, over the columns' values.
func (c Contrasts) marginal(r privacy.Relation) loglinear.Marginal {
	deviation := c.Deviation()
	return loglinear.Marginal{Axes: c.Axes, Counts: c.Rows(r), Variance: deviation * deviation}
}
