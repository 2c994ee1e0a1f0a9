package oracle

import (
	"context"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/search"
)

// Search returns the oracle that searches the tree of c by branch and bound. Budget.Nodes limits the
// number of visited nodes. Without a budget the oracle fails only if costs exceed 62 bits or the context
// is cancelled, so it is Exhaustive.
func Search[X, H any](c class.Class[X, H]) Minimizer[X, H] { return &searcher[X, H]{c} }

type searcher[X, H any] struct{ class class.Class[X, H] }

func (s *searcher[X, H]) Class() class.Class[X, H] { return s.class }

func (s *searcher[X, H]) Kind() Kind { return Exhaustive }

func (s *searcher[X, H]) Minimize(ctx context.Context, p class.Problem[X], b Budget) (Solution[H], error) {
	if err := ctx.Err(); err != nil {
		return Solution[H]{}, err
	}
	t, err := s.class.Tree(p)
	if err != nil {
		return Solution[H]{}, err
	}
	found, err := search.Minimize(ctx, t, search.Options{Nodes: b.Nodes})
	if errors.Is(err, search.ErrBudget) {
		return Solution[H]{}, fmt.Errorf("%w: %w", ErrFail, err)
	}
	if err != nil {
		return Solution[H]{}, err
	}
	return Solution[H]{found.Hypothesis, found.Cost}, nil
}
