package network

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
)

// Conjunctions returns the encoding of a class of conjunctions or disjunctions as cost networks. It supports terms on
// a separator of any distance, penalties, and a limit on the number of literals.
//
// An attribute becomes a variable of the network, whose values are "no literal" and the possible literals on the
// attribute.
//
// A record becomes a soft threshold, which is reached if at least one chosen literal alone determines the prediction
// for the record. A literal of a conjunction determines the prediction for the records that it rejects; a literal of
// a disjunction, for the records that it accepts.
func Conjunctions(c *conjunction.Class) Encoding[[]uint16, conjunction.Formula] {
	return conjunctions{c}
}

type conjunctions struct{ class *conjunction.Class }

func (s conjunctions) Class() class.Class[[]uint16, conjunction.Formula] { return s.class }

// Encode returns the network of the problem p. Variable j of the network represents attribute j.
func (s conjunctions) Encode(p class.Problem[[]uint16]) *Network {
	n := &Network{}
	literals := Threshold{Least: s.class.Options().Most + 1}
	for j := range s.class.Attributes() {
		costs := make([]int64, s.options(j))
		used := Term{j, make([]int, len(costs))}
		for o := range costs {
			h := s.single(j, o)
			costs[o] = class.Cost(s.class, class.Problem[[]uint16]{Unit: p.Unit, Terms: p.Terms}, h)
			used.Values[o] = h.Literals()
		}
		if j > 0 { // count the cost of the formula without literals once: with attribute 0
			none := costs[0]
			for o := range costs {
				costs[o] -= none
			}
		}
		n.Variable(costs)
		literals.Terms = append(literals.Terms, used)
	}
	if most := s.class.Options().Most; most > 0 {
		n.Forbid(literals)
	}
	settles := make([]map[uint16]Term, s.class.Attributes())
	for j := range settles {
		settles[j] = map[uint16]Term{}
	}
	for _, pt := range class.Distinct(p.Points, slices.Compare) {
		row := Threshold{Least: 1}
		for j, c := range pt.X {
			t, ok := settles[j][c]
			if !ok {
				t = s.settles(j, pt.X)
				settles[j][c] = t
			}
			row.Terms = append(row.Terms, t)
		}
		if s.class.Options().Disjunction {
			n.Base += pt.Cost[0]
			n.Charge(row, pt.Cost[1]-pt.Cost[0])
		} else {
			n.Base += pt.Cost[1]
			n.Charge(row, pt.Cost[0]-pt.Cost[1])
		}
	}
	return n
}

// options returns the number of values of the variable of attribute j: its possible literals and "no literal".
func (s conjunctions) options(j int) int { return 1 + s.class.Attribute(j).Tests() }

// single returns the formula that consists of one literal: the one on attribute j that the value o of the attribute's
// variable represents. If this value represents "no literal", the formula is empty.
func (s conjunctions) single(j, o int) conjunction.Formula {
	h := conjunction.Formula{Tests: make([]int, s.class.Attributes())}
	h.Tests[j] = o
	return h
}

// settles returns a term on the variable of attribute j. It is 1 for each literal that alone determines the
// prediction for the record x, and 0 for the other literals and for "no literal".
func (s conjunctions) settles(j int, x []uint16) Term {
	t := Term{j, make([]int, s.options(j))}
	for o := range t.Values {
		if o > 0 && s.class.Predict(s.single(j, o), x) == s.class.Options().Disjunction {
			t.Values[o] = 1
		}
	}
	return t
}

// Decode returns the formula that an assignment represents: the value of an attribute's variable is the number of the
// attribute's literal in the formula, or 0 for no literal.
func (s conjunctions) Decode(assignment []int) conjunction.Formula {
	return conjunction.Formula{Tests: assignment}
}
