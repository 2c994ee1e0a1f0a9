package class

import "iter"

// An Enumerable class can list its hypotheses, without using its search tree. The exhaustive oracle
// uses this list, and tests compare search trees with it.
type Enumerable[X, H any] interface {
	Class[X, H]
	// All yields every hypothesis of the class exactly once.
	All() iter.Seq[H]
}

// A lister has the method that Enumerable adds to Class. To find out whether a class can list its
// hypotheses, functions test for this interface rather than for Enumerable, for the reason given in
// the comment of [separator].
type lister[H any] interface{ All() iter.Seq[H] }
