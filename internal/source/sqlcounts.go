package source

import (
	"context"
	"errors"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// narrow is the maximum number of different possible records for which one statement always reads all distinct
// records of a database, whatever the queries of the release are.
const narrow = 1 << 16

// counts returns an implementation of table.Counts for the query. It is either a table of the distinct records in
// memory, or an sqlCounts, for which the database counts. The comment of the function Counts states how it is
// chosen.
func (q *sqlQuery) counts(ctx context.Context, queries table.Queries) (table.Counts, error) {
	if !q.countable() || queries.Sums && q.dialect.Embedded {
		return q.collapse(ctx)
	}
	ok, err := q.readable(ctx, queries)
	if err != nil {
		return nil, err
	}
	if ok {
		t, err := q.collapseUpTo(ctx, q.held)
		if !errors.Is(err, errManyRecords) {
			return t, err
		}
	}
	return newSQLCounts(ctx, q)
}

// readable reports whether to read the distinct records, provided that there are at most q.held of them, instead of
// letting the database compute each answer:
//   - It returns false if q.held is negative, or if the queries are only for few marginals, because the database
//     counts these in few passes over the rows.
//   - Sums, and queries that depend on earlier answers, need many passes. For these, it returns true if the database
//     is a server, because a server can group any number of rows.
//   - In all other cases, it returns true if the query has at most q.held rows. An engine in this process might need
//     too much memory to group more rows.
func (q *sqlQuery) readable(ctx context.Context, queries table.Queries) (bool, error) {
	adaptive := queries.Sums || queries.Any > 0
	switch {
	case q.held < 0, !adaptive && len(queries.Columns) <= 2*len(q.schema.Attributes):
		return false, nil
	case adaptive && !q.dialect.Embedded:
		return true, nil
	}
	rows, err := q.number(ctx)
	return rows <= int64(q.held), err
}

// countable reports whether the database is able to answer queries for counts, and there are enough possible records
// to make this worthwhile. If not, the distinct records are always read.
func (q *sqlQuery) countable() bool {
	return q.schema.Records(narrow+1) > narrow && q.relation.Coded() &&
		(q.schema.Person == nil || q.relation.Bounds())
}

// An sqlCounts answers the queries of table.Counts with SQL statements that count inside the database.
type sqlCounts struct {
	*sqlQuery
	rows, nulls int64
	lock        sync.Mutex // a connection processes one statement at a time
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

// numbers calls the function visit for each row of a statement's result, with the row's integers. The parameter
// width is the number of integers of a row.
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

// Marginals implements table.Counts: it returns the counts of each marginal, which the database computes.
func (c *sqlCounts) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	counts := make([][]int64, len(of))
	for m, axes := range of {
		counts[m] = make([]int64, table.Cells(axes))
	}
	return counts, c.enter(ctx, c.relation.Marginals(of), counts)
}

// enter runs the statements for some marginals, and adds the numbers that they return to the slice counts, which has
// the counts of each marginal.
func (c *sqlCounts) enter(ctx context.Context, of []*pushdown.Marginals, counts [][]int64) error {
	for _, m := range of {
		err := c.numbers(ctx, m.Statement, 2, func(n []int64) error {
			m.Add(counts, n[0], n[1])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Supports implements table.Counts: it returns, for each conjunction, the number of units (see table.Counts) of the
// records that satisfy all its terms.
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

// Totals implements table.Counts: it returns, for each total of points that some record has, the number of units
// (see table.Counts) of the records with each outcome. The card defines the points.
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

// Weighted implements table.Counts: it returns, for each category of each given attribute, the sum over its records
// of the weight times the number of units (see table.Counts).
func (c *sqlCounts) Weighted(ctx context.Context, attributes []int, w table.Weights) ([][]int64, error) {
	sums := make([][]int64, len(attributes))
	for i, j := range attributes {
		sums[i] = make([]int64, c.Sizes()[j])
	}
	return sums, c.enter(ctx, c.relation.Weighted(attributes, w), sums)
}

// Moments implements table.Counts: it returns the weighted sums that the query m describes, first those of
// coordinates and then those of products of two coordinates.
func (c *sqlCounts) Moments(ctx context.Context, m table.Moments) (first, second []int64, err error) {
	var all []int64
	for _, s := range c.relation.Moments(m) {
		err := c.numbers(ctx, s.Statement, s.Sums, func(n []int64) error {
			all = append(all, n...)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	n := len(m.Points) + 1
	return all[:n:n], all[n:], nil
}

var _ table.Counts = (*sqlCounts)(nil)
