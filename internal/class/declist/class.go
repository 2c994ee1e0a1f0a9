package declist

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Class is the set of all decision lists with at most a given number of rules over given
// antecedents. It implements class.Enumerable[[]uint16, List] and class.Partial[List]. The zero
// value is invalid; use New.
type Class struct {
	attributes  []literal.Attribute
	literals    []Literal
	antecedents []antecedent
	options     Options
	counts      *counts
	layout      func() layout // computes the layout at the first call, and then returns the same
}

// Options are the public parameters of a class, apart from its attributes.
type Options struct {
	// Rules is the maximum number of rules; 0 means the number of antecedents.
	Rules int
	// Literals is the maximum number of literals of an antecedent, 1 or 2; 0 means 1.
	Literals int
	// Penalty is the data-independent cost of each rule. It is at least 0.
	Penalty int64
}

// The constants limit the parameters of a class. They keep penalties far below the range of int64,
// and bound the memory of counts and tables.
const (
	mostPenalty     = 1 << 40
	mostAttributes  = 1 << 10
	mostAntecedents = 1 << 16
	mostCounts      = 1 << 26
)

// New returns the class of decision lists over the attributes. It fails if a parameter is out of
// range or if the class is too large.
func New(attributes []literal.Attribute, o Options) (*Class, error) {
	if len(attributes) > mostAttributes {
		return nil, fmt.Errorf("declist: %d attributes exceed the limit of %d", len(attributes), mostAttributes)
	}
	for j, a := range attributes {
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("declist: attribute %d: %w", j+1, err)
		}
	}
	if o.Rules < 0 {
		return nil, fmt.Errorf("declist: the maximum number of rules is %d, but must not be negative", o.Rules)
	}
	if o.Literals < 0 || o.Literals > 2 {
		return nil, fmt.Errorf("declist: the maximum number of literals per rule is %d, but must be 1 or 2", o.Literals)
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("declist: the penalty per rule is %d, but must be 0 to %d", o.Penalty, int64(mostPenalty))
	}
	c := &Class{attributes: attributes, literals: literals(attributes), options: o}
	n := countAntecedents(c.literals, len(attributes), o.Literals == 2)
	if n == 0 {
		return nil, fmt.Errorf("declist: no rule is possible, because no literal distinguishes two records; use an attribute with at least two categories")
	}
	if n > mostAntecedents {
		return nil, fmt.Errorf("declist: the class has %d conditions for rules, more than the limit of %d; group categories, or allow one literal per rule", n, mostAntecedents)
	}
	rules := c.limit(n)
	work := int64(rules) * int64(n) * int64(rules+16)
	if work > mostCounts {
		return nil, fmt.Errorf("declist: the class is too large: counting lists of up to %d rules with %d conditions takes too long; reduce the maximum number of rules", rules, n)
	}
	c.antecedents = listAntecedents(c.literals, len(attributes), o.Literals == 2)
	c.counts = newCounts(n, rules, o.Penalty > 0 && work*int64(rules) <= mostCounts)
	c.layout = sync.OnceValue(func() layout { return newLayout(c) })
	return c, nil
}

// limit returns the maximum number of rules of a list in a class with n antecedents.
func (c *Class) limit(n int) int {
	if c.options.Rules == 0 {
		return n
	}
	return min(c.options.Rules, n)
}

// rules returns K, the maximum number of rules of a list.
func (c *Class) rules() int { return c.limit(len(c.antecedents)) }

// Options returns the public parameters of the class, apart from its attributes.
func (c *Class) Options() Options { return c.options }

// Antecedents returns the number of antecedents, which are the possible conditions of rules.
func (c *Class) Antecedents() int { return len(c.antecedents) }

// Antecedent returns the one or two literals of antecedent a. The caller must not change them.
func (c *Class) Antecedent(a int) []Literal {
	var out []Literal
	for _, l := range c.antecedents[a] {
		if l != none {
			out = append(out, c.literals[l])
		}
	}
	return out
}

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "decision lists of at most %d rules over %d attributes, %d antecedents", c.rules(), len(c.attributes), len(c.antecedents))
	if c.options.Literals == 2 {
		b.WriteString(" of at most 2 literals")
	}
	if c.options.Penalty > 0 {
		fmt.Fprintf(&b, ", penalty %d for each rule", c.options.Penalty)
	}
	return b.String()
}

// Size returns the exact number of lists in the class.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.counts.root.n) }

// Contains reports whether h is a list of the class in canonical form.
func (c *Class) Contains(h List) bool {
	n := len(h.Rules)
	if n > c.rules() || n > 0 && h.Default == h.Rules[n-1].Label {
		return false
	}
	used := map[int]bool{}
	for i, r := range h.Rules {
		if r.Antecedent < 0 || r.Antecedent >= len(c.antecedents) || used[r.Antecedent] || i > 0 && !r.mayFollow(h.Rules[i-1]) {
			return false
		}
		used[r.Antecedent] = true
	}
	return true
}

// Predict returns the label of the first rule of h whose antecedent the record x satisfies, or the
// default of h if there is none.
func (c *Class) Predict(h List, x []uint16) bool {
	if i := c.DecidingRule(h, x); i >= 0 {
		return h.Rules[i].Label
	}
	return h.Default
}

// DecidingRule returns the index of the first rule of h whose antecedent the record x satisfies, or
// -1 if there is no such rule.
func (c *Class) DecidingRule(h List, x []uint16) int {
	return slices.IndexFunc(h.Rules, func(r Rule) bool { return c.satisfies(r.Antecedent, x) })
}

// Penalty returns the sum of the penalties for all rules of h.
func (c *Class) Penalty(h List) int64 { return c.options.Penalty * int64(len(h.Rules)) }

// inRange reports whether the costs of problem p fit into 62 bits: the absolute costs of all points
// and terms, and the cost of the greatest penalty of a list, must sum to at most 2^61.
func (c *Class) inRange(p class.Problem[[]uint16]) bool {
	_, ok := p.Spread(c.options.Penalty * int64(c.rules()))
	return ok
}

var (
	_ class.Enumerable[[]uint16, List] = (*Class)(nil)
	_ class.Partial[List]              = (*Class)(nil)
)
