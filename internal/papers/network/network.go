package network

import "math"

// A Network is an optimization problem over variables with finitely many values. Variables and values
// are numbered from 0. The cost of an assignment a, which gives variable v the value a_v, is
//
//	Base + Σ_v Costs[v][a_v] + the sum of Cost over the soft thresholds that a violates.
//
// An assignment is allowed if it violates no hard threshold.
type Network struct {
	Base  int64
	Costs [][]int64 // the cost of each value of each variable, at least 0
	Soft  []Soft
	Hard  []Threshold
}

// A Term is a function of one variable: the slice Values holds its value for each value of the variable.
type Term struct {
	Variable int
	Values   []int
}

// A Threshold is a condition on the sum of several terms on distinct variables: the threshold is reached if the sum
// is at least Least. A hard threshold is violated by the assignments that reach it.
type Threshold struct {
	Terms []Term
	Least int
}

// A Soft threshold adds Cost, which is at least 1, to the cost of each assignment that violates it. These are the
// assignments that reach the threshold if Missing is false, and all other assignments if Missing is true.
type Soft struct {
	Threshold
	Missing bool
	Cost    int64
}

// Variable adds a variable with the given costs of its values and returns its number. Costs may be negative: Variable
// subtracts the least cost from all of them and adds it to n.Base.
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

// Charge adds the given cost, which may be negative, to the cost of all assignments that reach the threshold t.
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

// Forbid adds the hard threshold t, so that assignments that reach it are forbidden.
func (n *Network) Forbid(t Threshold) {
	if _, hi := t.Extremes(); hi >= t.Least {
		n.Hard = append(n.Hard, t)
	}
}

// Extremes returns the least and the greatest possible sum of the threshold's terms.
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

// Reached reports whether an assignment reaches the threshold t: the terms sum to at least t.Least.
func (t Threshold) Reached(assignment []int) bool {
	sum := 0
	for _, term := range t.Terms {
		sum += term.Values[assignment[term.Variable]]
	}
	return sum >= t.Least
}

// Valid reports whether the assignment gives each variable one of its values.
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

// Cost returns the cost of a valid assignment, and reports whether the assignment is allowed: whether it violates no
// hard threshold. A hard threshold does not change the cost.
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

// Spread returns an upper bound on the cost of an assignment minus Base, or MaxInt64 if this bound overflows.
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

// saturated returns a + b for a, b ≥ 0, or MaxInt64 if the sum overflows.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
