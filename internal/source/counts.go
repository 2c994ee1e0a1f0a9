package source

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Counts opens the source at a location, as Read does, to be asked for counts; done ends that.
// The context is for opening and for all that is asked.
//
// A database counts itself: the values of each column are put into their cells in SQL, and only
// cells travel. All is asked in one transaction that reads only, of one snapshot. A file of
// counts answers what follows from its lists. Where records can be few, where SQL cannot code a
// column, where it cannot bound the rows of persons or gives no snapshot, and for other files,
// the whole is read as by Read, and the table answers.
func Counts(ctx context.Context, location string, s *table.Schema, o Options) (counts table.Counts, done func(), err error) {
	o.LabelOptional, o.Keep = false, s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, nil, err
	}
	if q, ok := in.(*sqlQuery); ok && q.counts() {
		counts, err = newSQLCounts(ctx, q)
	} else if file, ok := in.(*countedFile); ok {
		counts, err = file.read(ctx)
	} else {
		counts, err = in.collapse(ctx)
	}
	if err != nil {
		in.close()
		return nil, nil, err
	}
	return counts, in.close, nil
}
