package parity

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
)

// Checker returns a checker, which verifies the bounds of the tree that decides the bits in the
// order of plan. It fails unless plan contains every bit exactly once. The checker computes every
// bound from the points of the problem. For each pattern of undecided bits, it adds up the costs of
// the points twice: with predictions as they are, and negated.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if len(plan) != c.bits {
		return nil, fmt.Errorf("parity: the certificate's plan has %d bits, but the class has %d", len(plan), c.bits)
	}
	seen := make([]bool, c.bits)
	for i, bit := range plan {
		if bit < 0 || bit >= c.bits || seen[bit] {
			return nil, fmt.Errorf("parity: entry %d of the certificate's plan is %d, but the plan must contain each number from 0 to %d once", i+1, bit, c.bits-1)
		}
		seen[bit] = true
	}
	if err := p.CheckTerms(len(c.points)); err != nil {
		return nil, err
	}
	return &checker{class: c, problem: p, plan: plan}, nil
}

// A checker is a second implementation of the search tree. It stores the decisions on the path from
// the root to its current node, and computes bounds from them.
type checker struct {
	class   *Class
	problem class.Problem[[]uint16]
	plan    []int
	decided []bool // for each decided bit of plan, whether it is in S, and finally the constant
}

// decisions describes the checker's node by two words of bits. A bit of decided is 1 if it is
// decided whether this bit of records is in the set S. A bit of in is 1 if it is decided to be in
// S. The result open is 1 if the node has children, and 0 otherwise.
func (k *checker) decisions() (decided, in uint64, open int) {
	c := k.class
	added := 0
	for i, yes := range k.decided {
		if i == len(k.plan) || added == c.most {
			// S was complete before this decision, which is about the constant.
			return 1<<c.bits - 1 | c.constantBit(), in | choose(yes, c.constantBit()), 0
		}
		bit := uint64(1) << k.plan[i]
		decided |= bit
		in |= choose(yes, bit)
		if yes {
			added++
		}
	}
	switch {
	case len(k.decided) < len(k.plan) && added < c.most:
		return decided, in, 1
	case c.options.Affine:
		return 1<<c.bits - 1, in, 1
	}
	return 1<<c.bits - 1, in, 0
}

// choose returns word if yes is set, and 0 otherwise.
func choose(yes bool, word uint64) uint64 {
	if yes {
		return word
	}
	return 0
}

func (k *checker) Children() int {
	_, _, open := k.decisions()
	return 2 * open
}

func (k *checker) Down(i int) { k.decided = append(k.decided, i == 1) }

func (k *checker) Up() { k.decided = k.decided[:len(k.decided)-1] }

// Bound returns a lower bound on the cost of the parities below the node. The undecided bits negate
// the predictions either for all points with the same pattern of undecided bits, or for none of
// them. For each pattern, Bound adds the lesser of the costs with and without negation. For the
// pattern 0, the predictions are known.
func (k *checker) Bound() int64 {
	decided, in, _ := k.decisions()
	costs := map[uint64][2]int64{}
	charge := func(word uint64, zero, one int64) {
		if odd(word&decided&in) == 1 {
			zero, one = one, zero
		}
		sum := costs[word&^decided]
		costs[word&^decided] = [2]int64{sum[0] + zero, sum[1] + one}
	}
	for _, pt := range k.problem.Points {
		charge(k.class.word(pt.X), pt.Cost[0], pt.Cost[1])
	}
	for i, t := range k.problem.Terms {
		charge(k.class.points[i]|k.class.constantBit(), 0, t)
	}
	for i := range k.class.bits {
		charge(1<<i, 0, k.class.options.Penalty*k.problem.PenaltyUnit())
	}
	bound := costs[0][0]
	delete(costs, 0)
	for _, sum := range costs {
		bound += min(sum[0], sum[1])
	}
	return bound
}
