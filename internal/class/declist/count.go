package declist

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// counts holds the number of lists below the nodes of the tree. It depends on two numbers: d, the
// number of rules of the prefix, and s, the number of unused antecedents that are greater than that
// of its last rule.
type counts struct {
	root         count          // the number of all lists
	prefixCounts                // of lists with at most K rules
	goals        []prefixCounts // [g]: of lists with exactly g rules; nil without goals
}

// prefixCounts holds the number of lists that begin with a prefix.
type prefixCounts struct {
	all    [][]count // [d][s]: including the prefix itself
	longer [][]count // [d][s]: those with more rules than the prefix, for d < K
}

var one = newCount(big.NewInt(1))

// newCounts counts the lists of at most k rules over n antecedents, k ≤ n, and if goals is set also
// those of each number of rules.
func newCounts(n, k int, goals bool) *counts {
	// The root has two lists without further rules. For the others it counts like a prefix whose
	// last rule has label 0 and an antecedent below all others.
	c := &counts{prefixCounts: newPrefixCounts(n, k, one.n)}
	c.root = newCount(new(big.Int).Add(c.all[0][n].n, one.n))
	if goals {
		for g := range k + 1 {
			c.goals = append(c.goals, newPrefixCounts(n, g, new(big.Int)))
		}
	}
	return c
}

// newPrefixCounts counts lists of at most k rules over n antecedents. ending is the number of lists
// that end at each prefix of fewer than k rules.
//
// A prefix with r = n-d unused antecedents can be extended by the t-th of the s greater antecedents
// with the same label, after which s-t are greater, or by the t-th of all r with the other label.
func newPrefixCounts(n, k int, ending *big.Int) prefixCounts {
	c := prefixCounts{all: make([][]count, k+1), longer: make([][]count, k)}
	c.all[k] = make([]count, n-k+1)
	for s := range c.all[k] {
		c.all[k][s] = one
	}
	for d := k - 1; d >= 0; d-- {
		r := n - d
		below := make([]*big.Int, r+1) // below[s] is the sum of all[d+1][:s]
		below[0] = new(big.Int)
		for s := range r {
			below[s+1] = new(big.Int).Add(below[s], c.all[d+1][s].n)
		}
		c.all[d], c.longer[d] = make([]count, r+1), make([]count, r+1)
		for s := range r + 1 {
			more := new(big.Int).Add(below[s], below[r])
			c.longer[d][s] = newCount(more)
			c.all[d][s] = newCount(new(big.Int).Add(more, ending))
		}
	}
	return c
}

// A count is a positive integer, with an upper bound as a class.Upper.
type count struct {
	n     *big.Int
	upper class.Upper
}

func newCount(n *big.Int) count { return count{n, class.UpperOf(n)} }
