package heuristic

import (
	"context"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// Incumbent returns an oracle whose answer is the incumbent of the class's search tree, the hypothesis with which a
// search starts. Most classes find their incumbent by greedy and local search. If a class stores the costs of all
// hypotheses in a table, its incumbent is a minimizer. The oracle ignores its budget, since it visits no search
// nodes.
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
