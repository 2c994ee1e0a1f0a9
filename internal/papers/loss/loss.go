// Package loss turns a class of hypotheses into the class of their loss queries. The loss query of a hypothesis is a
// function of a labelled record: it is 1 if the hypothesis misclassifies the record, and 0 otherwise (Neel, Roth and
// Wu, 2018, A.1). In this way, results about queries apply to learning.
package loss

import (
	"fmt"
	"iter"

	"github.com/sibyl-dp/sibyl/class"
)

// A Labelled is a record together with its label.
type Labelled[X any] struct {
	X     X
	Label bool
}

// New returns the class of the loss queries of c, which are functions of labelled records: the query of h is 1 on a
// record x with label y if and only if h(x) ≠ y. Hypotheses, penalties, separator bits and the distance are those of
// c. The result implements class.Enumerable if c does.
func New[X, H any](c class.Class[X, H]) class.Class[Labelled[X], H] {
	if e, ok := c.(class.Enumerable[X, H]); ok {
		return lossEnumerable[X, H]{loss[X, H]{c}, e}
	}
	return loss[X, H]{c}
}

// loss is the class that New returns. Its records are labelled, so it does not have those optional methods of c whose
// arguments are unlabelled records.
type loss[X, H any] struct{ class.Class[X, H] }

func (l loss[X, H]) String() string      { return fmt.Sprintf("losses of %v", l.Class) }
func (l loss[X, H]) Distance() int       { return class.Distance(l.Class) }
func (l loss[X, H]) Separator() int      { return class.SeparatorBits(l.Class) }
func (l loss[X, H]) Separate(h H) []bool { return class.Separate(l.Class, h) }

func (l loss[X, H]) Predict(h H, x Labelled[X]) bool {
	return l.Class.Predict(h, x.X) != x.Label
}

func (l loss[X, H]) Tree(p class.Problem[Labelled[X]]) (class.Tree[H], error) {
	return l.Class.Tree(unlabelled(p))
}

func (l loss[X, H]) Checker(p class.Problem[Labelled[X]], plan []int) (class.Checker, error) {
	return l.Class.Checker(unlabelled(p), plan)
}

// unlabelled converts a problem p for loss queries to a problem for the original class in which each hypothesis has
// the cost of its loss query. For a point with label 1, it exchanges the two costs, because a hypothesis that
// predicts 1 for this point has the loss 0.
func unlabelled[X any](p class.Problem[Labelled[X]]) class.Problem[X] {
	out := class.Problem[X]{Unit: p.Unit, Terms: p.Terms, Points: make([]class.Point[X], len(p.Points))}
	for i, pt := range p.Points {
		out.Points[i] = class.Point[X]{X: pt.X.X, Cost: pt.Cost}
		if pt.X.Label {
			out.Points[i].Cost = [2]int64{pt.Cost[1], pt.Cost[0]}
		}
	}
	return out
}

// lossEnumerable is like loss, for an original class that implements class.Enumerable.
type lossEnumerable[X, H any] struct {
	loss[X, H]
	list class.Enumerable[X, H]
}

func (l lossEnumerable[X, H]) All() iter.Seq[H] { return l.list.All() }
