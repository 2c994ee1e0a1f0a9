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
	// Most is K, the greatest number of attributes of a set.
	Most int
	// Groups is how many groups an attribute has at most, 0 for MostGroups.
	Groups int
	// Points is P: a group has points in -P..P.
	Points int
	// Threshold is the total from which a card predicts 1.
	Threshold int
	// Draws is how many cards are drawn one after the other, at least 1. It bounds how many
	// attributes the base uses, and so what a tree takes.
	Draws int
	// Rate is λ, at which the cards of all sets of one number of attributes are charged so
	// that each number, and each set of that number, weighs the same before there is data;
	// nil for no charges.
	Rate *big.Rat
}

// Limits on the parameters. A set of mostWidth groups has some 10^17 cards with points -1..1,
// which a search takes milliseconds for where there are many records.
const (
	MostGroups = 16      // of an attribute
	mostWidth  = 36      // groups of a set, together
	MostSets   = 1 << 14 // of a class
	mostSet    = 6       // attributes of a set
	mostPoints = 20
	mostDraws  = 100
	mostCharge = 1 << 40
)

// A Class is the set of cards that change at most K attributes of its base. It implements
// class.Enumerable[[]uint16, Card]. The zero value is no class; use New.
type Class struct {
	options Options
	groups  []int // of each attribute
	sets    []set
	parts   []*scorecard.Class // of each set: its cards over the groups of a record, and what is left of its total
	charges []int64            // of each set
	size    *big.Int
	base    [][]int   // of each attribute and group, or nil for 0
	given   [][]int64 // the table of each set, or nil where records are counted
}

// New returns the class with a base of 0 points, or an error that says in one sentence what is
// wrong with its parameters.
func New(o Options) (*Class, error) {
	switch {
	case len(o.Sizes) == 0:
		return nil, fmt.Errorf("sparse: a card needs at least one attribute")
	case o.Most < 1 || o.Most > mostSet:
		return nil, fmt.Errorf("sparse: %d attributes at a time are outside 1..%d", o.Most, mostSet)
	case o.Groups < 0 || o.Groups > MostGroups:
		return nil, fmt.Errorf("sparse: %d groups of categories are outside 1..%d", o.Groups, MostGroups)
	case o.Points < 1 || o.Points > mostPoints:
		return nil, fmt.Errorf("sparse: points of up to %d are outside 1..%d", o.Points, mostPoints)
	case o.Threshold < -1<<20 || o.Threshold > 1<<20:
		return nil, fmt.Errorf("sparse: a threshold of %d is outside -2^20..2^20", o.Threshold)
	case o.Draws < 1 || o.Draws > mostDraws:
		return nil, fmt.Errorf("sparse: %d draws are outside 1..%d", o.Draws, mostDraws)
	case o.Rate != nil && o.Rate.Sign() <= 0:
		return nil, fmt.Errorf("sparse: a rate of %v charges nothing; it must be positive", o.Rate)
	}
	if o.Groups == 0 {
		o.Groups = MostGroups
	}
	c := &Class{options: o, size: new(big.Int)}
	for j, n := range o.Sizes {
		if n < 1 || n > 1<<16-1 {
			return nil, fmt.Errorf("sparse: attribute %d has %d categories, outside 1..65535", j+1, n)
		}
		c.groups = append(c.groups, min(n, o.Groups))
	}
	c.sets = sets(c.groups, o.Most, mostWidth, MostSets)
	if c.sets == nil {
		return nil, fmt.Errorf("sparse: there are more than %d sets of at most %d of %d attributes; take fewer attributes at a time", MostSets, o.Most, len(o.Sizes))
	}
	like := map[string]*scorecard.Class{} // of the same groups
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
	return c, c.charge()
}

// part returns the class of the cards of a set, over records of the groups of its attributes,
// and, where a base has points, of what the rest of a record's total leaves to the threshold.
func (c *Class) part(s set) (*scorecard.Class, error) {
	var attributes []scorecard.Attribute
	for _, j := range s {
		attributes = append(attributes, scorecard.OneHot(c.groups[j], -c.options.Points, c.options.Points))
	}
	threshold := c.options.Threshold
	if c.options.Draws > 1 {
		reach := c.reach(s)
		var rest []int
		for o := -reach - 1; o <= reach; o++ {
			rest = append(rest, o)
		}
		attributes, threshold = append(attributes, scorecard.Vectors([][]int{rest})), 0
	}
	return scorecard.New(attributes, scorecard.Options{Threshold: threshold})
}

// reach is the greatest total that points on the set can have.
func (c *Class) reach(s set) int { return len(s) * c.options.Points }

// charge sets the charges of all sets: ⌈(ln(|Q_S|·sets of |S|) - least)/λ⌉.
func (c *Class) charge() error {
	c.charges = make([]int64, len(c.sets))
	if c.options.Rate == nil {
		return nil
	}
	for i, charge := range class.Charges(c.options.Rate, c.numbers()) {
		if !charge.IsInt64() || charge.Int64() > mostCharge {
			return fmt.Errorf("sparse: at a rate of %v, cards need a charge of %v, more than %d", c.options.Rate, charge, int64(mostCharge))
		}
		c.charges[i] = charge.Int64()
	}
	return nil
}

// numbers returns, for each set, how many cards all sets of so many attributes would have if
// each had as many as this one.
func (c *Class) numbers() []*big.Int {
	like := map[int]int64{} // sets of so many attributes
	for _, s := range c.sets {
		like[len(s)]++
	}
	numbers := make([]*big.Int, len(c.sets))
	for i, s := range c.sets {
		numbers[i] = new(big.Int).Mul(c.parts[i].Size(), big.NewInt(like[len(s)]))
	}
	return numbers
}

// Weight returns how many cards that are not charged weigh about as much, at the rate of the
// charges, as all cards do.
func (c *Class) Weight() *big.Int {
	if c.options.Rate == nil {
		return c.Size()
	}
	// Charges bring the cards of all sets of one number of attributes to the least of what they
	// are for any number.
	var least *big.Int
	numbers := map[int]bool{}
	for i, n := range c.numbers() {
		if least == nil || n.Cmp(least) < 0 {
			least = n
		}
		numbers[len(c.sets[i])] = true
	}
	return least.Mul(least, big.NewInt(int64(len(numbers))))
}

// Work returns about how many steps of 10 ns it takes, on one thread, to count the tables of all
// sets over so many distinct records: what comes before a search, which the data may make longer.
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

// LeastPrior returns ln of the least share that a card has of what all cards weigh by their
// charges alone, e^{-λ·charge}, about.
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

// After returns the class of the next draw: of the cards that change at most K attributes of the
// base that h makes of this one's.
func (c *Class) After(h Card) *Class {
	next := *c
	next.base = c.merged(h)
	return &next
}

// merged returns the points of all groups of all attributes under h.
func (c *Class) merged(h Card) [][]int {
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

// Points returns the whole card that h makes of the base: the points of every category.
func (c *Class) Points(h Card) scorecard.Card {
	card := scorecard.Card{}
	for j, of := range c.merged(h) {
		points := make([]int, c.options.Sizes[j])
		for category := range points {
			points[category] = of[c.group(j, uint16(category))]
		}
		card.Points = append(card.Points, points)
	}
	return card
}

// Makes tells whether draws may make the whole card: no more attributes have points than are
// drawn in all, all within the range, and categories of one group have the same.
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

// group returns that of a category: groups are of neighbours, as even in number as can be.
func (c *Class) group(j int, category uint16) int {
	return int(category) * c.groups[j] / c.options.Sizes[j]
}

// Options returns the public parameters.
func (c *Class) Options() Options { return c.options }

// Sets returns how many sets of attributes there are.
func (c *Class) Sets() int { return len(c.sets) }

// String describes the class with its parameters.
func (c *Class) String() string {
	o := c.options
	return fmt.Sprintf("scorecards on at most %d of %d attributes, points -%d..%[3]d, threshold %d: %d sets of attributes", o.Most, len(o.Sizes), o.Points, o.Threshold, len(c.sets))
}

// Size returns the exact number of cards; those of different sets are different.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// index returns the number of a set, or -1.
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

// Contains tells whether h is a card of the class.
func (c *Class) Contains(h Card) bool {
	i := c.index(h.Attributes)
	return i >= 0 && c.parts[i].Contains(c.inner(h))
}

// inner returns h as a card of its part.
func (c *Class) inner(h Card) scorecard.Card {
	points := slices.Clone(h.Points)
	if c.options.Draws > 1 && c.index(h.Attributes) >= 0 {
		points = append(points, c.rest(h.Attributes))
	}
	return scorecard.Card{Points: points}
}

// rest returns the only points of the last attribute of a part.
func (c *Class) rest(s set) []int {
	all := c.parts[c.index(s)].Attributes()
	return all[len(all)-1].List()[0]
}

// Predict tells whether the total of record x reaches the threshold.
func (c *Class) Predict(h Card, x []uint16) bool {
	total := 0
	for j, points := range c.merged(h) {
		total += points[c.group(j, x[j])]
	}
	return total >= c.options.Threshold
}

// Penalty returns the charge of the set.
func (c *Class) Penalty(h Card) int64 { return c.charges[c.index(h.Attributes)] }

// selector returns the number of bits that say which set.
func (c *Class) selector() int { return bits.Len(uint(len(c.sets) - 1)) }

// Separator returns the number of bits: those of the number of the set, and then as many as the
// points of any set take.
func (c *Class) Separator() int {
	most := 0
	for _, p := range c.parts {
		most = max(most, p.Separator())
	}
	return c.selector() + most
}

// Separate returns the bits of the number of the set, the lowest first, and those of the points
// of its groups, filled up with 0.
func (c *Class) Separate(h Card) []bool {
	i := c.index(h.Attributes)
	set := append(class.Number(i, c.selector()), c.parts[i].Separate(c.inner(h))...)
	return append(set, make([]bool, c.Separator()-len(set))...)
}

// All yields the cards set by set.
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
