package class

import "math"

// A Layout bounds what a tree takes to be laid out, whatever the points: it is
// public. Numbers too large for an int64 are math.MaxInt64.
type Layout struct {
	// Cells is how many entries the tables of the tree have at most.
	Cells int64
	// Bytes is about how much memory tables, tree and one walker take at most. Those that a
	// search has on other threads take 64 MiB more at most.
	Bytes int64
	// Tabulated tells that the tables hold the cost of every hypothesis: when they
	// are filled, nothing is left to search.
	Tabulated bool
}

// MostCells is the greatest number of cells of a tree: positions in its tables
// have 32 bits. Whoever has a tree laid out over private points must have found
// Layout within it, for as many records as there may be, before these are seen.
const MostCells = math.MaxInt32

// And returns what both take together.
func (l Layout) And(m Layout) Layout {
	return Layout{Sum(l.Cells, m.Cells), Sum(l.Bytes, m.Bytes), l.Tabulated && m.Tabulated}
}

// Sum adds numbers that are not negative, up to math.MaxInt64.
func Sum(terms ...int64) int64 {
	sum := int64(0)
	for _, t := range terms {
		if t > math.MaxInt64-sum {
			return math.MaxInt64
		}
		sum += t
	}
	return sum
}

// Product multiplies numbers that are not negative, up to math.MaxInt64.
func Product(factors ...int64) int64 {
	product := int64(1)
	for _, f := range factors {
		if f > 0 && product > math.MaxInt64/f {
			product = math.MaxInt64
		} else {
			product *= f
		}
	}
	return product
}
