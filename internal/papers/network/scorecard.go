package network

import (
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
)

// Scorecards returns the encoding of a class of scorecards, of every kind of
// attribute, with terms, penalties, and a limit on the attributes used or on the norm.
//
// Each category of a one-hot attribute is a variable whose values are its
// points; an attribute that is given by a list of vectors is one variable whose
// values are the vectors. A record is a soft threshold, and so is a term on a bit
// of the norm. Where it matters whether
// a one-hot attribute is used, one variable more says so; it must be 1 where
// some points are not 0, and may be 1 elsewhere, for nothing.
func Scorecards(c *scorecard.Class) Encoding[[]uint16, scorecard.Card] {
	return scorecards{c}
}

type scorecards struct{ class *scorecard.Class }

func (s scorecards) Class() class.Class[[]uint16, scorecard.Card] { return s.class }

// Encode lays the variables out attribute by attribute, and those that say what
// is used after all of them.
func (s scorecards) Encode(p class.Problem[[]uint16]) *Network {
	n := &Network{}
	var points [][]Term // what a category of an attribute adds to the total
	terms := p.Terms
	for _, a := range s.class.Attributes() {
		var levels [][]int64
		levels, terms = termCosts(a, terms)
		if a.List() == nil {
			points = append(points, oneHot(n, a, levels))
		} else {
			points = append(points, s.listed(n, a, levels, p.PenaltyUnit()))
		}
	}
	s.limit(n, points, p.PenaltyUnit())
	s.limitNorm(n, points, terms)
	for _, pt := range class.Distinct(p.Points, slices.Compare) {
		row := Threshold{Least: s.class.Options().Threshold}
		for j, c := range pt.X {
			row.Terms = append(row.Terms, points[j][c])
		}
		n.Base += pt.Cost[0]
		n.Charge(row, pt.Cost[1]-pt.Cost[0])
	}
	return n
}

// termCosts returns what the problem's terms make each level of each category
// of a cost, and the terms of the attributes after a.
func termCosts(a scorecard.Attribute, terms []int64) (costs [][]int64, rest []int64) {
	for c := range a.Categories() {
		own := make([]int64, len(a.Levels(c)))
		for i := 1; i < len(own) && terms != nil; i++ {
			own[i] = own[i-1] + terms[0]
			terms = terms[1:]
		}
		costs = append(costs, own)
	}
	return costs, terms
}

// oneHot adds a variable for each category.
func oneHot(n *Network, a scorecard.Attribute, costs [][]int64) []Term {
	var points []Term
	for c := range a.Categories() {
		points = append(points, Term{n.Variable(costs[c]), a.Levels(c)})
	}
	order := a.Order()
	for i := 1; i < len(order); i++ {
		n.Forbid(Threshold{[]Term{points[order[i-1]], points[order[i]].negated()}, 1})
	}
	return points
}

// negated returns the term with its values negated.
func (t Term) negated() Term {
	values := make([]int, len(t.Values))
	for i, v := range t.Values {
		values[i] = -v
	}
	return Term{t.Variable, values}
}

// unequal returns the term that is 1 where t is not 0.
func (t Term) unequal() Term {
	values := make([]int, len(t.Values))
	for i, v := range t.Values {
		if v != 0 {
			values[i] = 1
		}
	}
	return Term{t.Variable, values}
}

// listed adds one variable for all categories.
func (s scorecards) listed(n *Network, a scorecard.Attribute, costs [][]int64, unit int64) []Term {
	list := a.List()
	own := make([]int64, len(list))
	for i, v := range list {
		for c, w := range v {
			level, _ := slices.BinarySearch(a.Levels(c), w)
			own[i] += costs[c][level]
		}
		if used(v) {
			own[i] += unit * s.class.Options().Penalty
		}
	}
	variable := n.Variable(own)
	points := make([]Term, a.Categories())
	for c := range points {
		points[c] = Term{variable, make([]int, len(list))}
		for i, v := range list {
			points[c].Values[i] = v[c]
		}
	}
	return points
}

func used(v []int) bool { return slices.ContainsFunc(v, func(w int) bool { return w != 0 }) }

// limit adds what the use of attributes costs, and what of it is forbidden.
func (s scorecards) limit(n *Network, points [][]Term, unit int64) {
	o := s.class.Options()
	limited := o.Most > 0 && o.Most < len(points)
	if !limited && o.Penalty == 0 {
		return
	}
	total := Threshold{Least: o.Most + 1}
	for j, a := range s.class.Attributes() {
		if list := a.List(); list != nil {
			uses := Term{points[j][0].Variable, make([]int, len(list))}
			for i, v := range list {
				if used(v) {
					uses.Values[i] = 1
				}
			}
			total.Terms = append(total.Terms, uses)
			continue
		}
		uses := Term{n.Variable([]int64{0, unit * o.Penalty}), []int{0, 1}}
		for _, t := range points[j] {
			n.Forbid(Threshold{[]Term{t.unequal(), uses.negated()}, 1})
		}
		total.Terms = append(total.Terms, uses)
	}
	if limited {
		n.Forbid(total)
	}
}

// limitNorm adds what the terms that are left charge for the squared norm, and
// forbids what is above the limit.
func (s scorecards) limitNorm(n *Network, points [][]Term, terms []int64) {
	most := s.class.Options().Norm
	if most == 0 {
		return
	}
	norm := Threshold{Least: most + 1}
	for _, categories := range points {
		own := map[int][]int{} // of each variable, the squares of its values
		for _, t := range categories {
			if own[t.Variable] == nil {
				own[t.Variable] = make([]int, len(t.Values))
			}
			for i, v := range t.Values {
				own[t.Variable][i] += v * v
			}
		}
		for _, variable := range slices.Sorted(maps.Keys(own)) {
			norm.Terms = append(norm.Terms, Term{variable, own[variable]})
		}
	}
	n.Forbid(norm)
	for i, cost := range terms {
		norm.Least = int(s.class.Norms()[i+1])
		n.Charge(norm, cost)
	}
}

// Decode reads the variables back in the order in which Encode adds them.
func (s scorecards) Decode(assignment []int) scorecard.Card {
	var h scorecard.Card
	for _, a := range s.class.Attributes() {
		if list := a.List(); list != nil {
			h.Points = append(h.Points, list[assignment[0]])
			assignment = assignment[1:]
			continue
		}
		v := make([]int, a.Categories())
		for c := range v {
			v[c] = a.Levels(c)[assignment[c]]
		}
		h.Points = append(h.Points, v)
		assignment = assignment[len(v):]
	}
	return h
}
