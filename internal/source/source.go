package source

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source/workbook"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Options are the settings for opening a source. The zero value suffices for a file.
type Options struct {
	// DB, if not nil, replaces the location: the data are the rows of Query in this database. If Sibyl knows the
	// driver (database.DialectOf), the database counts the records itself. Otherwise it sends all rows.
	DB *sql.DB
	// FS, if not nil, is the file system in which the location is a path.
	FS fs.FS

	// Query selects the records if the data is in a database. It must be one SELECT without a semicolon. It must
	// return one row per person, unless the schema has a Person.
	Query string

	// LabelOptional allows Records and Check to read data without the label's column, and Records to read rows with
	// unknown labels. Read ignores it.
	LabelOptional bool

	// Keep names a column, in the schema or not, whose plain text Records passes with every row. "" stands for no
	// column. Read and Check ignore Keep and use the column that identifies the person.
	Keep string

	// Reasons makes Records set the field Absent of rows.
	Reasons bool

	// Held is the maximum number of distinct records that Counts keeps in memory if there is another way to answer the
	// queries. 0 means about two million, and a negative number none.
	Held int

	// Stdin is read if the location is "-". If Stdin is nil, standard input is read. To check the header before the
	// rows are read, pass a reader that the function Stdin returned: Ready then leaves the header in the reader.
	Stdin io.Reader

	// Progress, if not nil, is called at most every 100 ms while a file is read, with the number of
	// bytes read so far and the total number, or 0 if that is unknown. It is called by one
	// goroutine at a time and must return quickly.
	Progress func(done, total int64)
}

// held returns the maximum number of distinct records to keep in memory, which is Options.Held or a default.
func (o Options) held() int { return cmp.Or(o.Held, 1<<21) }

// Read counts the rows of a source in a table. The location is a path, "-" for standard input, or the URL of a
// database (see database.Parse). The first bytes of a file determine its format:
//   - Parquet,
//   - an archive: an .xlsx workbook, of which one sheet is read,
//   - otherwise delimited text in the format of the schema's File, possibly compressed with gzip.
//
// A file that WriteCounts wrote can also be read, if it contains the marginal on all attributes together.
//
// If the schema has a Person, at most Most rows of each person are used, and they share the person's weight (see
// table.Person). Which rows are used depends only on the rows of this person. A row is not used if its field in the
// column that identifies the person is empty.
//
// The order of the rows does not affect the table. The running time is linear in the number of rows, and all
// processors are used. The memory depends on the number of distinct records. If the schema has a Person, the rows are
// sorted: up to 256 MB in memory, and more in temporary files that only the current user can read.
func Read(ctx context.Context, location string, s *table.Schema, o Options) (*table.Table, error) {
	o.LabelOptional, o.Keep = false, s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return in.collapse(ctx)
}

// A Row is one row of a source, as Records passes it to its caller.
type Row struct {
	Record   table.Record // valid until the next row; undefined if Null
	Label    bool         // whether Outcome is 1; if there are two outcomes, this is the positive one
	Outcome  int          // the code of the label's outcome, or 0 if it is unknown
	Labelled bool         // whether a known label was read
	Null     bool         // whether a value is outside the domain
	Kept     []byte       // the text of the column Options.Keep, valid until the next row
	Absent   []uint16     // if Options.Reasons is true, by attribute, 1 if its text means a missing value and otherwise 0; valid until the next row
	Values   []uint16     // by attribute, its code or Outside; valid until the next row
	Place    int64        // the line number in delimited text, otherwise the number of the row; from 1
}

// setOutcome sets the field Labelled and, if the code is that of a known outcome, the fields Outcome and Label.
func (r *Row) setOutcome(code uint16) {
	if r.Labelled = code != outside; r.Labelled {
		r.Outcome, r.Label = int(code), code == 1
	}
}

// Records calls the function yield for each row, in the order of the source. Null records, which have a value outside
// the domain, are included. If yield returns an error, Records stops and returns this error. If o.LabelOptional is
// true, an unknown label does not make a row a null record.
func Records(ctx context.Context, location string, s *table.Schema, o Options, yield func(Row) error) error {
	in, err := open(ctx, location, s, o)
	if err != nil {
		return err
	}
	defer in.close()
	c := in.coding()
	labelled, last := c.labelled, len(s.Attributes)
	if o.Reasons && len(c.columns) > 0 { // a file of counts has no rows to read
		c.watchAbsent(s)
	}
	return in.each(ctx, func(codes []uint16, place int64) error {
		row := Row{Record: codes[:last:last], Values: codes[:last:last], Absent: codes[last+1:], Kept: c.text, Place: place}
		if labelled {
			row.setOutcome(codes[last])
		}
		row.Null = null(codes[:last]) || labelled && !row.Labelled && !o.LabelOptional
		return yield(row)
	})
}

// An input is a source that has been opened and whose header has been checked.
type input interface {
	coding() *coding
	// each calls the function visit with the codes of every record, in order. The codes are valid only
	// during the call.
	each(ctx context.Context, visit func(codes []uint16, place int64) error) error
	// collapse groups all records into a table.
	collapse(ctx context.Context) (*table.Table, error)
	close()
}

// stdinName is the name of standard input in messages.
const stdinName = "standard input"

func open(ctx context.Context, location string, s *table.Schema, o Options) (input, error) {
	if o.DB != nil {
		return openDB(ctx, s, o)
	}
	if o.FS != nil {
		return openFS(location, s, o)
	}
	if database.IsURL(location) {
		q, err := openSQL(ctx, location, s, o)
		if err != nil {
			return nil, err
		}
		return q, nil
	}
	name, err := named(location, o)
	if err != nil {
		return nil, err
	}
	if location == "-" {
		return openText(stdinName, o.stdin(), nil, 0, s, o)
	}
	file, err := os.Open(location)
	if err != nil {
		return nil, Unreadable(name, err)
	}
	in, err := openFile(name, file, s, o)
	if err != nil {
		file.Close()
		return nil, err
	}
	return in, nil
}

func openFile(name string, file *os.File, s *table.Schema, o Options) (input, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if info.IsDir() {
		return nil, isDirectory(name)
	}
	if !info.Mode().IsRegular() {
		return openText(name, file, file, 0, s, o)
	}
	f, err := formatOf(name, file.Name(), file)
	if err != nil {
		return nil, err
	}
	switch f {
	case parquetFormat:
		return openParquet(name, file, info.Size(), s, o)
	case workbookFormat:
		return openSheet(name, file, info.Size(), s, o)
	}
	return openText(name, file, file, info.Size(), s, o)
}

// A format is a kind of file that the package can read, such as Parquet.
type format int

const (
	textFormat format = iota
	parquetFormat
	workbookFormat
)

// formatOf returns the format of a regular file. The first bytes of the file determine the format; if they are not
// those of Parquet or of a workbook, the end of the file's name does.
func formatOf(name, path string, file io.ReaderAt) (format, error) {
	start := make([]byte, len(parquetMagic))
	n, err := file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return textFormat, Unreadable(name, err)
	}
	switch start = start[:n]; {
	case string(start) == parquetMagic:
		return parquetFormat, nil
	case workbook.Begins(start):
		return workbookFormat, nil
	}
	return namedFormat(path), nil
}

// namedFormat returns the format of a file according to the end of its name, such as .parquet.
func namedFormat(path string) format {
	switch {
	case IsParquet(path):
		return parquetFormat
	case IsWorkbook(path):
		return workbookFormat
	}
	return textFormat
}

// Unreadable returns the error for a file that cannot be read. The parameter name is the file's name in messages, and
// err is the cause, from which paths are removed.
func Unreadable(name string, err error) error {
	return fmt.Errorf("%s: the file cannot be read: %w", name, quote.Cause(err))
}
