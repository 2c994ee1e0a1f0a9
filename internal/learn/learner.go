package learn

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Learner is a mechanism that chooses from a class and bounds its own excess.
type Learner[X, H any] interface {
	privacy.Mechanism[[]Example[X], H]
	Class() class.Class[X, H]
	Loss() Loss
	Excess(rows int64) Excess
}

// An Objective is what a Learner chooses by, all of it public: the loss over the rows, or over
// the persons of the relation, plus the penalty of the class.
type Objective[X, H any] struct {
	Class    class.Class[X, H]
	Relation privacy.Relation
	Loss     Loss
}

// Problem returns the problem whose cost is unit for each unit of loss of a row, or of a
// person, and of the penalty; unit is at most MostGrid. It fails with ErrRows.
func (o Objective[X, H]) Problem(examples []Example[X], unit int64) (class.Problem[X], error) {
	return problemOf(o.Relation, o.Loss, examples, unit)
}

// Within returns the excess with both bounds cut at n rows times the greatest
// loss and the greatest penalty: no cost exceeds another by more.
func (o Objective[X, H]) Within(e Excess, rows int64) Excess {
	top := float64(rows) * float64(o.Loss.Range())
	if e.Mean <= top && e.Most <= top {
		return e
	}
	free, err := o.Class.Tree(class.Problem[X]{})
	if err != nil { // penalties beyond 62 bits
		return e
	}
	top += float64(free.Ceiling())
	return Excess{min(e.Mean, top), min(e.Most, top)}
}

// LogSize returns ln|Q| of a class.
func LogSize[X, H any](c class.Class[X, H]) float64 { return logBig(c.Size()) }
