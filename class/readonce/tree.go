package readonce

import "github.com/sibyl-dp/sibyl/class"

// Tree lays a tree over the table of all costs.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Formula], error) {
	return c.table.Tree(p)
}

// Checker returns an independent walker of that tree, which evaluates every
// formula on every point, one by one.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	return c.table.Checker(p, plan)
}
