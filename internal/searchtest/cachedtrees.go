package searchtest

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
)

// CachedTrees is a class that stores the search tree of every problem that it has built. It is for
// tests that run a mechanism on the same problem many times. Trees can be reused, because walkers
// keep no state between walks. The trees of problems with terms (class.Problem) are not stored:
// terms are mostly noise, so these problems seldom occur twice.
type CachedTrees[H any] struct {
	class.Class[[]uint16, H]
	trees map[string]class.Tree[H]
}

// CacheTrees returns the class c with a store of its trees, which is empty at first.
func CacheTrees[H any](c class.Class[[]uint16, H]) CachedTrees[H] {
	return CachedTrees[H]{c, map[string]class.Tree[H]{}}
}

// Separator returns the number of bits of the class's separator.
func (c CachedTrees[H]) Separator() int { return class.SeparatorBits(c.Class) }

// Separate returns the separator bits of a hypothesis.
func (c CachedTrees[H]) Separate(h H) []bool { return class.Separate(c.Class, h) }

// Tree returns the tree of the problem p, from the store if it has been built before.
func (c CachedTrees[H]) Tree(p class.Problem[[]uint16]) (class.Tree[H], error) {
	if p.Terms != nil {
		return c.Class.Tree(p)
	}
	key := fmt.Sprint(p.Unit, p.Points)
	if t := c.trees[key]; t != nil {
		return t, nil
	}
	t, err := c.Class.Tree(p)
	if err == nil {
		c.trees[key] = t
	}
	return t, err
}
