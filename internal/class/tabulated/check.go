package tabulated

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Checker returns a checker of the tree that Tree returns. It computes the cost of every
// hypothesis by class.Cost, from the definition. This takes the time of class.Cost for all N
// hypotheses, and the memory of one table. The plan must be empty.
func (c *Class[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	if len(plan) > 0 {
		return nil, fmt.Errorf("tabulated: the certificate's plan has %d entries, but must be empty", len(plan))
	}
	bound, ok := p.Range()
	if !ok {
		return nil, class.ErrRange
	}
	k := &checker{costs: make([]int64, c.size)}
	for i := range k.costs {
		h := c.At(i)
		hi, penalty := bits.Mul64(uint64(c.Penalty(h)), uint64(p.PenaltyUnit()))
		if hi != 0 || penalty > 1<<61-uint64(bound) {
			return nil, class.ErrRange
		}
		k.costs[i] = class.Cost(c.Tabular, p, h)
	}
	width := 1
	for width < c.size {
		width *= 2
	}
	k.path = []block{{0, width}}
	return k, nil
}

// A checker is a second implementation of the tree. The field path holds the blocks of hypotheses
// from the root to the current node.
type checker struct {
	costs []int64
	path  []block
}

// A block is a node of the tree. It contains the hypotheses with the indices from, …,
// from+width-1, as far as they exist.
type block struct{ from, width int }

func (k *checker) at() block { return k.path[len(k.path)-1] }

// part returns the costs of the hypotheses in the block b.
func (k *checker) part(b block) []int64 { return k.costs[b.from:min(b.from+b.width, len(k.costs))] }

func (k *checker) Children() int {
	b := k.at()
	if b.width == 1 {
		return 0
	}
	if len(k.part(b)) > b.width/2 {
		return 2
	}
	return 1
}

func (k *checker) Down(i int) {
	b := k.at()
	k.path = append(k.path, block{b.from + i*b.width/2, b.width / 2})
}

func (k *checker) Up() { k.path = k.path[:len(k.path)-1] }

func (k *checker) Bound() int64 { return slices.Min(k.part(k.at())) }
