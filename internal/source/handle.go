package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// handleName is the name that messages use for a database that the caller has opened.
const handleName = "the database"

// errNoQuery is the error for a database that is given without a query.
var errNoQuery = parameter.Errorf("to read a database, give {query}, a SELECT that returns the rows, one per person unless the schema has [person]")

// openDB opens the query o.Query in the database o.DB. The query must return one row per person, unless the schema
// names the column that identifies the person. It becomes a subquery of
//
//	SELECT codes, COUNT(*) FROM (query) AS t GROUP BY codes
//
// so the database computes the codes and counts, and sends only distinct records. An engine in this process sends the
// codes of each row instead if there are at most o.Held rows.
//
// Values are compared by their plain text, whatever the collations of the columns. If SQL cannot compare the values
// of a column's type in this way, the database groups them by their bytes, and this program computes their codes.
//
// The query must be one SELECT without a semicolon, so that no dialect can read it as two statements. It runs in a
// read-only transaction. If the database rejects the query while preparing it, the error quotes the database's
// message. If the query fails while it runs, the error does not quote the message, which may contain private values.
func openDB(ctx context.Context, s *table.Schema, o Options) (input, error) {
	if strings.TrimSpace(o.Query) == "" {
		return nil, errNoQuery
	}
	d := database.DialectOf(o.DB.Driver())
	if d == nil {
		return selectRows(ctx, s, o)
	}
	return prepareSQL(ctx, o.DB, &sqlQuery{url: &database.URL{}, dialect: d, shown: handleName, query: o.Query, schema: s}, o)
}

// A selected is the result of a query in a database whose driver Sibyl does not know. The database sends all rows,
// and their codes are computed in this process.
type selected struct {
	rows   Memory
	schema *table.Schema
	codes  *coding
}

// selectRows returns the rows of the query o.Query. It runs the query as a subquery of a SELECT, so statements of
// other kinds are rejected.
func selectRows(ctx context.Context, s *table.Schema, o Options) (input, error) {
	query := strings.TrimRight(strings.TrimSpace(o.Query), "; \t\r\n")
	if strings.Contains(query, ";") {
		return nil, fmt.Errorf("%s: the query must be one SELECT statement, but it contains a semicolon", handleName)
	}
	if err := refuseSpelling(s, func(string) bool { return true }); err != nil {
		return nil, fmt.Errorf("%s: %w", handleName, err)
	}
	query = "SELECT * FROM (" + query + "\n) t"
	none, err := o.DB.QueryContext(ctx, query+" WHERE 1 = 0")
	if err != nil {
		return nil, fmt.Errorf("%s: the query is refused: %w", handleName, err)
	}
	defer none.Close()
	header, err := none.Columns()
	if err != nil {
		return nil, fmt.Errorf("%s: the query is refused: %w", handleName, err)
	}
	in := &selected{schema: s, rows: Memory{Header: header, Plain: true, Rows: func(yield func([]string, error) bool) {
		eachRow(ctx, o.DB, query, yield)
	}}}
	in.codes = in.rows.coding(s, o.Keep)
	if _, err := in.rows.places(in.codes); err != nil {
		return nil, fmt.Errorf("%s: %w", handleName, err)
	}
	return in, nil
}

// errRows is the error for a query that fails while it runs. It omits the cause, which may quote private values.
var errRows = errors.New(handleName + ": the query failed while it ran; run it in the database's own shell to see why")

// eachRow passes each row of a query, as plain texts, to the function yield.
func eachRow(ctx context.Context, db *sql.DB, query string, yield func([]string, error) bool) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		yield(nil, running(ctx))
		return
	}
	defer rows.Close()
	names, err := rows.Columns()
	kinds, err2 := kindsOf(rows)
	if errors.Join(err, err2) != nil {
		yield(nil, running(ctx))
		return
	}
	fields, values, targets := make([]string, len(names)), make([]any, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if rows.Scan(targets...) != nil {
			yield(nil, running(ctx))
			return
		}
		for i, v := range values {
			text, err := appendValue(nil, v, kinds[i], nil)
			if err != nil {
				yield(nil, fmt.Errorf("%s: column %s %w", handleName, quote.Word(names[i]), err))
				return
			}
			fields[i] = string(text)
		}
		if !yield(fields, nil) {
			return
		}
	}
	if rows.Err() != nil {
		yield(nil, running(ctx))
	}
}

// running returns the error for a query that failed while it ran: the context's error if the context has ended, and
// otherwise errRows.
func running(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errRows
}

func (in *selected) coding() *coding { return in.codes }

func (in *selected) each(ctx context.Context, visit func(codes []uint16, place int64) error) error {
	row := int64(0)
	return in.rows.visit(ctx, in.codes, func(codes []uint16) error {
		row++
		return visit(codes, row)
	})
}

func (in *selected) collapse(ctx context.Context) (*table.Table, error) {
	return in.rows.Table(ctx, in.schema)
}

func (in *selected) close() {}
