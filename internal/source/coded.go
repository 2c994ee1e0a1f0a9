package source

import (
	"context"
	"io"
	"os"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A distributed pipeline reads, shuffles and counts rows itself. The functions below give it the
// parts that must be the same as in Read: the coding of rows, the selection of a person's rows,
// and the treatment of null records.

// Codes calls visit for each record of an open file, in order, with the codes of the attributes
// and the label, and the text that identifies the person. A value outside its domain has a code
// that Enter recognises. Both arguments are valid during the call only. Messages use the name for the
// file. An *os.File may be Parquet, and Codes closes it. Other readers must be delimited text.
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

// Enter adds a record with the codes of Codes to the Builder, with the given number of units. It is
// added as a null record if a code is outside its domain.
func Enter(b *table.Builder, codes []uint16, units int64) error { return count(b, codes, units) }

// Persons collects rows of persons, and bounds the contribution of each person. It sorts the rows in
// memory, and beyond 256 MB in temporary files that only this user can read.
type Persons struct {
	schema *table.Schema
	rows   personRows
}

// NewPersons returns an empty collection for a schema with a Person.
func NewPersons(s *table.Schema) *Persons {
	return &Persons{s, personRows{codes: len(s.Attributes) + 1, limit: personsMemory}}
}

// Add copies a row of Codes. It ignores a row without a text that identifies the person.
func (p *Persons) Add(person []byte, codes []uint16) error { return p.rows.add(person, codes) }

// Enter adds the selected rows of each person to the Builder, with their weights. The collection must
// contain all rows of each of its persons.
func (p *Persons) Enter(ctx context.Context, b *table.Builder) error {
	return keepRows(ctx, newKeeper(p.schema, b), []*personRows{&p.rows})
}

// Close removes the temporary files.
func (p *Persons) Close() { p.rows.close() }
