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

// A Class is the set of all decision lists over given antecedents with at most
// so many rules. It implements class.Enumerable[[]uint16, List] and
// class.Partial[List]. The zero value is no class; use New.
type Class struct {
	attributes  []literal.Attribute
	literals    []Literal
	antecedents []antecedent
	options     Options
	counts      *counts
	layout      func() layout // made when first asked for
}

// Options are the public parameters that a class has beside its attributes.
type Options struct {
	// Rules is the greatest number of rules, or 0 for no limit but the number
	// of antecedents.
	Rules int
	// Literals is the greatest number of literals of an antecedent, 1 or 2; 0
	// is 1.
	Literals int
	// Penalty is the data-independent cost of every rule; at least 0.
	Penalty int64
}

// Limits that keep penalties far within int64, and counts and tables in memory.
const (
	mostPenalty     = 1 << 40
	mostAttributes  = 1 << 10
	mostAntecedents = 1 << 16
	mostCounts      = 1 << 26
)

// New returns the class, or an error that says in one sentence what is wrong
// with its parameters.
func New(attributes []literal.Attribute, o Options) (*Class, error) {
	if len(attributes) > mostAttributes {
		return nil, fmt.Errorf("declist: %d attributes are more than %d", len(attributes), mostAttributes)
	}
	for j, a := range attributes {
		if err := a.Validate(); err != nil {
			return nil, fmt.Errorf("declist: attribute %d: %w", j+1, err)
		}
	}
	if o.Rules < 0 {
		return nil, fmt.Errorf("declist: a list cannot have at most %d rules", o.Rules)
	}
	if o.Literals < 0 || o.Literals > 2 {
		return nil, fmt.Errorf("declist: antecedents of at most %d literals are not offered; give 1 or 2", o.Literals)
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("declist: a penalty of %d for each rule is outside 0..%d", o.Penalty, int64(mostPenalty))
	}
	c := &Class{attributes: attributes, literals: literals(attributes), options: o}
	n := number(c.literals, len(attributes), o.Literals == 2)
	if n == 0 {
		return nil, fmt.Errorf("declist: there is no antecedent, since no literal is true of some records and false of others")
	}
	if n > mostAntecedents {
		return nil, fmt.Errorf("declist: %d antecedents are more than %d; make groups of categories, or take one literal for each rule", n, mostAntecedents)
	}
	rules := c.limit(n)
	work := int64(rules) * int64(n) * int64(rules+16)
	if work > mostCounts {
		return nil, fmt.Errorf("declist: lists of %d rules over %d antecedents are too many to count; limit the rules", rules, n)
	}
	c.antecedents = conjunctions(c.literals, len(attributes), o.Literals == 2)
	c.counts = newCounts(n, rules, o.Penalty > 0 && work*int64(rules) <= mostCounts)
	c.layout = sync.OnceValue(func() layout { return newLayout(c) })
	return c, nil
}

// limit returns the greatest number of rules over n antecedents.
func (c *Class) limit(n int) int {
	if c.options.Rules == 0 {
		return n
	}
	return min(c.options.Rules, n)
}

// rules returns K, the greatest number of rules of a list.
func (c *Class) rules() int { return c.limit(len(c.antecedents)) }

// Options returns the public parameters.
func (c *Class) Options() Options { return c.options }

// Antecedents returns A, the number of antecedents.
func (c *Class) Antecedents() int { return len(c.antecedents) }

// Antecedent returns antecedent a as its literals, one or two. The caller must
// not change them.
func (c *Class) Antecedent(a int) []Literal {
	var out []Literal
	for _, l := range c.antecedents[a] {
		if l != none {
			out = append(out, c.literals[l])
		}
	}
	return out
}

// String describes the class with its parameters.
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

// Size returns the exact number of lists.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.counts.root.n) }

// Contains tells whether h is a list of the class, in its one way of writing.
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

// Predict returns the label of the first rule whose antecedent x satisfies, or
// the default.
func (c *Class) Predict(h List, x []uint16) bool {
	if i := c.Decides(h, x); i >= 0 {
		return h.Rules[i].Label
	}
	return h.Default
}

// Decides returns the number of the first rule whose antecedent x satisfies,
// from 0, or -1 if there is none.
func (c *Class) Decides(h List, x []uint16) int {
	return slices.IndexFunc(h.Rules, func(r Rule) bool { return c.satisfies(r.Antecedent, x) })
}

// Penalty returns the penalty of all rules of h.
func (c *Class) Penalty(h List) int64 { return c.options.Penalty * int64(len(h.Rules)) }

// spread tells whether costs of points and terms, together with all penalties,
// stay within 62 bits.
func (c *Class) spread(p class.Problem[[]uint16]) bool {
	_, ok := p.Spread(c.options.Penalty * int64(c.rules()))
	return ok
}

var (
	_ class.Enumerable[[]uint16, List] = (*Class)(nil)
	_ class.Partial[List]              = (*Class)(nil)
)
