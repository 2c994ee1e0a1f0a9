package learn

import (
	"errors"
	"fmt"
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An Example is a labelled record. Count is the number of rows of the table that are equal to it.
// The null records of a table, which cost 0 for every hypothesis, are not among its examples.
//
// If neighbouring tables differ in a person, Count is a weight: the counts of all rows of one
// person sum to Units. The cost of a hypothesis is then a sum over persons, not over rows.
type Example[X any] struct {
	X     X
	Label bool
	Count int64
}

// Examples returns the well-formed records of the table as examples.
func Examples(t *table.Table) []Example[[]uint16] {
	examples := make([]Example[[]uint16], t.Len())
	for i, record := range records(t) {
		examples[i] = Example[[]uint16]{record, t.Label(i), t.Count(i)}
	}
	return examples
}

// records yields the index and the codes of each well-formed record of the table t.
func records(t *table.Table) iter.Seq2[int, []uint16] {
	k := len(t.Sizes())
	return func(yield func(int, []uint16) bool) {
		codes := make([]uint16, k*t.Len())
		for i := range t.Len() {
			if !yield(i, t.Record(i, codes[i*k:i*k:(i+1)*k])) {
				return
			}
		}
	}
}

// Units returns the total weight of the rows of one person if neighbouring tables differ in a
// person, and 1, the weight of one row, if they differ in a row. A guarantee for persons holds only
// for tables whose rows are weighted in this way (table.Weight).
func Units(r privacy.Relation) int64 { return table.Weight(r.Persons()) }

// OfRows returns an error if neighbouring tables under r differ in a person. Mechanisms call it
// that subsample or split the rows, or whose proof holds for rows only. The parameter mechanism is
// the name of the mechanism, for the message.
func OfRows(r privacy.Relation, mechanism string) error {
	if r.Persons() > 0 {
		return fmt.Errorf("learn: %s is private only for neighbours that differ in a row, but the relation %v concerns persons; use replace or add-remove", mechanism, r)
	}
	return nil
}

// A Loss is the public cost of each kind of wrong prediction.
type Loss struct {
	// FalsePositive is the cost of predicting 1 if the label is 0. FalseNegative is the cost of
	// predicting 0 if the label is 1. Both are in 1..MostLoss.
	FalsePositive, FalseNegative int64
}

// ZeroOne is the loss that counts misclassifications.
var ZeroOne = Loss{1, 1}

// MostLoss is the maximum cost of one misclassification.
const MostLoss = 1 << 10

// Range returns C, the maximum difference of the losses of two hypotheses on one record.
func (l Loss) Range() int64 { return max(l.FalsePositive, l.FalseNegative) }

// Validate returns an error unless both costs are in 1..MostLoss.
func (l Loss) Validate() error {
	for _, v := range []int64{l.FalsePositive, l.FalseNegative} {
		if v < 1 || v > MostLoss {
			return fmt.Errorf("learn: the cost of a misclassification is %d; it must be 1 to %d", v, MostLoss)
		}
	}
	return nil
}

// MostRows is the maximum number of rows of a table. If neighbouring tables differ in a person, it is the maximum
// total weight of a table, in which each person has the weight Units(r). This limit ensures that costs fit into 62
// bits, even with the maximum loss and the finest grid of noise. A larger table is refused like a malformed file,
// before any randomness is used.
const MostRows = 1 << 31

// ErrRows reports a table of more than MostRows rows.
var ErrRows = errors.New("learn: the table has more than 2^31 rows")

// problemOf returns the search problem of the examples under the neighbour relation r. The cost of
// a loss of 1, for one row or for all rows of one person, is unit·Units(r). A penalty of 1 costs
// the same.
func problemOf[X any](r privacy.Relation, l Loss, examples []Example[X], unit int64) (class.Problem[X], error) {
	p, err := Problem(l, examples, unit)
	p.Unit *= Units(r)
	return p, err
}

// perUnit divides the rate lambda of an exponential mechanism by Units(r). This converts a rate for
// costs per person, or per row, to a rate for costs that are weighted by Example.Count.
func perUnit(lambda *big.Rat, r privacy.Relation) *big.Rat {
	return new(big.Rat).Quo(lambda, new(big.Rat).SetInt64(Units(r)))
}

// MostGrid is the maximum cost of a loss of 1 (the unit of Problem). Costs are integers, so
// MostGrid limits their precision.
const MostGrid = 1 << 20

// Problem returns the search problem of the examples. The cost of a hypothesis is unit times the sum of its loss
// over all examples and its penalty in the class. The unit is at most MostGrid. Problem fails with ErrRows if the
// counts of the examples sum to more than MostRows.
func Problem[X any](l Loss, examples []Example[X], unit int64) (class.Problem[X], error) {
	p := class.Problem[X]{Unit: unit, Points: make([]class.Point[X], len(examples))}
	rows := int64(0)
	for i, e := range examples {
		if e.Count > MostRows-rows {
			return class.Problem[X]{}, ErrRows
		}
		rows += e.Count
		p.Points[i].X = e.X
		if e.Label {
			p.Points[i].Cost[0] = unit * l.FalseNegative * e.Count
		} else {
			p.Points[i].Cost[1] = unit * l.FalsePositive * e.Count
		}
	}
	return p, nil
}
