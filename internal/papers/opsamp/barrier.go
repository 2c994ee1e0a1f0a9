package opsamp

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// A search looks for the minimum over the open face of the box of
//
//	F(w) = f(w) - μ·Σ_j [ln(bound - w_j) + ln(bound + w_j)],  μ = 2^-level,
//
// where f is the perturbed loss, smoothed with the same μ if it is the hinge loss. F is
// smooth and strictly convex. Steps are Newton's, with curvatures in floating
// point; weights, gradients and step lengths are in fixed point, so that a bad
// direction costs time and nothing else.
type search struct {
	face
	bits  uint // weights and gradients are in steps of 2^-bits
	level int
	last  int  // of the levels
	exact bool // slopes are exact, up to a step
}

// place is what is known at weights in the open box.
type place struct {
	w      []*big.Int
	slope  []*big.Int // g, the gradient of f
	gap    *big.Int   // the sum of gaps of Fenchel and Young, in steps of 2^-(2·bits), if exact
	uphill []*big.Int // the gradient of F
	curve  []float64  // of each point's loss
}

// levelStep is by how much levels rise along the central path.
const levelStep = 4

// search returns a search of the given precision.
func (f face) search(bits uint, exact bool) search {
	return search{face: f, bits: bits, last: f.lastLevel(), exact: exact}
}

// follow goes on from w, at the given level, to the last level, with at most so
// many steps at each. With exact slopes it returns certified weights as soon as it stands
// near them. In floating point it stops at the first level where it finds no
// minimum, and returns where it came from.
func (s search) follow(ctx context.Context, w []*big.Int, level, steps int) ([]*big.Int, int, []*big.Int) {
	for s.level = level; ; s.level = min(s.level+levelStep, s.last) {
		at := s.stand(w)
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

// stand looks at weights in the open box.
func (s search) stand(w []*big.Int) place {
	at := place{w: w, gap: new(big.Int)}
	if s.exact {
		s.look(&at)
	} else {
		s.glance(&at)
	}
	for j, g := range at.slope {
		up, down := s.room(w[j])
		barrier := new(big.Int).Lsh(big.NewInt(1), uint(2*int(s.bits)-s.level))
		pull := new(big.Int).Quo(barrier, down)
		at.uphill = append(at.uphill, pull.Sub(barrier.Quo(barrier, up), pull).Add(pull, g))
	}
	return at
}

// room returns how far a weight is from the upper and the lower side.
func (s search) room(w *big.Int) (up, down *big.Int) {
	side := new(big.Int).Lsh(big.NewInt(s.bound), s.bits)
	return new(big.Int).Sub(side, w), new(big.Int).Add(side, w)
}

// sharpness is c/(2μ).
func (s search) sharpness(count int64) float64 { return math.Ldexp(float64(count), s.level-1) }

// look finds slopes in fixed point.
func (s search) look(at *place) {
	for _, t := range s.term {
		g := new(big.Int).Lsh(t, s.bits-termBits)
		at.slope = append(at.slope, g.Neg(g))
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
		at.curve = append(at.curve, s.loss.curvature(unfix(slope, s.bits), s.sharpness(q.Count)))
		count.SetInt64(q.Count)
		at.gap.Add(at.gap, gap.Mul(gap, count))
		slope.Mul(slope, count)
		if !q.Label {
			slope.Neg(slope)
		}
		for _, j := range q.Row {
			at.slope[j].Add(at.slope[j], slope)
		}
	}
}

// glance finds slopes in floating point.
func (s search) glance(at *place) {
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
		at.curve = append(at.curve, s.loss.curvature(slope, sharpness))
		slope *= float64(q.Count)
		if !q.Label {
			slope = -slope
		}
		for _, j := range q.Row {
			g[j] += slope
		}
	}
	at.slope = fix(g, s.bits)
}

// step returns a place of lower F, or false if F is near its minimum or the
// precision does not tell where it is lower.
func (s search) step(at place) (place, bool) {
	way := s.newton(at)
	if !descends(at.uphill, way) {
		way = s.steepest(at)
	}
	// A Newton step gains about half the fall, here little of μ.
	enough := big.NewInt(1)
	if s.level < s.last || !s.exact {
		enough.Lsh(enough, uint(2*int(s.bits)-s.level-6))
	}
	if enough.Add(enough, inner(at.uphill, way)).Sign() > 0 {
		return place{}, false
	}
	return s.line(at, s.within(at, way))
}

// descends tells whether a way is surely one of descent, of a slope and length that
// are not out of all proportion to the gradient.
func descends(gradient, way []*big.Int) bool {
	if way == nil {
		return false
	}
	g, v := norm(gradient), norm(way)
	if g.Cmp(v) > 0 {
		v = g
	}
	fall := inner(gradient, way)
	fall.Neg(fall).Lsh(fall, 256)
	return fall.Cmp(g.Mul(g, v)) >= 0
}

// steepest returns the way against the gradient, as long as the box is wide.
func (s search) steepest(at place) []*big.Int {
	length := norm(at.uphill)
	if length.Sign() == 0 {
		return at.uphill
	}
	way := make([]*big.Int, len(at.w))
	for j, g := range at.uphill {
		way[j] = new(big.Int).Lsh(g, s.bits)
		way[j].Mul(way[j], big.NewInt(-2*s.bound)).Quo(way[j], length)
	}
	return way
}

// within shortens the way, if it must be, to end in the open box.
func (s search) within(at place, way []*big.Int) []*big.Int {
	part, whole := big.NewInt(1), big.NewInt(1)
	for j, v := range way {
		room, down := s.room(at.w[j])
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
	short := make([]*big.Int, len(way))
	for j, v := range way {
		short[j] = new(big.Int).Mul(v, part)
		short[j].Quo(short[j], whole)
	}
	return short
}

// line goes a part of the way: to where the slope along it is not positive and at most half of
// what it was, or all of it if the slope is still negative there.
func (s search) line(at place, way []*big.Int) (place, bool) {
	whole := new(big.Int).Lsh(big.NewInt(1), s.bits)
	low, high, part := new(big.Int), whole, whole
	atLow := inner(at.uphill, way)
	half := new(big.Int).Rsh(atLow, 1)
	var atHigh *big.Int
	for trial := range s.bits {
		next := s.stand(s.move(at.w, way, part))
		slope := inner(next.uphill, way)
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
	return place{}, false
}

// between returns the middle, or a point nearly where a slope, negative at low and positive at
// high, would vanish if it were linear.
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

// move returns w and a part of the way, in steps of 2^-bits, kept in the open box.
func (s search) move(w, way []*big.Int, part *big.Int) []*big.Int {
	last := new(big.Int).Lsh(big.NewInt(s.bound), s.bits)
	last.Sub(last, big.NewInt(1))
	next := make([]*big.Int, len(w))
	for j := range w {
		v := new(big.Int).Mul(way[j], part)
		v.Rsh(v, s.bits).Add(v, w[j])
		if v.CmpAbs(last) > 0 {
			v.Mul(last, big.NewInt(int64(v.Sign())))
		}
		next[j] = v
	}
	return next
}
