package source

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Ready returns the error that Read, Records or Counts would return for the location before they read any record. For
// example, a file may not exist, a header may lack a column, a database may not answer, or a file of counts may not
// contain the counts for the queries. The result does not depend on any record. Ready does not open named pipes, and
// reads at most the header from standard input (see Stdin).
func Ready(ctx context.Context, location string, s *table.Schema, queries table.Queries, o Options) error {
	if o.Keep == "" {
		o.Keep = s.PersonColumn()
	}
	if database.IsURL(location) || o.DB != nil {
		in, err := open(ctx, location, s, o)
		if err != nil {
			return err
		}
		defer in.close()
		if q, prepared := in.(*sqlQuery); prepared && !o.LabelOptional {
			return q.try(ctx)
		}
		return nil
	}
	if o.FS != nil {
		return readyFS(location, s, queries, o)
	}
	name, err := named(location, o)
	if err != nil {
		return err
	}
	if location == "-" {
		return readyStdin(s, o)
	}
	info, err := os.Stat(location)
	switch {
	case err != nil:
		return Unreadable(name, err)
	case info.IsDir():
		return isDirectory(name)
	case !info.Mode().IsRegular(): // to open a pipe and leave it would end it
		return nil
	}
	file, err := os.Open(location)
	if err != nil {
		return Unreadable(name, err)
	}
	defer file.Close()
	f, err := formatOf(name, location, file)
	if err != nil {
		return err
	}
	switch f {
	case parquetFormat:
		return readyParquet(name, file, info.Size(), s, queries, o)
	case workbookFormat:
		return readySheet(name, file, info.Size(), s, o)
	}
	return readyText(name, file, s, o)
}

// readySheet checks the header of a sheet in a workbook. It returns the error that openSheet would return.
func readySheet(name string, file randomAccess, size int64, s *table.Schema, o Options) error {
	o.Progress = nil
	t, err := openSheetOf(name, file, size, s, o)
	if err != nil {
		return err
	}
	t.closeBook()
	return nil
}

// readyParquet returns an error if openParquet would return one, if the number of rows in the file's metadata differs
// from the stated number, or if the file contains counts that do not suffice for the queries.
func readyParquet(name string, file randomAccess, size int64, s *table.Schema, queries table.Queries, o Options) error {
	in, err := openParquet(name, file, size, s, o)
	if err != nil {
		return err
	}
	switch in := in.(type) {
	case *countedFile:
		if err := in.header.answers(name, s, queries); err != nil {
			return err
		}
		return s.CheckRows(queries.Stated, in.header.Rows)
	case *parquetFile:
		if s.Person == nil {
			return s.CheckRows(queries.Stated, in.rows)
		}
	}
	return nil
}

// named returns the name of a location for messages. It returns an error if the location is neither a file nor the
// URL of a database.
func named(location string, o Options) (name string, err error) {
	if database.MayBeURL(location) {
		return "", errors.New("the data is neither an existing file nor the URL of a database, such as sqlite:///path or postgres://user:password@host/name")
	}
	name = quote.Name(location)
	if o.Query != "" {
		return "", fmt.Errorf("%s: a query needs the URL of a database, such as sqlite:///path or postgres://host/name", name)
	}
	return name, nil
}

func isDirectory(name string) error {
	return fmt.Errorf("%s: this is a directory; name a file in it", name)
}
