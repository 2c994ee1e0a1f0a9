package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A share is estimated by noisy numbers X and Y of rows that have a property and of
// rows that have it not. Where p is the share, T(p) = (1-p)X - pY is 0 on average,
// whatever the number of rows: what is left of it is the noise, and the chance by which
// the rows have the property. Its moment generating function bounds how far it strays
// (docs/explanation/proofs/risk.md, section 2). An interval is the p that T does not refute: no
// normal law is assumed, and few rows or none are no special case.

// A Share is an estimate between 0 and 1 with an interval. Value is nil where there are
// no rows to estimate it from.
type Share struct {
	Value *float64 `json:"value"`
	Least float64  `json:"least"`
	Most  float64  `json:"most"`
}

// A strayer bounds how far sums of cells stray.
type strayer struct {
	scale    float64 // b, or 0 for exact counts
	units    float64 // the noise is in steps of 1/units
	sampling bool    // the rows are a sample, of which the share is not that of all
	log      float64 // ln(1/miss) of each bound
	persons  float64 // at least how many persons there are, 0 where rows were counted
}

// among has shares be of a population of persons, of whom all cells together tell how many
// were counted, where that is not told exactly.
func (l *strayer) among(r privacy.Relation, told *big.Int, all cells) {
	switch {
	case !l.sampling || r.Persons() == 0:
	case told != nil:
		l.persons = float(told)
	default:
		l.persons = max(l.rows(all), 1)
	}
}

// logMoment returns the function Λ(s) = ln E e^{sL} for the noise of a cell, where sb < 1.
func (l strayer) logMoment() func(s float64) float64 {
	if l.scale == 0 {
		return func(float64) float64 { return 0 }
	}
	b := l.scale
	gap := func(x float64) float64 { return -math.Expm1(-x / (b * l.units)) } // 1 - e^{-x/(b·units)}
	whole := gap(1)
	return func(s float64) float64 { return math.Log(whole / gap(1-s*b) * (whole / gap(1+s*b))) }
}

// cells is a noisy sum and the number of cells that it is of.
type cells struct {
	sum float64
	n   int
}

func (c cells) plus(d cells) cells { return cells{c.sum + d.sum, c.n + d.n} }

// rows returns a number that rows in the cells do not exceed but with the miss.
func (l strayer) rows(c cells) float64 {
	if l.scale == 0 {
		return c.sum
	}
	return max(c.sum+l.width(c.n), 0)
}

// width returns what the noise of n cells together exceeds with the miss at most, and so
// is below its negative.
func (l strayer) width(n int) float64 {
	if l.scale == 0 {
		return 0
	}
	// The least (nΛ(s) + log)/s, which is unimodal in s.
	end, moment := 1/l.scale, l.logMoment()
	s := maximize(0, end, func(s float64) float64 {
		return -(float64(n)*moment(s) + l.log) / s
	}, nil)
	return (float64(n)*moment(s) + l.log) / s
}

// share returns the estimate of x/(x + y) and its interval.
func (l strayer) share(x, y cells) Share {
	s := Share{Value: ratio(x.sum, y.sum)}
	if l.scale == 0 && !l.sampling {
		if s.Value == nil {
			return Share{nil, 0, 1}
		}
		return Share{s.Value, *s.Value, *s.Value}
	}
	rows := 0.
	switch {
	case l.persons > 0: // of each, any part may be in the cells
		rows = l.persons
	case l.sampling:
		rows = l.rows(x.plus(y))
	}
	s.Least = max(l.least(x, y, rows)-rounding, 0)
	s.Most = min(1-l.least(y, x, rows)+rounding, 1)
	if s.Least > s.Most { // every share is refuted: the noise strayed further than it should
		s.Least, s.Most = 0, 1
	}
	if v := s.Value; v != nil {
		s.Least, s.Most = min(s.Least, *v), max(s.Most, *v)
	}
	return s
}

// ratio returns x/(x+y) cut to 0..1, nil where x + y is not positive.
func ratio(x, y float64) *float64 {
	if x+y <= 0 {
		return nil
	}
	r := min(max(x/(x+y), 0), 1)
	return &r
}

// rounding is more than floating point errs in a bound.
const rounding = 1e-9

// least returns the least share that T does not refute by being too large, or one below. A
// negative number of rows that have not the property is taken for none: T is smaller then
// and refutes less, and what it refutes are all shares below one, which is found by halves
// (docs/explanation/proofs/risk.md, claim 3).
func (l strayer) least(x, y cells, rows float64) float64 {
	y.sum = max(y.sum, 0)
	if !l.refutes(0, x, y, rows) {
		return 0
	}
	// Here x.sum = T(0) > 0, and T is 0 at the estimate.
	low, high := 0., x.sum/(x.sum+y.sum)
	for high-low > rounding/4 {
		if p := (low + high) / 2; l.refutes(p, x, y, rows) {
			low = p
		} else {
			high = p
		}
	}
	return low
}

// refutes tells whether T(p) is so large that its probability is at most the miss:
// for some s, sT(p) less the logarithm of the moment generating function at s is at
// least log.
func (l strayer) refutes(p float64, x, y cells, rows float64) bool {
	t := (1-p)*x.sum - p*y.sum
	if t <= 0 {
		return false
	}
	end := 700. // of the exponents that a float holds
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
	enough := func(g float64) bool { return g >= l.log }
	return enough(gain(maximize(0, end, gain, enough)))
}

// maximize returns where the unimodal f is about greatest between a and b, or anywhere
// where it is enough. Any answer gives a bound that holds; a better one gives a tighter
// bound.
func maximize(a, b float64, f func(float64) float64, enough func(float64) bool) float64 {
	const ratio = 0.6180339887498949
	c, d := b-ratio*(b-a), a+ratio*(b-a)
	fc, fd := f(c), f(d)
	for range 60 {
		if b-a < 1e-7*b { // nearer, f is no greater than floats tell
			break
		}
		if fc >= fd {
			if enough != nil && enough(fc) {
				return c
			}
			b, d, fd = d, c, fc
			c = b - ratio*(b-a)
			fc = f(c)
		} else {
			if enough != nil && enough(fd) {
				return d
			}
			a, c, fc = c, d, fd
			d = a + ratio*(b-a)
			fd = f(d)
		}
	}
	return (a + b) / 2
}
