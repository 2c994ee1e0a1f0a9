package noise

import "slices"

// A Forgetter is Coins that are told what the code that tosses them no longer
// remembers. An audit that enumerates all outcomes needs it: without it every
// rejection of a rejection loop opens a copy of the whole tree of outcomes.
// Coins over a stream are not told.
type Forgetter interface {
	Coins
	// Mark names the present moment.
	Mark() int
	// Forget declares that whatever the code does from here on depends on the
	// draws since the mark only through the place and the state.
	Forget(since int, place string, state []uint64)
}

// Mark names the present moment, for a later Forget.
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

// Forget tells coins that want to know it that from here on the code depends on
// the draws since the mark only through the place, a name for this line of
// code, and the state. It draws nothing. Audits rely on it, so the state must
// hold all that still matters.
//
// A loop that rejects declares at every round that the earlier ones are
// forgotten:
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
