package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A share p is estimated from noisy numbers X and Y of rows with and without a property. For any number of rows, the
// statistic T(p) = (1-p)X - pY has mean 0 if p is the true share. In this case T(p) consists of the noise and, for a
// population, of the sampling error. The moment generating function of T(p) bounds its tails
// (docs/explanation/proofs/risk.md, section 2), which gives a test of p. The interval contains the shares p that the
// test does not reject. There is no normal approximation, so small numbers of rows need no special treatment.

// A Share is an estimate between 0 and 1, with its interval. Value is nil if there are no rows from which to estimate
// it.
type Share struct {
	Value *float64 `json:"value"`
	Least float64  `json:"least"`
	Most  float64  `json:"most"`
}

// A strayer bounds how far sums of noisy counts may be from the true sums. From these bounds, it computes the intervals
// of shares.
type strayer struct {
	scale    float64 // the scale b of the noise of a count; 0 for exact counts
	units    float64 // the noise is a multiple of 1/units
	sampling bool    // whether shares describe the population from which the rows were sampled
	log      float64 // ln(1/p), where p is the probability with which a bound may be wrong
	persons  float64 // an upper bound on the number of persons; 0 if rows were counted, or without sampling
}

// among sets l.persons, an upper bound on the number of persons, if the shares describe a population of persons. If the
// number of persons is public, it is the parameter public. Otherwise the bound follows from the noisy sum of all
// counts.
func (l *strayer) among(r privacy.Relation, public *big.Int, all cells) {
	switch {
	case !l.sampling || r.Persons() == 0:
	case public != nil:
		l.persons = float(public)
	default:
		l.persons = max(l.rows(all), 1)
	}
}

// logMoment returns the logarithm of the moment generating function of the noise L of a count: Λ(s) = ln E e^{sL}, for
// s < 1/b, where b is the scale of the noise.
func (l strayer) logMoment() func(s float64) float64 {
	if l.scale == 0 {
		return func(float64) float64 { return 0 }
	}
	b := l.scale
	gap := func(x float64) float64 { return -math.Expm1(-x / (b * l.units)) } // 1 - e^{-x/(b·units)}
	whole := gap(1)
	return func(s float64) float64 { return math.Log(whole / gap(1-s*b) * (whole / gap(1+s*b))) }
}

// A cells is a sum of the noisy counts of n cells, in rows or persons, together with the estimate of the true number of
// rows in these cells.
type cells struct {
	sum   float64
	n     int
	value float64
}

func (c cells) plus(d cells) cells { return cells{c.sum + d.sum, c.n + d.n, c.value + d.value} }

// rows returns an upper bound on the true number of rows in the cells. The probability that the bound is wrong is at
// most e^(-l.log).
func (l strayer) rows(c cells) float64 {
	if l.scale == 0 {
		return c.sum
	}
	return max(c.sum+l.width(c.n), 0)
}

// width returns a bound on the sum of the noise of n counts. The probability that the sum exceeds the bound is at most
// e^(-l.log), and so is the probability that it is below the negated bound.
func (l strayer) width(n int) float64 {
	if l.scale == 0 {
		return 0
	}
	// The minimum of (nΛ(s) + log)/s over s, which is unimodal.
	end, moment := 1/l.scale, l.logMoment()
	s := maximize(0, end, func(s float64) float64 {
		return -(float64(n)*moment(s) + l.log) / s
	})
	return (float64(n)*moment(s) + l.log) / s
}

// share returns the estimate of the share x/(x + y) and its interval.
func (l strayer) share(x, y cells) Share {
	s := Share{Value: ratio(x.value, y.value)}
	if l.scale == 0 && !l.sampling {
		if s.Value == nil {
			return Share{nil, 0, 1}
		}
		return Share{s.Value, *s.Value, *s.Value}
	}
	rows := 0.
	switch {
	case l.persons > 0: // any part of a person's weight may be in the cells
		rows = l.persons
	case l.sampling:
		rows = l.rows(x.plus(y))
	}
	s.Least = max(l.least(x, y, rows)-rounding, 0)
	s.Most = min(1-l.least(y, x, rows)+rounding, 1)
	if s.Least > s.Most { // every share is rejected, because the noise exceeds its bound
		s.Least, s.Most = 0, 1
	}
	return s.containing(s.Value)
}

// containing returns the share with the given value, and with the interval extended to contain this value.
func (s Share) containing(v *float64) Share {
	if s.Value = v; v != nil {
		s.Least, s.Most = min(s.Least, *v), max(s.Most, *v)
	}
	return s
}

// ratio returns x/(x+y) clipped to 0..1, or nil if x + y is not positive.
func ratio(x, y float64) *float64 {
	if x+y <= 0 {
		return nil
	}
	r := min(max(x/(x+y), 0), 1)
	return &r
}

// rounding is an upper bound on the numerical error of the ends of a share's interval.
const rounding = 1e-9

// least returns the lower end of the interval of the share x/(x + y). The interval contains the shares that a test does
// not reject (see excess). The rejected shares below the estimate form an interval that begins at 0, and least finds
// the other end of this interval by the secant method with steps of bisection.
//
// A negative number y is replaced by 0. This makes the test statistic smaller, so fewer shares are rejected
// (docs/explanation/proofs/risk.md, claim 3).
func (l strayer) least(x, y cells, rows float64) float64 {
	y.sum = max(y.sum, 0)
	before := l.excess(0, x, y, rows)
	if before < 0 {
		return 0
	}
	// Here x.sum = T(0) > 0, and T is 0 at the estimate.
	low, high := 0., x.sum/(x.sum+y.sum)
	last, p, after := low, high, -l.log
	const step = rounding / 4
	for i := 1; high-low > step; i++ {
		next := p - after*(p-last)/(after-before)
		if i%4 == 0 || !(low < next && next < high) {
			next = (low + high) / 2
		}
		last, before = p, after
		p = min(max(next, low+step/2), high-step/2)
		if after = l.excess(p, x, y, rows); after >= 0 {
			low = p
		} else {
			high = p
		}
	}
	return low
}

// excess tests whether p can be the true share. A result that is not negative rejects p at level e^(-l.log). The
// statistic of the test is T(p) = (1-p)x - py. A function κ(s) bounds the logarithm of E e^{sT(p)} if p is the true
// share. excess returns the greatest value of sT(p) - κ(s) - l.log that it finds over s.
func (l strayer) excess(p float64, x, y cells, rows float64) float64 {
	t := (1-p)*x.sum - p*y.sum
	if t <= 0 {
		return -l.log
	}
	end := 700. // a greater exponent would overflow
	if l.scale > 0 {
		end = min(end, 1/(l.scale*max(p, 1-p)))
	}
	moment := l.logMoment()
	gain := func(s float64) float64 {
		sample := 0.
		if rows > 0 {
			sample = rows * (math.Log1p(p*math.Expm1(s)) - p*s)
		}
		return s*t - sample - float64(x.n)*moment(s*(1-p)) - float64(y.n)*moment(s*p)
	}
	return gain(maximize(0, end, gain)) - l.log
}

// maximize returns an approximate maximizer of the unimodal function f between a ≥ 0 and b, by Brent's method: each
// step goes to the vertex of the parabola through the three best points, or divides an interval by the golden section.
// A bound that is computed from the result is valid even if f is greater elsewhere; it is then only less tight.
func maximize(a, b float64, f func(float64) float64) float64 {
	const section = 0.3819660112501051
	x := a + section*(b-a) // the best point, then the second, then the third
	y, z := x, x
	fx := f(x)
	fy, fz := fx, fx
	step, before := 0., 0. // the last steps
	for range 60 {
		middle, least := (a+b)/2, 1e-6*x
		if math.Abs(x-middle)+(b-a)/2 <= 2*least {
			break
		}
		r, q := (x-y)*(fx-fz), (x-z)*(fx-fy)
		p := (x-y)*r - (x-z)*q
		q = 2 * (q - r)
		if vertex := p / q; 2*math.Abs(vertex) < math.Abs(before) && a < x+vertex && x+vertex < b {
			step, before = vertex, step
		} else {
			before = a - x
			if x < middle {
				before = b - x
			}
			step = section * before
		}
		u := x + math.Copysign(max(math.Abs(step), least), step)
		fu := f(u)
		switch {
		case fu >= fx:
			if u < x {
				b = x
			} else {
				a = x
			}
			x, y, z, fx, fy, fz = u, x, y, fu, fx, fy
			continue
		case u < x:
			a = u
		default:
			b = u
		}
		if fu >= fy || y == x {
			y, z, fy, fz = u, y, fu, fy
		} else if fu >= fz || z == x || z == y {
			z, fz = u, fu
		}
	}
	return x
}
