package pairs

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

// This file computes the positive semidefinite matrix that has a given diagonal b and is nearest to a matrix z. It
// uses Newton's method on the dual problem (Qi and Sun, A quadratically convergent Newton method for computing the
// nearest correlation matrix, 2006). The result is the positive part of z + Diag(y), where y minimizes the convex
// function ½‖(z + Diag(y))₊‖² - ⟨b, y⟩. The gradient of this function is the diagonal of the positive part minus b.

// These constants are stopping rules and step sizes of Newton's method and of its line search. No guarantee depends
// on them.
const (
	nearestTolerance = 1e-7 // for the error of the diagonal, relative to the norm of the diagonal
	nearestSteps     = 40
	nearestHalvings  = 20
	nearestInner     = 60
)

// A projection holds the eigendecomposition of the matrix z + Diag(y), where y are the variables of Newton's method.
// The positive part of this matrix is the current approximation of the nearest matrix.
type projection struct {
	diagonal []float64
	values   []float64     // eigenvalues of z + Diag(y)
	vectors  *matrix.Dense // the eigenvectors, as columns
	error    float64       // the norm of the error of the diagonal
	value    float64       // the value of the dual function

	// few has the indices of either the positive eigenvalues or all others, whichever are fewer; positive states which.
	// fewRows has the eigenvectors of few in rows.
	positive  bool
	few       []int
	fewValues []float64
	fewRows   *matrix.Dense // nil if there are none
}

// nearest projects z onto the positive semidefinite matrices with the given diagonal, whose entries must be positive.
// If the method does not converge, it returns the best approximation that it found, or nil if it found none. It takes
// about ten eigendecompositions. The only possible error is that of the context.
func nearest(ctx context.Context, z *matrix.Dense, diagonal []float64) (*projection, error) {
	y := make([]float64, len(diagonal))
	for i := range y {
		y[i] = diagonal[i] - z.At(i, i)
	}
	p := decompose(z, diagonal, y)
	tolerance := 0.0
	for _, b := range diagonal {
		tolerance += b * b
	}
	tolerance = nearestTolerance * math.Sqrt(tolerance)
	for step := 0; p != nil && p.error > tolerance && step < nearestSteps; step++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		gradient := p.gradient()
		direction := p.solve(gradient, math.Min(0.1, p.error))
		slope := 0.0
		for i := range gradient {
			direction[i] = -direction[i]
			slope += gradient[i] * direction[i]
		}
		next := p
		for size, halvings := 1.0, 0; halvings < nearestHalvings; size, halvings = size/2, halvings+1 {
			at := make([]float64, len(y))
			for i := range y {
				at[i] = y[i] + size*direction[i]
			}
			if q := decompose(z, diagonal, at); q != nil && (q.value <= p.value+1e-4*size*slope || q.error < p.error/2) {
				next, y = q, at
				break
			}
		}
		if next == p {
			break
		}
		p = next
	}
	return p, ctx.Err()
}

// decompose returns the projection for the variables y, or nil if the eigendecomposition of z + Diag(y) fails.
func decompose(z *matrix.Dense, diagonal, y []float64) *projection {
	n := len(y)
	m := z.Clone()
	for i := range y {
		m.Set(i, i, m.At(i, i)+y[i])
	}
	values, vectors, ok := matrix.Eigen(m)
	if !ok {
		return nil
	}
	p := &projection{diagonal: diagonal, values: values, vectors: vectors}
	positive := 0
	for i, l := range p.values {
		if l > 0 {
			positive++
			p.value += l * l / 2
		}
		p.value -= diagonal[i] * y[i]
	}
	p.positive = 2*positive <= n
	for i, l := range p.values {
		if (l > 0) == p.positive {
			p.few = append(p.few, i)
			p.fewValues = append(p.fewValues, math.Abs(l))
		}
	}
	if len(p.few) > 0 {
		p.fewRows = matrix.New(len(p.few), n)
		for r, i := range p.few {
			for j := range n {
				p.fewRows.Set(r, j, p.vectors.At(j, i))
			}
		}
	}
	for _, g := range p.gradient() {
		p.error += g * g
	}
	p.error = math.Sqrt(p.error)
	if math.IsNaN(p.error + p.value) {
		return nil
	}
	return p
}

// gradient returns the gradient of the dual function: the diagonal of the positive part of the matrix, minus the
// required diagonal.
func (p *projection) gradient() []float64 {
	g := make([]float64, len(p.diagonal))
	for i := range g {
		for j, v := range p.vectors.Row(i) {
			g[i] += max(p.values[j], 0) * v * v
		}
		g[i] -= p.diagonal[i]
	}
	return g
}

// matrix returns the nearest matrix: the positive part of z + Diag(y), scaled so that it has exactly the required
// diagonal.
func (p *projection) matrix() *matrix.Dense {
	n := len(p.diagonal)
	roots := p.vectors.Clone()
	for j, l := range p.values {
		r := math.Sqrt(max(l, 0))
		for i := range n {
			roots.Set(i, j, r*roots.At(i, j))
		}
	}
	x := matrix.RowProducts(roots, roots)
	scale := make([]float64, n)
	for i := range scale {
		if v := x.At(i, i); v > 0 {
			scale[i] = math.Sqrt(p.diagonal[i] / v)
		}
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			x.SetBoth(i, j, scale[i]*scale[j]*x.At(i, j))
		}
		x.Set(i, i, p.diagonal[i])
	}
	return x
}

// The derivative of the positive part is h ↦ P(Ω∘(PᵀhP))Pᵀ, where the columns of P are the eigenvectors. For two
// eigenvalues, the entry of Ω is 1 if both are positive, 0 if neither is, and λ/(λ+|μ|) if λ > 0 ≥ μ. The identity
// minus the derivative has the same form with the signs exchanged. So it suffices to multiply by the eigenvectors of
// the eigenvalues with the rarer sign.

// share returns the factor for two eigenvectors: the one with index few in p.few, and the one with index j among all.
// The factor is 1 if their eigenvalues have the same sign. Otherwise it is twice the entry of Ω, or of 1 - Ω, for the
// two eigenvalues (defined above), because the result is a sum over both orders of the two eigenvectors.
func (p *projection) share(few, j int) float64 {
	if (p.values[j] > 0) == p.positive {
		return 1
	}
	l, m := p.fewValues[few], math.Abs(p.values[j])
	if l+m == 0 {
		return 1
	}
	return 2 * l / (l + m)
}

// weighted returns the matrix half·P with each entry multiplied by the factor that share returns. The columns of P
// are all eigenvectors.
func (p *projection) weighted(half *matrix.Dense) *matrix.Dense {
	w := matrix.Product(half, p.vectors)
	for r := range p.few {
		for j := range p.values {
			w.Set(r, j, w.At(r, j)*p.share(r, j))
		}
	}
	return w
}

// passed returns, for every two rows u and v of its argument, the fraction of the noise in the number uᵀXv that the
// projection leaves, where X is a noisy matrix. The comment above share defines Ω and P. Let U = Pᵀu and V = Pᵀv. The
// exact fraction is
//
//	Σ Ω_ab(U_a²V_b² + U_aV_aU_bV_b)/(‖u‖²‖v‖²),
//
// where a and b range over all eigenvalues. passed omits the second summand, because U_aV_a has both signs and its
// sum nearly cancels.
func (p *projection) passed(rows *matrix.Dense) *matrix.Dense {
	n := len(p.diagonal)
	shares := matrix.New(n, n)
	for a, l := range p.values {
		for b, k := range p.values {
			if positive := max(l, 0) + max(k, 0); positive > 0 {
				shares.Set(a, b, positive/(math.Abs(l)+math.Abs(k)))
			}
		}
	}
	squares := matrix.Product(rows, p.vectors)
	for i := range squares.Rows {
		row := squares.Row(i)
		norm := matrix.Dot(row, row)
		for a := range row {
			row[a] *= row[a] / norm
		}
	}
	out := matrix.RowProducts(matrix.Product(squares, shares), squares)
	for i := range out.Data {
		out.Data[i] = min(out.Data[i], 1)
	}
	return out
}

// onDiagonal returns the Hessian of the dual function times h. This is the diagonal of the derivative of the positive
// part in the direction Diag(h).
func (p *projection) onDiagonal(h []float64) []float64 {
	out := make([]float64, len(h))
	if len(p.few) > 0 {
		half := p.fewRows.Clone()
		for r := range p.few {
			for j := range h {
				half.Row(r)[j] *= h[j]
			}
		}
		product := matrix.RowProducts(p.weighted(half), p.vectors)
		for r := range p.few {
			for i := range out {
				out[i] += p.fewRows.At(r, i) * product.At(r, i)
			}
		}
	}
	if !p.positive {
		for i := range out {
			out[i] = h[i] - out[i]
		}
	}
	return out
}

// solve returns an approximate solution x of the linear system Hessian·x = g, computed by conjugate gradients. They
// stop when the norm of the residual is at most share times the norm of g. If they make no progress, solve returns 0.
func (p *projection) solve(g []float64, share float64) []float64 {
	const ridge = 1e-12
	x := make([]float64, len(g))
	r := append([]float64(nil), g...)
	d := append([]float64(nil), g...)
	rr := matrix.Dot(r, r)
	stop := share * share * rr
	for range nearestInner {
		if rr <= stop || rr == 0 {
			break
		}
		v := p.onDiagonal(d)
		for i := range v {
			v[i] += ridge * d[i]
		}
		step := rr / matrix.Dot(d, v)
		if !(step > 0) || math.IsInf(step, 0) {
			break
		}
		for i := range x {
			x[i] += step * d[i]
			r[i] -= step * v[i]
		}
		next := matrix.Dot(r, r)
		for i := range d {
			d[i] = r[i] + next/rr*d[i]
		}
		rr = next
	}
	return x
}
