package declist

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Literal is true of the records that have one of some categories at one
// attribute.
type Literal struct {
	Attribute int
	Accepts   []uint16 // ascending
}

// Equal tells whether the literals are the same.
func (l Literal) Equal(to Literal) bool {
	return l.Attribute == to.Attribute && slices.Equal(l.Accepts, to.Accepts)
}

// holds tells whether the literal is true of category c of its attribute.
func (l Literal) holds(c uint16) bool {
	_, found := slices.BinarySearch(l.Accepts, c)
	return found
}

// none stands for the second literal of an antecedent that has one.
const none = -1

// An antecedent is a conjunction of a literal and another, or none, of a later
// attribute; both are numbers.
type antecedent [2]int

// literals lists the literals, attribute by attribute.
func literals(attributes []literal.Attribute) []Literal {
	var out []Literal
	for j, a := range attributes {
		for t := range a.Tests() {
			out = append(out, Literal{j, a.Accepted(t)})
		}
	}
	return out
}

// conjunctions numbers the antecedents: the literals alone; then, if pairs are
// wanted, those of two attributes, attributes before literals. As functions
// they all differ, since no literal is constant.
func conjunctions(ls []Literal, attributes int, pairs bool) []antecedent {
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

// number counts the antecedents without listing them.
func number(ls []Literal, attributes int, pairs bool) int {
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

// satisfies tells whether a record satisfies antecedent a.
func (c *Class) satisfies(a int, x []uint16) bool {
	for _, l := range c.antecedents[a] {
		if l != none && !c.literals[l].holds(x[c.literals[l].Attribute]) {
			return false
		}
	}
	return true
}
