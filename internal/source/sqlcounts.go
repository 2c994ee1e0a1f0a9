package source

import (
	"context"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// narrow is how many distinct records there can be at most of which a database is asked at once,
// and not for each sub-table.
const narrow = 1 << 16

// counts tells whether the database is asked for sub-tables.
func (q *sqlQuery) counts() bool {
	return q.schema.Records(narrow+1) > narrow && q.relation.Coded() &&
		(q.schema.Person == nil || q.relation.Bounds())
}

// sqlCounts answers by SQL.
type sqlCounts struct {
	*sqlQuery
	rows, nulls int64
	lock        sync.Mutex // the connection does one thing at a time
}

func newSQLCounts(ctx context.Context, q *sqlQuery) (*sqlCounts, error) {
	c := &sqlCounts{sqlQuery: q}
	err := c.numbers(ctx, q.relation.Sizes(), 2, func(n []int64) error {
		c.rows, c.nulls = n[0], n[1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.rows /= q.schema.Weight()
	return c, nil
}

// numbers visits the rows of a statement, each of so many whole numbers.
func (c *sqlCounts) numbers(ctx context.Context, statement string, width int, visit func([]int64) error) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	row := make([]int64, width)
	return c.scan(ctx, statement, width, func(values []any) (err error) {
		for i, v := range values {
			if row[i], err = c.whole(v); err != nil {
				return err
			}
		}
		return visit(row)
	})
}

func (c *sqlCounts) Sizes() []int  { return c.schema.Sizes() }
func (c *sqlCounts) Outcomes() int { return c.schema.Outcomes() }
func (c *sqlCounts) Weight() int64 { return c.schema.Weight() }
func (c *sqlCounts) Rows() int64   { return c.rows }
func (c *sqlCounts) Nulls() int64  { return c.nulls }

// Marginals returns the counts of each sub-table.
func (c *sqlCounts) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	counts := make([][]int64, len(of))
	for m, axes := range of {
		counts[m] = make([]int64, table.Cells(axes))
	}
	for _, m := range c.relation.Marginals(of) {
		err := c.numbers(ctx, m.Statement, 2, func(n []int64) error {
			m.Add(counts, n[0], n[1])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Supports returns how many units satisfy all terms of each conjunction.
func (c *sqlCounts) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	counts := make([]int64, len(of))
	first := 0
	for _, s := range c.relation.Supports(axes, of) {
		err := c.numbers(ctx, s.Statement, s.Conjunctions, func(n []int64) error {
			copy(counts[first:], n)
			return nil
		})
		if err != nil {
			return nil, err
		}
		first += s.Conjunctions
	}
	return counts, nil
}

// Totals returns the units of each total that some record has, by outcome.
func (c *sqlCounts) Totals(ctx context.Context, card table.Card) (map[int64][]int64, error) {
	totals := make(map[int64][]int64)
	err := c.numbers(ctx, c.relation.Totals(card), 3, func(n []int64) error {
		if totals[n[0]] == nil {
			totals[n[0]] = make([]int64, c.Outcomes())
		}
		totals[n[0]][n[1]] += n[2]
		return nil
	})
	if err != nil {
		return nil, err
	}
	return totals, nil
}

var _ table.Counts = (*sqlCounts)(nil)
