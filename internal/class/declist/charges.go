package declist

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// charges are what rules cost beside records: penalties, and terms on the
// separator's bits. They add up over the positions of a list.
type charges struct {
	penalty    int64
	antecedent [][]int64 // [position][antecedent], nil without terms
	label      []int64   // [position]: of label 1
	even       bool      // every rule is charged the penalty only
	free       bool      // nothing at all

	least []int64 // [n]: of the rules at the first n positions, each on its own, at the least
	from  []int64 // [n]: the least of least[n:]
	most  int64   // of any list, at most
}

// newCharges sums up the terms of each code of an antecedent.
func newCharges(c *Class, p class.Problem[[]uint16]) *charges {
	k := c.rules()
	t := &charges{penalty: c.options.Penalty * p.PenaltyUnit(), label: make([]int64, k), least: make([]int64, k+1), from: make([]int64, k+1)}
	t.even = !slices.ContainsFunc(p.Terms, func(v int64) bool { return v != 0 })
	t.free = t.even && t.penalty == 0
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
		t.least[i+1] = t.least[i] + t.penalty + lo + min(0, t.label[i])
		t.most += t.penalty + max(0, hi) + max(0, t.label[i])
	}
	least := int64(math.MaxInt64)
	for n := k; n >= 0; n-- {
		least = min(least, t.least[n])
		t.from[n] = least
	}
	return t
}

// of returns the charge of a rule at a position.
func (t *charges) of(position, a, y int) int64 {
	cost := t.penalty + int64(y)*t.label[position]
	if t.antecedent != nil {
		cost += t.antecedent[position][a]
	}
	return cost
}

// empty returns the charge of the empty list with default z.
func (t *charges) empty(z int) int64 { return int64(z) * t.label[0] }
