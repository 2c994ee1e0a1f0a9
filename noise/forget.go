package noise

import "slices"

// A Forgetter is an implementation of Coins with the methods Mark and Forget, which the functions of the same names
// call. An audit that enumerates all outcomes needs these calls. Without them, it would enumerate all outcomes of a
// rejection loop again after every rejection, and never end. Coins that read a stream do not implement Forgetter.
type Forgetter interface {
	Coins
	// Mark returns a number for the current position in the sequence of random choices.
	Mark() int
	// Forget declares that the further behaviour of the code depends on the random choices
	// since the mark only through place and state; see the function Forget.
	Forget(since int, place string, state []uint64)
}

// Mark returns the current position in the sequence of random choices, to be passed to a later
// Forget.
func Mark(c Coins) int {
	if _, ok := c.(*stream); ok {
		return 0
	}
	return mark(c)
}

func mark(c Coins) int {
	if f, ok := c.(Forgetter); ok {
		return f.Mark()
	}
	return 0
}

// Forget tells an audit which earlier random choices no longer matter. It declares that the choices since a mark
// affect the further behaviour of the code only through the arguments place and state:
//
//   - since is the result of Mark.
//   - place is a name for this line of code.
//   - state has values of variables. Audits rely on the declaration, so it must contain every variable that depends
//     on these choices and that the code still uses.
//
// If c is a Forgetter, Forget calls its method; otherwise it does nothing. Forget makes no random choice.
//
// A rejection loop calls Forget after each rejected round:
//
//	start := Mark(c)
//	for !c.Bernoulli(p) {
//		Forget(c, start, "rejection")
//	}
func Forget(c Coins, since int, place string, state ...uint64) {
	if _, ok := c.(*stream); !ok {
		forget(c, since, place, state)
	}
}

func forget(c Coins, since int, place string, state []uint64) {
	if f, ok := c.(Forgetter); ok {
		f.Forget(since, place, slices.Clone(state))
	}
}
