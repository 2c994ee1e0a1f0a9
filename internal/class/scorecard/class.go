package scorecard

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
)

// A Class is the set of all scorecards whose attributes take their
// contributions from given finite sets. It implements
// class.Enumerable[[]uint16, Card]. The zero value is no class; use New.
type Class struct {
	attributes []Attribute
	levels     [][][]int // by attribute and category: its Levels
	options    Options
	size       *big.Int
	norms      []int64 // with a limit on the norm: the squared norms that cards have, ascending
}

// Options are the public parameters that a class has beside its attributes.
type Options struct {
	// Threshold is the total from which a card predicts 1.
	Threshold int
	// Penalty is the data-independent cost of every attribute that is used,
	// that is whose contributions are not all 0; at least 0.
	Penalty int64
	// Most is the greatest number of attributes that may be used, or 0 for no
	// limit.
	Most int
	// Norm is R, the greatest squared Euclidean norm of all points, or 0 for no
	// limit. With it, the separator has bits of the norm, and the class has an
	// Embedding. It goes with neither Penalty nor Most.
	Norm int
}

// mostPenalty is the greatest penalty of an attribute, and mostAttributes the
// greatest number of attributes: their product stays far within int64.
const (
	mostPenalty    = 1 << 40
	mostAttributes = 1 << 10
)

// mostNorm is the greatest limit on the squared norm, and mostChoices that on the
// number of points that categories may have, times the norm that is left: a tree
// has a table of them. mostPlaces is that of the points alone: for each category a
// tree looks at those of every other one.
const (
	mostNorm    = 1 << 10
	mostChoices = 1 << 22
	mostPlaces  = 1 << 13
)

// New returns the class, or an error that says in one sentence what is wrong
// with its parameters.
func New(attributes []Attribute, o Options) (*Class, error) {
	if len(attributes) == 0 {
		return nil, fmt.Errorf("scorecard: a scorecard needs at least one attribute")
	}
	if len(attributes) > mostAttributes {
		return nil, fmt.Errorf("scorecard: %d attributes are more than %d", len(attributes), mostAttributes)
	}
	for j, a := range attributes {
		if err := a.validate(); err != nil {
			return nil, fmt.Errorf("scorecard: attribute %d: %w", j+1, err)
		}
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("scorecard: a penalty of %d for each attribute is outside 0..%d", o.Penalty, int64(mostPenalty))
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("scorecard: at most %d attributes leaves no scorecard", o.Most)
	}
	if o.Threshold < -1<<20 || o.Threshold > 1<<20 {
		return nil, fmt.Errorf("scorecard: a threshold of %d is outside -2^20..2^20", o.Threshold)
	}
	c := &Class{attributes: attributes, options: o, levels: levels(attributes)}
	if o.Norm != 0 {
		return c, c.limit()
	}
	c.size = count(c.empty(), c.most())
	if c.size.Sign() == 0 {
		return nil, fmt.Errorf("scorecard: no card uses at most %d attributes, since more of them cannot be all 0", o.Most)
	}
	return c, nil
}

// limit sets the size and the norms of a class with a limit on the norm, or
// returns what is wrong with that.
func (c *Class) limit() error {
	o := c.options
	if o.Norm < 0 || o.Norm > mostNorm {
		return fmt.Errorf("scorecard: a limit of %d on the squared norm is outside 0..%d", o.Norm, mostNorm)
	}
	if o.Penalty > 0 || o.Most > 0 {
		return fmt.Errorf("scorecard: a limit on the norm goes with no penalty and no limit on the attributes used")
	}
	choices := 0
	for _, of := range c.levels {
		for _, levels := range of {
			choices += len(levels)
		}
	}
	if most := min(mostChoices/(o.Norm+1), mostPlaces); choices > most {
		return fmt.Errorf("scorecard: with a limit of %d on the squared norm there may be %d points of categories to choose from, and these are %d; make groups of categories, or take fewer points", o.Norm, most, choices)
	}
	c.size = new(big.Int)
	for s, n := range countNorms(c.empty(), o.Norm) {
		if n.Sign() > 0 {
			c.norms = append(c.norms, int64(s))
			c.size.Add(c.size, n)
		}
	}
	if len(c.norms) == 0 {
		return fmt.Errorf("scorecard: no card has a squared norm of at most %d", o.Norm)
	}
	return nil
}

// empty returns the prospect of every attribute with nothing decided.
func (c *Class) empty() []prospect {
	var ps []prospect
	for _, a := range c.attributes {
		ax := newAxis(a, -1, c.options.Norm)
		order := make([]int, a.categories)
		for i := range order {
			order[i] = i
		}
		ps = append(ps, prospect{&ax.fillings(order)[0], a.categories})
	}
	return ps
}

// count returns the number of ways to complete all the prospects with at most
// the given number of attributes used.
func count(ps []prospect, most int) *big.Int {
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

// usedCounts returns, for each u ≤ most, how many completions of the prospects
// use exactly u attributes.
func usedCounts(ps []prospect, most int) []*big.Int {
	ways := make([]*big.Int, min(most, len(ps))+1)
	for u := range ways {
		ways[u] = new(big.Int)
	}
	ways[0].SetInt64(1)
	var t big.Int
	for _, p := range ps {
		used := p.used()
		for u := len(ways) - 1; u >= 0; u-- {
			if !p.zero {
				ways[u].SetInt64(0)
			}
			if u > 0 {
				ways[u].Add(ways[u], t.Mul(ways[u-1], used))
			}
		}
	}
	return ways
}

// most returns the greatest number of attributes that may be used.
func (c *Class) most() int {
	if c.options.Most == 0 {
		return len(c.attributes)
	}
	return min(c.options.Most, len(c.attributes))
}

// tracked tells whether it matters how many attributes a card uses.
func (c *Class) tracked() bool { return c.options.Penalty > 0 || c.most() < len(c.attributes) }

// Attributes returns the attributes, in order.
func (c *Class) Attributes() []Attribute { return slices.Clone(c.attributes) }

// Options returns the public parameters.
func (c *Class) Options() Options { return c.options }

// String describes the class with its parameters.
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

// Size returns the exact number of cards.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// Contains tells whether h is a card of the class.
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

// Predict tells whether the total of record x reaches the threshold.
func (c *Class) Predict(h Card, x []uint16) bool { return h.Total(x) >= c.options.Threshold }

// spread is the problem's Spread over the penalties of the class.
func (c *Class) spread(p class.Problem[[]uint16]) (bound int64, ok bool) {
	return p.Spread(c.options.Penalty * int64(c.most()))
}

// Penalty returns the penalty of all attributes that h uses.
func (c *Class) Penalty(h Card) int64 {
	cost := int64(0)
	for j := range h.Points {
		if h.Used(j) {
			cost += c.options.Penalty
		}
	}
	return cost
}

// Separator returns the number of bits "the contribution of category c of
// attribute j is at least v", v over all its possible contributions but the
// least; with a limit on the norm, then "the squared norm is at least s", s over
// all that cards have but the least.
func (c *Class) Separator() int {
	m := max(0, len(c.norms)-1)
	for _, of := range c.levels {
		for _, levels := range of {
			m += len(levels) - 1
		}
	}
	return m
}

// Separate returns those bits of h, attribute by attribute, category by
// category, v ascending. The bits of a category say its contribution, so
// distinct cards have distinct bits.
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

// Blocks returns, for every attribute and category in the order of Separate,
// how many contributions it may have: one more than it has bits, which are the
// ranks that its contribution reaches; with a limit on the norm, the squared
// norms come last. Not every combination need be a card.
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

// termCosts returns, for every attribute and category, the cost that the
// problem's terms put on each contribution from the least possible one up;
// nil without terms.
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
