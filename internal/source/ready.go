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

// Ready refuses a location that Read, Records and Counts would refuse before they read any of
// its records: a file that does not exist or may not be read, a header that lacks a column, a database
// that does not answer or has no such columns, a file of counts that does not hold what will be asked.
// The answer does not depend on a record. Named pipes are not opened, and of standard input Ready
// sees no more than the header (see Stdin).
func Ready(ctx context.Context, location string, s *table.Schema, asks table.Asks, o Options) error {
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
		return readyFS(location, s, asks, o)
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
		return readyParquet(name, file, info.Size(), s, asks, o)
	case workbookFormat:
		return readySheet(name, file, info.Size(), s, o)
	}
	return readyText(name, file, s, o)
}

// readySheet returns the error that openSheet would return.
func readySheet(name string, file randomAccess, size int64, s *table.Schema, o Options) error {
	o.Progress = nil
	t, err := openSheetOf(name, file, size, s, o)
	if err != nil {
		return err
	}
	t.closeBook()
	return nil
}

// readyParquet returns an error if openParquet would refuse the file or if it cannot answer the
// queries.
func readyParquet(name string, file randomAccess, size int64, s *table.Schema, asks table.Asks, o Options) error {
	in, err := openParquet(name, file, size, s, o)
	if err != nil {
		return err
	}
	if counts, isCounts := in.(*countedFile); isCounts {
		return counts.header.answers(name, s, asks)
	}
	return nil
}

// named returns the name of a file in messages, or an error about the location.
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
