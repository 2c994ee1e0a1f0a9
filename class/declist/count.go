package declist

import (
	"math/big"
	"math/bits"

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

// A count is a positive integer n, and its leading 64 bits: n is at least
// head·2^exponent, and less than (head+1)·2^exponent.
type count struct {
	n        *big.Int
	head     uint64 // at least 2^63
	exponent int
	cut      bool // more bits follow that are not all 0
}

func newCount(n *big.Int) count {
	e := n.BitLen() - 64
	if e <= 0 {
		return count{n, n.Uint64() << -e, e, false}
	}
	return count{n, new(big.Int).Rsh(n, uint(e)).Uint64(), e, n.TrailingZeroBits() < uint(e)}
}

// share returns an upper bound on part/whole ≤ 1 in units of 2^-ShareUnit, the
// least one where both have at most 64 bits.
func share(part, whole *count) uint64 {
	head, exponent := part.head, part.exponent
	if part.cut {
		if head++; head == 0 {
			head, exponent = 1<<63, exponent+1
		}
	}
	shift := class.ShareUnit + exponent - whole.exponent
	if shift < 0 {
		return 1 // head/whole.head is below 2
	}
	q, rest := bits.Div64(head>>(64-shift), head<<shift, whole.head)
	if rest > 0 {
		q++
	}
	return q
}
