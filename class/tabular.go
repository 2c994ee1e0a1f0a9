package class

// A Tabular class can compute a table of the costs of all its hypotheses. Package tabulated builds
// a search tree from this table, whose bounds are exact: the bound of a node is the least cost
// below the node.
type Tabular[X, H any] interface {
	Class[X, H]
	// At returns the hypothesis with number i, 0 to Size()-1. Each hypothesis has one number.
	At(i int) H
	// Tabulate returns the cost of At(i) at index i. It fails with ErrRange if costs are too
	// large. No other error depends on the points.
	Tabulate(p Problem[X]) ([]int64, error)
}
