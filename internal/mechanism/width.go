package mechanism

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A class that is too wide is refused by data-independent parameters, before private data is
// opened: a later failure would be an output that no guarantee covers.

// A sized class has a number of hypotheses and a bounded layout.
type sized interface {
	String() string
	Size() *big.Int
	Layout(records int64) class.Layout
}

// ChosenFrom returns the class that a mechanism chooses from, with or without a search; nil if
// there is none.
func ChosenFrom(s model.Space) sized {
	switch of := s.Sampling(); {
	case of.Summed != nil:
		return of.Summed
	case of.Mixed != nil:
		return of.Mixed.Mixed()
	}
	if c := model.SearchedClass(s); c != nil {
		return c
	}
	return nil
}

// counting returns the maximum number of rows that count among the given rows, or among the rows
// of the given persons.
func counting(s *table.Schema, rows int64) int64 {
	if s.Person != nil {
		rows *= int64(s.Person.Most)
	}
	return rows
}

// Records returns the maximum number of distinct records of the given rows, or persons: the
// smaller of the rows that count and the records of the schema.
func Records(s *table.Schema, rows int64) int64 { return s.Records(counting(s, rows)) }

// LaidOut returns the class whose tree is built for a table: the class to choose from, or the trees
// of a union of cards and trees.
func LaidOut(s model.Space) sized {
	if trees := s.Sampling().Tree; trees != nil {
		return trees
	}
	return ChosenFrom(s)
}

// Layout bounds the memory of the class over a table with that number of rows, or persons, of the
// schema.
func Layout(c sized, s *table.Schema, rows int64) class.Layout { return c.Layout(Records(s, rows)) }

// MostUnits is the maximum number of rows, or of persons, whose total cost cannot overflow.
func MostUnits(s *table.Schema) int64 { return learn.MostRows / s.Weight() }

// MostRows returns the maximum number of rows, or persons, up to mostUnits, for which the class
// fits into memory for every table. It refuses a class that fits for no number, and a stated
// number of rows for which it may not fit.
func MostRows(c sized, s *table.Schema, stated int64) (int64, error) {
	fits := func(rows int64) bool { return Layout(c, s, rows).Cells <= class.MostCells }
	if !fits(1) {
		return 0, fmt.Errorf("the class is too wide: for any data it needs tables of %s cells, and the maximum is %d; group categories or use a smaller class", cells(Layout(c, s, 1)), int64(class.MostCells))
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
		return 0, fmt.Errorf("the class is too wide for %d %s; the maximum for any data is %d; group categories or use fewer attributes, points or rules", stated, s.Unit(stated), least)
	}
	return least, nil
}

// cells formats a number of cells.
func cells(l class.Layout) string {
	if l.Cells > 1e15 {
		return "more than 10^15"
	}
	return fmt.Sprint(l.Cells)
}
