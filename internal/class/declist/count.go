package declist

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// counts holds how many lists there are below the nodes of the tree. They
// depend on two numbers only: d, the rules of the prefix, and s, the unused
// antecedents above that of its last rule.
type counts struct {
	root  count  // all lists
	ways         // to go on to K rules at most
	goals []ways // [g]: to go on to g rules exactly; nil without goals
}

// ways counts the lists that begin with a prefix.
type ways struct {
	whole [][]count // [d][s]: all of them
	more  [][]count // [d][s]: those that are longer, for less rules than the most
}

var one = newCount(big.NewInt(1))

// newCounts counts the lists of at most k rules over n antecedents, k ≤ n, and
// where goals are asked for those of each number of rules.
func newCounts(n, k int, goals bool) *counts {
	// The root has two lists that end there, and stands as if it had ended
	// with label 0 below all antecedents.
	c := &counts{ways: newWays(n, k, one.n)}
	c.root = newCount(new(big.Int).Add(c.whole[0][n].n, one.n))
	if goals {
		for g := range k + 1 {
			c.goals = append(c.goals, newWays(n, g, new(big.Int)))
		}
	}
	return c
}

// newWays counts lists of k rules at most over n antecedents, of which as many
// as given end at each shorter prefix.
//
// With r = n-d unused antecedents a prefix can be left as it is, or get the
// t-th of the s antecedents above the last with the same label, behind which
// s-t are above, or the t-th of all r with the other label.
func newWays(n, k int, ending *big.Int) ways {
	c := ways{whole: make([][]count, k+1), more: make([][]count, k)}
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
			c.whole[d][s] = newCount(new(big.Int).Add(more, ending))
		}
	}
	return c
}

// A count is a positive integer.
type count struct {
	n     *big.Int
	upper class.Upper
}

func newCount(n *big.Int) count { return count{n, class.UpperOf(n)} }
