package table

import "github.com/sibyl-dp/sibyl/internal/parameter"

// Asks is what a release will ask of private data. It follows from public facts alone, so that
// who cannot answer refuses before anything is charged or read.
type Asks struct {
	Rows    bool           // the rows one by one, in their order: nothing less will do
	Records bool           // the distinct records with their counts
	Columns [][]int        // these columns together: sub-tables, conjunctions, totals of cards on no others
	Any     int            // any columns together, at most so many; 0: none but those listed
	Less    parameter.Text // the parameter with which less is asked for; empty for none
}
