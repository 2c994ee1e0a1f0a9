package scorecard

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
)

// A Class is the set of all scorecards over some attributes, which define the allowed points. It
// implements class.Enumerable[[]uint16, Card]. The zero value is invalid; use New.
type Class struct {
	attributes []Attribute
	levels     [][][]int // [attribute][category]: the Levels of the category
	options    Options
	size       *big.Int
	norms      []int64 // with a limit on the norm: the squared norms of the cards, in ascending order
}

// Options are the public parameters of a class of scorecards, apart from its attributes.
type Options struct {
	// Threshold is the least total for which a card predicts 1.
	Threshold int
	// Penalty is the data-independent cost of each attribute that a card uses. A card uses an
	// attribute if not all of its points are 0. Penalty is at least 0.
	Penalty int64
	// Most is the maximum number of attributes that a card may use, or 0 for no limit.
	Most int
	// Norm is R, the maximum squared Euclidean norm of a card's points, that is, of the sum of their
	// squares, or 0 for no limit. With a limit, the separator has additional bits for the norm, and the class has an
	// Embedding. A limit cannot be combined with Penalty or Most.
	Norm int
}

// mostPenalty and mostAttributes are the maximum values of Options.Penalty and of the number of
// attributes. Their product is far below the maximum of an int64.
const (
	mostPenalty    = 1 << 40
	mostAttributes = 1 << 10
)

// The maximum sizes of a class with a limit on the norm. "Levels" means the total number of levels
// of all categories.
//
//   - mostNorm is the maximum of Options.Norm.
//   - mostChoices is the maximum of levels times Norm+1, the number of entries of a table of the
//     tree.
//   - mostPlaces is the maximum of levels. It bounds the time to build a tree, which compares each
//     category with every other one.
const (
	mostNorm    = 1 << 10
	mostChoices = 1 << 22
	mostPlaces  = 1 << 13
)

// New returns the class of all cards over the attributes that satisfy the limits in o. It fails if
// a parameter is out of range, or if no card satisfies the limits.
func New(attributes []Attribute, o Options) (*Class, error) {
	if len(attributes) == 0 {
		return nil, fmt.Errorf("scorecard: at least one attribute is required")
	}
	if len(attributes) > mostAttributes {
		return nil, fmt.Errorf("scorecard: %d attributes exceed the limit of %d", len(attributes), mostAttributes)
	}
	for j, a := range attributes {
		if err := a.validate(); err != nil {
			return nil, fmt.Errorf("scorecard: attribute %d: %w", j+1, err)
		}
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("scorecard: the penalty per attribute is %d, but must be 0 to %d", o.Penalty, int64(mostPenalty))
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("scorecard: the maximum number of used attributes is %d, but must not be negative", o.Most)
	}
	if o.Threshold < -1<<20 || o.Threshold > 1<<20 {
		return nil, fmt.Errorf("scorecard: threshold %d is outside -2^20..2^20", o.Threshold)
	}
	c := &Class{attributes: attributes, options: o, levels: levels(attributes)}
	if o.Norm != 0 {
		return c, c.setNorms()
	}
	c.size = count(c.undecided(), c.most())
	if c.size.Sign() == 0 {
		return nil, fmt.Errorf("scorecard: the class has no card: at most %d attributes may be used, but more of them must have points other than 0", o.Most)
	}
	return c, nil
}

// setNorms computes the number of cards and their possible squared norms, for a class with a limit
// on the norm. It fails in these cases:
//
//   - The limit is out of range.
//   - The class also has a penalty or a maximum number of used attributes.
//   - The categories have too many levels.
//   - No card satisfies the limit.
func (c *Class) setNorms() error {
	o := c.options
	if o.Norm < 0 || o.Norm > mostNorm {
		return fmt.Errorf("scorecard: the limit on the squared norm is %d, but must be 0 to %d", o.Norm, mostNorm)
	}
	if o.Penalty > 0 || o.Most > 0 {
		return fmt.Errorf("scorecard: a limit on the squared norm cannot be combined with a penalty or a maximum number of used attributes")
	}
	choices := 0
	for _, of := range c.levels {
		for _, levels := range of {
			choices += len(levels)
		}
	}
	if most := min(mostChoices/(o.Norm+1), mostPlaces); choices > most {
		return fmt.Errorf("scorecard: with a squared norm of at most %d, all categories together may have %d possible points, but have %d; group categories, or allow fewer points", o.Norm, most, choices)
	}
	c.size = new(big.Int)
	for s, n := range countNorms(c.undecided(), o.Norm) {
		if n.Sign() > 0 {
			c.norms = append(c.norms, int64(s))
			c.size.Add(c.size, n)
		}
	}
	if len(c.norms) == 0 {
		return fmt.Errorf("scorecard: no card has a squared norm of at most %d; raise the limit", o.Norm)
	}
	return nil
}

// undecided returns the state of every attribute at the root of the search tree, where no category
// is decided.
func (c *Class) undecided() []openState {
	var ps []openState
	for _, a := range c.attributes {
		ax := newAxis(a, -1, c.options.Norm)
		order := make([]int, a.categories)
		for i := range order {
			order[i] = i
		}
		ps = append(ps, openState{&ax.states(order)[0], a.categories})
	}
	return ps
}

// count returns the number of cards that agree with the decided points and use at most the given
// number of attributes. The parameter ps holds the states of all attributes. A card uses an
// attribute if it gives points other than 0 to it.
func count(ps []openState, most int) *big.Int {
	total := new(big.Int)
	if most >= len(ps) {
		total.Set(one)
		for _, p := range ps {
			total.Mul(total, p.all())
		}
		return total
	}
	for _, n := range usedCounts(ps, most) {
		total.Add(total, n)
	}
	return total
}

// usedCounts counts the cards that agree with the decided points, by the number of attributes that
// they use. The parameter ps holds the states of all attributes. Element u of the result is the
// number of cards that use exactly u attributes, for u from 0 to the given maximum.
func usedCounts(ps []openState, most int) []*big.Int {
	counts := make([]*big.Int, min(most, len(ps))+1)
	for u := range counts {
		counts[u] = new(big.Int)
	}
	counts[0].SetInt64(1)
	var t big.Int
	for _, p := range ps {
		used := p.used()
		for u := len(counts) - 1; u >= 0; u-- {
			if !p.zero {
				counts[u].SetInt64(0)
			}
			if u > 0 {
				counts[u].Add(counts[u], t.Mul(counts[u-1], used))
			}
		}
	}
	return counts
}

// most returns the maximum number of attributes that a card may use.
func (c *Class) most() int {
	if c.options.Most == 0 {
		return len(c.attributes)
	}
	return min(c.options.Most, len(c.attributes))
}

// countsUsed reports whether the cost or the validity of a card depends on the number of attributes
// that it uses.
func (c *Class) countsUsed() bool { return c.options.Penalty > 0 || c.most() < len(c.attributes) }

// Attributes returns a copy of the attributes of the class, in order.
func (c *Class) Attributes() []Attribute { return slices.Clone(c.attributes) }

// Options returns the public parameters of the class, apart from its attributes.
func (c *Class) Options() Options { return c.options }

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "scorecards over %d attributes, threshold %d", len(c.attributes), c.options.Threshold)
	if c.most() < len(c.attributes) {
		fmt.Fprintf(&b, ", at most %d attributes used", c.most())
	}
	if c.options.Norm > 0 {
		fmt.Fprintf(&b, ", squared norm at most %d", c.options.Norm)
	}
	if c.options.Penalty > 0 {
		fmt.Fprintf(&b, ", penalty %d for each attribute used", c.options.Penalty)
	}
	return b.String()
}

// Size returns the exact number of cards in the class.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// Contains reports whether h is a card of the class.
func (c *Class) Contains(h Card) bool {
	if len(h.Points) != len(c.attributes) {
		return false
	}
	used := 0
	for j, a := range c.attributes {
		if !a.contains(h.Points[j]) {
			return false
		}
		if h.Used(j) {
			used++
		}
	}
	return used <= c.most() && (c.options.Norm == 0 || h.Norm() <= c.options.Norm)
}

// Predict reports whether card h predicts 1 for record x, that is, whether the total of x reaches
// the threshold.
func (c *Class) Predict(h Card, x []uint16) bool { return h.Total(x) >= c.options.Threshold }

// spread returns an upper bound on the sum of the absolute costs of the points and terms of problem
// p. The result ok reports whether this bound plus the greatest sum of penalties fits into 62 bits.
func (c *Class) spread(p class.Problem[[]uint16]) (bound int64, ok bool) {
	return p.Spread(c.options.Penalty * int64(c.most()))
}

// Penalty returns the sum of the penalties of the attributes that card h uses.
func (c *Class) Penalty(h Card) int64 {
	cost := int64(0)
	for j := range h.Points {
		if h.Used(j) {
			cost += c.options.Penalty
		}
	}
	return cost
}

// Separator returns the number of bits of the separator, which encodes a card in bits. For each
// category and each of its levels except the least, one bit says whether the category has at least
// this many points. With a limit on the norm, for each squared norm of a card except the least, one
// further bit says whether the card's squared norm is at least this number.
func (c *Class) Separator() int {
	m := max(0, len(c.norms)-1)
	for _, of := range c.levels {
		for _, levels := range of {
			m += len(levels) - 1
		}
	}
	return m
}

// Separate returns the separator's bits for card h, ordered by attribute, category and level,
// followed by the bits of the norm. Distinct cards have distinct bits, because the bits of a
// category determine its points.
func (c *Class) Separate(h Card) []bool {
	set := make([]bool, 0, c.Separator())
	for j, of := range c.levels {
		for cat, levels := range of {
			for _, v := range levels[1:] {
				set = append(set, h.Points[j][cat] >= v)
			}
		}
	}
	if c.options.Norm > 0 {
		norm := int64(h.Norm())
		for _, s := range c.norms[1:] {
			set = append(set, norm >= s)
		}
	}
	return set
}

// Blocks returns the number of levels of every category, in the order of Separate, followed by the
// number of squared norms if there is a limit on the norm. A category with n levels, or a norm with
// n possible values, has a block of n-1 bits in the separator. For level number i, counted from 0,
// the first i bits of the block are 1. Not every combination of such blocks represents a card.
func (c *Class) Blocks() []int {
	var options []int
	for _, of := range c.levels {
		for _, levels := range of {
			options = append(options, len(levels))
		}
	}
	if c.options.Norm > 0 {
		options = append(options, len(c.norms))
	}
	return options
}

// termCosts returns the cost that the linear terms of a problem assign to each number of points of
// each category, or nil if there are no terms. The list at index [j][cat] belongs to category cat
// of attribute j. It has an entry for each integer from the least to the greatest points of the
// category.
func (c *Class) termCosts(terms []int64) [][][]int64 {
	if terms == nil {
		return nil
	}
	out := make([][][]int64, len(c.attributes))
	for j, of := range c.levels {
		out[j] = make([][]int64, len(of))
		for cat, levels := range of {
			costs := make([]int64, levels[len(levels)-1]-levels[0]+1)
			sum := int64(0)
			for i, v := range levels {
				if i > 0 {
					sum += terms[0]
					terms = terms[1:]
				}
				costs[v-levels[0]] = sum
			}
			out[j][cat] = costs
		}
	}
	return out
}

var (
	_ class.Enumerable[[]uint16, Card] = (*Class)(nil)
	_ class.Embedded[Card]             = (*Class)(nil)
)
