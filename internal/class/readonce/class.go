package readonce

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

// A Class is the set of all read-once formulas with a given kind of gate and depth over given
// inputs. It implements class.Tabular[[]uint16, Formula], class.Enumerable[[]uint16, Formula],
// class.Partial[Formula] and class.Coded. The zero value is invalid; use New.
type Class struct {
	inputs               []Input
	options              Options
	leaves               int // n
	size                 int // N
	arrangements         [][]int
	separator            separator
	mostPenaltyOfFormula int64 // an upper bound on the penalty of a formula
	table                *tabulated.Class[[]uint16, Formula]
}

// An Input is a bit of a record, which a formula can read. It is 1 if the given Attribute of the
// record has the given Category.
type Input struct {
	Attribute, Category int
	// Penalty is the data-independent cost of reading the input, 0..2^40.
	Penalty int64
}

// Bits returns the inputs for records of d binary attributes: input i is 1 if attribute i has
// category 1.
func Bits(d int) []Input {
	inputs := make([]Input, d)
	for i := range inputs {
		inputs[i] = Input{Attribute: i, Category: 1}
	}
	return inputs
}

// Options are the public parameters of a class in addition to its inputs.
type Options struct {
	Gate  Gate
	Depth int // k, the number of gates between a leaf and the root
	// Points is the number m of separator points. They are chosen such that any two formulas differ
	// on many of them. With more points, the share h/m on which any two formulas differ is greater,
	// and mechanisms need less noise. If Points is 0, the separator is the shortest prefix of a
	// random sequence of points that distinguishes all formulas.
	Points int
	// Seed determines the random points of the separator.
	Seed uint64
}

const (
	// Most is the maximum number of formulas of a class, whose costs are stored in a table.
	Most = 1 << 24

	mostInputs  = 1 << 12
	mostLeaves  = 9 // ten or more leaves have more than 2^24 arrangements
	mostPenalty = 1 << 40
	mostPoints  = 1 << 12
)

// New returns the class of read-once formulas over the inputs. It fails if a parameter is out of range, or if the
// separator points do not distinguish all formulas. To check this, New sorts the formulas by their labels at the
// points; if Points is positive, it compares all pairs of formulas instead.
func New(inputs []Input, o Options) (*Class, error) {
	if len(inputs) > mostInputs {
		return nil, fmt.Errorf("readonce: %d inputs exceed the limit of %d; group categories", len(inputs), mostInputs)
	}
	seen := map[Input]int{}
	for i, in := range inputs {
		if in.Attribute < 0 || in.Category < 0 || in.Category > 1<<16-1 {
			return nil, fmt.Errorf("readonce: input %d tests category %d of attribute %d; the attribute must not be negative, and the category must be 0 to %d", i+1, in.Category, in.Attribute, 1<<16-1)
		}
		if in.Penalty < 0 || in.Penalty > mostPenalty {
			return nil, fmt.Errorf("readonce: input %d: penalty %d is outside 0..%d", i+1, in.Penalty, int64(mostPenalty))
		}
		in.Penalty = 0
		if first, twice := seen[in]; twice {
			return nil, fmt.Errorf("readonce: inputs %d and %d are equal; leave one of them out", first+1, i+1)
		}
		seen[in] = i
	}
	if o.Gate > Nand {
		return nil, fmt.Errorf("readonce: unknown gate %d; use Majority or Nand", o.Gate)
	}
	if o.Depth < 0 || o.Depth > 3 || o.Gate.leaves(o.Depth) > mostLeaves {
		return nil, fmt.Errorf("readonce: depth %d is not supported for %v formulas; use a depth of at least 0 at which a formula has at most %d leaves", o.Depth, o.Gate, mostLeaves)
	}
	if o.Points < 0 || o.Points > mostPoints {
		return nil, fmt.Errorf("readonce: the number of separator points is %d, but must be 0 to %d", o.Points, mostPoints)
	}
	c := &Class{inputs: slices.Clone(inputs), options: o, leaves: o.Gate.leaves(o.Depth)}
	if len(inputs) < c.leaves {
		return nil, fmt.Errorf("readonce: %d inputs are too few for formulas of %d leaves; use more inputs or a smaller depth", len(inputs), c.leaves)
	}
	size := o.Gate.count(len(inputs), o.Depth)
	if size.Cmp(big.NewInt(Most)) > 0 {
		return nil, fmt.Errorf("readonce: the class has %v formulas; the limit is %d; group categories, or use a smaller depth", size, Most)
	}
	c.size = int(size.Int64())
	c.arrangements = o.Gate.arrangements(c.leaves)
	for _, in := range inputs {
		c.mostPenaltyOfFormula = max(c.mostPenaltyOfFormula, int64(c.leaves)*in.Penalty)
	}
	var err error
	if c.separator, err = c.newSeparator(); err != nil {
		return nil, err
	}
	c.table, err = tabulated.New(c)
	return c, err
}

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	s := fmt.Sprintf("read-once %v formulas of depth %d over %d inputs, %d separator points of seed %d at distance %d",
		c.options.Gate, c.options.Depth, len(c.inputs), c.Separator(), c.options.Seed, c.Distance())
	if c.mostPenaltyOfFormula > 0 {
		s += ", penalties for inputs"
	}
	return s
}

// Size returns N, the number of formulas in the class.
func (c *Class) Size() *big.Int { return big.NewInt(int64(c.size)) }

// Contains reports whether formula q has the gate and depth of the class, reads distinct inputs of
// the class, and is in canonical form.
func (c *Class) Contains(q Formula) bool {
	if q.Gate != c.options.Gate || len(q.Inputs) != c.leaves {
		return false
	}
	for leaf, i := range q.Inputs {
		if i < 0 || i >= len(c.inputs) || slices.Contains(q.Inputs[:leaf], i) {
			return false
		}
	}
	return q.Gate.canonical(q.Inputs)
}

// Predict returns the value of formula q for record x.
func (c *Class) Predict(q Formula, x []uint16) bool {
	return q.evaluate(func(i int) value { return c.inputs[i].value(x) }) == one
}

// PredictPartial evaluates formula q in three-valued logic, with unknown inputs. If the result ok
// is false, the prediction is not known. If the inputs of q belong to different attributes, ok is
// true whenever the known attributes determine the prediction.
func (c *Class) PredictPartial(q Formula, x []uint16, known []bool) (label, ok bool) {
	v := q.evaluate(func(i int) value {
		if !known[c.inputs[i].Attribute] {
			return unknown
		}
		return c.inputs[i].value(x)
	})
	return v == one, v != unknown
}

// value returns the value of the input for record x: 1 or 0.
func (in Input) value(x []uint16) value {
	return valueOf(int(x[in.Attribute]) == in.Category)
}

// Penalty returns the sum of the penalties of the inputs that q reads.
func (c *Class) Penalty(q Formula) int64 {
	sum := int64(0)
	for _, i := range q.Inputs {
		sum += c.inputs[i].Penalty
	}
	return sum
}

// All yields every formula of the class in lexicographic order of the inputs at the formula's
// leaves.
func (c *Class) All() iter.Seq[Formula] {
	return func(yield func(Formula) bool) {
		c.options.Gate.arrange(c.leaves, len(c.inputs), func(inputs []int) bool {
			return yield(Formula{c.options.Gate, slices.Clone(inputs)})
		})
	}
}

var (
	_ class.Tabular[[]uint16, Formula]    = (*Class)(nil)
	_ class.Enumerable[[]uint16, Formula] = (*Class)(nil)
	_ class.Partial[Formula]              = (*Class)(nil)
	_ class.Coded                         = (*Class)(nil)
)
