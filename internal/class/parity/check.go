package parity

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
)

// Checker walks the tree that decides the bits in the plan's order, and works
// every bound out afresh from the problem's points, with a map from patterns to
// their two costs. It refuses a plan that does not name every bit once.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if len(plan) != c.bits {
		return nil, fmt.Errorf("parity: a plan of %d bits for parities of %d", len(plan), c.bits)
	}
	seen := make([]bool, c.bits)
	for i, bit := range plan {
		if bit < 0 || bit >= c.bits || seen[bit] {
			return nil, fmt.Errorf("parity: entry %d of the plan is %d, which is no bit or one twice", i+1, bit)
		}
		seen[bit] = true
	}
	if p.Terms != nil && len(p.Terms) != len(c.points) {
		return nil, fmt.Errorf("parity: %d terms for %d points of the separator", len(p.Terms), len(c.points))
	}
	return &checker{class: c, problem: p, plan: plan}, nil
}

// A checker stands at the node of the answers given so far.
type checker struct {
	class   *Class
	problem class.Problem[[]uint16]
	plan    []int
	answers []bool // for each bit of the plan, and at last for the constant
}

// known returns the bits that the answers decide, the ones among them that are
// in S, and how many questions are still open: 0 at a leaf.
func (k *checker) known() (decided, in uint64, open int) {
	c := k.class
	added := 0
	for i, yes := range k.answers {
		if i == len(k.plan) || added == c.most {
			// S was known before this answer, which is about the constant.
			return 1<<c.bits - 1 | c.constant(), in | choose(yes, c.constant()), 0
		}
		bit := uint64(1) << k.plan[i]
		decided |= bit
		in |= choose(yes, bit)
		if yes {
			added++
		}
	}
	switch {
	case len(k.answers) < len(k.plan) && added < c.most:
		return decided, in, 1
	case c.options.Affine:
		return 1<<c.bits - 1, in, 1
	}
	return 1<<c.bits - 1, in, 0
}

// choose returns the word if yes, or 0.
func choose(yes bool, word uint64) uint64 {
	if yes {
		return word
	}
	return 0
}

func (k *checker) Children() int {
	_, _, open := k.known()
	return 2 * open
}

func (k *checker) Down(i int) { k.answers = append(k.answers, i == 1) }

func (k *checker) Up() { k.answers = k.answers[:len(k.answers)-1] }

// Bound adds up, over all patterns of undecided bits, the lesser of the costs
// of the two signs that they may get; the pattern without bits has one sign.
func (k *checker) Bound() int64 {
	decided, in, _ := k.known()
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
		charge(k.class.points[i]|k.class.constant(), 0, t)
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
