package search

import (
	"context"

	"github.com/sibyl-dp/sibyl/class"
)

// Within calls the function yield once for every hypothesis of the tree whose cost is at most the
// limit. It fails only with the context's error.
func Within[H any](ctx context.Context, t class.Tree[H], limit int64, yield func(H)) error {
	w := t.Walker()
	if w.Bound() > limit {
		return nil
	}
	return within(ctx, w, limit, yield)
}

func within[H any](ctx context.Context, w class.Walker[H], limit int64, yield func(H)) error {
	n := w.Children()
	if n == 0 {
		yield(w.Hypothesis())
		return ctx.Err()
	}
	for i := range n {
		if _, entered := w.Down(i, limit); entered {
			err := within(ctx, w, limit, yield)
			w.Up()
			if err != nil {
				return err
			}
		}
	}
	return nil
}
