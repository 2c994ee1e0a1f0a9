package sparse

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
)

// Options are the public parameters of a class of sparse cards.
type Options struct {
	// Sizes is the number of categories of each attribute.
	Sizes []int
	// Most is the maximum number K of attributes on which a card has points of its own.
	Most int
	// Groups is the maximum number of groups of adjacent categories of an attribute. 0 means MostGroups.
	Groups int
	// Points is the maximum P of the absolute points of a group of categories.
	Points int
	// Threshold is the least total for which a card predicts 1.
	Threshold int
	// Draws is the number of cards that are sampled successively, at least 1. Each adds its points
	// to the public base of the next, so Draws bounds the number of attributes that the base uses,
	// and thereby the size of a tree.
	Draws int
	// Rate is λ, or nil for no charges. With a Rate, the cards on each set have a charge, a data-independent cost
	// that gives a card the weight e^{-λ·charge}. So the many large sets do not dominate the few small sets: each
	// number of attributes has about the same total weight, and the sets with the same number of attributes have
	// about equal weights.
	Rate *big.Rat
}

// The constants are the maximum values of the parameters. They keep a search over the largest sets
// of attributes fast: a set with mostWidth groups has about 10^17 cards for points -1..1, but a
// search takes only milliseconds if there are many records.
const (
	MostGroups = 16      // the maximum number of groups of an attribute
	mostWidth  = 36      // the maximum total number of groups of the attributes of a set
	MostSets   = 1 << 14 // the maximum number of sets of a class
	mostSet    = 6       // the maximum number of attributes of a set
	mostPoints = 20
	mostDraws  = 100
	mostCharge = 1 << 40
)

// A Class is the set of cards that differ from a public card, the base, on at most K attributes. It
// implements class.Enumerable[[]uint16, Card]. The zero value is invalid; use New.
type Class struct {
	options Options
	groups  []int // [attribute]: its number of groups
	sets    []set
	parts   []*scorecard.Class // [set]: its part, see Class.part
	charges []int64            // [set]: the charge of its cards
	size    *big.Int
	base    [][]int   // [attribute][group]; nil if all points are 0
	tables  [][]int64 // [set]: its table (see Given); nil if tables are counted from records
}

// New returns the class of sparse cards whose base has 0 points everywhere. It fails if a parameter
// is out of range.
func New(o Options) (*Class, error) {
	switch {
	case len(o.Sizes) == 0:
		return nil, fmt.Errorf("sparse: at least one attribute is required")
	case o.Most < 1 || o.Most > mostSet:
		return nil, fmt.Errorf("sparse: the maximum number of attributes in a set is %d, but must be 1 to %d", o.Most, mostSet)
	case o.Groups < 0 || o.Groups > MostGroups:
		return nil, fmt.Errorf("sparse: the number of groups of categories is %d, but must be 1 to %d", o.Groups, MostGroups)
	case o.Points < 1 || o.Points > mostPoints:
		return nil, fmt.Errorf("sparse: the maximum of the points is %d, but must be 1 to %d", o.Points, mostPoints)
	case o.Threshold < -1<<20 || o.Threshold > 1<<20:
		return nil, fmt.Errorf("sparse: threshold %d is outside -2^20..2^20", o.Threshold)
	case o.Draws < 1 || o.Draws > mostDraws:
		return nil, fmt.Errorf("sparse: the number of draws is %d, but must be 1 to %d", o.Draws, mostDraws)
	case o.Rate != nil && o.Rate.Sign() <= 0:
		return nil, fmt.Errorf("sparse: the rate is %v, but must be positive", o.Rate)
	}
	if o.Groups == 0 {
		o.Groups = MostGroups
	}
	c := &Class{options: o, size: new(big.Int)}
	for j, n := range o.Sizes {
		if n < 1 || n > 1<<16-1 {
			return nil, fmt.Errorf("sparse: attribute %d has %d categories, but must have 1 to 65535", j+1, n)
		}
		c.groups = append(c.groups, min(n, o.Groups))
	}
	c.sets = sets(c.groups, o.Most, mostWidth, MostSets)
	if c.sets == nil {
		return nil, fmt.Errorf("sparse: the class has too many sets of attributes: there are more than %d sets of at most %d of the %d attributes; reduce the maximum number of attributes in a set", MostSets, o.Most, len(o.Sizes))
	}
	like := map[string]*scorecard.Class{} // the parts by the numbers of groups of their attributes
	for _, s := range c.sets {
		var shape []byte
		for _, j := range s {
			shape = append(shape, byte(c.groups[j]))
		}
		part := like[string(shape)]
		if part == nil {
			var err error
			if part, err = c.part(s); err != nil {
				return nil, err
			}
			like[string(shape)] = part
		}
		c.parts = append(c.parts, part)
		c.size.Add(c.size, part.Size())
	}
	return c, c.setCharges()
}

// part returns the class of the cards on the set s of attributes. Its records have one attribute
// for each attribute of the set, with the groups as categories. If Draws > 1, the base may have
// points. Then there is one more attribute with fixed points, the remainder. Its points are the sum
// of the base's points on all other attributes, minus the threshold.
func (c *Class) part(s set) (*scorecard.Class, error) {
	var attributes []scorecard.Attribute
	for _, j := range s {
		attributes = append(attributes, scorecard.OneHot(c.groups[j], -c.options.Points, c.options.Points))
	}
	threshold := c.options.Threshold
	if c.options.Draws > 1 {
		reach := c.maxTotal(s)
		var rest []int
		for o := -reach - 1; o <= reach; o++ {
			rest = append(rest, o)
		}
		attributes, threshold = append(attributes, scorecard.Vectors([][]int{rest})), 0
	}
	return scorecard.New(attributes, scorecard.Options{Threshold: threshold})
}

// maxTotal returns the maximum absolute sum of the points that a card gives to a record on the set
// s of attributes.
func (c *Class) maxTotal(s set) int { return len(s) * c.options.Points }

// setCharges computes the charge of each set of attributes at the rate λ of the options. Without a
// rate, all charges are 0. Let w be the weight of the set (see weights), and w_min the least weight
// of a set. Then the charge is ⌈(ln w - ln w_min)/λ⌉.
func (c *Class) setCharges() error {
	c.charges = make([]int64, len(c.sets))
	if c.options.Rate == nil {
		return nil
	}
	for i, charge := range class.Charges(c.options.Rate, c.weights()) {
		if !charge.IsInt64() || charge.Int64() > mostCharge {
			return fmt.Errorf("sparse: the rate %v is too small: to balance the sets, a card would cost %v more, and the limit is %d; use a greater rate", c.options.Rate, charge, int64(mostCharge))
		}
		c.charges[i] = charge.Int64()
	}
	return nil
}

// weights returns a weight for each set of attributes: the number of cards on the set, multiplied
// by the number of sets with as many attributes. The charges compensate for these weights, so that
// each number of attributes has about the same total weight in the exponential mechanism (see
// setCharges).
func (c *Class) weights() []*big.Int {
	like := map[int]int64{} // the number of sets with each number of attributes
	for _, s := range c.sets {
		like[len(s)]++
	}
	numbers := make([]*big.Int, len(c.sets))
	for i, s := range c.sets {
		numbers[i] = new(big.Int).Mul(c.parts[i].Size(), big.NewInt(like[len(s)]))
	}
	return numbers
}

// TotalWeight returns approximately the total weight that the cards have on an empty table: the sum
// of e^{-λ·charge}. If the class has no charges, this is the size of the class.
func (c *Class) TotalWeight() *big.Int {
	if c.options.Rate == nil {
		return c.Size()
	}
	// The charges reduce the total weight of the cards on all sets of one size to about the least
	// such weight of any size.
	var least *big.Int
	numbers := map[int]bool{}
	for i, n := range c.weights() {
		if least == nil || n.Cmp(least) < 0 {
			least = n
		}
		numbers[len(c.sets[i])] = true
	}
	return least.Mul(least, big.NewInt(int64(len(numbers))))
}

// Work estimates how long one thread takes to count the cost tables of all sets of attributes for
// the given number of distinct records, in units of 10 ns. The search that follows is not included;
// its time depends on the data.
func (c *Class) Work(records int64) int64 {
	steps := 0.0
	for _, s := range c.sets {
		cells := 1.0
		for _, j := range s {
			cells *= float64(c.groups[j])
		}
		if c.options.Draws > 1 {
			cells *= float64(4*c.options.Most*c.options.Points + 2)
		}
		steps += 0.1*float64(records)*float64(len(s)+2) + 1.5*cells
	}
	return int64(min(steps, math.MaxInt64/2))
}

// LeastPrior returns approximately the natural logarithm of the least prior of a card. The prior of
// a card is its fraction of the total weight of all cards, where the weight of a card is
// e^{-λ·charge} at the rate λ = lambda.
func (c *Class) LeastPrior(lambda *big.Rat) float64 {
	l, _ := lambda.Float64()
	least, sum := 0.0, 0.0
	for i, charge := range c.charges {
		points := -float64(c.parts[i].Separator()) / float64(2*c.options.Points) * math.Log(float64(2*c.options.Points+1))
		least = min(least, -l*float64(charge))
		sum += math.Exp(-points - l*float64(charge))
	}
	return least - math.Log(sum)
}

// Next returns the class from which the next card is sampled after card h. The base of that class
// is the complete card of h: the current base with the points of h on the attributes of h.
func (c *Class) Next(h Card) *Class {
	next := *c
	next.base = c.groupPoints(h)
	return &next
}

// groupPoints returns the points of the complete card of h, by attribute and group: an attribute of
// h has the points of h, and any other attribute has the points of the base.
func (c *Class) groupPoints(h Card) [][]int {
	points := make([][]int, len(c.groups))
	for j, n := range c.groups {
		points[j] = make([]int, n)
		if c.base != nil {
			points[j] = c.base[j]
		}
	}
	for i, j := range h.Attributes {
		points[j] = h.Points[i]
	}
	return points
}

// Points returns the complete card of h, which has points for every category of every attribute: an
// attribute of h has the points of h, and any other attribute has the points of the base.
func (c *Class) Points(h Card) scorecard.Card {
	card := scorecard.Card{}
	for j, of := range c.groupPoints(h) {
		points := make([]int, c.options.Sizes[j])
		for category := range points {
			points[category] = of[c.group(j, uint16(category))]
		}
		card.Points = append(card.Points, points)
	}
	return card
}

// Reaches reports whether the complete card can result from cards that are sampled successively (Options.Draws). This
// requires that
//
//   - its points are within range;
//   - the categories of one group have equal points;
//   - it uses at most Most·Draws attributes.
func (c *Class) Reaches(card scorecard.Card) bool {
	used := 0
	for j, points := range card.Points {
		for category, v := range points {
			same := category == 0 || c.group(j, uint16(category)) != c.group(j, uint16(category-1)) || v == points[category-1]
			if !same || v < -c.options.Points || v > c.options.Points {
				return false
			}
		}
		if card.Used(j) {
			used++
		}
	}
	return used <= c.options.Most*c.options.Draws
}

// group returns the group to which a category of attribute j belongs. Groups consist of adjacent
// categories and have nearly equal numbers of categories.
func (c *Class) group(j int, category uint16) int {
	return int(category) * c.groups[j] / c.options.Sizes[j]
}

// Options returns the public parameters of the class, apart from its attributes.
func (c *Class) Options() Options { return c.options }

// Sets returns the number of sets of attributes on which cards of the class may have points.
func (c *Class) Sets() int { return len(c.sets) }

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	o := c.options
	return fmt.Sprintf("scorecards on at most %d of %d attributes, points -%d..%[3]d, threshold %d: %d sets of attributes", o.Most, len(o.Sizes), o.Points, o.Threshold, len(c.sets))
}

// Size returns the exact number of cards. Cards on different sets count as distinct.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// index returns the index of the set s of attributes in the class, or -1 if it is not one of the
// sets on which cards have points.
func (c *Class) index(s set) int {
	i, found := slices.BinarySearchFunc(c.sets, s, func(a, b set) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	if !found {
		return -1
	}
	return i
}

// Contains reports whether h is a card of the class.
func (c *Class) Contains(h Card) bool {
	i := c.index(h.Attributes)
	return i >= 0 && c.parts[i].Contains(c.partCard(h))
}

// partCard converts h to a card of the class of the cards on its set (see part).
func (c *Class) partCard(h Card) scorecard.Card {
	points := slices.Clone(h.Points)
	if c.options.Draws > 1 && c.index(h.Attributes) >= 0 {
		points = append(points, c.remainderPoints(h.Attributes))
	}
	return scorecard.Card{Points: points}
}

// remainderPoints returns the fixed points of the remainder, the additional attribute in the class
// of the cards on set s (see part).
func (c *Class) remainderPoints(s set) []int {
	all := c.parts[c.index(s)].Attributes()
	return all[len(all)-1].List()[0]
}

// Predict reports whether the total points of record x reach the threshold.
func (c *Class) Predict(h Card, x []uint16) bool {
	total := 0
	for j, points := range c.groupPoints(h) {
		total += points[c.group(j, x[j])]
	}
	return total >= c.options.Threshold
}

// Penalty returns the charge of card h, which depends only on the set of its attributes.
func (c *Class) Penalty(h Card) int64 { return c.charges[c.index(h.Attributes)] }

// selector returns the number of separator bits that encode the index of a card's set of attributes.
func (c *Class) selector() int { return bits.Len(uint(len(c.sets) - 1)) }

// Separator returns the number of bits of the separator: those that encode the index of a set, and
// those of the longest separator of a part.
func (c *Class) Separator() int {
	most := 0
	for _, p := range c.parts {
		most = max(most, p.Separator())
	}
	return c.selector() + most
}

// Separate returns the separator bits of card h: the binary digits of the index of its set of
// attributes, lowest first, then the separator bits of the card within its part, and then zeros up
// to the length of the separator.
func (c *Class) Separate(h Card) []bool {
	i := c.index(h.Attributes)
	set := append(class.Number(i, c.selector()), c.parts[i].Separate(c.partCard(h))...)
	return append(set, make([]bool, c.Separator()-len(set))...)
}

// All yields all cards of the class, one set of attributes after another.
func (c *Class) All() iter.Seq[Card] {
	return func(yield func(Card) bool) {
		for i, s := range c.sets {
			for h := range c.parts[i].All() {
				if !yield(Card{s, h.Points[:len(s)]}) {
					return
				}
			}
		}
	}
}

var _ class.Enumerable[[]uint16, Card] = (*Class)(nil)
