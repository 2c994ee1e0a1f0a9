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

// Options are the public parameters of a class.
type Options struct {
	// Sizes is the number of categories of each attribute.
	Sizes []int
	// Most is K, the maximum number of attributes of a set.
	Most int
	// Groups is the maximum number of groups of an attribute, or 0 for MostGroups.
	Groups int
	// Points is P: the points of a group are in -P..P.
	Points int
	// Threshold is the least total for which a card predicts 1.
	Threshold int
	// Draws is the number of cards that are sampled successively, at least 1. It bounds the number
	// of attributes that the base uses, and thus the size of a tree.
	Draws int
	// Rate is λ. If it is set, the cards of each set have a charge such that, at rate λ and without
	// data, each number of attributes has about the same total weight, and so has each set with
	// that number of attributes. nil means no charges.
	Rate *big.Rat
}

// Limits of the parameters. A set with mostWidth groups has about 10^17 cards with points -1..1; a
// search over them takes milliseconds if there are many records.
const (
	MostGroups = 16      // groups of an attribute
	mostWidth  = 36      // groups of a set in total
	MostSets   = 1 << 14 // sets of a class
	mostSet    = 6       // attributes of a set
	mostPoints = 20
	mostDraws  = 100
	mostCharge = 1 << 40
)

// A Class is the set of cards that differ from its base on at most K attributes. It implements
// class.Enumerable[[]uint16, Card]. The zero value is invalid; use New.
type Class struct {
	options Options
	groups  []int // number of groups of each attribute
	sets    []set
	parts   []*scorecard.Class // for each set: the cards over the groups of its attributes and, if Draws > 1, the remainder of a record's total
	charges []int64            // for each set
	size    *big.Int
	base    [][]int   // [attribute][group]; nil if all points are 0
	tables  [][]int64 // the table of each set, or nil if tables are counted from records
}

// New returns the class with a base of 0 points. It fails if a parameter is out of range.
func New(o Options) (*Class, error) {
	switch {
	case len(o.Sizes) == 0:
		return nil, fmt.Errorf("sparse: at least one attribute is required")
	case o.Most < 1 || o.Most > mostSet:
		return nil, fmt.Errorf("sparse: maximum number of attributes of a set %d is outside 1..%d", o.Most, mostSet)
	case o.Groups < 0 || o.Groups > MostGroups:
		return nil, fmt.Errorf("sparse: number of groups of categories %d is outside 1..%d", o.Groups, MostGroups)
	case o.Points < 1 || o.Points > mostPoints:
		return nil, fmt.Errorf("sparse: maximum points %d are outside 1..%d", o.Points, mostPoints)
	case o.Threshold < -1<<20 || o.Threshold > 1<<20:
		return nil, fmt.Errorf("sparse: threshold %d is outside -2^20..2^20", o.Threshold)
	case o.Draws < 1 || o.Draws > mostDraws:
		return nil, fmt.Errorf("sparse: number of draws %d is outside 1..%d", o.Draws, mostDraws)
	case o.Rate != nil && o.Rate.Sign() <= 0:
		return nil, fmt.Errorf("sparse: rate %v must be positive", o.Rate)
	}
	if o.Groups == 0 {
		o.Groups = MostGroups
	}
	c := &Class{options: o, size: new(big.Int)}
	for j, n := range o.Sizes {
		if n < 1 || n > 1<<16-1 {
			return nil, fmt.Errorf("sparse: attribute %d: number of categories %d is outside 1..65535", j+1, n)
		}
		c.groups = append(c.groups, min(n, o.Groups))
	}
	c.sets = sets(c.groups, o.Most, mostWidth, MostSets)
	if c.sets == nil {
		return nil, fmt.Errorf("sparse: there are more than %d sets of at most %d of %d attributes; reduce the maximum number of attributes of a set", MostSets, o.Most, len(o.Sizes))
	}
	like := map[string]*scorecard.Class{} // parts by their numbers of groups
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

// part returns the class of the cards of a set, over records of the groups of its attributes and,
// if a base may have points, of the remainder of a record's total: its points on other attributes
// minus the threshold.
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

// maxTotal returns the maximum total of points on the set.
func (c *Class) maxTotal(s set) int { return len(s) * c.options.Points }

// setCharges sets the charge of each set S: ⌈(ln(|Q_S|·number of sets of size |S|) - least such
// logarithm)/λ⌉, where Q_S are the cards on S.
func (c *Class) setCharges() error {
	c.charges = make([]int64, len(c.sets))
	if c.options.Rate == nil {
		return nil
	}
	for i, charge := range class.Charges(c.options.Rate, c.weights()) {
		if !charge.IsInt64() || charge.Int64() > mostCharge {
			return fmt.Errorf("sparse: at rate %v, cards need a charge of %v, which exceeds the limit of %d; use a greater rate", c.options.Rate, charge, int64(mostCharge))
		}
		c.charges[i] = charge.Int64()
	}
	return nil
}

// weights returns, for each set, the number of its cards multiplied by the number of sets with as
// many attributes.
func (c *Class) weights() []*big.Int {
	like := map[int]int64{} // number of sets by number of attributes
	for _, s := range c.sets {
		like[len(s)]++
	}
	numbers := make([]*big.Int, len(c.sets))
	for i, s := range c.sets {
		numbers[i] = new(big.Int).Mul(c.parts[i].Size(), big.NewInt(like[len(s)]))
	}
	return numbers
}

// Weight returns about how many uncharged cards have the same total weight as all cards together,
// at the rate of the charges.
func (c *Class) Weight() *big.Int {
	if c.options.Rate == nil {
		return c.Size()
	}
	// Charges reduce the total weight of the cards of each set size to the least of these weights.
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

// Work returns about how many steps of 10 ns it takes on one thread to count the tables of all sets
// for the given number of distinct records. This precedes a search, whose time depends on the data.
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

// LeastPrior returns approximately the logarithm of the least fraction of the total weight Σ
// e^{-λ·charge} that a single card has.
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

// After returns the class of the next draw, whose base is the current base changed by h.
func (c *Class) After(h Card) *Class {
	next := *c
	next.base = c.groupPoints(h)
	return &next
}

// groupPoints returns the points of all groups of all attributes of the base changed by h.
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

// Points returns the complete card, the base changed by h, with points for every category.
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

// Makes reports whether a sequence of draws can produce the complete card: its points are within
// range, categories of one group have equal points, and it uses at most Most·Draws attributes.
func (c *Class) Makes(card scorecard.Card) bool {
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

// group returns the group of a category. Groups consist of adjacent categories and have nearly
// equal sizes.
func (c *Class) group(j int, category uint16) int {
	return int(category) * c.groups[j] / c.options.Sizes[j]
}

// Options returns the public parameters.
func (c *Class) Options() Options { return c.options }

// Sets returns the number of sets of attributes.
func (c *Class) Sets() int { return len(c.sets) }

// String describes the class and its parameters.
func (c *Class) String() string {
	o := c.options
	return fmt.Sprintf("scorecards on at most %d of %d attributes, points -%d..%[3]d, threshold %d: %d sets of attributes", o.Most, len(o.Sizes), o.Points, o.Threshold, len(c.sets))
}

// Size returns the exact number of cards. Cards on different sets are distinct.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// index returns the index of a set, or -1.
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

// partCard returns h as a card of its part.
func (c *Class) partCard(h Card) scorecard.Card {
	points := slices.Clone(h.Points)
	if c.options.Draws > 1 && c.index(h.Attributes) >= 0 {
		points = append(points, c.remainderPoints(h.Attributes))
	}
	return scorecard.Card{Points: points}
}

// remainderPoints returns the fixed points of the last attribute of a part, which represents the
// remainder.
func (c *Class) remainderPoints(s set) []int {
	all := c.parts[c.index(s)].Attributes()
	return all[len(all)-1].List()[0]
}

// Predict reports whether the total of record x reaches the threshold.
func (c *Class) Predict(h Card, x []uint16) bool {
	total := 0
	for j, points := range c.groupPoints(h) {
		total += points[c.group(j, x[j])]
	}
	return total >= c.options.Threshold
}

// Penalty returns the charge of the set.
func (c *Class) Penalty(h Card) int64 { return c.charges[c.index(h.Attributes)] }

// selector returns the number of bits that encode the index of the set.
func (c *Class) selector() int { return bits.Len(uint(len(c.sets) - 1)) }

// Separator returns the number of bits: those of the index of the set, and as many as the longest
// separator of a part.
func (c *Class) Separator() int {
	most := 0
	for _, p := range c.parts {
		most = max(most, p.Separator())
	}
	return c.selector() + most
}

// Separate returns the bits of the index of the set, lowest first, followed by those of the part's
// separator, padded with 0.
func (c *Class) Separate(h Card) []bool {
	i := c.index(h.Attributes)
	set := append(class.Number(i, c.selector()), c.parts[i].Separate(c.partCard(h))...)
	return append(set, make([]bool, c.Separator()-len(set))...)
}

// All yields all cards, set by set.
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
