package conjunction

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// counts holds how many formulas there are below a node, which depends on its
// level and on how many literals it may still take.
type counts struct {
	limited bool
	ways    [][]*big.Int // [level][literals], one column without a limit
	shares  [][][2]class.Upper
}

// newCounts counts the ways to choose the options of the axes from each level
// on with so many literals at most.
func newCounts(axes []axis, most int) *counts {
	c := &counts{limited: most < len(axes)}
	if !c.limited {
		most = 0
	}
	c.ways = make([][]*big.Int, len(axes)+1)
	c.shares = make([][][2]class.Upper, len(axes))
	for level := len(axes); level >= 0; level-- {
		c.ways[level] = make([]*big.Int, most+1)
		if level < len(axes) {
			c.shares[level] = make([][2]class.Upper, most+1)
		}
		for r := range c.ways[level] {
			if level == len(axes) || c.limited && r == 0 {
				c.ways[level][r] = big.NewInt(1)
				continue
			}
			unused, used := c.of(level+1, r), c.of(level+1, r-1)
			all := big.NewInt(int64(len(axes[level].tests)))
			all.Mul(all, used).Add(all, unused)
			c.ways[level][r] = all
			c.shares[level][r] = [2]class.Upper{class.Ratio(unused, all), class.Ratio(used, all)}
		}
	}
	return c
}

// of returns the number of formulas below a node at the level that may take r
// more literals. The caller must not change it.
func (c *counts) of(level, r int) *big.Int {
	if !c.limited {
		r = 0
	}
	return c.ways[level][r]
}

// share returns an upper bound on the share of a child, in units of
// 2^-class.ShareUnit: without a literal on the level's attribute or with one.
func (c *counts) share(level, r int, used bool) class.Upper {
	if !c.limited {
		r = 0
	}
	if used {
		return c.shares[level][r][1]
	}
	return c.shares[level][r][0]
}
