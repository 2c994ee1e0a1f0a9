package class

import "fmt"

// A Separated class has a separator: a function φ that maps each hypothesis to a vector of m bits.
// Distinct hypotheses have distinct vectors. The terms of a Problem are costs of these bits.
// Mechanisms that perturb the objective (Neel, Roth and Wu 2018) need a separator; certified
// optimisation and the exponential mechanism do not.
type Separated[X, H any] interface {
	Class[X, H]
	// Separator returns m. A class made of other classes returns -1 if one of them has no
	// separator.
	Separator() int
	// Separate returns φ(h), the m separator bits of the hypothesis h.
	Separate(h H) []bool
}

// A separator has the methods that Separated adds to Class. To find out whether a class is
// Separated, functions test for this interface, because the compiler would compile every method of
// the whole interface Separated again for each type of hypotheses.
type separator[H any] interface {
	Separator() int
	Separate(h H) []bool
}

// SeparatorBits returns the number of bits of the class's separator, or -1 if it has none.
func SeparatorBits[X, H any](c Class[X, H]) int {
	if s, ok := c.(separator[H]); ok {
		return s.Separator()
	}
	return -1
}

// Separate returns φ(h), the separator bits of the hypothesis h of class c. It panics if the class has no separator.
func Separate[X, H any](c Class[X, H], h H) []bool {
	s, ok := c.(separator[H])
	if !ok {
		panic(fmt.Sprintf("class: %v has no separator", c))
	}
	return s.Separate(h)
}

// A Coded class has a separator that is an error-correcting code: the separator bits of any two
// hypotheses differ in at least Distance positions. The distance is proved, or was verified
// completely when the class was constructed.
type Coded interface {
	Distance() int
}

// Distance returns a lower bound on the number of separator bits in which any two hypotheses of the
// class c differ: the distance of a Coded class, and otherwise 1.
func Distance(c any) int {
	if coded, ok := c.(Coded); ok {
		return coded.Distance()
	}
	return 1
}
