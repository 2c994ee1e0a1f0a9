package class

// A Tabular class can compute the costs of all its hypotheses at once, by a transform or one by
// one. Package tabulated builds a tree from this table, in which each bound is the minimum cost
// below the node.
type Tabular[X, H any] interface {
	Class[X, H]
	// At returns the hypothesis with number i, 0 to Size()-1. Each hypothesis has one number.
	At(i int) H
	// Tabulate returns the cost of At(i) at index i. It fails with ErrRange if costs are too
	// large. No other error depends on the points.
	Tabulate(p Problem[X]) ([]int64, error)
}
