package readonce

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sort"

	"github.com/sibyl-dp/sibyl/class"
)

// A separator is a set of points on which all formulas differ.
type separator struct {
	columns  columns
	size     int // m
	distance int // h
}

// MostCompared is the size of the largest class for which points are chosen:
// New then compares all pairs of its formulas, in about N²/2 times m/64
// operations at most.
const MostCompared = 1 << 16

// Separator returns m.
func (c *Class) Separator() int { return c.separator.size }

// Separate returns the labels of the separator points by q.
func (c *Class) Separate(q Formula) []bool {
	set := make([]bool, c.Separator())
	for r := range set {
		set[r] = q.evaluate(func(i int) value { return valueOf(c.separator.columns.bit(i, r)) }) == one
	}
	return set
}

// Distance returns on how many separator points any two formulas differ at
// least, as New found it by comparing them all. It is 1 where no number of
// points was asked for, and for a single formula.
func (c *Class) Distance() int { return c.separator.distance }

// Point returns separator point r, one bit for each input. It need not be the
// bits of a record, where several inputs are of one attribute.
func (c *Class) Point(r int) []bool {
	point := make([]bool, len(c.inputs))
	for i := range point {
		point[i] = c.separator.columns.bit(i, r)
	}
	return point
}

// separate finds points whose labels tell all formulas apart: as many chosen
// ones as the options ask for, or else the first that are drawn, as many as it
// takes. All is determined by the options.
func (c *Class) separate() (separator, error) {
	m, d := c.options.Points, c.newDraw()
	if m == 0 {
		return c.shortest(d)
	}
	if c.size > MostCompared {
		return separator{}, fmt.Errorf("readonce: %d formulas are too many to choose points for; the limit is %d", c.size, MostCompared)
	}
	s := separator{c.choosePoints(d, m), m, 1}
	if c.size > 1 {
		s.distance = class.LeastDistance(c.labels(s.columns), len(s.columns[0]))
	}
	if s.distance == 0 {
		return separator{}, fmt.Errorf("readonce: %d points do not tell all formulas apart; it takes more", m)
	}
	return s, nil
}

// shortest returns the least number of drawn points, from the first on, that
// tell all formulas apart. Without the last of them two formulas are the same,
// so the distance is 1.
func (c *Class) shortest(d *draw) (separator, error) {
	for words := 1; 64*words <= mostPoints; words *= 2 {
		d.extend(words)
		if m, ok := c.prefix(d.columns); ok {
			return separator{d.columns.first(m), m, 1}, nil
		}
	}
	return separator{}, fmt.Errorf("readonce: %d points of seed %d do not tell all formulas apart", mostPoints, c.options.Seed)
}

// first returns the columns of the first n points.
func (c columns) first(n int) columns {
	out := newColumns(len(c), n)
	for i := range out {
		copy(out[i], c[i])
		if n%64 > 0 {
			out[i][n/64] &= 1<<(n%64) - 1
		}
	}
	return out
}

// A draw is a growing list of random points. Every input is 1 with the
// probability that the gate leaves fixed: ½ for majorities, where
// 3p²-2p³ = p; and p = (√5-1)/2 for NAND, where 1-p² = p, in units of 2^-32.
type draw struct {
	columns   columns
	bits      *rand.PCG
	threshold uint64
}

func (c *Class) newDraw() *draw {
	d := &draw{columns: newColumns(len(c.inputs), 0), bits: rand.NewPCG(c.options.Seed, 0), threshold: 1 << 31}
	if c.options.Gate == Nand {
		d.threshold = 2654435769
	}
	return d
}

// extend draws points until there are 64·words.
func (d *draw) extend(words int) {
	for len(d.columns[0]) < words {
		for i := range d.columns {
			d.columns[i] = append(d.columns[i], d.word())
		}
	}
}

// word draws one input of 64 points.
func (d *draw) word() uint64 {
	w := uint64(0)
	for b := range 64 {
		if d.bits.Uint64()>>32 < d.threshold {
			w |= 1 << b
		}
	}
	return w
}

// labels returns the labels of the points by every formula, one formula after
// the other. Bits behind the last point are labels of the point 0, on which all
// formulas of the class agree.
func (c *Class) labels(points columns) []uint64 {
	e := newEvaluator(c.options.Gate, points)
	each := len(points[0])
	out := make([]uint64, 0, c.size*each)
	for _, inputs := range c.formulas() {
		out = append(out, e.labels(inputs)...)
	}
	return out
}

// prefix returns the least number of points, from the first on, whose labels
// tell all formulas apart; ok is false if all do not.
func (c *Class) prefix(points columns) (size int, ok bool) {
	rows := labelRows{each: len(points[0]), words: c.labels(points)}
	sort.Sort(rows)
	for i := 1; i < rows.Len(); i++ {
		at := rows.differ(i-1, i)
		if at < 0 {
			return 0, false
		}
		size = max(size, at+1)
	}
	return size, true
}

// labelRows are the labels of all formulas, to be sorted.
type labelRows struct {
	each  int
	words []uint64
}

func (r labelRows) Len() int { return len(r.words) / r.each }

func (r labelRows) Swap(i, j int) {
	a, b := r.words[i*r.each:(i+1)*r.each], r.words[j*r.each:(j+1)*r.each]
	for w := range a {
		a[w], b[w] = b[w], a[w]
	}
}

func (r labelRows) Less(i, j int) bool {
	at := r.differ(i, j)
	return at >= 0 && r.words[j*r.each+at/64]>>(at%64)&1 == 1
}

// differ returns the first point that two formulas label differently, or -1.
func (r labelRows) differ(i, j int) int {
	for w := range r.each {
		if x := r.words[i*r.each+w] ^ r.words[j*r.each+w]; x != 0 {
			return 64*w + bits.TrailingZeros64(x)
		}
	}
	return -1
}
