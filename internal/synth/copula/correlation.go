package copula

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// Correlation estimates the correlation ρ of two components of the normal vector that determines the columns of a
// table. Each of the two components determines one column. The parameters are computed from the mean scores (see
// Normal.Scores) of the columns' values, or of groups of values: the covariance of the scores of the two columns, and
// the variances a and b of the scores.
//
// The covariance is about a·b·ρ for small ρ, and √(a·b) for ρ = 1 if both columns have the same values. In between,
// it is taken to be a·b·ρ + (√(a·b) - a·b)·ρ⁷. For 3 to 16 values with equal numbers of rows and ρ up to .95, the
// error of ρ is then at most .03. The result is within ±1.
func Correlation(covariance, a, b float64) float64 {
	linear := float64(a * b)
	rest := math.Sqrt(linear) - linear
	low, high := 0.0, 1.0
	for range 30 {
		middle := (low + high) / 2
		cube := float64(float64(middle*middle) * middle)
		if float64(linear*middle)+float64(rest*float64(float64(cube*cube)*middle)) < math.Abs(covariance) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Copysign(low, covariance)
}

// Inverse returns the inverse of a k × k matrix of estimated correlations, with changed eigenvalues. Negative
// eigenvalues become 0, ridge is added to all of them, and the result is divided by 1 + ridge. Without a ridge, the
// noise of small eigenvalues would dominate the inverse.
func Inverse(correlations []float64, k int, ridge float64) []float64 {
	values, vectors := portable.Symmetric(correlations, k)
	of := make([]float64, k*k)
	for e, x := range values {
		x = (1 + ridge) / max(float64(max(x, 0)+ridge), least)
		for i := range k {
			for j := range k {
				of[i*k+j] += float64(x * float64(vectors[e][i]*vectors[e][j]))
			}
		}
	}
	return of
}

// least is the minimum eigenvalue of a matrix that Inverse inverts, after ridge was added. Smaller eigenvalues are
// replaced by it.
const least = .02
