package conjunction

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Class is the set of all conjunctions, or of all disjunctions, with at most
// one literal on each attribute. It implements class.Enumerable[[]uint16,
// Formula], class.Tabular, class.Coded and class.Partial. The zero value is no
// class; use New.
type Class struct {
	attributes []literal.Attribute
	options    Options
	axes       []axis
	codes      []code
	size       *big.Int
	layout     *layout // of a table; nil where the class is too large for one
}

// Options are the public parameters that a class has beside its attributes.
type Options struct {
	// Disjunction makes the hypotheses disjunctions of their literals.
	Disjunction bool
	// Most is the greatest number of literals, or 0 for no limit.
	Most int
	// Penalty is the data-independent cost of every literal, at least 0.
	Penalty int64
	// Distance is in how many bits the separator has any two hypotheses differ
	// at least, or 0 for 1. A greater distance takes more bits, but less than
	// in proportion: noise on the bits grows with their number over the
	// distance.
	Distance int
}

// mostPenalty is the greatest penalty of a literal, and mostAttributes the
// greatest number of attributes: their product stays far within int64.
// mostDistance and mostBits bound the separator.
const (
	mostPenalty    = 1 << 40
	mostAttributes = 1 << 10
	mostDistance   = 1 << 10
	mostBits       = 1 << 20
)

// New returns the class, or an error that says in one sentence what is wrong
// with its parameters.
func New(attributes []literal.Attribute, o Options) (*Class, error) {
	if len(attributes) == 0 {
		return nil, fmt.Errorf("conjunction: a formula needs at least one attribute")
	}
	if len(attributes) > mostAttributes {
		return nil, fmt.Errorf("conjunction: %d attributes are more than %d", len(attributes), mostAttributes)
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("conjunction: a penalty of %d for each literal is outside 0..%d", o.Penalty, int64(mostPenalty))
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("conjunction: at most %d literals leaves no formula", o.Most)
	}
	if o.Distance < 0 || o.Distance > mostDistance {
		return nil, fmt.Errorf("conjunction: a distance of %d is outside 0..%d", o.Distance, mostDistance)
	}
	c := &Class{attributes: attributes, options: o}
	for j, a := range attributes {
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("conjunction: attribute %d: %w", j+1, err)
		}
		if o.Disjunction && int64(a.Tests())*int64(a.Categories()) > literal.MostAccepted {
			return nil, fmt.Errorf("conjunction: attribute %d: %d tests on %d categories are too many for disjunctions, where their product may be %d; make groups of categories", j+1, a.Tests(), a.Categories(), literal.MostAccepted)
		}
		c.axes = append(c.axes, newAxis(a, o.Disjunction))
		c.codes = append(c.codes, codeFor(1+a.Tests(), max(o.Distance, 1)))
		if c.Separator() > mostBits {
			return nil, fmt.Errorf("conjunction: the separator has more than %d bits", mostBits)
		}
	}
	c.size = newCounts(c.axes, c.most()).of(0, c.most())
	c.layout = c.newLayout()
	return c, nil
}

// most returns the greatest number of literals.
func (c *Class) most() int {
	if c.options.Most == 0 {
		return len(c.attributes)
	}
	return min(c.options.Most, len(c.attributes))
}

// Options returns the public parameters.
func (c *Class) Options() Options { return c.options }

// Attributes returns the number of attributes.
func (c *Class) Attributes() int { return len(c.attributes) }

// Attribute returns attribute j.
func (c *Class) Attribute(j int) literal.Attribute { return c.attributes[j] }

// String describes the class with its parameters.
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

// Size returns the exact number of formulas.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// Contains tells whether h is a formula of the class.
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

// Predict tells whether record x makes the formula true.
func (c *Class) Predict(h Formula, x []uint16) bool {
	for j, o := range h.Tests {
		if o > 0 && c.attributes[j].Accepts(o-1, x[j]) == c.options.Disjunction {
			return c.options.Disjunction
		}
	}
	return !c.options.Disjunction
}

// PredictPartial returns the prediction of h once a literal on a known
// attribute settles it, or all its literals are on known attributes.
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

// Penalty returns the penalty of all literals of h.
func (c *Class) Penalty(h Formula) int64 { return int64(h.Literals()) * c.options.Penalty }

// Separator returns the number of bits of the code words of all attributes.
func (c *Class) Separator() int {
	m := 0
	for _, k := range c.codes {
		m += k.len()
	}
	return m
}

// Separate returns the code words of the options of h, attribute by attribute.
func (c *Class) Separate(h Formula) []bool {
	word := make([]bool, 0, c.Separator())
	for j, o := range h.Tests {
		word = c.codes[j].appendWord(word, o)
	}
	return word
}

// Distance returns in how many bits of the separator two formulas differ at
// least.
func (c *Class) Distance() int {
	least := 0
	for _, k := range c.codes {
		if k.digits > 0 && (least == 0 || k.distance() < least) {
			least = k.distance()
		}
	}
	return max(least, 1)
}

// inRange tells whether all costs of points, terms and penalties stay within
// 62 bits.
func (c *Class) inRange(p class.Problem[[]uint16]) bool {
	_, ok := p.Spread(c.options.Penalty * int64(c.most()))
	return ok
}

// tolls returns what each option of each attribute costs whatever the points:
// its terms and its penalty.
func (c *Class) tolls(p class.Problem[[]uint16]) [][]int64 {
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
