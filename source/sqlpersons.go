package source

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/database"
	"github.com/sibyl-dp/sibyl/table"
)

// bound lets PostgreSQL find the rows of each person that count, and count them; of
// SQLite, which is in this process, it reads all rows with their persons.
func (q *sqlQuery) bound(ctx context.Context) (*table.Table, error) {
	if q.dialect == database.PostgreSQL {
		return q.boundThere(ctx)
	}
	workers := newWorkers(1, q.schema, q.codes)
	defer closeAll(workers)
	q.codes = workers[0].codes
	if err := q.each(ctx, workers[0].visit); err != nil {
		return nil, err
	}
	return merged(ctx, q.schema, workers)
}

// boundThere counts the rows that count by record and by how many of their person do.
func (q *sqlQuery) boundThere(ctx context.Context) (*table.Table, error) {
	statement, at := q.boundStatement()
	n := len(at)
	b := q.schema.Builder()
	err := q.run(ctx, statement, n+1, at, func(codes []uint16, values []any) error {
		kept, ok := values[n-1].(int64)
		rows, counted := values[n].(int64)
		if !ok || !counted || kept < 1 || kept > int64(q.schema.Person.Most) {
			return fmt.Errorf("%s: the database does not count in whole numbers", q.shown)
		}
		weight := q.schema.Weight() / kept
		if rows > math.MaxInt64/weight {
			return table.ErrTooManyRows
		}
		return count(b, codes, rows*weight)
	})
	if err != nil {
		return nil, err
	}
	return b.Table(), nil
}

// boundStatement returns a statement whose result has the coding's columns, that of the
// person holding how many rows of a person are kept, and a number of rows; and where the
// columns are. It follows docs/proofs/persons.md, section 2, with the row's text in place
// of its codes:
//
//	b  rows that are somebody's, person and row as texts, which are compared by bytes
//	c  the copies of equal rows numbered; texts may round floats, so values order them too
//	d  the place of a row, a keyed hash of person, row and copy
//	e  the number of the person's rows, and of this one in their order
func (q *sqlQuery) boundStatement() (statement string, at []int) {
	most := q.schema.Person.Most
	var plain, named []string
	for k, column := range q.codes.columns {
		at = append(at, k)
		if k != q.codes.kept {
			name := fmt.Sprintf("x%d", k)
			plain = append(plain, q.dialect.Identifier(column)+" AS "+name)
			named = append(named, name)
		}
	}
	x := strings.Join(named, ", ")
	// The column of the person is the last, since it serves nothing else. An empty text of
	// bytes is written \x.
	person := q.dialect.Identifier(q.codes.columns[q.codes.kept])
	a := "SELECT " + strings.Join(plain, ", ") + ", CAST(" + person + " AS text) COLLATE \"C\" AS p FROM (" + q.query + "\n) AS t WHERE CAST(" + person + " AS text) NOT IN ('', '\\x')"
	b := "SELECT " + x + ", p, CAST(ROW(" + x + ") AS text) COLLATE \"C\" AS r FROM (" + a + ") AS a"
	c := "SELECT *, ROW_NUMBER() OVER (PARTITION BY p, r ORDER BY " + x + ") AS j FROM (" + b + ") AS b"
	d := "SELECT *, sha256(convert_to('" + strings.TrimRight(orderKey, "\x00") + "' || CAST(ROW(p, r, j) AS text), 'UTF8')) AS h FROM (" + c + ") AS c"
	e := "SELECT *, COUNT(*) OVER (PARTITION BY p) AS n, ROW_NUMBER() OVER (PARTITION BY p ORDER BY h, r, j) AS place FROM (" + d + ") AS d"
	kept := fmt.Sprintf("LEAST(n, %d)", most)
	return fmt.Sprintf("SELECT %s, %s, COUNT(*) FROM (%s) AS e WHERE place <= %d GROUP BY %[1]s, %[2]s", x, kept, e, most), at
}
