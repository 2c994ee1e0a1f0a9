package network

import (
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
)

// Scorecards returns the encoding of a class of scorecards as cost networks. It supports attributes of every kind,
// terms, penalties, and a limit on the number of used attributes or on the norm.
//
// The network of a problem consists of the following:
//
//   - For each category of an attribute with independent points (one-hot), a variable whose values are the category's
//     possible points.
//   - For each attribute with a list of vectors of points, one variable whose values are the vectors.
//   - For each record, a soft threshold.
//   - For each term on a bit of the norm, a soft threshold.
//   - If the class has a penalty or a limit on used attributes: for each one-hot attribute, an additional variable with
//     the values 0 and 1. It must be 1 if a point of the attribute is not 0. Otherwise it may also be 1, which never
//     reduces the cost.
func Scorecards(c *scorecard.Class) Encoding[[]uint16, scorecard.Card] {
	return scorecards{c}
}

type scorecards struct{ class *scorecard.Class }

func (s scorecards) Class() class.Class[[]uint16, scorecard.Card] { return s.class }

// Encode returns the cost network of the problem p. The network has variables for the points of the categories,
// attribute by attribute, followed by the additional variables for used attributes (see Scorecards).
func (s scorecards) Encode(p class.Problem[[]uint16]) *Network {
	n := &Network{}
	var points [][]Term // for each attribute and category, the category's points as a term of the total
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

// termCosts returns the costs of the possible points (levels) of each category of the attribute a. The problem has
// one term for each level of a category except the first. The cost of a level is the sum of the category's terms up
// to this level.
//
// The slice terms begins with the terms of the attribute a, and the result rest holds the terms after those.
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

// oneHot adds a variable for each category of the one-hot attribute a, with the given costs of the category's points.
// If the points must be monotone, oneHot forbids all others. It returns, for each category, the category's points as
// a term.
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

// negated returns a term whose values are those of t with the opposite sign.
func (t Term) negated() Term {
	values := make([]int, len(t.Values))
	for i, v := range t.Values {
		values[i] = -v
	}
	return Term{t.Variable, values}
}

// unequal returns a term that is 0 for the values for which t is 0, and 1 for all others.
func (t Term) unequal() Term {
	values := make([]int, len(t.Values))
	for i, v := range t.Values {
		if v != 0 {
			values[i] = 1
		}
	}
	return Term{t.Variable, values}
}

// listed adds one variable for the attribute a, whose values are the vectors of points in the attribute's list. The
// parameter costs holds the costs of points that termCosts returned, and unit is the penalty unit. listed returns,
// for each category, the category's points as a term.
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

// limit adds to the network n the penalty for used attributes and the limit on the number of used attributes.
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

// limitNorm forbids squared norms above the class's limit, and adds the costs of the given terms, which are those of
// the problem on the bits of the squared norm.
func (s scorecards) limitNorm(n *Network, points [][]Term, terms []int64) {
	most := s.class.Options().Norm
	if most == 0 {
		return
	}
	norm := Threshold{Least: most + 1}
	for _, categories := range points {
		own := map[int][]int{} // for each variable and each of its values, the sum of the squared points
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

// Decode returns the scorecard that an assignment represents. The assignment holds the points in the order in which
// Encode adds the variables.
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
