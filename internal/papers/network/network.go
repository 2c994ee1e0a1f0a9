package network

import "math"

// A Network is a problem over variables that each take one of finitely many
// values, numbered from 0. The cost of an assignment is
//
//	Base + Σ_v Costs[v][a_v] + Σ Cost of the soft thresholds that it breaks,
//
// and it is allowed if it breaks no hard one.
type Network struct {
	Base  int64
	Costs [][]int64 // of each variable and value, at least 0
	Soft  []Soft
	Hard  []Threshold
}

// A Term is what a variable adds to a sum: Values[a] for value a.
type Term struct {
	Variable int
	Values   []int
}

// A Threshold asks whether a sum of terms, on distinct variables, reaches
// Least. As a hard one it is broken by a sum that does.
type Threshold struct {
	Terms []Term
	Least int
}

// A Soft threshold costs Cost, at least 1: for reaching it, or for missing it.
type Soft struct {
	Threshold
	Missing bool // charged where the sum stays below
	Cost    int64
}

// Variable adds a variable with a cost on each of its values, of any sign, and
// returns its number.
func (n *Network) Variable(costs []int64) int {
	least := int64(math.MaxInt64)
	for _, c := range costs {
		least = min(least, c)
	}
	own := make([]int64, len(costs))
	for a, c := range costs {
		own[a] = c - least
	}
	n.Base += least
	n.Costs = append(n.Costs, own)
	return len(n.Costs) - 1
}

// Charge adds a cost, of any sign, for reaching the threshold.
func (n *Network) Charge(t Threshold, cost int64) {
	lo, hi := t.Extremes()
	switch {
	case cost == 0 || hi < t.Least:
	case lo >= t.Least:
		n.Base += cost
	case cost > 0:
		n.Soft = append(n.Soft, Soft{t, false, cost})
	default:
		n.Base += cost
		n.Soft = append(n.Soft, Soft{t, true, -cost})
	}
}

// Forbid forbids reaching the threshold.
func (n *Network) Forbid(t Threshold) {
	if _, hi := t.Extremes(); hi >= t.Least {
		n.Hard = append(n.Hard, t)
	}
}

// Extremes returns the least and the greatest sum of the terms.
func (t Threshold) Extremes() (lo, hi int) {
	for _, term := range t.Terms {
		l, h := term.extremes()
		lo, hi = lo+l, hi+h
	}
	return lo, hi
}

func (t Term) extremes() (lo, hi int) {
	lo, hi = t.Values[0], t.Values[0]
	for _, v := range t.Values[1:] {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// Reached tells whether an assignment reaches the threshold.
func (t Threshold) Reached(assignment []int) bool {
	sum := 0
	for _, term := range t.Terms {
		sum += term.Values[assignment[term.Variable]]
	}
	return sum >= t.Least
}

// Valid tells whether there is a value of the domain for each variable.
func (n *Network) Valid(assignment []int) bool {
	if len(assignment) != len(n.Costs) {
		return false
	}
	for v, a := range assignment {
		if a < 0 || a >= len(n.Costs[v]) {
			return false
		}
	}
	return true
}

// Cost returns the cost of a valid assignment and whether it is allowed.
func (n *Network) Cost(assignment []int) (cost int64, allowed bool) {
	cost = n.Base
	for v, a := range assignment {
		cost += n.Costs[v][a]
	}
	for _, s := range n.Soft {
		if s.Reached(assignment) != s.Missing {
			cost += s.Cost
		}
	}
	for _, h := range n.Hard {
		if h.Reached(assignment) {
			return cost, false
		}
	}
	return cost, true
}

// Spread returns a bound on how much the cost of an assignment exceeds Base, at
// most MaxInt64.
func (n *Network) Spread() int64 {
	sum := int64(0)
	for _, costs := range n.Costs {
		most := int64(0)
		for _, c := range costs {
			most = max(most, c)
		}
		sum = saturated(sum, most)
	}
	for _, s := range n.Soft {
		sum = saturated(sum, s.Cost)
	}
	return sum
}

// saturated returns a + b, both at least 0, or MaxInt64 where that is less.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
