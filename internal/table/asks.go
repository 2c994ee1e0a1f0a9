package table

import "github.com/sibyl-dp/sibyl/internal/parameter"

// Asks describes the queries that a release will send to the private data. It depends only on public
// facts, so that a source that cannot answer them refuses before anything is charged or read.
type Asks struct {
	Rows    bool           // all rows, one by one and in order
	Records bool           // the distinct records with their counts
	Columns [][]int        // marginals, conjunctions, totals of cards and moments on each of these sets of columns
	Any     int            // the same on any set of at most this many columns; 0: only on those in Columns
	Less    parameter.Text // a parameter that reduces the queries, for error messages; "" if there is none
}
