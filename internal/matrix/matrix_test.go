package matrix

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// random returns a matrix of small integers or of real numbers.
func random(r *rand.Rand, rows, columns int) *Dense {
	m := New(rows, columns)
	whole := r.IntN(2) == 0
	for i := range m.entries {
		m.entries[i] = r.NormFloat64()
		if whole {
			m.entries[i] = float64(r.IntN(7) - 3)
		}
	}
	return m
}

// gonumOf returns the same matrix of package gonum, an independent implementation.
func gonumOf(m *Dense) *mat.Dense {
	return mat.NewDense(m.rows, m.columns, append([]float64(nil), m.entries...))
}

// distance returns the maximum absolute difference of entries.
func distance(a *Dense, b mat.Matrix) (most float64) {
	for i := range a.rows {
		for j := range a.columns {
			d := math.Abs(a.At(i, j) - b.At(i, j))
			if math.IsNaN(d) {
				return math.Inf(1)
			}
			most = max(most, d)
		}
	}
	return most
}

func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		a, b := random(r, 1+r.IntN(9), 1+r.IntN(9)), random(r, 1+r.IntN(9), 1+r.IntN(9))
		b = New(a.columns, b.columns)
		for i := range b.entries {
			b.entries[i] = r.NormFloat64()
		}
		var want mat.Dense
		want.Mul(gonumOf(a), gonumOf(b))
		if d := distance(Product(a, b), &want); d > 1e-13 {
			t.Errorf("%d×%d·%d×%d: a difference of %v", a.rows, a.columns, b.rows, b.columns, d)
		}
		if c := a.Transposed().Transposed(); !slices.Equal(c.entries, a.entries) {
			t.Error("transposing twice changes the matrix")
		}
		sum := a.Clone()
		sum.Scale(2)
		sum.Add(a)
		for i, v := range sum.entries {
			if v != 2*a.entries[i]+a.entries[i] {
				t.Fatal(sum, a)
			}
		}
	}
}

// symmetric returns symmetric matrices of several kinds: general ones, with repeated eigenvalues, of low rank, graded,
// diagonal and zero.
func symmetric(r *rand.Rand, n int) (all []*Dense) {
	a := random(r, n, n)
	general, low, graded, diagonal := New(n, n), New(n, n), New(n, n), New(n, n)
	x := random(r, n, 1)
	for i := range n {
		for j := range i + 1 {
			general.SetBoth(i, j, a.At(i, j))
			low.SetBoth(i, j, x.At(i, 0)*x.At(j, 0))
			graded.SetBoth(i, j, a.At(i, j)*math.Pow(10, -float64(i+j)/float64(n)*6))
		}
		diagonal.Set(i, i, float64(i%3))
	}
	return []*Dense{general, low, graded, diagonal, New(n, n), Products(a, a)}
}

// norm returns the maximum absolute entry, or 1 if it is smaller.
func norm(m *Dense) float64 {
	most := 1.0
	for _, v := range m.entries {
		most = max(most, math.Abs(v))
	}
	return most
}

// The eigenvectors are orthonormal and diagonalize the matrix, and the eigenvalues equal those of gonum.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for n := range 40 {
		for _, a := range symmetric(r, n) {
			lower := a.Clone()
			for i := range n {
				for j := i + 1; j < n; j++ {
					lower.Set(i, j, math.NaN()) // these entries are not read
				}
			}
			values, vectors, ok := Eigen(lower)
			if !ok {
				t.Fatalf("no eigenvalues of %v", a)
			}
			if n == 0 {
				continue
			}
			tolerance := 1e-13 * float64(n) * norm(a)
			identity, diagonal := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			for i := range n {
				identity.Set(i, i, 1)
				diagonal.Set(i, i, values[i])
			}
			if d := distance(Products(vectors, vectors), identity); d > 1e-13*float64(n) {
				t.Errorf("n = %d: the vectors miss orthonormality by %v", n, d)
			}
			if d := distance(Products(Product(vectors, a), vectors), diagonal); d > tolerance {
				t.Errorf("n = %d: the vectors miss a diagonal matrix by %v", n, d)
			}
			var theirs mat.EigenSym
			upper := mat.NewSymDense(n, append([]float64(nil), a.entries...))
			if !theirs.Factorize(upper, false) {
				t.Fatal("gonum has no eigenvalues")
			}
			ours := slices.Sorted(slices.Values(values))
			for i, v := range theirs.Values(nil) {
				if math.Abs(v-ours[i]) > tolerance {
					t.Errorf("n = %d: eigenvalue %v instead of %v", n, ours[i], v)
				}
			}
		}
	}
}

func TestEigenRefuses(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := New(3, 3)
		a.SetBoth(2, 1, v)
		if _, _, ok := Eigen(a); ok {
			t.Errorf("a matrix with %v has eigenvalues", v)
		}
	}
	a := New(2, 2)
	a.SetBoth(1, 0, math.MaxFloat64) // the sum of squares overflows
	a.Set(0, 0, math.MaxFloat64)
	if values, _, ok := Eigen(a); ok && (math.IsNaN(values[0]) || math.IsNaN(values[1])) {
		t.Error("NaN as eigenvalues")
	}
}

func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for n := 1; n < 40; n++ {
		a := random(r, n, n+2)
		square := Products(a, a)
		for i := range n {
			square.Set(i, i, square.At(i, i)+1)
		}
		l, ok := Cholesky(square)
		if !ok {
			t.Fatalf("no factor of %v", square)
		}
		if d := distance(Products(l, l), gonumOf(square)); d > 1e-13*float64(n)*norm(square) {
			t.Errorf("n = %d: the factor misses the matrix by %v", n, d)
		}
		x := random(r, n, 1).entries
		b := make([]float64, n)
		for i := range b {
			b[i] = Dot(square.Row(i), x)
		}
		for i, v := range l.Solve(b) {
			if math.Abs(v-x[i]) > 1e-10*norm(square) {
				t.Errorf("n = %d: the solution has %v instead of %v", n, v, x[i])
			}
		}
		square.Set(n-1, n-1, -1)
		if _, ok := Cholesky(square); ok {
			t.Errorf("n = %d: an indefinite matrix has a factor", n)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		a := New(1, 1)
		a.Set(0, 0, v)
		if _, ok := Cholesky(a); ok {
			t.Errorf("%v has a factor", v)
		}
	}
}

func BenchmarkEigen(b *testing.B) {
	const n = 500
	a := random(rand.New(rand.NewPCG(4, 0)), n, n)
	for b.Loop() {
		if _, _, ok := Eigen(a); !ok {
			b.Fatal("no eigenvalues")
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	const n = 500
	a := random(rand.New(rand.NewPCG(4, 0)), n, n)
	for b.Loop() {
		Products(a, a)
	}
}
