package labelling

import "github.com/sibyl-dp/sibyl/class"

// Layout returns an upper bound on the memory for the table of all costs, for the given number of distinct records.
func (c *Class[X, H]) Layout(records int64) class.Layout { return c.table.Layout(records) }

// Tree computes a table of the costs of all hypotheses on the problem p, and returns a search tree over this table.
func (c *Class[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) { return c.table.Tree(p) }

// Checker returns a checker for the tree of the problem p. The checker computes all costs by definition, independently
// of the tree's table.
func (c *Class[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	return c.table.Checker(p, plan)
}
