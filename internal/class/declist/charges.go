package declist

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// charges holds the costs of rules that do not depend on the records: the penalties, and the terms
// of the separator bits. The charge of a rule depends on its position in the list. The charge of a
// list is the sum of the charges of its rules.
type charges struct {
	penalty    int64
	antecedent [][]int64 // [position][antecedent]: the terms of the antecedent; nil without terms
	label      []int64   // [position]: the term of label 1
	uniform    bool      // whether all terms are 0, so every rule costs the penalty
	zero       bool      // whether all terms and the penalty are 0

	leastFirst []int64 // [n]: a lower bound on the sum of the charges of n rules at the first n positions
	leastFrom  []int64 // [n]: the minimum of leastFirst[n:]
	most       int64   // an upper bound on the charge of a list
}

// newCharges computes the charge (penalty and terms) of each antecedent and label at each position
// of a list, for the problem p.
func newCharges(c *Class, p class.Problem[[]uint16]) *charges {
	k := c.rules()
	t := &charges{penalty: c.options.Penalty * p.PenaltyUnit(), label: make([]int64, k), leastFirst: make([]int64, k+1), leastFrom: make([]int64, k+1)}
	t.uniform = !slices.ContainsFunc(p.Terms, func(v int64) bool { return v != 0 })
	t.zero = t.uniform && t.penalty == 0
	for i := range k {
		lo, hi := int64(0), int64(0)
		if p.Terms != nil {
			terms := p.Terms[i*(c.width()+1):]
			costs := make([]int64, len(c.antecedents))
			for a := range costs {
				for b := range c.width() {
					if (a+1)>>b&1 == 1 {
						costs[a] += terms[b]
					}
				}
			}
			t.antecedent = append(t.antecedent, costs)
			t.label[i] = terms[c.width()]
			lo, hi = slices.Min(costs), slices.Max(costs)
		}
		t.leastFirst[i+1] = t.leastFirst[i] + t.penalty + lo + min(0, t.label[i])
		t.most += t.penalty + max(0, hi) + max(0, t.label[i])
	}
	least := int64(math.MaxInt64)
	for n := k; n >= 0; n-- {
		least = min(least, t.leastFirst[n])
		t.leastFrom[n] = least
	}
	return t
}

// of returns the charge (penalty and terms) of a rule with antecedent a and label y at the given
// position of a list.
func (t *charges) of(position, a, y int) int64 {
	cost := t.penalty + int64(y)*t.label[position]
	if t.antecedent != nil {
		cost += t.antecedent[position][a]
	}
	return cost
}

// empty returns the charge (see charges) of the list without rules that predicts the default z for
// all records.
func (t *charges) empty(z int) int64 { return int64(z) * t.label[0] }
