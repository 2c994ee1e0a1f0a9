package learn

import (
	"math"
	"slices"
)

// The functions of this file search for a tangent (a lower bound on the cost) whose minimum over a
// box is high. They compute in floating point. Every tangent is a valid lower bound, so the search
// affects only the running time.

const (
	mostTouches = 12  // maximum number of steps of the search
	looseBound  = 0.3 // the search stops if λ times the possible gain of the bound is below this
)

// touch searches for a tangent whose minimum over the box lo..hi is high; this minimum is a lower
// bound on the cost in the box. It extends the cost to real weights, smooths it, and searches for
// the cost's minimum over the box by projected Newton steps. The search begins at the point of the
// given tangent, or at the nearest point in the box. touch returns the best of the tangents at the
// visited points.
func (t *boxTree) touch(lo, hi []int64, from *tangent) *tangent {
	at := make([]float64, len(lo))
	for j, v := range from.at {
		at[j] = min(max(v, float64(lo[j])), float64(hi[j]))
	}
	g, bend, ridge := t.tangentAt(at), from.bend, t.space.Ridge
	best, most := g, int64(math.MinInt64)
	for step := 0; ; step++ {
		low := g.least(ridge, lo, hi)
		if low > most {
			best, most = g, low
		}
		if step == mostTouches || t.lambda*(g.value(ridge)-float64(low)) <= looseBound {
			best.bend = bend
			return best
		}
		h := t.hessian(g.at)
		bend = make([]float64, len(h))
		for j := range h {
			bend[j] = h[j][j]
		}
		g = t.step(g, h, lo, hi)
	}
}

// step takes one Newton step from the point of tangent g, and returns the tangent at the new point.
// The parameter h is the Hessian of the cost at the point of g. If the new point is clearly beyond
// the minimum along the step, step corrects it by one iteration of the secant method.
func (t *boxTree) step(g *tangent, h [][]float64, lo, hi []int64) *tangent {
	gradient := g.gradient(t.space.Ridge)
	d := leastQuadratic(gradient, h, lo, hi, g.at)
	along := func(scale float64) *tangent {
		at := make([]float64, len(d))
		for j := range d {
			at[j] = g.at[j] + scale*d[j]
		}
		return t.tangentAt(at)
	}
	next := along(1)
	before, after := product(gradient, d), product(next.gradient(t.space.Ridge), d)
	if before < 0 && after > -0.3*before {
		return along(before / (before - after))
	}
	return next
}

func product(a, b []float64) (sum float64) {
	for j := range a {
		sum += a[j] * b[j]
	}
	return sum
}

// hessian returns an approximate Hessian of the cost at a point, computed from second differences
// of the loss. It adds a small number to the diagonal, which keeps the matrix positive definite.
func (t *boxTree) hessian(at []float64) [][]float64 {
	h := make([][]float64, len(at))
	for j := range h {
		h[j] = make([]float64, len(at))
		h[j][j] = 2*float64(t.space.Ridge) + 1e-6
	}
	loss := t.space.Loss
	for i := range t.points {
		p := &t.points[i]
		s := p.score(at)
		v := float64(p.count[1]*loss.bend(s) + p.count[0]*loss.bend(-s))
		if v == 0 {
			continue
		}
		for i, j := range p.column {
			u, row := v*float64(p.x[i]), h[j]
			for k, l := range p.column[:i+1] {
				row[l] += u * float64(p.x[k])
			}
		}
	}
	for j := range h {
		for k := range j {
			h[k][j] = h[j][k]
		}
	}
	return h
}

// bend returns the curvature of the loss near a score: the second difference of the loss at the integer nearest to
// the score.
func (l ConvexLoss) bend(score float64) int64 {
	i := l.place(score)
	if i < 1 || i > len(l)-2 {
		return 0
	}
	return l[i-1] - 2*l[i] + l[i+1]
}

// leastQuadratic returns a step d that approximately minimises the quadratic model of the cost,
// gradient·d + dᵀhd/2. The step begins at the given point and ends inside the box lo..hi. The
// method is coordinate descent.
func leastQuadratic(gradient []float64, h [][]float64, lo, hi []int64, at []float64) []float64 {
	d := make([]float64, len(at))
	gradient = slices.Clone(gradient) // the gradient at d
	for range 100 {
		longest := 0.0
		for j := range d {
			v := min(max(d[j]-gradient[j]/h[j][j], float64(lo[j])-at[j]), float64(hi[j])-at[j])
			step := v - d[j]
			if step == 0 {
				continue
			}
			d[j] = v
			longest = max(longest, math.Abs(step))
			for k, u := range h[j] {
				gradient[k] += u * step
			}
		}
		if longest < 1e-4 {
			break
		}
	}
	return d
}
