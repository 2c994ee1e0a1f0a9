package labelling

import "github.com/sibyl-dp/sibyl/class"

// Layout bounds the size of the table of all costs, for the given number of distinct records.
func (c *Class[X, H]) Layout(records int64) class.Layout { return c.table.Layout(records) }

// Tree computes the table of the costs of all hypotheses on p, and returns a tree over this table.
func (c *Class[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) { return c.table.Tree(p) }

// Checker returns a checker for the tree of p. It computes all costs by definition, independently of
// the table.
func (c *Class[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	return c.table.Checker(p, plan)
}
