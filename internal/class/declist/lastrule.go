package declist

import (
	"cmp"
	"math"
	"slices"
)

// A lastRule is a candidate for the last rule of a list with default z. Its label is 1-z. The rule
// changes the prediction for its records from z to 1-z: this saves the cost of predicting z for
// them and adds the cost of predicting 1-z.
type lastRule struct {
	antecedent int
	saves      int64 // sums[antecedent][z]: the cost of label z on the records that satisfy the antecedent
	costs      int64 // sums[antecedent][1-z]: the cost of label 1-z on the same records
}

// dominates reports whether the candidate r is at least as good as other for the last rule of a
// decision list, no matter which records the rule before it captures.
func (r lastRule) dominates(other lastRule) bool {
	return r.saves >= other.saves && r.costs <= other.costs
}

// findLastRules sets lastRules[z], the candidates for the last rule of a list with default z, in
// descending order of the costs that they save. It may drop a candidate that two other candidates
// dominate, because at least one of these can be the last rule instead: it has another antecedent
// than the rule before. The result contains every candidate that fewer than two others dominate,
// and possibly a few more.
func (lv *level) findLastRules(z int) {
	front := lv.lastRules[z][:0]
	for a, s := range lv.sums {
		r := lastRule{a, s[z], s[1-z]}
		if !dominatedTwice(r, front) {
			front = append(front, r)
		}
	}
	slices.SortFunc(front, func(p, q lastRule) int { return cmp.Or(cmp.Compare(q.saves, p.saves), cmp.Compare(p.costs, q.costs)) })
	kept := front[:0]
	first, second := int64(math.MaxInt64), int64(math.MaxInt64) // the two least costs so far
	for _, r := range front {
		if r.costs >= second {
			continue
		}
		kept = append(kept, r)
		first, second = min(first, r.costs), max(first, r.costs)
	}
	lv.lastRules[z] = kept
}

// dominatedTwice reports whether at least two candidates in the list by dominate the candidate r.
// It moves the second one towards the front of the list, where later calls find it sooner.
func dominatedTwice(r lastRule, by []lastRule) bool {
	once := false
	for i, other := range by {
		if !other.dominates(r) {
			continue
		}
		if once {
			by[i], by[i/2] = by[i/2], by[i]
			return true
		}
		once = true
	}
	return false
}

// lastSaving returns an upper bound on the cost that one last rule saves in a list with default z,
// if the rule before it has antecedent a. It assumes the best case: the rule with antecedent a
// captures as many as possible of the records for which the last rule would cost more than the
// default.
func (lv *level) lastSaving(a, z int) int64 {
	captured := lv.sums[a][1-z]
	best := int64(math.MinInt64)
	for _, r := range lv.lastRules[z] {
		if r.saves <= best {
			break
		}
		if r.antecedent != a {
			best = max(best, r.saves-max(0, r.costs-captured))
		}
	}
	return best
}
