package declist

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// counts holds the number of decision lists below each node of the search tree. If the node's lists
// begin with a prefix of rules, this number depends only on two numbers: d, the number of rules of
// the prefix, and s, the number of unused antecedents that are greater than the antecedent of its
// last rule.
type counts struct {
	root         count          // the number of all lists
	prefixCounts                // the counts of lists with at most K rules
	goals        []prefixCounts // [g]: the counts of lists with exactly g rules; nil without goals
}

// A prefixCounts holds the number of lists that begin with a prefix of rules, which depends only on
// the numbers d and s that are explained at counts.
type prefixCounts struct {
	all    [][]count // [d][s]: the number of lists, including the one that ends at the prefix
	longer [][]count // [d][s], d < K: the number of lists with more rules than the prefix
}

var one = newCount(big.NewInt(1))

// newCounts counts the decision lists of at most k rules over n antecedents, for k ≤ n. If goals is
// true, it also counts the lists of exactly g rules, for each g ≤ k.
func newCounts(n, k int, goals bool) *counts {
	// Two lists without rules end at the root. For all other lists, the root counts like a prefix whose
	// last rule has label 0 and an antecedent less than all others.
	c := &counts{prefixCounts: newPrefixCounts(n, k, one.n)}
	c.root = newCount(new(big.Int).Add(c.all[0][n].n, one.n))
	if goals {
		for g := range k + 1 {
			c.goals = append(c.goals, newPrefixCounts(n, g, new(big.Int)))
		}
	}
	return c
}

// newPrefixCounts counts, for all numbers d and s that describe a prefix (see counts), the lists of
// at most k rules over n antecedents that begin with the prefix. The parameter ending is the number
// of lists that end at each prefix of fewer than k rules: 1, or 0 if every list must have k rules.
//
// A prefix has r = n-d unused antecedents, of which s are greater than the antecedent of its last
// rule. The prefix can be extended in two ways:
//
//   - by a rule with the same label and the t-th of the s greater antecedents; then s-t antecedents
//     are greater than that of the new rule;
//   - by a rule with the other label and the t-th of all r unused antecedents; then r-t antecedents
//     are greater.
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

// A count is a number of lists: the integer n, and an upper bound on n as a class.Upper, with which
// Share computes.
type count struct {
	n     *big.Int
	upper class.Upper
}

func newCount(n *big.Int) count { return count{n, class.UpperOf(n)} }
