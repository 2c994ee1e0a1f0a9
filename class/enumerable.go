package class

import "iter"

// An Enumerable class can list its hypotheses, by code that does not use its tree. The exhaustive
// oracle uses this list, and tests compare trees with it.
type Enumerable[X, H any] interface {
	Class[X, H]
	// All yields every hypothesis of the class exactly once.
	All() iter.Seq[H]
}

// A lister has the only method that Enumerable adds to Class. Functions test for this small
// interface for the reason given at [separator].
type lister[H any] interface{ All() iter.Seq[H] }
