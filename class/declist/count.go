package declist

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// counts holds how many lists there are below the nodes of the tree. They
// depend on two numbers only: d, the rules of the prefix, and s, the unused
// antecedents above that of its last rule.
type counts struct {
	root  count     // all lists
	whole [][]count // [d][s]: the lists that begin with the prefix
	more  [][]count // [d][s]: those that are longer, for d < K
}

var one = newCount(big.NewInt(1))

// newCounts counts the lists of at most k rules over n antecedents, k ≤ n.
//
// With r = n-d unused antecedents a prefix can be left as it is, or get the
// t-th of the s antecedents above the last with the same label, behind which
// s-t are above, or the t-th of all r with the other label.
func newCounts(n, k int) *counts {
	c := &counts{whole: make([][]count, k+1), more: make([][]count, k)}
	c.whole[k] = make([]count, n-k+1)
	for s := range c.whole[k] {
		c.whole[k][s] = one
	}
	for d := k - 1; d >= 0; d-- {
		r := n - d
		below := make([]*big.Int, r+1) // sums of whole[d+1][:s]
		below[0] = new(big.Int)
		for s := range r {
			below[s+1] = new(big.Int).Add(below[s], c.whole[d+1][s].n)
		}
		c.whole[d], c.more[d] = make([]count, r+1), make([]count, r+1)
		for s := range r + 1 {
			more := new(big.Int).Add(below[s], below[r])
			c.more[d][s] = newCount(more)
			c.whole[d][s] = newCount(new(big.Int).Add(more, one.n))
		}
	}
	// The root has two lists that end there, and stands as if it had ended
	// with label 0 below all antecedents.
	c.root = newCount(new(big.Int).Add(c.whole[0][n].n, one.n))
	return c
}

// A count is a positive integer.
type count struct {
	n     *big.Int
	upper class.Upper
}

func newCount(n *big.Int) count { return count{n, class.UpperOf(n)} }
