// Package matrix has dense matrices of real numbers: products, Cholesky factors, and the eigenvectors of symmetric
// matrices. All results are approximate, so they are used only for numbers that are already public, or that are for
// the curator.
package matrix

import "math"

// A Dense is a matrix. Its entries are stored by row.
type Dense struct {
	rows, columns int
	entries       []float64
}

// New returns a matrix of zeros.
func New(rows, columns int) *Dense {
	return &Dense{rows, columns, make([]float64, rows*columns)}
}

// At returns the entry in row i and column j.
func (m *Dense) At(i, j int) float64 { return m.entries[i*m.columns+j] }

// Set sets the entry in row i and column j.
func (m *Dense) Set(i, j int, v float64) { m.entries[i*m.columns+j] = v }

// SetBoth sets the entries (i, j) and (j, i) of a square matrix.
func (m *Dense) SetBoth(i, j int, v float64) {
	m.Set(i, j, v)
	m.Set(j, i, v)
}

// Row returns row i, which shares its memory with the matrix.
func (m *Dense) Row(i int) []float64 { return m.entries[i*m.columns : (i+1)*m.columns] }

// Clone returns a copy of the matrix.
func (m *Dense) Clone() *Dense {
	return &Dense{m.rows, m.columns, append([]float64(nil), m.entries...)}
}

// Scale multiplies all entries by a factor.
func (m *Dense) Scale(factor float64) {
	for i := range m.entries {
		m.entries[i] *= factor
	}
}

// Add adds another matrix of the same shape.
func (m *Dense) Add(other *Dense) {
	for i, v := range other.entries {
		m.entries[i] += v
	}
}

// Norm returns the maximum sum of the absolute entries of a row. For a symmetric matrix this is the 1-norm too.
func (m *Dense) Norm() (most float64) {
	for i := range m.rows {
		sum := 0.0
		for _, v := range m.Row(i) {
			sum += math.Abs(v)
		}
		most = max(most, sum)
	}
	return most
}

// Transposed returns the transposed matrix.
func (m *Dense) Transposed() *Dense {
	t := New(m.columns, m.rows)
	for i := range m.rows {
		for j, v := range m.Row(i) {
			t.Set(j, i, v)
		}
	}
	return t
}

// Product returns a·b.
func Product(a, b *Dense) *Dense { return Products(a, b.Transposed()) }

// Products returns a·bᵀ: the inner products of the rows of a with the rows of b.
func Products(a, b *Dense) *Dense {
	out := New(a.rows, b.rows)
	for i := 0; i < a.rows; i += 2 {
		p, q := a.Row(i), a.Row(min(i+1, a.rows-1)) // of an odd number of rows, the last one is computed twice
		for j := 0; j < b.rows; j += 2 {
			k := min(j+1, b.rows-1)
			pr, ps, qr, qs := fourProducts(p, q, b.Row(j), b.Row(k))
			out.Set(i, j, pr)
			out.Set(i, k, ps)
			out.Set(min(i+1, a.rows-1), j, qr)
			out.Set(min(i+1, a.rows-1), k, qs)
		}
	}
	return out
}

// fourProducts returns the inner products of p and q with r and s. Computing four of them at once reads each number half
// as often.
func fourProducts(p, q, r, s []float64) (pr, ps, qr, qs float64) {
	q, r, s = q[:len(p)], r[:len(p)], s[:len(p)]
	for k, x := range p {
		y, u, v := q[k], r[k], s[k]
		pr += x * u
		ps += x * v
		qr += y * u
		qs += y * v
	}
	return pr, ps, qr, qs
}

// Dot returns the inner product of two vectors.
func Dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
