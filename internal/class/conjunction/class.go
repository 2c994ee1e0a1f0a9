package conjunction

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Class is the set of all conjunctions, or of all disjunctions, with at most one literal on each
// attribute. It implements class.Enumerable[[]uint16, Formula], class.Tabular, class.Coded and
// class.Partial. The zero value is invalid; use New.
type Class struct {
	attributes []literal.Attribute
	options    Options
	axes       []axis
	codes      []code
	size       *big.Int
	layout     *layout // order of the formulas in the table of costs; nil if the class is too large for a table
}

// Options are the public parameters of a class, apart from its attributes.
type Options struct {
	// Disjunction selects disjunctions of literals instead of conjunctions.
	Disjunction bool
	// Most is the maximum number of literals of a formula, or 0 for no limit.
	Most int
	// Penalty is the data-independent cost of each literal, at least 0.
	Penalty int64
	// Distance is the minimum Hamming distance between the separator bits of two hypotheses; 0
	// means 1. The noise on each bit is proportional to length/distance. A greater distance needs a
	// longer separator, but the length grows more slowly than the distance.
	Distance int
}

// The constants are the maximum values of the penalty of a literal, the number of attributes, the
// minimum distance and the number of separator bits. The greatest possible penalty of a formula,
// mostPenalty·mostAttributes, is far below the maximum of int64.
const (
	mostPenalty    = 1 << 40
	mostAttributes = 1 << 10
	mostDistance   = 1 << 10
	mostBits       = 1 << 20
)

// New returns the class of conjunctions or disjunctions over the attributes. It fails if a parameter is out of
// range.
func New(attributes []literal.Attribute, o Options) (*Class, error) {
	if len(attributes) == 0 {
		return nil, fmt.Errorf("conjunction: at least one attribute is required")
	}
	if len(attributes) > mostAttributes {
		return nil, fmt.Errorf("conjunction: %d attributes exceed the limit of %d", len(attributes), mostAttributes)
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("conjunction: the penalty per literal is %d, but must be 0 to %d", o.Penalty, int64(mostPenalty))
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("conjunction: the maximum number of literals is %d, but must not be negative", o.Most)
	}
	if o.Distance < 0 || o.Distance > mostDistance {
		return nil, fmt.Errorf("conjunction: the distance (the minimum number of separator bits in which two formulas differ) is %d, but must be 0 to %d", o.Distance, mostDistance)
	}
	c := &Class{attributes: attributes, options: o}
	for j, a := range attributes {
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("conjunction: attribute %d: %w", j+1, err)
		}
		if o.Disjunction && int64(a.Tests())*int64(a.Categories()) > literal.MostAccepted {
			return nil, fmt.Errorf("conjunction: attribute %d has too many tests for a disjunction: %d tests × %d categories exceed the limit of %d; group categories", j+1, a.Tests(), a.Categories(), literal.MostAccepted)
		}
		c.axes = append(c.axes, newAxis(a, o.Disjunction))
		c.codes = append(c.codes, codeFor(1+a.Tests(), max(o.Distance, 1)))
		if c.Separator() > mostBits {
			return nil, fmt.Errorf("conjunction: the separator, which assigns a word of bits to each formula, needs more than %d bits; use a smaller distance or fewer attributes", mostBits)
		}
	}
	c.size = newCounts(c.axes, c.most()).of(0, c.most())
	c.layout = c.newLayout()
	return c, nil
}

// most returns the maximum number of literals of a formula.
func (c *Class) most() int {
	if c.options.Most == 0 {
		return len(c.attributes)
	}
	return min(c.options.Most, len(c.attributes))
}

// Options returns the public parameters of the class, apart from its attributes.
func (c *Class) Options() Options { return c.options }

// Attributes returns the number of attributes of the class.
func (c *Class) Attributes() int { return len(c.attributes) }

// Attribute returns attribute j of the class.
func (c *Class) Attribute(j int) literal.Attribute { return c.attributes[j] }

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	kind, tests := "conjunctions", 0
	if c.options.Disjunction {
		kind = "disjunctions"
	}
	for _, a := range c.attributes {
		tests += a.Tests()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %d tests on %d attributes", kind, tests, len(c.attributes))
	if c.most() < len(c.attributes) {
		fmt.Fprintf(&b, ", at most %d literals", c.most())
	}
	if c.options.Penalty > 0 {
		fmt.Fprintf(&b, ", penalty %d for each literal", c.options.Penalty)
	}
	if d := c.Distance(); d > 1 {
		fmt.Fprintf(&b, ", coded at distance %d", d)
	}
	return b.String()
}

// Size returns the exact number of formulas in the class.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// Contains reports whether h is a formula of the class.
func (c *Class) Contains(h Formula) bool {
	if len(h.Tests) != len(c.attributes) {
		return false
	}
	for j, o := range h.Tests {
		if o < 0 || o > c.attributes[j].Tests() {
			return false
		}
	}
	return h.Literals() <= c.most()
}

// Predict returns the truth value of the formula h for record x.
func (c *Class) Predict(h Formula, x []uint16) bool {
	for j, o := range h.Tests {
		if o > 0 && c.attributes[j].Accepts(o-1, x[j]) == c.options.Disjunction {
			return c.options.Disjunction
		}
	}
	return !c.options.Disjunction
}

// PredictPartial returns the truth value of formula h for record x if the known attributes
// determine it, and otherwise ok = false. They determine it if one literal on a known attribute
// decides the value, or if every literal is on a known attribute.
func (c *Class) PredictPartial(h Formula, x []uint16, known []bool) (label, ok bool) {
	ok = true
	for j, o := range h.Tests {
		switch {
		case o == 0:
		case !known[j]:
			ok = false
		case c.attributes[j].Accepts(o-1, x[j]) == c.options.Disjunction:
			return c.options.Disjunction, true
		}
	}
	return ok && !c.options.Disjunction, ok
}

// Penalty returns the sum of the penalties for all literals of h.
func (c *Class) Penalty(h Formula) int64 { return int64(h.Literals()) * c.options.Penalty }

// Separator returns the number of bits of the separator, the total length of the code words of all
// attributes.
func (c *Class) Separator() int {
	m := 0
	for _, k := range c.codes {
		m += k.len()
	}
	return m
}

// Separate returns the separator bits of formula h: the code words of its options, in the order of
// the attributes.
func (c *Class) Separate(h Formula) []bool {
	word := make([]bool, 0, c.Separator())
	for j, o := range h.Tests {
		word = c.codes[j].appendWord(word, o)
	}
	return word
}

// Distance returns the minimum Hamming distance between the separator bits of two formulas.
func (c *Class) Distance() int {
	least := 0
	for _, k := range c.codes {
		if k.digits > 0 && (least == 0 || k.distance() < least) {
			least = k.distance()
		}
	}
	return max(least, 1)
}

// inRange reports whether the costs of problem p fit into 62 bits. This requires that the absolute
// values of all costs of points and terms, plus the cost of the greatest penalty of a formula, sum
// to at most 2^61.
func (c *Class) inRange(p class.Problem[[]uint16]) bool {
	_, ok := p.Spread(c.options.Penalty * int64(c.most()))
	return ok
}

// optionCosts returns, for each attribute and each of its options, the cost that does not depend on
// the points: the terms and the penalty of the option.
func (c *Class) optionCosts(p class.Problem[[]uint16]) [][]int64 {
	out := make([][]int64, len(c.attributes))
	terms := p.Terms
	for j, k := range c.codes {
		out[j] = make([]int64, 1+c.attributes[j].Tests())
		for o := range out[j] {
			if terms != nil {
				out[j][o] = k.cost(terms, o)
			}
			if o > 0 {
				out[j][o] += c.options.Penalty * p.PenaltyUnit()
			}
		}
		if terms != nil {
			terms = terms[k.len():]
		}
	}
	return out
}

var (
	_ class.Enumerable[[]uint16, Formula] = (*Class)(nil)
	_ class.Tabular[[]uint16, Formula]    = (*Class)(nil)
	_ class.Partial[Formula]              = (*Class)(nil)
	_ class.Coded                         = (*Class)(nil)
)
