package matrix

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a matrix of small integers or of real numbers.
func random(r *rand.Rand, rows, columns int) *Dense {
	m := New(rows, columns)
	whole := r.IntN(2) == 0
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
		if whole {
			m.Data[i] = float64(r.IntN(7) - 3)
		}
	}
	return m
}

// identity returns the identity matrix.
func identity(n int) *Dense {
	m := New(n, n)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// equal fails the test unless two matrices have the same shape and their entries differ by at most tolerance.
func equal(t *testing.T, what string, got, want *Dense, tolerance float64) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d×%d instead of %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for i, v := range got.Data {
		if !(math.Abs(v-want.Data[i]) <= tolerance) {
			t.Fatalf("%s: %v instead of %v, a difference above %v", what, got, want, tolerance)
		}
	}
}

// Products equal the sums of products that define them.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		a := random(r, 1+r.IntN(9), 1+r.IntN(9))
		b := random(r, a.Cols, 1+r.IntN(9))
		transposedA, transposedB := New(a.Cols, a.Rows), New(b.Cols, b.Rows)
		want := New(a.Rows, b.Cols)
		for k := range a.Cols {
			for i := range a.Rows {
				transposedA.Set(k, i, a.At(i, k))
				for j, v := range b.Row(k) {
					transposedB.Set(j, k, v)
					want.Set(i, j, want.At(i, j)+a.At(i, k)*v)
				}
			}
		}
		equal(t, "a·b", Product(a, b), want, 1e-13)
		equal(t, "a·b from the rows of b", RowProducts(a, transposedB), want, 1e-13)
		equal(t, "a·b from the columns of a", ColumnProducts(transposedA, b), want, 1e-13)
		if d := Dot(a.Row(0), transposedB.Row(0)); math.Abs(d-want.At(0, 0)) > 1e-13 {
			t.Errorf("an inner product of %v instead of %v", d, want.At(0, 0))
		}
	}
}

func TestSums(t *testing.T) {
	m := New(2, 3)
	for i := range m.Data {
		m.Data[i] = float64(i) - 3 // -3 -2 -1; 0 1 2
	}
	if got := m.Norm(); got != 6 {
		t.Errorf("a norm of %v", got)
	}
	sum := m.Clone()
	sum.Scale(2)
	sum.Add(m)
	if want := []float64{-9, -6, -3, 0, 3, 6}; !slices.Equal(sum.Data, want) {
		t.Errorf("%v instead of %v", sum.Data, want)
	}
	if m.At(1, 2) != 2 {
		t.Error("a change of a clone changes the matrix")
	}
}

// symmetric returns symmetric matrices of several kinds: general ones, of low rank, graded, diagonal with repeated
// eigenvalues, zero, and products.
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
	return []*Dense{general, low, graded, diagonal, New(n, n), RowProducts(a, a)}
}

// The eigenvectors are orthonormal, and a·v = v·λ.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for n := range 40 {
		for _, a := range symmetric(r, n) {
			before := a.Clone()
			values, vectors, ok := Eigen(a)
			if !ok || len(values) != n || !slices.IsSorted(values) {
				t.Fatalf("%v with eigenvalues %v", a, values)
			}
			scaled := vectors.Clone()
			for i := range n {
				for k, v := range values {
					scaled.Set(i, k, v*scaled.At(i, k))
				}
			}
			equal(t, "orthonormality", ColumnProducts(vectors, vectors), identity(n), 1e-13*float64(n))
			equal(t, "a·v = v·λ", Product(a, vectors), scaled, 1e-13*float64(n)*max(a.Norm(), 1))
			equal(t, "the matrix afterwards", a, before, 0)
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

// The product of a factor and its transpose is the matrix, and the solutions and inverses satisfy their equations. Larger
// matrices are factored in blocks.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for _, n := range append(slices.Repeat([]int{0, 1, 2, 3, 5, 10, 20, 40}, 5), 150) {
		a := random(r, n, n+2)
		square := RowProducts(a, a)
		square.Add(identity(n))
		before := square.Clone()
		factor, ok := Cholesky(square)
		if !ok {
			t.Fatalf("no factor of %v", square)
		}
		lower := New(n, n)
		for i := range n {
			copy(lower.Row(i)[:i], factor.Data[i*factor.Stride:])
			lower.Set(i, i, factor.Pivot(i))
		}
		tolerance := 1e-12 * float64(n) * max(square.Norm(), 1)
		equal(t, "l·lᵀ", RowProducts(lower, lower), square, tolerance)
		inverse := factor.Inverse()
		equal(t, "a·a⁻¹", Product(square, inverse), identity(n), tolerance)
		b := random(r, n, 1)
		x := New(n, 1)
		copy(x.Data, factor.Solve(b.Data))
		equal(t, "a·x", Product(square, x), b, tolerance)
		equal(t, "the matrix afterwards", square, before, 0)
		if n > 0 {
			square.Set(n-1, n-1, -1)
			if _, ok := Cholesky(square); ok {
				t.Errorf("n = %d: an indefinite matrix has a factor", n)
			}
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		a := identity(2)
		a.Set(1, 1, v)
		if _, ok := Cholesky(a); ok {
			t.Errorf("a matrix with the pivot %v has a factor", v)
		}
	}
}

func BenchmarkEigen(b *testing.B) {
	const n = 500
	a := symmetric(rand.New(rand.NewPCG(4, 0)), n)[0]
	for b.Loop() {
		if _, _, ok := Eigen(a); !ok {
			b.Fatal("no eigenvalues")
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	const n = 500
	a := random(rand.New(rand.NewPCG(4, 0)), n, n)
	for b.Loop() {
		Product(a, a)
	}
}
