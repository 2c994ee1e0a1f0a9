package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
)

// ErrFail is returned by an oracle that found no proven minimizer, because its budget was exhausted or its proof
// failed.
var ErrFail = errors.New("oracle: the call found no hypothesis that it could prove to be a minimiser")

// Failure returns the error of an oracle whose search ended with err: the context's error if it was cancelled, and
// otherwise an error that wraps ErrFail and err.
func Failure(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrFail):
		return err
	}
	return fmt.Errorf("%w: %w", ErrFail, err)
}

// A Kind states how reliable the answers of an oracle are.
type Kind uint8

const (
	// An Exhaustive oracle, if it is called without a budget, returns a true minimizer of every problem whose costs
	// fit into 62 bits, unless the context is cancelled.
	Exhaustive Kind = iota
	// A Certifiable oracle returns a minimizer or fails with ErrFail.
	Certifiable
	// A Heuristic oracle may return a hypothesis that is not a minimizer.
	Heuristic
)

// Within returns the kind of an oracle of kind k that is called with the budget b. With a limit on nodes any oracle
// may fail, so an Exhaustive oracle becomes Certifiable.
func (k Kind) Within(b Budget) Kind {
	if k == Exhaustive && b.Nodes > 0 {
		return Certifiable
	}
	return k
}

// A Budget limits the number of search nodes of a call; 0 means no limit. There is no limit on time,
// since the result would then depend on the machine.
type Budget struct{ Nodes int64 }

// A Solution is a hypothesis with its exact cost. It is a minimizer, unless the Kind of the oracle is Heuristic.
type Solution[H any] struct {
	Hypothesis H
	Cost       int64
}

// A Minimizer is an optimization oracle: it finds hypotheses of a class with minimum cost.
type Minimizer[X, H any] interface {
	// Class returns the class of hypotheses over which the oracle minimizes costs.
	Class() class.Class[X, H]
	// Kind states how reliable the answers of the oracle are.
	Kind() Kind
	// Minimize returns a proven minimizer of the cost of p, with ties broken in any way. The answer
	// of a Heuristic oracle is not proved. An error wraps ErrFail, class.ErrRange if costs exceed 62
	// bits, or the context's error.
	Minimize(ctx context.Context, p class.Problem[X], b Budget) (Solution[H], error)
}
