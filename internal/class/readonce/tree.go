package readonce

import "github.com/sibyl-dp/sibyl/class"

// Layout bounds the memory of the tree, which holds the table of all costs.
func (c *Class) Layout(records int64) class.Layout { return c.table.Layout(records) }

// Tree returns a search tree over the table of the costs of all formulas.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Formula], error) {
	return c.table.Tree(p)
}

// Checker returns a checker of the tree that Tree returns. The checker evaluates every formula on every point.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	return c.table.Checker(p, plan)
}
