package oracle

import (
	"context"

	"github.com/sibyl-dp/sibyl/class"
)

// Erase returns an oracle like o whose hypotheses have the type any. Its class is the one that class.Erase returns
// for the class of o. Kind and FloatBound are those of o.
func Erase[X, H any](o Minimizer[X, H]) Minimizer[X, any] {
	return erased[X, H]{o, class.Erase(o.Class())}
}

type erased[X, H any] struct {
	oracle Minimizer[X, H]
	class  class.Class[X, any]
}

func (e erased[X, H]) Class() class.Class[X, any] { return e.class }
func (e erased[X, H]) Kind() Kind                 { return e.oracle.Kind() }
func (e erased[X, H]) FloatBound() bool           { return FloatBound(e.oracle) }

func (e erased[X, H]) Minimize(ctx context.Context, p class.Problem[X], b Budget) (Solution[any], error) {
	s, err := e.oracle.Minimize(ctx, p, b)
	if err != nil {
		return Solution[any]{}, err
	}
	return Solution[any]{s.Hypothesis, s.Cost}, nil
}
