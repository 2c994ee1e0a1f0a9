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

// An Example is a labelled record and how many rows of the table are equal to
// it. Null records of a table cost every hypothesis nothing and appear in no
// example.
//
// Under a relation of persons, Count is in units: every person weighs Units of
// them, and costs are those of persons.
type Example[X any] struct {
	X     X
	Label bool
	Count int64
}

// Examples returns the well-formed records of the table.
func Examples(t *table.Table) []Example[[]uint16] {
	examples := make([]Example[[]uint16], t.Len())
	for i, record := range records(t) {
		examples[i] = Example[[]uint16]{record, t.Label(i), t.Count(i)}
	}
	return examples
}

// records visits the well-formed records of the table, whose codes lie in one piece of memory.
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

// Units returns how many units of a count a person weighs under the relation; 1 where it
// is of rows. A guarantee under a relation of persons is for tables of that weight.
func Units(r privacy.Relation) int64 { return table.Weight(r.Persons()) }

// OfRows refuses a relation of persons, for mechanisms that sample or divide rows, or that
// are proved for rows only.
func OfRows(r privacy.Relation, mechanism string) error {
	if r.Persons() > 0 {
		return fmt.Errorf("learn: %s is for rows, and the relation %v is of persons", mechanism, r)
	}
	return nil
}

// A Loss is what a wrong prediction costs, by its kind. It is public.
type Loss struct {
	// FalsePositive is the cost of predicting 1 where the label is 0,
	// FalseNegative that of predicting 0 where it is 1; 1 to MostLoss.
	FalsePositive, FalseNegative int64
}

// ZeroOne counts errors.
var ZeroOne = Loss{1, 1}

// MostLoss is the greatest cost of one error.
const MostLoss = 1 << 10

// Range returns C, the most that the loss of one record can differ between two
// hypotheses, whatever the record.
func (l Loss) Range() int64 { return max(l.FalsePositive, l.FalseNegative) }

// Validate reports a loss that is none.
func (l Loss) Validate() error {
	for _, v := range []int64{l.FalsePositive, l.FalseNegative} {
		if v < 1 || v > MostLoss {
			return fmt.Errorf("learn: the cost of an error is %d, outside 1..%d", v, MostLoss)
		}
	}
	return nil
}

// MostRows is the greatest number of rows of a table, or of units where it is of
// persons: with the greatest loss and the finest grid, costs still fit 62 bits. A
// larger one is refused before any draw, as an ill-formed file is.
const MostRows = 1 << 31

// ErrRows reports a table of more than MostRows rows.
var ErrRows = errors.New("learn: the table has more than 2^31 rows")

// problemOf returns Problem's under a relation: its cost is in unit·Units(r) for each
// unit of loss of a person, and of the penalty.
func problemOf[X any](r privacy.Relation, l Loss, examples []Example[X], unit int64) (class.Problem[X], error) {
	p, err := Problem(l, examples, unit)
	p.Unit *= Units(r)
	return p, err
}

// perUnit returns what is λ for a person, or a row, for a unit of a count.
func perUnit(lambda *big.Rat, r privacy.Relation) *big.Rat {
	return new(big.Rat).Quo(lambda, new(big.Rat).SetInt64(Units(r)))
}

// MostGrid is the finest grid: the greatest unit of a Problem.
const MostGrid = 1 << 20

// Problem returns the problem whose cost is unit times the loss over all
// examples and the class's penalty; unit is at most MostGrid.
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
