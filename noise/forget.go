package noise

import "slices"

// A Forgetter is an implementation of Coins that receives the calls of Mark and Forget. An
// audit that enumerates all outcomes needs them: without them, every rejection of a
// rejection loop would start another copy of the whole tree of outcomes. Coins over a
// stream do not implement it.
type Forgetter interface {
	Coins
	// Mark returns a number for the current position in the sequence of random choices.
	Mark() int
	// Forget declares that the further behaviour of the code depends on the random
	// choices since the mark only through the place and the state.
	Forget(since int, place string, state []uint64)
}

// Mark returns the current position in the sequence of random choices, for a later Forget.
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

// Forget declares that the further behaviour of the code depends on the random choices
// since the mark only through the place, which names this line of code, and the state. If c
// is a Forgetter it is notified; otherwise nothing happens. Forget makes no random choice.
// Audits rely on the declaration, so the state must contain every variable that the code
// still uses.
//
// A rejection loop forgets the rejected rounds:
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
