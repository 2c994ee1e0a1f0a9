package mechanism

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// If a class is too large for memory, data-independent parameters show it before private data is
// opened, and the release is rejected. A later failure would be an output that no guarantee covers.

// A sized class reports its number of hypotheses and, for a number of distinct records, an upper
// bound on the memory of its data structures.
type sized interface {
	String() string
	Size() *big.Int
	Layout(records int64) class.Layout
}

// ChosenFrom returns the class from which mechanisms for the space s select a hypothesis, or nil if
// they compute the hypothesis from statistics instead.
func ChosenFrom(s model.Space) sized {
	switch of := s.Sampling(); {
	case of.Tractable != nil:
		return of.Tractable
	case of.Mixed != nil:
		return of.Mixed.Mixed()
	}
	if c := model.SearchedClass(s); c != nil {
		return c
	}
	return nil
}

// counting returns the maximum number of rows of a table that a release uses. The parameter rows is
// the number of rows, or of persons if the schema has a Person.
func counting(s *table.Schema, rows int64) int64 {
	if s.Person != nil {
		rows *= int64(s.Person.Most)
	}
	return rows
}

// Records returns the maximum number of distinct records in a table with the given number of rows
// or persons: the lesser of the number of rows that a release uses and the number of possible
// records.
func Records(s *table.Schema, rows int64) int64 { return s.Records(counting(s, rows)) }

// LaidOut returns the class whose data structures a mechanism builds when it runs on a table. This is the class from
// which mechanisms select, or, for the forms card-or-tree, ranked-tree and card-and-tree, the class of their trees.
func LaidOut(s model.Space) sized {
	if trees := s.Sampling().Tree; trees != nil {
		return trees
	}
	return ChosenFrom(s)
}

// Layout returns an upper bound on the memory of class c for any table of the schema with the given
// number of rows or persons.
func Layout(c sized, s *table.Schema, rows int64) class.Layout { return c.Layout(Records(s, rows)) }

// MostUnits returns the maximum number of rows or persons for which the sum of all costs cannot overflow.
func MostUnits(s *table.Schema) int64 { return learn.MostRows / s.Weight() }

// MostRows returns the maximum number of rows or persons for which the class fits into memory,
// whatever the data. The result is at most MostUnits. The parameter stated is the number of rows or
// persons that the user states, or 0 if it is unknown. MostRows returns an error if the class does
// not fit even for one row, or if stated exceeds the maximum.
func MostRows(c sized, s *table.Schema, stated int64) (int64, error) {
	fits := func(rows int64) bool { return Layout(c, s, rows).Cells <= class.MostCells }
	if !fits(1) {
		return 0, fmt.Errorf("the class is too large: even for one row, its search needs tables of %s cells, and the maximum is %d; group categories or use a smaller class", cells(Layout(c, s, 1)), int64(class.MostCells))
	}
	least, most := int64(1), MostUnits(s) // least fits, most does not
	if fits(most) {
		least = most
	}
	for most-least > 1 {
		if middle := least + (most-least)/2; fits(middle) {
			least = middle
		} else {
			most = middle
		}
	}
	if stated > least {
		return 0, fmt.Errorf("the class is too large for %d %s: with these attributes it supports at most %d; group categories or use fewer attributes, points or rules", stated, s.Unit(stated), least)
	}
	return least, nil
}

// cells formats, as text, the number of cells of the data structures that a class needs.
func cells(l class.Layout) string {
	if l.Cells > 1e15 {
		return "more than 10^15"
	}
	return fmt.Sprint(l.Cells)
}
