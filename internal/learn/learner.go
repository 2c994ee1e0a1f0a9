package learn

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Learner is a mechanism that selects a hypothesis of a class and bounds its excess.
type Learner[X, H any] interface {
	privacy.Mechanism[[]Example[X], H]
	Class() class.Class[X, H]
	Loss() Loss
	Excess(rows int64) Excess
}

// An Objective is the function that a Learner minimises: the sum of the loss over the rows, or over
// the persons if neighbouring tables differ in a person, plus the penalty of the class. The
// definition of the objective is public; its values depend on the private table.
type Objective[X, H any] struct {
	Class    class.Class[X, H]
	Relation privacy.Relation
	Loss     Loss
}

// Problem returns the search problem of the examples. The cost of a loss of 1 is unit for one row
// or, if neighbouring tables differ in a person, unit·Units for all rows of one person. A penalty
// of 1 costs as much. The unit is at most MostGrid. Problem fails with ErrRows if the counts of the
// examples sum to more than MostRows.
func (o Objective[X, H]) Problem(examples []Example[X], unit int64) (class.Problem[X], error) {
	return problemOf(o.Relation, o.Loss, examples, unit)
}

// Within limits the bounds e on the excess to the maximum difference of two costs on a table with
// the given number of rows: rows times the maximum loss, plus the maximum penalty.
func (o Objective[X, H]) Within(e Excess, rows int64) Excess {
	top := float64(rows) * float64(o.Loss.Range())
	if e.Mean <= top && e.Most <= top {
		return e
	}
	free, err := o.Class.Tree(class.Problem[X]{})
	if err != nil { // penalties do not fit into 62 bits
		return e
	}
	top += float64(free.Ceiling())
	return Excess{min(e.Mean, top), min(e.Most, top)}
}

// LogSize returns ln|Q|, the logarithm of the number of hypotheses of a class Q.
func LogSize[X, H any](c class.Class[X, H]) float64 { return logBig(c.Size()) }
