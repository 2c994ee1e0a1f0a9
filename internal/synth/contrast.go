package synth

import (
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The counts of single columns determine everything about a pair of columns except the dependence of the two columns.
// So the mechanism measures the contrasts of a pair instead of its counts. In the contingency table of the pair, with
// r × c cells, the contrast of a cell is r·c times
//
//	count of the cell - mean count of its row - mean count of its column + mean count of all cells,
//
// which is an integer. The contrasts, divided by r·c, have a lower sensitivity than the counts: half of it if r = c =
// 2.
//
// Under add-remove, the number of rows is measured once, and not again in each column. The contrast of one of the k
// values of a column is
//
//	k·(count of the value - mean count of the values).
//
// The contrasts, divided by k, have a lower sensitivity than the counts, by the factor √½ if k = 2.

// contrasts computes the contrasts of a marginal with one or two axes (see Measurement) from its nonnegative counts.
// The parameter sizes holds the number of cells of each axis. contrasts first limits each count to farCount/4,
// divided by the number of all cells, so that every contrast is within ±farCount.
func contrasts(counts []int64, sizes ...int) []int64 {
	stride := len(counts)
	most := farCount / (4 * int64(stride))
	of := make([]int64, stride)
	for k, n := range counts {
		of[k] = min(n, most)
	}
	for _, size := range sizes {
		stride /= size
		for first := range of {
			if first/stride%size > 0 {
				continue
			}
			sum := int64(0)
			for v := range size {
				sum += of[first+v*stride]
			}
			for v := range size {
				x := &of[first+v*stride]
				*x = int64(size)*(*x) - sum
			}
		}
	}
	return of
}

// contrastMoved returns γ, the squared L2 sensitivity of all contrasts of a marginal with one or two axes of the
// given sizes. If a row is added, γ is the product of k(k-1) over the sizes k. If a row is replaced, γ is 2k² for one
// axis of size k, and 2rc(rc - min(r, c)) for two axes of sizes r and c. If a size is 1, all contrasts are 0, and
// contrastMoved returns 1.
func contrastMoved(relation privacy.Relation, sizes ...int) *big.Rat {
	n, added := int64(1), int64(1)
	for _, k := range sizes {
		n *= int64(k)
		added *= int64(k - 1)
	}
	moves := big.NewRat(n, 1)
	switch {
	case added == 0:
		return moves.SetInt64(1)
	case !relation.Replaces():
		return moves.Mul(moves, big.NewRat(added, 1))
	case len(sizes) == 1:
		return moves.Mul(moves, big.NewRat(2*n, 1))
	}
	return moves.Mul(moves, big.NewRat(2*(n-int64(slices.Min(sizes))), 1))
}

// contrastsOf returns a measurement of the contrasts of a marginal, without values yet. The parameter σ² of the noise
// of a contrast is γ, the squared sensitivity of the contrasts (see contrastMoved), times that of the given
// distribution.
func contrastsOf(axes []table.Axis, law noise.Gaussian, r privacy.Relation) Measurement {
	m := Measurement{Axes: axes, Contrasts: true}
	moves := contrastMoved(r, m.sizes()...)
	m.Sigma2 = moves.Mul(moves, law.Sigma2)
	return m
}
