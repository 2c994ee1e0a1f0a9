package readonce

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sort"

	"github.com/sibyl-dp/sibyl/class"
)

// A separator is a set of points that distinguishes all formulas: any two formulas have different
// values on at least one point.
type separator struct {
	columns  columns
	size     int // m
	distance int // h
}

// MostCompared is the maximum size of a class for which Options.Points may be positive. For such a
// class, New compares all pairs of formulas. With N formulas and m points, this takes at most about
// N²·m/128 operations.
const MostCompared = 1 << 16

// Separator returns m, the number of separator points.
func (c *Class) Separator() int { return c.separator.size }

// Separate returns the separator bits of formula q: its values on the separator points.
func (c *Class) Separate(q Formula) []bool {
	set := make([]bool, c.Separator())
	for r := range set {
		set[r] = q.evaluate(func(i int) value { return valueOf(c.separator.columns.bit(i, r)) }) == one
	}
	return set
}

// Distance returns the minimum number of separator points on which two formulas differ. If
// Options.Points is positive, New computed it by comparing all pairs of formulas. It is 1 if
// Options.Points is 0, or if the class has only one formula.
func (c *Class) Distance() int { return c.separator.distance }

// Point returns the point with index r of the separator. A point has one bit for each input. If several inputs test the
// same attribute, there may be no record for which the inputs have these bits.
func (c *Class) Point(r int) []bool {
	point := make([]bool, len(c.inputs))
	for i := range point {
		point[i] = c.separator.columns.bit(i, r)
	}
	return point
}

// newSeparator returns a separator that distinguishes all formulas. If Options.Points is positive,
// choosePoints chooses this number of points. If it is 0, the separator consists of the first
// points of a random sequence, as many as are needed. The result is a function of the inputs and
// options of the class.
func (c *Class) newSeparator() (separator, error) {
	m, d := c.options.Points, c.newPointSource()
	if m == 0 {
		return c.shortestPrefix(d)
	}
	if c.size > MostCompared {
		return separator{}, fmt.Errorf("readonce: separator points are supported for at most %d formulas, but the class has %d; set the number of points to 0", MostCompared, c.size)
	}
	s := separator{c.choosePoints(d, m), m, 1}
	if c.size > 1 {
		s.distance = class.LeastDistance(c.labels(s.columns), len(s.columns[0]))
	}
	if s.distance == 0 {
		return separator{}, fmt.Errorf("readonce: %d points do not distinguish all formulas; use more points", m)
	}
	return s, nil
}

// shortestPrefix returns the separator that consists of the first points of d, as many as are
// needed to distinguish all formulas. The distance of this separator is 1: without the last point,
// two formulas would have equal values on all points. shortestPrefix fails if the maximum number of
// points does not suffice.
func (c *Class) shortestPrefix(d *pointSource) (separator, error) {
	for words := 1; 64*words <= mostPoints; words *= 2 {
		d.extend(words)
		if m, ok := c.prefix(d.columns); ok {
			return separator{d.columns.first(m), m, 1}, nil
		}
	}
	return separator{}, fmt.Errorf("readonce: even %d points chosen with seed %d do not distinguish all formulas; use another seed", mostPoints, c.options.Seed)
}

// first returns the columns of the first n points of c.
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

// A pointSource is a growing list of random points. Each input of a point is 1 with a probability p
// that the gate preserves: if the inputs of a gate are 1 with probability p, so is its output. For
// majority gates p = ½, because 3p²-2p³ = p. For NAND gates p = (√5-1)/2, because 1-p² = p. The
// field threshold is p in units of 2^-32.
type pointSource struct {
	columns   columns
	bits      *rand.PCG
	threshold uint64
}

func (c *Class) newPointSource() *pointSource {
	d := &pointSource{columns: newColumns(len(c.inputs), 0), bits: rand.NewPCG(c.options.Seed, 0), threshold: 1 << 31}
	if c.options.Gate == Nand {
		d.threshold = 2654435769
	}
	return d
}

// extend samples further points until the source has 64·words points.
func (d *pointSource) extend(words int) {
	for len(d.columns[0]) < words {
		for i := range d.columns {
			d.columns[i] = append(d.columns[i], d.word())
		}
	}
}

// word samples the values of one input on 64 random points, and returns them as 64 bits.
func (d *pointSource) word() uint64 {
	w := uint64(0)
	for b := range 64 {
		if d.bits.Uint64()>>32 < d.threshold {
			w |= 1 << b
		}
	}
	return w
}

// labels returns the values of every formula on the points, formula by formula. The values of one
// formula fill whole words. If there are bits left in the last word, they are values at the point
// 0, on which all formulas of the class agree.
func (c *Class) labels(points columns) []uint64 {
	e := newEvaluator(c.options.Gate, points)
	each := len(points[0])
	out := make([]uint64, 0, c.size*each)
	for _, inputs := range c.formulas() {
		out = append(out, e.labels(inputs)...)
	}
	return out
}

// prefix returns the least number m such that any two formulas differ on one of the first m points.
// The result ok is false if even all points do not distinguish all formulas.
func (c *Class) prefix(points columns) (size int, ok bool) {
	rows := labelRows{rowWords: len(points[0]), words: c.labels(points)}
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

// labelRows holds the result of Class.labels: for each formula, one row of words with the values of
// the formula on the points. It implements sort.Interface. Sorting puts the rows in lexicographic
// order: of two rows, the one with the value 0 on the first point on which they differ comes first.
type labelRows struct {
	rowWords int // the number of words in a row
	words    []uint64
}

func (r labelRows) Len() int { return len(r.words) / r.rowWords }

func (r labelRows) Swap(i, j int) {
	a, b := r.words[i*r.rowWords:(i+1)*r.rowWords], r.words[j*r.rowWords:(j+1)*r.rowWords]
	for w := range a {
		a[w], b[w] = b[w], a[w]
	}
}

func (r labelRows) Less(i, j int) bool {
	at := r.differ(i, j)
	return at >= 0 && r.words[j*r.rowWords+at/64]>>(at%64)&1 == 1
}

// differ returns the index of the first point on which the formulas of rows i and j have different
// values, or -1 if there is none.
func (r labelRows) differ(i, j int) int {
	for w := range r.rowWords {
		if x := r.words[i*r.rowWords+w] ^ r.words[j*r.rowWords+w]; x != 0 {
			return 64*w + bits.TrailingZeros64(x)
		}
	}
	return -1
}
