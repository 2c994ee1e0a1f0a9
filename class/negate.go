package class

import (
	"fmt"
	"iter"
)

// Negate returns the class c with negated predictions: a hypothesis predicts 1 for exactly those
// records for which it predicts 0 in c. Penalties and separator bits do not change. The result is
// Separated, Coded, Partial and Enumerable if c is.
func Negate[X, H any](c Class[X, H]) Class[X, H] {
	if l, ok := c.(lister[H]); ok {
		return &negatedEnumerable[X, H]{negated[X, H]{c}, l}
	}
	return &negated[X, H]{c}
}

// A negated class is another class with negated predictions. It passes each problem to that class
// with the costs of the two predictions exchanged.
type negated[X, H any] struct{ Class[X, H] }

func (n *negated[X, H]) String() string        { return fmt.Sprintf("negated %v", n.Class) }
func (n *negated[X, H]) Distance() int         { return Distance(n.Class) }
func (n *negated[X, H]) Separator() int        { return SeparatorBits(n.Class) }
func (n *negated[X, H]) Separate(h H) []bool   { return Separate(n.Class, h) }
func (n *negated[X, H]) Predict(h H, x X) bool { return !n.Class.Predict(h, x) }

func (n *negated[X, H]) PredictPartial(h H, x []uint16, known []bool) (label, ok bool) {
	label, ok = PredictPartial(n.Class, h, x, known)
	return ok && !label, ok
}

func (n *negated[X, H]) Tree(p Problem[X]) (Tree[H], error) { return n.Class.Tree(swapped(p)) }

func (n *negated[X, H]) Checker(p Problem[X], plan []int) (Checker, error) {
	return n.Class.Checker(swapped(p), plan)
}

// Embedding returns the embedding of the original class, which does not change if predictions are
// negated.
func (n *negated[X, H]) Embedding() Embedding[H] { return EmbeddingOf(n.Class) }

// swapped returns the problem p with the costs of the two predictions exchanged.
func swapped[X any](p Problem[X]) Problem[X] {
	points := make([]Point[X], len(p.Points))
	for i, pt := range p.Points {
		points[i] = Point[X]{pt.X, [2]int64{pt.Cost[1], pt.Cost[0]}}
	}
	p.Points = points
	return p
}

type negatedEnumerable[X, H any] struct {
	negated[X, H]
	list lister[H]
}

func (n *negatedEnumerable[X, H]) All() iter.Seq[H] { return n.list.All() }
