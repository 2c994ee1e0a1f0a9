package conjunction

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// counts holds the number of formulas below each node of the search tree. This number depends only
// on the level of the node and on the number of literals that may still be added.
type counts struct {
	limited bool
	sizes   [][]*big.Int       // [level][literals]; without a limit on literals, one column
	shares  [][][2]class.Upper // shares[level][literals] holds upper bounds on the fractions of leaves below the child without a literal and below a child with one
}

// newCounts counts the formulas below nodes of every level of the search tree. For each number r of
// literals up to the given maximum, it counts the ways to choose an option of each axis that is
// undecided at the level, with at most r literals in total.
func newCounts(axes []axis, most int) *counts {
	c := &counts{limited: most < len(axes)}
	if !c.limited {
		most = 0
	}
	c.sizes = make([][]*big.Int, len(axes)+1)
	c.shares = make([][][2]class.Upper, len(axes))
	for level := len(axes); level >= 0; level-- {
		c.sizes[level] = make([]*big.Int, most+1)
		if level < len(axes) {
			c.shares[level] = make([][2]class.Upper, most+1)
		}
		for r := range c.sizes[level] {
			if level == len(axes) || c.limited && r == 0 {
				c.sizes[level][r] = big.NewInt(1)
				continue
			}
			unused, used := c.of(level+1, r), c.of(level+1, r-1)
			all := big.NewInt(int64(len(axes[level].tests)))
			all.Mul(all, used).Add(all, unused)
			c.sizes[level][r] = all
			c.shares[level][r] = [2]class.Upper{class.Ratio(unused, all), class.Ratio(used, all)}
		}
	}
	return c
}

// of returns the number of formulas below a node at the given level of the search tree, if at most
// r literals may still be added. The caller must not change the result.
func (c *counts) of(level, r int) *big.Int {
	if !c.limited {
		r = 0
	}
	return c.sizes[level][r]
}

// share returns an upper bound on the fraction of a node's formulas that are below one of its
// children. The child decides the axis of the given level: with a literal if used is true, and
// without one otherwise. At most r literals may be added at the node.
func (c *counts) share(level, r int, used bool) class.Upper {
	if !c.limited {
		r = 0
	}
	if used {
		return c.shares[level][r][1]
	}
	return c.shares[level][r][0]
}
