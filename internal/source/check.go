package source

import (
	"cmp"
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source/workbook"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Report describes how well data fits its schema, for the curator of the data. It contains exact counts of private
// data, so it must not be published.
type Report struct {
	Rows       int64
	Nulls      int64   // rows with a value outside the domain
	Attributes []Field // in schema order
	Label      *Field  // nil if the label was not read

	// Person describes the column that identifies the person. Outside counts the rows without a value in this column;
	// such rows are not used. Person is nil if the schema has no Person.
	Person *Field

	// Persons is the number of persons, or 0 if the schema has no Person or the data has more than mostCounted persons.
	Persons int64

	// Columns are the names of all columns of the source, or nil if the source has none.
	Columns []string

	// Lines reports whether places (FirstOutside, First, …) are line numbers of a text. Otherwise they are row
	// numbers. Both start at 1.
	Lines bool

	// Database reports whether the data are the rows of a query.
	Database bool

	// Sheet is the name of the sheet that was read, if the data are a workbook. Places are then row numbers of the
	// sheet, from 1. Letters has the letters of the sheet's columns, such as C, by the names of the columns in the
	// schema.
	Sheet   string
	Letters map[string]string

	// Cells counts the cells of a workbook whose value cannot be read, by column and reason. Such values are missing.
	Cells []UnreadableCells
}

// UnreadableCells counts the cells in one column of a workbook that cannot be read for one reason.
type UnreadableCells struct {
	Column string
	Why    CellFault
	Count  int64
	First  int64 // the row number of the first such cell
}

// A CellFault is the reason why the value of a workbook's cell cannot be read.
type CellFault int

const (
	HasErrorValue CellFault = iota // an error value, such as #N/A
	HasNoValue                     // a formula without a stored value
	IsDamaged                      // contents that do not fit the type of the cell, or more than 1 MiB of text
)

// noteCells adds the unreadable cells of the sheet's current record to the report. The parameter row is the number of
// the record's row in the sheet.
func (r *Report) noteCells(t *sheet, row int64) {
	for k, kind := range t.faults {
		if kind <= workbook.Typed {
			continue
		}
		column, why := t.codes.columns[k], CellFault(kind-workbook.ErrorValue)
		i := slices.IndexFunc(r.Cells, func(c UnreadableCells) bool { return c.Column == column && c.Why == why })
		if i < 0 {
			i = len(r.Cells)
			r.Cells = append(r.Cells, UnreadableCells{Column: column, Why: why, First: row})
		}
		r.Cells[i].Count++
	}
}

// A Field counts the values of one attribute, or of the label, that the schema does not list. FirstOutside and
// FirstOther state where the first value counted in Outside and in Other is found, for example its line number. They
// are 0 if there is no such value.
type Field struct {
	Name, Column string

	Outside      int64 // the number of values that make their row a null record
	FirstOutside int64

	Other      int64 // the number of values in the attribute's category other
	FirstOther int64

	// Unreadable counts, by reason, the non-empty values of an attribute with cuts that cannot be read as numbers.
	// They are also counted in Outside or Other.
	Unreadable []UnreadableNumbers

	// Doubtful counts, by reason, the values that the schema may misread.
	Doubtful []DoubtfulValues
}

// DoubtfulValues counts the values of one attribute that the schema may misread for one reason (Why).
type DoubtfulValues struct {
	Why   table.Doubt
	Count int64
	First int64 // where the first such value is, for example its line number
}

// UnreadableNumbers counts the values of one attribute that cannot be read as numbers for one reason (Why).
type UnreadableNumbers struct {
	Why   table.NumberFault
	Count int64
	First int64 // where the first such value is, for example its line number
}

// mostCounted is the maximum number of persons that Check counts. It limits the memory for the texts that identify
// them.
const mostCounted = 1 << 20

// Check reads the whole source and returns a Report, which counts the values outside the domain. It returns the same
// errors for a malformed source as Read.
func Check(ctx context.Context, location string, s *table.Schema, o Options) (*Report, error) {
	o.Keep = s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, err
	}
	defer in.close()
	_, lines := in.(*text)
	_, database := in.(*sqlQuery)
	cells, _ := in.(*sheet)
	width := in.coding().width
	faults, doubts := in.coding().watch(s)
	r := &Report{Columns: in.coding().all, Lines: lines, Database: database, Attributes: make([]Field, len(s.Attributes))}
	others := make([]int, len(s.Attributes))
	for j := range s.Attributes {
		a := &s.Attributes[j]
		r.Attributes[j] = Field{Name: a.Name, Column: a.Column}
		others[j] = -1
		if a.Other != "" {
			others[j] = a.Len() - 1
		}
	}
	if cells != nil {
		r.Sheet, r.Letters = cells.title, cells.letters()
	}
	if in.coding().labelled {
		r.Label = &Field{Name: s.Label.Column, Column: s.Label.Column}
	}
	if s.Person != nil {
		r.Person = &Field{Name: s.Person.Column, Column: s.Person.Column}
	}
	persons := make(map[string]bool)
	err = in.each(ctx, func(codes []uint16, place int64) error {
		r.Rows++
		if cells != nil {
			r.noteCells(cells, place)
		}
		all := codes
		codes = codes[:width]
		if null(codes) {
			r.Nulls++
		}
		note := func(f *Field, j, other int) {
			f.note(int(codes[j]), other, place)
			if at := faults[j]; at >= 0 {
				f.noteUnreadable(table.NumberFault(all[at]), place)
			}
			if at := doubts[j]; at >= 0 {
				f.noteDoubt(table.Doubt(all[at]), place)
			}
		}
		for j := range r.Attributes {
			note(&r.Attributes[j], j, others[j])
		}
		if r.Label != nil {
			note(r.Label, width-1, -1)
		}
		switch id := in.coding().text; {
		case r.Person == nil:
		case len(id) == 0:
			r.Person.note(outside, -1, place)
		case len(persons) <= mostCounted && !persons[string(id)]:
			persons[string(id)] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n := len(persons); n <= mostCounted {
		r.Persons = int64(n)
	}
	return r, nil
}

func (f *Field) noteUnreadable(why table.NumberFault, place int64) {
	if why == table.Readable {
		return
	}
	at, found := slices.BinarySearchFunc(f.Unreadable, why, func(u UnreadableNumbers, why table.NumberFault) int { return cmp.Compare(u.Why, why) })
	if !found {
		f.Unreadable = slices.Insert(f.Unreadable, at, UnreadableNumbers{Why: why, First: place})
	}
	f.Unreadable[at].Count++
}

func (f *Field) noteDoubt(why table.Doubt, place int64) {
	if why == table.NoDoubt {
		return
	}
	at := slices.IndexFunc(f.Doubtful, func(d DoubtfulValues) bool { return d.Why == why })
	if at < 0 {
		at = len(f.Doubtful)
		f.Doubtful = append(f.Doubtful, DoubtfulValues{Why: why, First: place})
	}
	f.Doubtful[at].Count++
}

func (f *Field) note(code, other int, place int64) {
	switch code {
	case outside:
		if f.Outside++; f.FirstOutside == 0 {
			f.FirstOutside = place
		}
	case other:
		if f.Other++; f.FirstOther == 0 {
			f.FirstOther = place
		}
	}
}
