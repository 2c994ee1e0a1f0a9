package loglinear

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// svd returns the singular value decomposition of a row-major r × c matrix with r ≥ c: the left
// singular vectors u, the singular values s, which are not sorted, and the right singular
// vectors v. It uses one-sided Jacobi rotations.
func svd(a []float64, r, c int) (u [][]float64, s []float64, v [][]float64) {
	u, v = make([][]float64, c), make([][]float64, c)
	for j := range c {
		u[j], v[j] = make([]float64, r), make([]float64, c)
		v[j][j] = 1
		for i := range r {
			u[j][i] = a[i*c+j]
		}
	}
	for range 30 {
		turned := false
		for p := range c {
			for q := p + 1; q < c; q++ {
				pp, qq, pq := dot(u[p], u[p]), dot(u[q], u[q]), dot(u[p], u[q])
				if math.Abs(pq) <= 1e-9*math.Sqrt(float64(pp*qq)) {
					continue
				}
				turned = true
				z := (qq - pp) / (2 * pq)
				t := 1 / (math.Abs(z) + math.Sqrt(1+float64(z*z)))
				if z < 0 {
					t = -t
				}
				cos := 1 / math.Sqrt(1+float64(t*t))
				portable.Rotate(u[p], u[q], cos, cos*t)
				portable.Rotate(v[p], v[q], cos, cos*t)
			}
		}
		if !turned {
			break
		}
	}
	s = make([]float64, c)
	for j := range c {
		s[j] = math.Sqrt(dot(u[j], u[j]))
		if s[j] > 0 {
			for i := range u[j] {
				u[j][i] /= s[j]
			}
		}
	}
	return u, s, v
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}
