package portable

import (
	"math"
	"slices"
)

// Symmetric returns the eigenvalues and eigenvectors of a symmetric n × n matrix, computed
// by Jacobi rotations.
func Symmetric(a []float64, n int) (values []float64, vectors [][]float64) {
	rows := make([][]float64, n)
	vectors = make([][]float64, n)
	for i := range n {
		rows[i] = slices.Clone(a[i*n : (i+1)*n])
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	for range 30 {
		turned := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				x := rows[p][q]
				if math.Abs(x) <= 1e-12*(math.Abs(rows[p][p])+math.Abs(rows[q][q])) {
					continue
				}
				turned = true
				z := (rows[q][q] - rows[p][p]) / (2 * x)
				t := 1 / (math.Abs(z) + math.Sqrt(1+float64(z*z)))
				if z < 0 {
					t = -t
				}
				cos := 1 / math.Sqrt(1+float64(t*t))
				sin := float64(cos * t)
				Rotate(rows[p], rows[q], cos, sin)
				for _, row := range rows {
					u, v := row[p], row[q]
					row[p] = float64(cos*u) - float64(sin*v)
					row[q] = float64(sin*u) + float64(cos*v)
				}
				Rotate(vectors[p], vectors[q], cos, sin)
			}
		}
		if !turned {
			break
		}
	}
	values = make([]float64, n)
	for i := range n {
		values[i] = rows[i][i]
	}
	return values, vectors
}

func Rotate(x, y []float64, cos, sin float64) {
	for i := range x {
		a, b := x[i], y[i]
		x[i] = float64(cos*a) - float64(sin*b)
		y[i] = float64(sin*a) + float64(cos*b)
	}
}
