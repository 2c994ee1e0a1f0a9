package heuristic

import (
	"context"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// Incumbent returns the oracle that answers with the hypothesis from which
// search starts, whatever the class has for that: greed and local search,
// mostly, and for a tabular class a minimiser. It visits no nodes, so that no
// budget ends it.
func Incumbent[X, H any](c class.Class[X, H]) oracle.Minimizer[X, H] { return incumbent[X, H]{c} }

type incumbent[X, H any] struct{ class class.Class[X, H] }

func (i incumbent[X, H]) Class() class.Class[X, H] { return i.class }

func (i incumbent[X, H]) Kind() oracle.Kind { return oracle.Heuristic }

func (i incumbent[X, H]) Minimize(ctx context.Context, p class.Problem[X], _ oracle.Budget) (oracle.Solution[H], error) {
	var none oracle.Solution[H]
	if err := ctx.Err(); err != nil {
		return none, err
	}
	t, err := i.class.Tree(p)
	if err != nil {
		return none, err
	}
	h, cost := t.Incumbent()
	return oracle.Solution[H]{Hypothesis: h, Cost: cost}, nil
}
