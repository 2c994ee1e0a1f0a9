package matrix

import "math"

// Cholesky returns the lower triangular matrix l with l·lᵀ = a. It reads only the entries of a on and below the
// diagonal. ok is false if a is not numerically positive definite.
func Cholesky(a *Dense) (l *Dense, ok bool) {
	l = New(a.rows, a.rows)
	for i := range a.rows {
		row := l.Row(i)
		for j := range i {
			before := l.Row(j)
			row[j] = (a.At(i, j) - Dot(row[:j], before[:j])) / before[j]
		}
		pivot := a.At(i, i) - Dot(row[:i], row[:i])
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return nil, false
		}
		row[i] = math.Sqrt(pivot)
	}
	return l, true
}

// Inverse returns the inverse of l·lᵀ, where l is a factor that Cholesky returned.
func (l *Dense) Inverse() *Dense {
	inverse := New(l.rows, l.rows)
	for i := range l.rows {
		unit := make([]float64, l.rows)
		unit[i] = 1
		copy(inverse.Row(i), l.Solve(unit))
	}
	return inverse
}

// Solve returns the solution x of l·lᵀ·x = b, where l is a factor that Cholesky returned.
func (l *Dense) Solve(b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i := range x {
		row := l.Row(i)
		x[i] = (x[i] - Dot(row[:i], x[:i])) / row[i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		row := l.Row(i)
		x[i] /= row[i]
		for j, v := range row[:i] {
			x[j] -= v * x[i]
		}
	}
	return x
}
