package source

import (
	"context"
	"io"
	"os"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A pipeline of many machines reads, shuffles and counts by itself. What makes a table of rows
// is the same there: how they are coded, which rows of a person count, and what is null.

// Codes visits the codes of all records of a file that has been opened, in their order: those
// of the attributes and then the label's, and the text of the schema's person. A code may be
// that of a value outside its domain. Both are valid during the visit. Messages call the file
// by the name. A *os.File may be Parquet, and is closed; anything else is delimited text.
func Codes(ctx context.Context, name string, file io.Reader, s *table.Schema, visit func(codes []uint16, person []byte) error) error {
	o := Options{Keep: s.PersonColumn()}
	var in input
	var err error
	if f, ok := file.(*os.File); ok {
		if in, err = openFile(name, f, s, o); err != nil {
			f.Close()
		}
	} else {
		in, err = openText(name, file, nil, 0, s, o)
	}
	if err != nil {
		return err
	}
	defer in.close()
	c := in.coding()
	return in.each(ctx, func(codes []uint16, _ int64) error { return visit(codes, c.text) })
}

// Enter counts a record by its codes and the label's, as Codes gives them, so many times: as a
// null record where one of them is outside its domain.
func Enter(b *table.Builder, codes []uint16, units int64) error { return count(b, codes, units) }

// Persons are rows of persons, of which those that count are entered into a table. They are
// sorted in memory, and beyond 256 MB in temporary files that nobody else can read.
type Persons struct {
	schema *table.Schema
	rows   personRows
}

// NewPersons returns no rows of persons of a schema that has them.
func NewPersons(s *table.Schema) *Persons {
	return &Persons{s, personRows{codes: len(s.Attributes) + 1, limit: personsMemory}}
}

// Add takes over a row as Codes gives it. One without a person's text is nobody's.
func (p *Persons) Add(person []byte, codes []uint16) error { return p.rows.add(person, codes) }

// Enter counts the rows so far: of each person those that count, with the weight that they
// have. All rows of a person must be there.
func (p *Persons) Enter(ctx context.Context, b *table.Builder) error {
	return keepRows(ctx, newKeeper(p.schema, b), []*personRows{&p.rows})
}

// Close removes what is on disk.
func (p *Persons) Close() { p.rows.close() }
