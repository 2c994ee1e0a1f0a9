package class

import "iter"

// An Enumerable is a class that can list its hypotheses, by means that have
// nothing to do with its tree. It serves the references that everything else
// is compared with.
type Enumerable[X, H any] interface {
	Class[X, H]
	// All yields every hypothesis of the class exactly once.
	All() iter.Seq[H]
}
