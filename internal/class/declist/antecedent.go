package declist

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Literal is a condition on one attribute: it is true for a record if the set Accepts contains
// the record's category of Attribute.
type Literal struct {
	Attribute int
	Accepts   []uint16 // in ascending order
}

// Equal reports whether two literals are equal.
func (l Literal) Equal(to Literal) bool {
	return l.Attribute == to.Attribute && slices.Equal(l.Accepts, to.Accepts)
}

// holds reports whether the literal is true for category c of its attribute.
func (l Literal) holds(c uint16) bool {
	_, found := slices.BinarySearch(l.Accepts, c)
	return found
}

// none is the second index of an antecedent with only one literal.
const none = -1

// An antecedent is the condition of a rule: one literal, or the conjunction of two. It holds their
// indices in Class.literals. The second index is the constant none if there is only one literal.
// Otherwise the second literal belongs to a later attribute than the first.
type antecedent [2]int

// literals returns all tests of the given attributes as literals, ordered by attribute.
func literals(attributes []literal.Attribute) []Literal {
	var out []Literal
	for j, a := range attributes {
		for t := range a.Tests() {
			out = append(out, Literal{j, a.Accepted(t)})
		}
	}
	return out
}

// listAntecedents returns the possible conditions of rules, in the order of their indices. The
// single literals come first. If pairs is true, the pairs of literals on two different attributes
// follow, ordered by the two attributes and then by the literals. All antecedents are distinct as
// functions, because no literal is constant.
func listAntecedents(ls []Literal, attributes int, pairs bool) []antecedent {
	byAttribute := make([][]int, attributes)
	var out []antecedent
	for i, l := range ls {
		byAttribute[l.Attribute] = append(byAttribute[l.Attribute], i)
		out = append(out, antecedent{i, none})
	}
	if !pairs {
		return out
	}
	for j := range byAttribute {
		for k := j + 1; k < attributes; k++ {
			for _, p := range byAttribute[j] {
				for _, q := range byAttribute[k] {
					out = append(out, antecedent{p, q})
				}
			}
		}
	}
	return out
}

// countAntecedents returns the length of the result of listAntecedents, without computing the list.
func countAntecedents(ls []Literal, attributes int, pairs bool) int {
	if !pairs {
		return len(ls)
	}
	each := make([]int, attributes)
	for _, l := range ls {
		each[l.Attribute]++
	}
	n := len(ls) * len(ls)
	for _, k := range each {
		n -= k * k
	}
	return len(ls) + n/2
}

// satisfies reports whether record x satisfies the antecedent with index a.
func (c *Class) satisfies(a int, x []uint16) bool {
	for _, l := range c.antecedents[a] {
		if l != none && !c.literals[l].holds(x[c.literals[l].Attribute]) {
			return false
		}
	}
	return true
}
