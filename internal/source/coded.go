package source

import (
	"context"
	"io"
	"os"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A distributed pipeline reads, shuffles and counts rows itself. It calls the functions below for the steps
// in which its result must agree with that of Read: the coding of rows, the selection of a person's rows, and
// the treatment of null records.

// Codes calls the function visit for each record of an open file, in order, with the codes of the attributes and
// the label, and with the text that identifies the person. Codes and text are valid only during the call. A value
// outside its domain has the code Outside. The parameter name is the name of the file in messages. If file is an
// *os.File, it may be a Parquet file, and Codes closes it. Other readers must contain delimited text.
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

// Enter adds a record to the Builder. Its weight is the given number of units (see table.Counts). The codes are
// those that Codes passes to its function visit. If one of them is Outside, Enter adds a null record.
func Enter(b *table.Builder, codes []uint16, units int64) error { return count(b, codes, units) }

// A Persons collects the rows of data in which a person may have several rows, and then limits the number of rows
// that are used of each person. It sorts up to 256 MB of rows in memory, and more in temporary files that only the
// current user can read.
type Persons struct {
	schema *table.Schema
	rows   personRows
}

// NewPersons returns an empty collection of rows for a schema that has a Person.
func NewPersons(s *table.Schema) *Persons {
	return &Persons{s, personRows{codes: len(s.Attributes) + 1, limit: personsMemory}}
}

// Add adds a copy of a row to the collection. The row consists of the text that identifies the person and the
// codes that Codes passes to its function visit. Add ignores rows whose text is empty.
func (p *Persons) Add(person []byte, codes []uint16) error { return p.rows.add(person, codes) }

// Enter selects at most Person.Most rows of each person, divides the weight of the person equally among them, and
// adds them to the Builder. All rows of a person must have been added to this collection.
func (p *Persons) Enter(ctx context.Context, b *table.Builder) error {
	return keepRows(ctx, newKeeper(p.schema, b), []*personRows{&p.rows})
}

// Close removes the temporary files in which rows of persons are stored.
func (p *Persons) Close() { p.rows.close() }
