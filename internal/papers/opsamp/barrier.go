package opsamp

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// A search minimizes F over the interior of the box of weights, or of a face of this box:
//
//	F(w) = f(w) - μ·Σ_j [ln(bound - w_j) + ln(bound + w_j)],  μ = 2^-level
//
// Here f is the perturbed loss, and the sum is a logarithmic barrier. The hinge loss is smoothed with the same μ, so
// F is smooth and strictly convex.
//
// The search takes Newton steps. Weights, gradients and step lengths are in fixed point. Second derivatives are in
// floating point: if they are inaccurate, so is the direction of a step, which only makes the search slower.
type search struct {
	face
	bits  uint // weights and gradients are in units of 2^-bits
	level int  // determines μ = 2^-level
	last  int  // the last level
	exact bool // whether derivatives are computed in fixed point, with errors below 2^-bits, or in floating point
}

// A point holds weights w in the interior of the box, and the derivatives of f and F at w.
type point struct {
	w            []*big.Int
	lossGradient []*big.Int // g, the gradient of f
	gap          *big.Int   // if exact, the sum of the Fenchel-Young gaps, in units of 2^-(2·bits)
	gradient     []*big.Int // the gradient of F
	curvatures   []float64  // for each point of the data, the second derivative of its loss
}

// levelStep is the difference between successive levels of the central path: from one level to the next, μ = 2^-level
// is divided by 2^levelStep.
const levelStep = 4

// search returns a search on the face with weights in units of 2^-bits. It computes derivatives in fixed point if
// exact is true, and otherwise in floating point.
func (f face) search(bits uint, exact bool) search {
	return search{face: f, bits: bits, last: f.lastLevel(), exact: exact}
}

// follow follows the central path, which consists of the minimizers of F for increasing levels. It starts at the
// weights w and the given level, ends at the last level, and takes at most the given number of steps at each level.
// Its first two results are the weights and the level from which another search can continue.
//
// An exact search ends as soon as a point is certified. The third result is then its weights, in units of
// 1/weightGrid, and the first result is nil. A search in floating point ends at the first level at which it does not
// converge.
func (s search) follow(ctx context.Context, w []*big.Int, level, steps int) ([]*big.Int, int, []*big.Int) {
	for s.level = level; ; s.level = min(s.level+levelStep, s.last) {
		at := s.evaluate(w)
		settled := false
		for i := 0; i < steps && !settled; i++ {
			if ctx.Err() != nil {
				return w, s.level, nil
			}
			if s.exact {
				if u := s.round(at.w, s.bits); s.certified(at, u, s.bits) {
					return nil, s.level, u
				}
			}
			next, ok := s.step(at)
			if ok {
				at = next
			}
			settled = !ok
		}
		if !settled && !s.exact {
			return w, s.level, nil
		}
		w = at.w
		if s.level == s.last {
			return w, s.level, nil
		}
	}
}

// evaluate returns the point with the weights w, which must be in the interior of the box, and with the derivatives
// there.
func (s search) evaluate(w []*big.Int) point {
	at := point{w: w, gap: new(big.Int)}
	if s.exact {
		s.evaluateExact(&at)
	} else {
		s.evaluateFloat(&at)
	}
	for j, g := range at.lossGradient {
		up, down := s.distances(w[j])
		barrier := new(big.Int).Lsh(big.NewInt(1), uint(2*int(s.bits)-s.level))
		pull := new(big.Int).Quo(barrier, down)
		at.gradient = append(at.gradient, pull.Sub(barrier.Quo(barrier, up), pull).Add(pull, g))
	}
	return at
}

// distances returns the distances of the weight w from the upper and from the lower limit of the box.
func (s search) distances(w *big.Int) (up, down *big.Int) {
	side := new(big.Int).Lsh(big.NewInt(s.bound), s.bits)
	return new(big.Int).Sub(side, w), new(big.Int).Add(side, w)
}

// sharpness returns the parameter count/(2μ) of the smoothed hinge loss for a point that occurs count times in the
// data, where μ = 2^-level. The greater it is, the less the smoothed loss differs from the hinge loss.
func (s search) sharpness(count int64) float64 { return math.Ldexp(float64(count), s.level-1) }

// evaluateExact sets three fields of the given point: the gradient of f, the sum of the duality gaps, and the
// curvatures. It computes the gradient and the gaps in fixed point.
func (s search) evaluateExact(at *point) {
	for _, t := range s.term {
		g := new(big.Int).Lsh(t, s.bits-termBits)
		at.lossGradient = append(at.lossGradient, g.Neg(g))
	}
	margin, count := new(big.Int), new(big.Int)
	for i, q := range s.data {
		margin.SetInt64(s.offset[i]).Lsh(margin, s.bits)
		for _, j := range q.Row {
			margin.Add(margin, at.w[j])
		}
		if !q.Label {
			margin.Neg(margin)
		}
		slope, gap := s.loss.fixed(margin, s.bits, q.Count, s.level)
		at.curvatures = append(at.curvatures, s.loss.curvature(unfix(slope, s.bits), s.sharpness(q.Count)))
		count.SetInt64(q.Count)
		at.gap.Add(at.gap, gap.Mul(gap, count))
		slope.Mul(slope, count)
		if !q.Label {
			slope.Neg(slope)
		}
		for _, j := range q.Row {
			at.lossGradient[j].Add(at.lossGradient[j], slope)
		}
	}
}

// evaluateFloat sets two fields of the given point: the gradient of f and the curvatures. It computes both in floating
// point.
func (s search) evaluateFloat(at *point) {
	w, g := make([]float64, len(at.w)), make([]float64, len(at.w))
	for j := range w {
		w[j] = unfix(at.w[j], s.bits)
		g[j] = -unfix(s.term[j], termBits)
	}
	for i, q := range s.data {
		m := convex.Linear{Weights: w}.Score(q.Row) + float64(s.offset[i])
		if !q.Label {
			m = -m
		}
		sharpness := s.sharpness(q.Count)
		slope := s.loss.slope(m, sharpness)
		at.curvatures = append(at.curvatures, s.loss.curvature(slope, sharpness))
		slope *= float64(q.Count)
		if !q.Label {
			slope = -slope
		}
		for _, j := range q.Row {
			g[j] += slope
		}
	}
	at.lossGradient = fix(g, s.bits)
}

// step returns a point at which F is less than at the given point. It returns false if the given point is near the
// minimum of F, or if the precision is too low to find a lower value.
func (s search) step(at point) (point, bool) {
	direction := s.newton(at)
	if !descends(at.gradient, direction) {
		direction = s.steepest(at)
	}
	// A Newton step reduces F by about half of the absolute directional derivative. Stop if this
	// derivative is a small fraction of μ.
	enough := big.NewInt(1)
	if s.level < s.last || !s.exact {
		enough.Lsh(enough, uint(2*int(s.bits)-s.level-6))
	}
	if enough.Add(enough, inner(at.gradient, direction)).Sign() > 0 {
		return point{}, false
	}
	return s.line(at, s.within(at, direction))
}

// descends reports whether F decreases sufficiently in a direction: whether the directional derivative is at most
// -2^-256·g·max(g, v), where g is the norm of the gradient and v is the norm of the direction. If direction is nil,
// descends returns false.
func descends(gradient, direction []*big.Int) bool {
	if direction == nil {
		return false
	}
	g, v := norm(gradient), norm(direction)
	if g.Cmp(v) > 0 {
		v = g
	}
	fall := inner(gradient, direction)
	fall.Neg(fall).Lsh(fall, 256)
	return fall.Cmp(g.Mul(g, v)) >= 0
}

// steepest returns the direction of steepest descent, opposite to the gradient, scaled to a maximum norm of twice the
// bound (the width of the box). If the gradient is 0, it returns 0.
func (s search) steepest(at point) []*big.Int {
	length := norm(at.gradient)
	if length.Sign() == 0 {
		return at.gradient
	}
	direction := make([]*big.Int, len(at.w))
	for j, g := range at.gradient {
		direction[j] = new(big.Int).Lsh(g, s.bits)
		direction[j].Mul(direction[j], big.NewInt(-2*s.bound)).Quo(direction[j], length)
	}
	return direction
}

// within returns the direction, shortened if necessary so that no weight moves by more than 19/20 of its distance
// from the limit towards which it moves.
func (s search) within(at point, direction []*big.Int) []*big.Int {
	part, whole := big.NewInt(1), big.NewInt(1)
	for j, v := range direction {
		room, down := s.distances(at.w[j])
		if v.Sign() < 0 {
			room = down
		}
		room.Mul(room, big.NewInt(19))
		length := new(big.Int).Mul(v, big.NewInt(20))
		length.Abs(length)
		if new(big.Int).Mul(length, part).Cmp(new(big.Int).Mul(room, whole)) > 0 {
			part, whole = room, length
		}
	}
	short := make([]*big.Int, len(direction))
	for j, v := range direction {
		short[j] = new(big.Int).Mul(v, part)
		short[j].Quo(short[j], whole)
	}
	return short
}

// line searches the segment from a point along direction for a point at which the directional derivative is not
// positive, and at most half as large in absolute value as at the first point. If the derivative at the end of the
// segment is not positive, line returns this end. It returns false if it finds no point in s.bits trials.
func (s search) line(at point, direction []*big.Int) (point, bool) {
	whole := new(big.Int).Lsh(big.NewInt(1), s.bits)
	low, high, part := new(big.Int), whole, whole
	atLow := inner(at.gradient, direction)
	half := new(big.Int).Rsh(atLow, 1)
	var atHigh *big.Int
	for trial := range s.bits {
		next := s.evaluate(s.move(at.w, direction, part))
		slope := inner(next.gradient, direction)
		switch {
		case slope.Sign() > 0:
			high, atHigh = part, slope
		case slope.Cmp(half) >= 0 || part == whole:
			return next, true
		default:
			low, atLow = part, slope
		}
		part = between(low, high, trial%2 == 0, atLow, atHigh)
	}
	return point{}, false
}

// between returns the next number to try between low and high. If linear is false, this is the midpoint. If linear is
// true, it is slightly before the zero of a linear interpolation of the directional derivative of F, which is atLow
// at low and atHigh at high. These values must satisfy atLow < 0 < atHigh.
func between(low, high *big.Int, linear bool, atLow, atHigh *big.Int) *big.Int {
	part := new(big.Int).Sub(high, low)
	if linear {
		part.Mul(part, atLow).Mul(part, big.NewInt(9))
		rise := new(big.Int).Sub(atLow, atHigh)
		part.Quo(part, rise.Mul(rise, big.NewInt(10)))
	} else {
		part.Rsh(part, 1)
	}
	return part.Add(part, low)
}

// move returns w + part·direction, clipped to the interior of the box, where part is in units of 2^-bits.
func (s search) move(w, direction []*big.Int, part *big.Int) []*big.Int {
	last := new(big.Int).Lsh(big.NewInt(s.bound), s.bits)
	last.Sub(last, big.NewInt(1))
	next := make([]*big.Int, len(w))
	for j := range w {
		v := new(big.Int).Mul(direction[j], part)
		v.Rsh(v, s.bits).Add(v, w[j])
		if v.CmpAbs(last) > 0 {
			v.Mul(last, big.NewInt(int64(v.Sign())))
		}
		next[j] = v
	}
	return next
}
