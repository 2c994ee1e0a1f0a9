package learn

import "math"

// A tangent is a lower bound on the cost of every integer weight vector w. The bound is a sum of
// exact integers, with one term for each weight:
//
//	base + Σ_j (slopes_j·w_j + ridge·w_j²).
//
// The other fields are floating-point numbers that only guide the search for tangents. The field at
// is a point where the bound is nearly equal to the cost. The field bend is the diagonal of the
// Hessian near this point, that is, the curvature of the cost along each axis.
type tangent struct {
	base     int64
	slopes   []int64
	at, bend []float64
}

// least returns the minimum of the tangent over the integer points of the box lo..hi. It is a lower
// bound on the cost of all these points.
func (g *tangent) least(ridge int64, lo, hi []int64) int64 {
	least := g.base
	for j, slope := range g.slopes {
		least += leastParabola(slope, ridge, lo[j], hi[j])
	}
	return least
}

// value returns approximately the value of tangent g, a lower bound on the cost, at the point g.at.
func (g *tangent) value(ridge int64) float64 {
	value := float64(g.base)
	for j, v := range g.at {
		value += v * (float64(g.slopes[j]) + float64(ridge)*v)
	}
	return value
}

// gradient returns approximately the gradient of tangent g at the point g.at. The cost has the same
// gradient there.
func (g *tangent) gradient(ridge int64) []float64 {
	d := make([]float64, len(g.at))
	for j, v := range g.at {
		d[j] = float64(g.slopes[j]) + 2*float64(ridge)*v
	}
	return d
}

// leastParabola returns the minimum of g·v + r·v² over the integers v in lo..hi.
func leastParabola(g, r, lo, hi int64) int64 {
	at := func(v int64) int64 { return g*v + r*v*v }
	if r == 0 {
		return min(at(lo), at(hi))
	}
	v := -g / (2 * r) // the integer minimum is within 1 of it
	least := at(min(max(v, lo), hi))
	for _, u := range []int64{v - 1, v + 1} {
		least = min(least, at(min(max(u, lo), hi)))
	}
	return least
}

// tangentAt returns a tangent whose value is nearly equal to the cost at the given point. It does
// not set the field bend.
func (t *boxTree) tangentAt(at []float64) *tangent {
	g := &tangent{slopes: make([]int64, len(at)), at: at}
	for i := range t.points {
		p := &t.points[i]
		score, slope := p.score(at), int64(0)
		if n := p.count[1]; n > 0 {
			a, b := t.space.Loss.line(score, n)
			g.base += a
			slope += b
		}
		if n := p.count[0]; n > 0 {
			a, b := t.space.Loss.line(-score, n)
			g.base += a
			slope -= b
		}
		for i, j := range p.column {
			g.slopes[j] += slope * p.x[i]
		}
	}
	return g
}

// line returns a line a + b·s that bounds the loss of count equal rows from below at every integer
// score s. At the integer i nearest to the given score, the line equals count times the loss.
//
// The slope b is an integer between the slopes of count times the loss to the left and to the right
// of i. If the score is less than i, b is nearer to the left slope, and otherwise to the right one.
func (l ConvexLoss) line(score float64, count int64) (a, b int64) {
	zero, i := len(l)/2, l.place(score)
	after := min(i, len(l)-2)
	before := max(i-1, 0)
	left, right := count*(l[before+1]-l[before]), count*(l[after+1]-l[after])
	b = left + int64((score-float64(i-zero)+0.5)*float64(right-left))
	b = min(max(b, left), right)
	return count*l[i] - b*int64(i-zero), b
}

// place returns the index, in the table l of losses, of the integer score nearest to the given
// score.
func (l ConvexLoss) place(score float64) int {
	return min(max(int(math.Floor(score+0.5))+len(l)/2, 0), len(l)-1)
}
