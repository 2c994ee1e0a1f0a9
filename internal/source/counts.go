package source

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Counts opens the source at a location, like Read, and returns an implementation of table.Counts that can answer the
// queries. The caller must call done at the end. The context is used for opening and for all queries.
//
// The kind of source determines how queries are answered:
//   - A database counts rows itself: SQL maps values to cells, and the database sends only counts. All queries run in
//     one read-only transaction on one snapshot. The exceptions are listed below.
//   - A file of counts contains marginals, from which the answers are computed.
//   - A Parquet file with more than o.Held distinct records is read again for each query (streamed).
//   - Any other file is read into a table in memory, as by Read.
//
// As an exception, a database sends its distinct records once, and a table in memory answers the queries. A database
// engine in this process sends the codes of all rows instead, if there are at most o.Held rows. The exception applies
// in each of these cases:
//   - Few distinct records are possible.
//   - The SQL dialect cannot code a column, limit the rows of each person, or provide a snapshot.
//   - The queries include sums and the database runs inside this process.
//   - The queries include sums or depend on earlier answers, and a server finds at most o.Held distinct records.
//   - The queries include sums, depend on earlier answers, or include many marginals, and there are at most o.Held
//     rows.
//
// The answers are the same in all cases. Only the running time and the memory differ.
func Counts(ctx context.Context, location string, s *table.Schema, queries table.Queries, o Options) (counts table.Counts, done func(), err error) {
	o.LabelOptional, o.Keep = false, s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, nil, err
	}
	switch in := in.(type) {
	case *countedFile:
		counts, err = in.read(ctx)
	case *parquetFile:
		counts, err = in.counts(ctx, o.held())
	case *sqlQuery:
		counts, err = in.counts(ctx, queries)
	default:
		counts, err = in.collapse(ctx)
	}
	if err != nil {
		in.close()
		return nil, nil, err
	}
	if _, inMemory := counts.(*table.Table); inMemory {
		in.close()
		return counts, func() {}, nil
	}
	return counts, in.close, nil
}
