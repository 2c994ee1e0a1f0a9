package explicit

import "github.com/sibyl-dp/sibyl/class"

// Layout bounds the size of the table of all costs.
func (c *Class[X]) Layout(records int64) class.Layout { return c.table.Layout(records) }

// Tree computes the table of all costs and returns a tree over it.
func (c *Class[X]) Tree(p class.Problem[X]) (class.Tree[int], error) { return c.table.Tree(p) }

// Checker returns an independent checker for that tree.
func (c *Class[X]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	return c.table.Checker(p, plan)
}
