package class

import "math"

// A Layout bounds the size and the memory of a search tree. The bounds hold for all tables with a
// given number of records, so they reveal nothing about the private data.
type Layout struct {
	// Cells is the maximum number of entries of the tree's tables.
	Cells int64
	// Bytes estimates the maximum memory of the tables, the tree and one walker, in bytes. The
	// walkers that a search uses on further threads take at most 64 MiB more in total.
	Bytes int64
	// Tabulated means that the tables contain the cost of every hypothesis, so that no search is needed after the
	// tables are computed.
	Tabulated bool
}

// MostCells is the maximum of Layout.Cells, because table indices have 32 bits. Before a caller of
// Class.Tree reads private points, it must check that the Layout for the maximum number of records
// satisfies this limit.
const MostCells = math.MaxInt32

// And returns the joint layout of two trees that are in memory at the same time.
func (l Layout) And(m Layout) Layout {
	return Layout{Sum(l.Cells, m.Cells), Sum(l.Bytes, m.Bytes), l.Tabulated && m.Tabulated}
}

// Sum returns the sum of non-negative numbers, or math.MaxInt64 if it overflows.
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

// Product returns the product of non-negative numbers, or math.MaxInt64 if it overflows.
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
