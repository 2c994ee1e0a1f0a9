package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Options are the settings of Read, Records and Check. The zero value reads
// files.
type Options struct {
	// DB, if set, is read in place of a location: the rows that Query selects. The database
	// counts itself where its driver is one that Sibyl knows (database.DialectOf), and gives all
	// rows elsewhere.
	DB *sql.DB
	// FS, if set, has the file at the location, which is a path in it.
	FS fs.FS

	// Query selects the records where the location is a database. It must be one
	// SELECT without a semicolon that gives one row per person, unless the schema tells
	// whose a row is.
	Query string

	// LabelOptional lets Records and Check read data without the label's
	// column, and Records unknown labels. Read ignores it.
	LabelOptional bool

	// Keep names a column, of the schema or another, whose plain text Records gives
	// with every row; empty for none. Read and Check ignore it and keep whose a row is.
	Keep string

	// Stdin is what "-" reads; nil means the standard input. Ready checks the header of a reader
	// that the function Stdin returned, and leaves its text there for Read and Records.
	Stdin io.Reader

	// Progress, if set, is called at most every 100 ms while a file is read,
	// with the bytes read so far and in all, or 0 where that is unknown. It is
	// called by one goroutine at a time and must be quick.
	Progress func(done, total int64)
}

// Read collapses the source at the location to a table. The location is a
// path, "-" for standard input, or the URL of a database (see database.Parse). A file
// that starts like Parquet is read as Parquet; other files are delimited text,
// plain or compressed with gzip, as the schema's File says. A file of counts (WriteCounts)
// gives the table if it has the counts of all attributes together.
//
// Where the schema has a person, at most so many rows of each count, and those that count
// share the person's weight (table.Person). Which rows count is a function of the person's
// own rows. Rows without a person's text count nowhere.
//
// Time grows with rows, on all processors, and memory with distinct records. Rows of
// persons are sorted, beyond 256 MB in temporary files that nobody else can read.
// The order of the rows has no influence on the table.
func Read(ctx context.Context, location string, s *table.Schema, o Options) (*table.Table, error) {
	o.LabelOptional, o.Keep = false, s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return in.collapse(ctx)
}

// A Row is one record of a source.
type Row struct {
	Record   table.Record // valid until the next row; undefined where Null
	Label    bool         // whether Outcome is 1, which of two is the positive one
	Outcome  int          // the code of the label's outcome; 0 where it is not known
	Labelled bool         // whether a known label was read
	Null     bool         // a value lies outside the domain
	Kept     []byte       // the text of the column that is kept; valid until the next row
	Place    int64        // the line in delimited text, else the number of the row, from 1
}

// setOutcome takes over the code of the label.
func (r *Row) setOutcome(code uint16) {
	if r.Labelled = code != outside; r.Labelled {
		r.Outcome, r.Label = int(code), code == 1
	}
}

// Records visits all records, null ones included, in the order of the source,
// until the end or an error of yield, which it returns. With LabelOptional an
// unknown label does not make a record null.
func Records(ctx context.Context, location string, s *table.Schema, o Options, yield func(Row) error) error {
	in, err := open(ctx, location, s, o)
	if err != nil {
		return err
	}
	defer in.close()
	c := in.coding()
	labelled := c.labelled
	return in.each(ctx, func(codes []uint16, place int64) error {
		last := len(codes) - 1
		row := Row{Record: codes[:last:last], Kept: c.text, Place: place}
		if labelled {
			row.setOutcome(codes[last])
		}
		row.Null = null(codes[:last]) || labelled && !row.Labelled && !o.LabelOptional
		return yield(row)
	})
}

// An input is an opened source.
type input interface {
	coding() *coding
	// each visits the codes of every record, valid during the visit, in order.
	each(ctx context.Context, visit func(codes []uint16, place int64) error) error
	collapse(ctx context.Context) (*table.Table, error)
	close()
}

// stdinName is what messages call standard input.
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
		return nil, unreadable(name, err)
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
		return nil, unreadable(name, err)
	}
	if info.IsDir() {
		return nil, isDirectory(name)
	}
	if !info.Mode().IsRegular() {
		return openText(name, file, file, 0, s, o)
	}
	parquet, err := isParquet(name, file.Name(), file)
	if err != nil {
		return nil, err
	}
	if parquet {
		return openParquet(name, file, info.Size(), s, o)
	}
	return openText(name, file, file, info.Size(), s, o)
}

// isParquet tells whether a regular file starts like Parquet, or is called so.
func isParquet(name, path string, file io.ReaderAt) (bool, error) {
	magic := make([]byte, len(parquetMagic))
	n, err := file.ReadAt(magic, 0)
	if err != nil && err != io.EOF {
		return false, unreadable(name, err)
	}
	return string(magic[:n]) == parquetMagic || IsParquet(path), nil
}

func unreadable(name string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("%s: the file cannot be read: %w", name, err)
}
