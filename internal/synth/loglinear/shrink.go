package loglinear

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// residuals describe how the contingency table of two columns differs from independence: the noisy counts minus the
// counts expected for independent columns, centred so that all row and column means are 0.
type residuals struct {
	axes     []table.Axis
	values   []float64 // row-major, r × c
	variance float64   // the variance of the noise of a count, before the means were subtracted

	// polynomials has, for each axis, the vectors that the function polynomials returns, or nil if they are not used.
	polynomials [2][][]float64
}

// shrink estimates the exact residuals of a pair from its noisy residuals, an r × c matrix. The parameter variance is
// the variance of the noise of a count. shrink reduces the singular values of the matrix by the amounts that are
// optimal for squared error (Gavish and Donoho 2017), and sets those to 0 that noise alone can explain. The result
// rank is the number of the other singular values.
func shrink(noisy []float64, r, c int, variance float64) (estimate []float64, rank int) {
	if r < c {
		t, rank := shrink(transpose(noisy, r, c), c, r, variance)
		return transpose(t, c, r), rank
	}
	estimate = make([]float64, r*c)
	if c == 1 {
		return estimate, 0
	}
	u, s, v := svd(noisy, r, c)
	noise := math.Sqrt(max(variance, 1e-12) * float64(r-1))
	beta := float64(c-1) / float64(r-1)
	for q := range s {
		z := s[q] / noise
		if z <= 1+math.Sqrt(beta) {
			continue
		}
		rank++
		z2 := float64(z * z)
		part := z2 - beta - 1
		kept := s[q] * math.Sqrt(float64(part*part)-float64(4*beta)) / z2
		for i := range r {
			for j := range c {
				estimate[i*c+j] += float64(kept * u[q][i] * v[q][j])
			}
		}
	}
	return estimate, rank
}

// filled returns the contingency table with the given residuals and with the row totals a and column totals b. The
// slice expected holds the counts that are expected for independent columns (see Fit.expected). A count of the result
// is 0 if its expected count is 0, and otherwise at least the fraction floor of its expected count.
//
// If the residuals lead to smaller counts, filled raises these counts by a Euclidean projection. It changes the other
// counts by equal amounts instead of in proportion to their size, so noise in empty cells changes large counts
// little.
func filled(residuals, expected, a, b []float64) []float64 {
	least, above := make([]float64, len(residuals)), make([]float64, len(residuals))
	for k, e := range expected {
		least[k] = float64(floor * e)
		if e > 0 {
			above[k] = e + residuals[k] - least[k]
		}
	}
	nearest(above, scaled(a, 1-floor), scaled(b, 1-floor))
	for k, x := range least {
		above[k] += x
	}
	rake(above, a, b, rakes)
	return above
}

// nearest replaces the table x by the nearest nonnegative table (in Euclidean distance) whose row totals are at most
// a and whose column totals are at most b. It uses block coordinate ascent, which computes the dual variables of the
// rows and those of the columns in turn.
func nearest(x, a, b []float64) {
	r, c := len(a), len(b)
	ofRow, ofColumn := make([]float64, r), make([]float64, c)
	line := make([]float64, max(r, c))
	for range nearestRounds {
		for i := range r {
			for j := range c {
				line[j] = x[i*c+j] - ofColumn[j]
			}
			ofRow[i] = taken(line[:c], a[i])
		}
		for j := range c {
			for i := range r {
				line[i] = x[i*c+j] - ofRow[i]
			}
			ofColumn[j] = taken(line[:r], b[j])
		}
	}
	for k := range x {
		x[k] = max(0, x[k]-ofRow[k/c]-ofColumn[k%c])
	}
}

const nearestRounds = 30

// taken returns the least number t ≥ 0 for which the sum of max(count - t, 0) over all counts is at most total.
func taken(counts []float64, total float64) float64 {
	left, most := simplex.Project(counts, total), 0.0
	for k, n := range counts {
		most = max(most, n-left[k])
	}
	return most
}

func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for k := range x {
		y[k] = float64(by * x[k])
	}
	return y
}

// floor is the minimum ratio of an estimated count to its expected value for independent columns.
const floor = .002

func transpose(x []float64, r, c int) []float64 {
	t := make([]float64, len(x))
	for i := range r {
		for j := range c {
			t[j*r+i] = x[i*c+j]
		}
	}
	return t
}

// centre subtracts from each row of the r × c matrix x its mean, and then from each column its mean.
func centre(x []float64, r, c int) {
	for i := range r {
		sum := 0.0
		for j := range c {
			sum += x[i*c+j]
		}
		for j := range c {
			x[i*c+j] -= sum / float64(c)
		}
	}
	for j := range c {
		sum := 0.0
		for i := range r {
			sum += x[i*c+j]
		}
		for i := range r {
			x[i*c+j] -= sum / float64(r)
		}
	}
}

const rakes = 50 // rounds of rake after which the totals are nearly right

// rake scales the rows and the columns of x in turn, so that the row totals approach a and the column totals approach
// b (iterative proportional fitting). The parameter rounds is the number of repetitions.
func rake(x []float64, a, b []float64, rounds int) {
	c := len(b)
	for range rounds {
		for i := range a {
			sum := 0.0
			for j := range b {
				sum += x[i*c+j]
			}
			if sum > 0 {
				for j := range b {
					x[i*c+j] *= a[i] / sum
				}
			}
		}
		for j := range b {
			sum := 0.0
			for i := range a {
				sum += x[i*c+j]
			}
			if sum > 0 {
				for i := range a {
					x[i*c+j] *= b[j] / sum
				}
			}
		}
	}
}
