package table

import "github.com/sibyl-dp/sibyl/internal/parameter"

// Queries describes which queries a release will send to the private data. The description depends only on public
// facts, so a source that cannot answer these queries can reject the release before the privacy budget is charged and
// before data is read.
type Queries struct {
	Rows     bool           // whether the release reads all rows, one by one and in order
	Records  bool           // whether it reads the distinct records with their counts
	Columns  [][]int        // the sets of columns on which it queries marginals, conjunctions, totals of cards, and moments
	Sums     bool           // whether it queries moments or sums of weights, besides marginals, conjunctions and totals
	Any      int            // the release may send such queries on every set of at most Any columns; 0 if only on the sets in Columns
	Fallback parameter.Text // a parameter that the user can change to reduce the queries, for error messages; "" if there is none
	Stated   int64          // the number of rows or persons that the data must have; 0 if it is not stated, or private
}

// CheckRows returns an error if the data does not have the stated number of rows or persons. A stated number of 0
// accepts any data. The number of rows must be public.
func (s *Schema) CheckRows(stated, rows int64) error {
	if stated > 0 && rows != stated {
		return parameter.Errorf("{rows} is %d, but the data has %d %s, including those with values outside the schema; state that number", stated, rows, s.Unit(rows))
	}
	return nil
}
