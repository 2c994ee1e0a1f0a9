package loglinear

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/synth/copula"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Most dependence between ordered columns is smooth: how the share of a column's value depends on the value of another
// column is nearly a polynomial of low degree in the normal score of the value. The polynomials are known, unlike singular
// vectors, which must be estimated from the noisy residuals. So smooth dependence can be told from noise even if no
// singular value can.

// degree is the highest degree of the polynomials.
const degree = 3

// normalScores returns, for each column, the normal scores of its values, or nil if the column has no ordered values. The
// parameter counts holds the estimated counts of the values, for each column, and ordered the numbers of ordered values.
func normalScores(counts [][]float64, ordered []int) [][]float64 {
	of, standard := make([][]float64, len(counts)), copula.NewNormal()
	for c := range of {
		if k := orderedValues(ordered, c); k > 0 {
			of[c] = standard.Scores(counts[c], k)
		}
	}
	return of
}

// polynomials returns orthonormal vectors over the cells of an axis, at most as many as degree. The first k of them span
// the residuals that are polynomials up to degree k: the residual of a value is its count, multiplied by a polynomial of
// its score whose mean over all rows is 0. The parameters counts and scores have the estimated count and the score of
// each value. Only the first values are ordered, as many as the parameter ordered says; the others have residual 0.
func polynomials(a table.Axis, counts, scores []float64, ordered int) (vectors [][]float64) {
	rows := 0.0
	for _, n := range counts[:ordered] {
		rows += n
	}
	weighted := make([]float64, len(counts))
	for power := range degree {
		mean := 0.0
		for v, x := range scores[:ordered] {
			weighted[v] = 1
			for range power + 1 {
				weighted[v] = float64(weighted[v] * x)
			}
			mean += float64(counts[v] * weighted[v])
		}
		mean = share(mean, rows)
		for v := range ordered {
			weighted[v] = float64(counts[v] * (weighted[v] - mean))
		}
		vector := sums(a, weighted)
		length := math.Sqrt(dot(vector, vector))
		for _, other := range vectors {
			plus(vector, other, -dot(vector, other))
		}
		if left := math.Sqrt(dot(vector, vector)); left > leastNew*length {
			vectors = append(vectors, scaled(vector, 1/left))
		}
	}
	return vectors
}

// leastNew is a lower bound on the part of a polynomial that is orthogonal to the polynomials of lower degrees, as a
// fraction of the polynomial's length. A polynomial with a smaller orthogonal part is left out.
const leastNew = 1e-6

// smooth estimates the smooth part of exact residuals from noisy ones. It shrinks the coefficients of the noisy residuals
// for the polynomials of the two axes:
//
//   - If both axes have polynomials, each product of a polynomial of one axis and a polynomial of the other has one
//     coefficient, which is shrunk separately. Products of a degree above degree + 1 are left out.
//   - If only one axis has polynomials, each of them has one coefficient for every cell of the other axis. The
//     coefficients of one polynomial are shrunk by the same factor.
//
// If no axis has polynomials, the result is 0.
func (x *residuals) smooth(noisy []float64) []float64 {
	r, c := x.axes[0].Size, x.axes[1].Size
	of := make([]float64, r*c)
	switch a, b := x.polynomials[0], x.polynomials[1]; {
	case a == nil && b == nil:
	case a == nil:
		x.smoothRows(of, transpose(noisy, r, c), b, r)
		return transpose(of, c, r)
	case b == nil:
		x.smoothRows(of, noisy, a, c)
	default:
		for i, u := range a {
			for _, v := range b[:min(len(b), degree-i)] {
				w := 0.0
				for k, y := range noisy {
					w += float64(y * float64(u[k/c]*v[k%c]))
				}
				w *= kept(float64(w*w), x.variance, 1)
				for k := range of {
					of[k] += float64(w * float64(u[k/c]*v[k%c]))
				}
			}
		}
	}
	return of
}

// smoothRows estimates the smooth part of noisy residuals if only the first axis has polynomials, and adds it to the
// slice of. The number of cells of the second axis is c.
func (x *residuals) smoothRows(of, noisy []float64, polynomials [][]float64, c int) {
	for _, u := range polynomials {
		w := make([]float64, c)
		for k, y := range noisy {
			w[k%c] += float64(y * u[k/c])
		}
		keep := kept(dot(w, w), x.variance, float64(c-1))
		for k := range of {
			of[k] += float64(keep * float64(w[k%c]*u[k/c]))
		}
	}
}

// kept returns the factor by which a vector of noisy coefficients is multiplied, given the sum of their squares. The
// parameter dimension is the dimension of the space that contains the vector, and variance is that of the noise of a
// coefficient. Shrinkage by James and Stein (1961) would replace √dimension by -2; this would keep more vectors of noise.
func kept(square, variance, dimension float64) float64 {
	return max(0, 1-share(float64(variance*(dimension+math.Sqrt(dimension))), square))
}

// shrink estimates the exact residuals of the pair from noisy ones by their singular values (see the function shrink).
func (x *residuals) shrink(noisy []float64) (estimate []float64, rank int) {
	return shrink(noisy, x.axes[0].Size, x.axes[1].Size, x.variance)
}

// estimate estimates the exact residuals of the pair from noisy ones: their smooth part, plus a matrix that shrink
// estimates from what remains. The result rank is the number of singular values of this matrix, plus 1 if there is a
// smooth part.
func (x *residuals) estimate(noisy []float64) (estimate []float64, rank int) {
	smooth := x.smooth(noisy)
	estimate, rank = x.shrink(minus(noisy, smooth))
	if dot(smooth, smooth) > 0 {
		rank++
		plus(estimate, smooth, 1)
	}
	return estimate, rank
}
