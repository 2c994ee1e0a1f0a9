package class

// A Tabular class can compute the costs of all its hypotheses at once, by a
// transform or one by one. Package tabulated makes a tree of them, in which
// every bound is the least cost below.
type Tabular[X, H any] interface {
	Class[X, H]
	// At returns hypothesis number i of 0..Size()-1, each hypothesis once.
	At(i int) H
	// Tabulate returns the cost of At(i) at place i. It fails with ErrRange
	// where costs are too large, and on nothing else that depends on the
	// points.
	Tabulate(p Problem[X]) ([]int64, error)
}
