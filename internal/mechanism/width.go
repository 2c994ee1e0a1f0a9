package mechanism

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// What is too wide to be laid out is refused by public numbers, before private
// data is opened: a failure afterwards would be an output that no guarantee
// covers.

// A sized class has a number of hypotheses, and can be laid out.
type sized interface {
	String() string
	Size() *big.Int
	Layout(records int64) class.Layout
}

// ChosenFrom returns the class that a mechanism chooses from, by a search or without one;
// nil where there is none.
func ChosenFrom(s model.Space) sized {
	switch of := s.(type) {
	case model.Summed:
		return of.Summed()
	case model.Mixed:
		return of.Mixed()
	}
	if c := model.SearchedClass(s); c != nil {
		return c
	}
	return nil
}

// counting is how many of so many rows count at most, or of the rows of so many persons.
func counting(s *table.Schema, rows int64) int64 {
	if s.Person != nil {
		rows *= int64(s.Person.Most)
	}
	return rows
}

// Records is how many distinct records so many rows, or persons, of the schema have at most,
// whatever they say: as many as rows that count, and as the schema has.
func Records(s *table.Schema, rows int64) int64 { return s.Records(counting(s, rows)) }

// LaidOut returns the class that is laid out over a table: the one that is chosen from, or
// the trees of cards or trees.
func LaidOut(s model.Space) sized {
	if of, ok := s.(model.Either); ok {
		return of.Tree().Summed()
	}
	return ChosenFrom(s)
}

// Layout bounds what the class takes over a table of so many rows, or persons, of the
// schema.
func Layout(c sized, s *table.Schema, rows int64) class.Layout { return c.Layout(Records(s, rows)) }

// MostUnits is the greatest number of rows, or of persons, that costs have room for.
func MostUnits(s *table.Schema) int64 { return learn.MostRows / s.Weight() }

// MostRows returns the greatest number of rows, or persons, at most mostUnits, for which
// the class is surely laid out, whatever they say. It refuses a class that is too
// wide for any, and a stated number of rows for which it may be.
func MostRows(c sized, s *table.Schema, stated int64) (int64, error) {
	fits := func(rows int64) bool { return Layout(c, s, rows).Cells <= class.MostCells }
	if !fits(1) {
		return 0, fmt.Errorf("the class is too wide: laid out over any table its tables have %s cells, and %d fit; make groups of categories, or take a smaller class", cells(Layout(c, s, 1)), int64(class.MostCells))
	}
	least, most := int64(1), MostUnits(s) // fits, does not fit
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
		return 0, fmt.Errorf("the class is too wide for %d %s: %d are sure to fit; make groups of categories, or take fewer attributes, points or rules", stated, s.Unit(stated), least)
	}
	return least, nil
}

// cells writes a number of cells.
func cells(l class.Layout) string {
	if l.Cells > 1e15 {
		return "more than 10^15"
	}
	return fmt.Sprint(l.Cells)
}
