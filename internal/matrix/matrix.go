// Package matrix has dense matrices of real numbers: products, Cholesky factors, and the eigenvectors of symmetric
// matrices. It calls gonum's BLAS and LAPACK directly, because gonum's package mat makes the first build longer. All
// results are approximate, so they must not be used between private data and released output. They are used only for
// numbers that are already public, or that only the curator, who holds the data, sees.
package matrix

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A Dense is a matrix whose entries are all stored, row by row.
type Dense blas64.General

// New returns a matrix of the given size whose entries are all 0.
func New(rows, columns int) *Dense {
	return &Dense{Rows: rows, Cols: columns, Data: make([]float64, rows*columns), Stride: max(columns, 1)}
}

// At returns the entry in row i and column j, both counted from 0.
func (m *Dense) At(i, j int) float64 { return m.Data[i*m.Stride+j] }

// Set sets the entry in row i and column j, both counted from 0, to v.
func (m *Dense) Set(i, j int, v float64) { m.Data[i*m.Stride+j] = v }

// SetBoth sets the entries (i, j) and (j, i) of a square matrix to v, so that a symmetric matrix stays symmetric.
func (m *Dense) SetBoth(i, j int, v float64) {
	m.Set(i, j, v)
	m.Set(j, i, v)
}

// Row returns row i, counted from 0, as a slice that shares its memory with the matrix.
func (m *Dense) Row(i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// Clone returns a copy of the matrix.
func (m *Dense) Clone() *Dense {
	c := *m
	c.Data = append([]float64(nil), m.Data...)
	return &c
}

// Scale multiplies all entries by a factor.
func (m *Dense) Scale(factor float64) {
	for i := range m.Data {
		m.Data[i] *= factor
	}
}

// Add adds another matrix of the same shape to m, entry by entry.
func (m *Dense) Add(other *Dense) {
	for i, v := range other.Data {
		m.Data[i] += v
	}
}

// Norm returns the maximum absolute row sum of the matrix, which is its ∞-norm. For a symmetric matrix, this is also
// the 1-norm.
func (m *Dense) Norm() float64 { return lapack64.Lange(lapack.MaxRowSum, blas64.General(*m), nil) }

// Product returns the matrix product a·b.
func Product(a, b *Dense) *Dense {
	return product(blas.NoTrans, a, blas.NoTrans, b, New(a.Rows, b.Cols))
}

// RowProducts returns a·bᵀ: the inner products of the rows of a with the rows of b.
func RowProducts(a, b *Dense) *Dense {
	return product(blas.NoTrans, a, blas.Trans, b, New(a.Rows, b.Rows))
}

// ColumnProducts returns aᵀ·b: the inner products of the columns of a with the columns of b.
func ColumnProducts(a, b *Dense) *Dense {
	return product(blas.Trans, a, blas.NoTrans, b, New(a.Cols, b.Cols))
}

// product stores the product of the matrices a and b, each transposed if requested, in the matrix out, and returns out.
func product(transposeA blas.Transpose, a *Dense, transposeB blas.Transpose, b, out *Dense) *Dense {
	blas64.Gemm(transposeA, transposeB, 1, blas64.General(*a), blas64.General(*b), 0, blas64.General(*out))
	return out
}

// Dot returns the inner product of two vectors.
func Dot(a, b []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(a), Inc: 1, Data: a}, blas64.Vector{N: len(b), Inc: 1, Data: b})
}

// A Factor is a lower triangular matrix l, such as a Cholesky factor. It represents the product l·lᵀ.
type Factor blas64.Triangular

// Cholesky returns the Cholesky factor of a symmetric matrix. ok is false if an entry is infinite or NaN, or if the
// matrix is not numerically positive definite.
func Cholesky(a *Dense) (l *Factor, ok bool) {
	if !a.finite() {
		return nil, false
	}
	t, ok := lapack64.Potrf(a.Clone().symmetric())
	return (*Factor)(&t), ok
}

// Pivot returns the entry of the lower triangular matrix l in row i and column i.
func (l *Factor) Pivot(i int) float64 { return l.Data[i*l.Stride+i] }

// Solve returns the solution x of the linear system l·lᵀ·x = b.
func (l *Factor) Solve(b []float64) []float64 {
	x := append([]float64(nil), b...)
	lapack64.Potrs(blas64.Triangular(*l), blas64.General{Rows: len(x), Cols: 1, Data: x, Stride: 1})
	return x
}

// Inverse returns the inverse of the matrix l·lᵀ, where l is lower triangular.
func (l *Factor) Inverse() *Dense {
	inverse := New(l.N, l.N)
	for i := range l.N {
		inverse.Set(i, i, 1)
	}
	lapack64.Potrs(blas64.Triangular(*l), blas64.General(*inverse))
	return inverse
}

// Eigen returns the eigenvalues of a symmetric matrix in ascending order, and a matrix whose columns are the
// corresponding unit eigenvectors. ok is false if an entry is infinite or NaN, or if the algorithm does not converge.
func Eigen(a *Dense) (values []float64, vectors *Dense, ok bool) {
	if !a.finite() {
		return nil, nil, false
	}
	values, vectors = make([]float64, a.Rows), a.Clone()
	size := []float64{1} // the length of the work space, 1 for an empty matrix
	lapack64.Syev(lapack.EVCompute, vectors.symmetric(), values, size, -1)
	work := make([]float64, int(size[0]))
	ok = lapack64.Syev(lapack.EVCompute, vectors.symmetric(), values, work, len(work))
	return values, vectors, ok
}

// symmetric returns the symmetric matrix whose entries on and below the diagonal are those of m. It shares its memory
// with m.
func (m *Dense) symmetric() blas64.Symmetric {
	return blas64.Symmetric{N: m.Rows, Data: m.Data, Stride: m.Stride, Uplo: blas.Lower}
}

// finite reports whether all entries of the matrix are finite: none is infinite or NaN.
func (m *Dense) finite() bool {
	for _, v := range m.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
