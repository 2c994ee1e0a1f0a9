package matrix

import (
	"math"
	"slices"
)

// This file computes eigenvectors in two steps: Householder reflections reduce the matrix to a tridiagonal one, whose
// eigenvalues the QL algorithm with implicit shifts computes. These are the procedures tred2 and tql2 of Bowdler,
// Martin, Reinsch and Wilkinson (1968), as in EISPACK and JAMA. The vectors are stored in rows, so that all inner loops
// run along rows.

// mostSweeps is the maximum number of steps of the QL algorithm for an eigenvalue. It usually needs one or two.
const mostSweeps = 60

// Eigen returns the eigenvalues of a symmetric matrix, and a matrix whose row k is a unit eigenvector of eigenvalue k. It
// reads only the entries of a on and below the diagonal. ok is false if a has infinite entries or NaN, or if the
// algorithm does not converge.
func Eigen(a *Dense) (values []float64, vectors *Dense, ok bool) {
	n := a.rows
	e := eigen{make([]float64, n), make([]float64, n), New(n, n)}
	for i := range n {
		for j := range i + 1 {
			v := a.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, false
			}
			e.vectors.SetBoth(i, j, v)
		}
	}
	if n == 0 {
		return e.diagonal, e.vectors, true
	}
	e.tridiagonalize()
	return e.diagonal, e.vectors, e.diagonalize()
}

// An eigen holds the state of the algorithm. Its fields are d, e and Vᵀ in the sources.
type eigen struct {
	diagonal, beside []float64
	vectors          *Dense
}

// tridiagonalize replaces the matrix in vectors by the product of the reflections, and stores the tridiagonal matrix in
// diagonal and beside; beside[i] is the entry at (i-1, i).
func (e *eigen) tridiagonalize() {
	d, b, v := e.diagonal, e.beside, e.vectors
	n := len(d)
	for j := range n {
		d[j] = v.At(j, n-1)
	}
	for i := n - 1; i > 0; i-- {
		d[i] = e.reflect(i)
	}
	for i := range n - 1 {
		v.Set(i, n-1, v.At(i, i))
		v.Set(i, i, 1)
		next := v.Row(i + 1)[:i+1]
		if h := d[i+1]; h != 0 {
			for k, x := range next {
				d[k] = x / h
			}
			for j := range i + 1 {
				subtract(v.Row(j)[:i+1], Dot(next, v.Row(j)), d)
			}
		}
		clear(next)
	}
	for j := range n {
		d[j] = v.At(j, n-1)
		v.Set(j, n-1, 0)
	}
	v.Set(n-1, n-1, 1)
	b[0] = 0
}

// reflect eliminates row i of the matrix except for the entry beside the diagonal. It returns half the squared norm of the
// vector of the reflection, or 0 if there is no reflection.
func (e *eigen) reflect(i int) float64 {
	d, b, v := e.diagonal[:i], e.beside, e.vectors
	scale := 0.0
	for _, x := range d {
		scale += math.Abs(x)
	}
	if scale == 0 {
		b[i] = d[i-1]
		for j := range d {
			d[j] = v.At(j, i-1)
			v.SetBoth(i, j, 0)
		}
		return 0
	}
	h := 0.0
	for k := range d {
		d[k] /= scale
		h += d[k] * d[k]
	}
	f := d[i-1]
	g := math.Copysign(math.Sqrt(h), -f)
	b[i] = scale * g
	h -= f * g
	d[i-1] = f - g
	along := b[:i] // the product of the matrix and d
	clear(along)
	for j, f := range d {
		v.Set(i, j, f)
		row := v.Row(j)
		g := along[j] + row[j]*f
		for k := j + 1; k < i; k++ {
			g += row[k] * d[k]
			along[k] += row[k] * f
		}
		along[j] = g
	}
	f = 0
	for j := range along {
		along[j] /= h
		f += along[j] * d[j]
	}
	subtract(along, f/(h+h), d)
	for j := range d {
		f, g, row := d[j], along[j], v.Row(j)
		for k := j; k < i; k++ {
			row[k] -= f*along[k] + g*d[k]
		}
		d[j] = row[i-1]
		row[i] = 0
	}
	return h
}

// diagonalize computes the eigenvalues and eigenvectors from the tridiagonal matrix. It returns false if the algorithm does
// not converge.
func (e *eigen) diagonalize() bool {
	d, b := e.diagonal, e.beside
	copy(b, b[1:])
	b[len(b)-1] = 0
	shift, largest := 0.0, 0.0
	for l := range d {
		largest = max(largest, math.Abs(d[l])+math.Abs(b[l]))
		small := func(x float64) bool { return math.Abs(x) <= 0x1p-52*largest }
		m := l + slices.IndexFunc(b[l:], small)
		if m < l {
			return false
		}
		for sweep := 0; m > l; sweep++ {
			if sweep == mostSweeps {
				return false
			}
			shift += e.shift(l)
			e.sweep(l, m)
			if small(b[l]) {
				break
			}
		}
		d[l] += shift
		b[l] = 0
	}
	return true
}

// shift subtracts from the diagonal, from entry l on, a number close to eigenvalue l, and returns the number.
func (e *eigen) shift(l int) float64 {
	d, b := e.diagonal, e.beside
	g := d[l]
	p := (d[l+1] - g) / (2 * b[l])
	r := math.Copysign(math.Hypot(p, 1), p)
	d[l], d[l+1] = b[l]/(p+r), b[l]*(p+r)
	h := g - d[l]
	for i := l + 2; i < len(d); i++ {
		d[i] -= h
	}
	return h
}

// sweep executes an implicit QL step on the entries l to m.
func (e *eigen) sweep(l, m int) {
	d, b := e.diagonal, e.beside
	next, beside := d[l+1], b[l+1]
	p, c, s := d[m], 1.0, 0.0
	c2, c3, s2 := c, c, 0.0
	for i := m - 1; i >= l; i-- {
		c3, c2, s2 = c2, c, s
		g, h := c*b[i], c*p
		r := math.Hypot(p, b[i])
		b[i+1] = s * r
		s, c = b[i]/r, p/r
		p = c*d[i] - s*g
		d[i+1] = h + s*(c*g+s*d[i])
		x, y := e.vectors.Row(i), e.vectors.Row(i+1)
		for k := range x {
			x[k], y[k] = c*x[k]-s*y[k], s*x[k]+c*y[k]
		}
	}
	p = -s * s2 * c3 * beside * b[l] / next
	b[l], d[l] = s*p, c*p
}

// subtract subtracts factor times the vector of from to.
func subtract(to []float64, factor float64, of []float64) {
	of = of[:len(to)]
	for k, x := range of {
		to[k] -= factor * x
	}
}
