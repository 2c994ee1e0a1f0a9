package parity

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
)

// A Class is the set of parities over the bits of given attributes. It implements class.Enumerable,
// class.Tabular, class.Coded and class.Partial. The zero value is invalid; use New.
type Class struct {
	attributes []Attribute
	options    Options
	from       []int // the first bit of each attribute
	bits       int   // d
	most       int   // the maximum number of bits in S
	points     Code  // the points of the separator
	distance   int
	counts     [][]*big.Int       // counts[j][r] is the number of subsets of j bits that have at most r elements
	leaves     [][]*big.Int       // the number of parities whose S is such a subset: counts, or twice that if the class is affine
	shares     [][][2]class.Upper // shares[j][r][i] bounds the fraction of these subsets without (i = 0) or with (i = 1) the first bit
}

// Options are the public parameters of a class, apart from its attributes.
type Options struct {
	// Most is the maximum number of bits in the set S of a parity, or 0 for no limit.
	Most int
	// Penalty is the data-independent cost of each bit in S, at least 0.
	Penalty int64
	// Affine adds the negation of every parity to the class.
	Affine bool
	// Code is the separator, or nil for the natural separator.
	Code Code
}

const (
	mostPenalty = 1 << 40 // maximum penalty of a bit
	mostBits    = 64      // maximum number of bits including the constant, which are stored in a uint64
)

// New returns the class of parities over the bits of the attributes. It fails if a parameter is out of range. If
// o.Code is not nil, New computes the distance of the code by one transform.
func New(attributes []Attribute, o Options) (*Class, error) {
	if len(attributes) == 0 {
		return nil, fmt.Errorf("parity: at least one attribute is required")
	}
	c := &Class{attributes: attributes, options: o}
	for j, a := range attributes {
		if err := a.validate(); err != nil {
			return nil, fmt.Errorf("parity: attribute %d: %w", j+1, err)
		}
		c.from = append(c.from, c.bits)
		c.bits += a.bits
		if c.width() > mostBits {
			return nil, fmt.Errorf("parity: the class has too many bits: the first %d attributes have %d, and the limit is %d, including one for the constant of an affine class; group categories, or use binary codes", j+1, c.bits, mostBits)
		}
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("parity: the maximum number of bits is %d, but must not be negative", o.Most)
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("parity: the penalty per bit is %d, but must be 0 to %d", o.Penalty, int64(mostPenalty))
	}
	c.most = c.bits
	if o.Most > 0 {
		c.most = min(o.Most, c.bits)
	}
	c.count()
	if err := c.setSeparator(); err != nil {
		return nil, fmt.Errorf("parity: code: %w", err)
	}
	return c, nil
}

// count counts the parities below nodes of the search tree. It sets the fields counts, leaves and
// shares.
func (c *Class) count() {
	c.counts = make([][]*big.Int, c.bits+1)
	for j := range c.counts {
		c.counts[j] = make([]*big.Int, c.most+1)
		for r := range c.counts[j] {
			c.counts[j][r] = big.NewInt(1)
			if j > 0 && r > 0 {
				c.counts[j][r] = new(big.Int).Add(c.counts[j-1][r], c.counts[j-1][r-1])
			}
		}
	}
	c.leaves = c.counts
	if c.options.Affine {
		c.leaves = make([][]*big.Int, c.bits+1)
		for j, row := range c.counts {
			for _, n := range row {
				c.leaves[j] = append(c.leaves[j], new(big.Int).Lsh(n, 1))
			}
		}
	}
	c.shares = make([][][2]class.Upper, c.bits+1)
	for j := 1; j < len(c.shares); j++ {
		c.shares[j] = make([][2]class.Upper, c.most+1)
		for r := 1; r <= c.most; r++ {
			for i := range 2 {
				c.shares[j][r][i] = class.Ratio(c.counts[j-1][r-i], c.counts[j][r])
			}
		}
	}
}

// width returns the number of bits of a word: the number d of bits of a record, plus one for the
// constant if the class is affine.
func (c *Class) width() int {
	if c.options.Affine {
		return c.bits + 1
	}
	return c.bits
}

// constantBit returns the word in which only the constant's bit is 1, or 0 if the class is not
// affine. This bit is 1 in the word of every record.
func (c *Class) constantBit() uint64 {
	if c.options.Affine {
		return 1 << c.bits
	}
	return 0
}

// word returns the bits of the record x as the bits of an integer. If the class is affine, the word
// includes the constant's bit.
func (c *Class) word(x []uint16) uint64 {
	w := c.constantBit()
	for j, cat := range x {
		w |= c.attributes[j].word(cat) << c.from[j]
	}
	return w
}

// key returns the parity h as a word: the bits of its set S, and its constant at the position of
// the constant's bit. The prediction for a record with the word w is 1 if key & w has an odd number
// of ones, and 0 otherwise.
func (c *Class) key(h Parity) uint64 {
	if h.Constant {
		return h.Bits | c.constantBit()
	}
	return h.Bits
}

// parity returns the parity whose key (see the method key) is the given word.
func (c *Class) parity(key uint64) Parity {
	b := key & c.constantBit()
	return Parity{key ^ b, b != 0}
}

// Options returns the public parameters of the class, apart from its attributes.
func (c *Class) Options() Options { return c.options }

// Bits returns d, the number of bits of a record.
func (c *Class) Bits() int { return c.bits }

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "parities of %d bits over %d attributes", c.bits, len(c.attributes))
	if c.most < c.bits {
		fmt.Fprintf(&s, ", at most %d of them", c.most)
	}
	if c.options.Affine {
		s.WriteString(", and their negations")
	}
	if c.options.Penalty > 0 {
		fmt.Fprintf(&s, ", penalty %d for each bit", c.options.Penalty)
	}
	if c.options.Code != nil {
		fmt.Fprintf(&s, ", separated by %d points at distance %d", len(c.points), c.distance)
	}
	return s.String()
}

// Size returns the exact number of parities in the class.
func (c *Class) Size() *big.Int {
	return new(big.Int).Set(c.leaves[c.bits][c.most])
}

// Contains reports whether h is a parity of the class.
func (c *Class) Contains(h Parity) bool {
	return bits.Len64(h.Bits) <= c.bits && bits.OnesCount64(h.Bits) <= c.most && (c.options.Affine || !h.Constant)
}

// Predict returns the XOR of the constant of h and of the bits of x that are in the set S of h.
func (c *Class) Predict(h Parity, x []uint16) bool { return odd(c.key(h)&c.word(x)) == 1 }

// PredictPartial returns the prediction of parity h for record x if all attributes are known that
// have bits in the set S of h. Otherwise ok is false.
func (c *Class) PredictPartial(h Parity, x []uint16, known []bool) (label, ok bool) {
	w := c.constantBit()
	for j, a := range c.attributes {
		if known[j] {
			w |= a.word(x[j]) << c.from[j]
		} else if h.Bits>>c.from[j]&(1<<a.bits-1) != 0 {
			return false, false
		}
	}
	return odd(c.key(h)&w) == 1, true
}

// Penalty returns the sum of the penalties of the bits in the set S of h.
func (c *Class) Penalty(h Parity) int64 {
	return c.options.Penalty * int64(bits.OnesCount64(h.Bits))
}

// All yields every parity once, in lexicographic order of the sets S of their bits. If the class is
// affine, each parity is followed by its negation.
func (c *Class) All() iter.Seq[Parity] {
	return func(yield func(Parity) bool) {
		var extend func(set uint64, from, left int) bool
		extend = func(set uint64, from, room int) bool {
			if !yield(Parity{Bits: set}) || c.options.Affine && !yield(Parity{set, true}) {
				return false
			}
			for i := from; room > 0 && i < c.bits; i++ {
				if !extend(set|1<<i, i+1, room-1) {
					return false
				}
			}
			return true
		}
		extend(0, 0, c.most)
	}
}

// At returns the parity with index i. Parities are ordered by their constant first, and then by
// their set of bits.
func (c *Class) At(i int) Parity {
	left, h := c.most, Parity{}
	if sets := clampToInt(c.counts[c.bits][left]); i >= sets {
		h.Constant = true
		i -= sets
	}
	for j := c.bits - 1; j >= 0; j-- {
		if without := clampToInt(c.counts[j][left]); i >= without {
			h.Bits |= 1 << j
			i -= without
			left--
		}
	}
	return h
}

// clampToInt returns n as an int, or math.MaxInt if n is too large.
func clampToInt(n *big.Int) int {
	if !n.IsInt64() {
		return math.MaxInt
	}
	return int(n.Int64())
}

var (
	_ class.Enumerable[[]uint16, Parity] = (*Class)(nil)
	_ class.Tabular[[]uint16, Parity]    = (*Class)(nil)
	_ class.Partial[Parity]              = (*Class)(nil)
	_ class.Coded                        = (*Class)(nil)
)
