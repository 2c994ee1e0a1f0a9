package class

import (
	"iter"
	"math/big"
)

// Erase converts the class c to one whose hypotheses have type any instead of H, so that classes
// with different types of hypotheses can be used together. The result is Separated, Coded and
// Enumerable if c is.
func Erase[X, H any](c Class[X, H]) Class[X, any] {
	if l, ok := c.(lister[H]); ok {
		return &erasedEnumerable[X]{&erased[X, H]{c}, func(yield func(any) bool) {
			for h := range l.All() {
				if !yield(h) {
					return
				}
			}
		}}
	}
	return &erased[X, H]{c}
}

// An erased class is another class whose hypotheses are given the type any instead of H.
type erased[X, H any] struct{ class Class[X, H] }

func (e *erased[X, H]) String() string              { return e.class.String() }
func (e *erased[X, H]) Size() *big.Int              { return e.class.Size() }
func (e *erased[X, H]) Separator() int              { return SeparatorBits(e.class) }
func (e *erased[X, H]) Layout(records int64) Layout { return e.class.Layout(records) }
func (e *erased[X, H]) Distance() int               { return Distance(e.class) }

func (e *erased[X, H]) Contains(h any) bool {
	own, ok := h.(H)
	return ok && e.class.Contains(own)
}

func (e *erased[X, H]) Predict(h any, x X) bool { return e.class.Predict(h.(H), x) }
func (e *erased[X, H]) Penalty(h any) int64     { return e.class.Penalty(h.(H)) }
func (e *erased[X, H]) Separate(h any) []bool   { return Separate(e.class, h.(H)) }

// Embedding returns the embedding of the original class, converted to hypotheses of type any.
func (e *erased[X, H]) Embedding() Embedding[any] {
	own := EmbeddingOf(e.class)
	if own == nil {
		return nil
	}
	return &erasedEmbedding[H]{own}
}

// PredictPartial returns the prediction of the hypothesis h for a record x of which only some
// attributes are known. If the original class is not Partial, there is a prediction only if all
// attributes are known.
func (e *erased[X, H]) PredictPartial(h any, x []uint16, known []bool) (label, ok bool) {
	return PredictPartial(e.class, h.(H), x, known)
}

func (e *erased[X, H]) Tree(p Problem[X]) (Tree[any], error) {
	t, err := e.class.Tree(p)
	if err != nil {
		return nil, err
	}
	return MapTree(t, asAny[H]), nil
}

func (e *erased[X, H]) Checker(p Problem[X], plan []int) (Checker, error) {
	return e.class.Checker(p, plan)
}

// An erasedClass is a Class with the optional methods that an erased class has.
type erasedClass[X any] interface {
	Class[X, any]
	separator[any]
	Coded
	Partial[any]
	Embedding() Embedding[any]
}

// An erasedEnumerable is an erased class that can also list its hypotheses.
type erasedEnumerable[X any] struct {
	erasedClass[X]
	all iter.Seq[any]
}

func (e *erasedEnumerable[X]) All() iter.Seq[any] { return e.all }

type erasedEmbedding[H any] struct{ own Embedding[H] }

func (e *erasedEmbedding[H]) Sphere() Sphere                 { return e.own.Sphere() }
func (e *erasedEmbedding[H]) Embed(q any) []int64            { return e.own.Embed(q.(H)) }
func (e *erasedEmbedding[H]) Linear(k []*big.Int) []*big.Int { return e.own.Linear(k) }

func asAny[H any](h H) any { return h }
