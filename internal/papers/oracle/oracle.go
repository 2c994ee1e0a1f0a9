package oracle

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/class"
)

// ErrFail reports that an oracle has no proven answer: its budget ran out, or
// it is not sure. It never returns an unproved answer as proved.
var ErrFail = errors.New("oracle: no proven minimiser within the budget")

// A Kind is what can be relied on.
type Kind uint8

const (
	// Exhaustive: without a budget it ends with a true minimiser on every
	// input whose costs are within 62 bits, unless the context ends first.
	Exhaustive Kind = iota
	// Certifiable: it may fail, and then says so.
	Certifiable
	// Heuristic: it may return what is no minimiser.
	Heuristic
)

// Within returns what can be relied on of an oracle of kind k that is called
// with budget b: a limit on its nodes may make any oracle fail, and then an
// Exhaustive one is no more than Certifiable.
func (k Kind) Within(b Budget) Kind {
	if k == Exhaustive && b.Nodes > 0 {
		return Certifiable
	}
	return k
}

// A Budget limits a call by nodes, never by time; 0 is no limit.
type Budget struct{ Nodes int64 }

// A Solution is a minimiser and its exact cost.
type Solution[H any] struct {
	Hypothesis H
	Cost       int64
}

// A Minimizer minimises cost over one class.
type Minimizer[X, H any] interface {
	// Class returns the class it minimises over.
	Class() class.Class[X, H]
	// Kind says what its answers are worth.
	Kind() Kind
	// Minimize returns a proven minimiser, ties broken in any way, or an error
	// that wraps ErrFail, class.ErrRange for costs that leave 62 bits, or the
	// context's error. A Heuristic's answer is not proved.
	Minimize(ctx context.Context, p class.Problem[X], b Budget) (Solution[H], error)
}
