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

// Codes calls the function visit for each record of an open file, in order. It passes the codes of the attributes
// and the label, and the text that identifies the person. Codes and text are valid only during the call. A value
// outside its domain has the code Outside.
//
// The parameter name is the name of the file in messages. If file is an *os.File, it may be Parquet, and Codes
// closes it. Other readers must contain delimited text.
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

// Enter adds a record to the Builder, with the given number of units. The parameter codes holds the codes that
// Codes passes to visit. If one of them is Outside, Enter adds a null record.
func Enter(b *table.Builder, codes []uint16, units int64) error { return count(b, codes, units) }

// A Persons collects the rows of data in which a person may have several rows, and bounds the contribution of each
// person. It sorts up to 256 MB of rows in memory, and more in temporary files that only this user can read.
type Persons struct {
	schema *table.Schema
	rows   personRows
}

// NewPersons returns an empty collection for a schema with a Person.
func NewPersons(s *table.Schema) *Persons {
	return &Persons{s, personRows{codes: len(s.Attributes) + 1, limit: personsMemory}}
}

// Add adds a copy of a row. The parameter person is the text that identifies the person, and codes are the
// codes that Codes passes to visit. If person is empty, Add ignores the row.
func (p *Persons) Add(person []byte, codes []uint16) error { return p.rows.add(person, codes) }

// Enter selects at most Person.Most rows of each person, divides the weight of a person equally among them, and
// adds them to the Builder. All rows of a person must be in the same collection.
func (p *Persons) Enter(ctx context.Context, b *table.Builder) error {
	return keepRows(ctx, newKeeper(p.schema, b), []*personRows{&p.rows})
}

// Close removes the temporary files in which rows of persons are stored.
func (p *Persons) Close() { p.rows.close() }
