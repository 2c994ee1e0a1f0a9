package source

import (
	"context"

	"github.com/sibyl-dp/sibyl/table"
)

// collapseHere reads all rows, and bounds those of persons as it does those of a file.
func (q *sqlQuery) collapseHere(ctx context.Context) (*table.Table, error) {
	workers := newWorkers(1, q.schema, q.codes)
	defer closeAll(workers)
	q.codes = workers[0].codes
	if err := q.each(ctx, workers[0].visit); err != nil {
		return nil, err
	}
	return merged(ctx, q.schema, workers)
}
