package source

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// An sqlQuery is a query that has been prepared in a read-only transaction, and whose result has the columns of the
// schema.
type sqlQuery struct {
	url     *database.URL // the zero value if the caller opened the database
	dialect *database.Dialect
	shown   string
	tx      *sql.Tx // a read-only transaction
	owned   *sql.DB // the database to close, or nil
	query   string
	schema  *table.Schema
	codes   *coding
	kinds   []string // by column of the coding, its type, which determines how its values are read
	rows    string   // the statement that returns the rows one by one
	width   int      // the number of columns of its result
	at      []int    // by column of the coding, its index in the result

	relation *pushdown.Relation
	held     int   // Options.held
	counted  int64 // the number of rows of the query, or -1 if it is not known yet
}

func openSQL(ctx context.Context, location string, s *table.Schema, o Options) (*sqlQuery, error) {
	u, err := database.Parse(location)
	if err != nil {
		return nil, err
	}
	if o.Query == "" {
		return nil, fmt.Errorf("%s: %w", u, errNoQuery)
	}
	db, err := u.OpenReadOnly()
	if err != nil {
		return nil, err
	}
	q, err := prepareSQL(ctx, db, &sqlQuery{url: u, dialect: u.Dialect(), shown: u.String(), query: o.Query, schema: s}, o)
	if err != nil {
		db.Close()
		return nil, err
	}
	q.owned = db
	return q, nil
}

// prepareSQL begins a read-only transaction in the database and prepares the query of q in it. It returns q with the
// remaining fields set.
func prepareSQL(ctx context.Context, db *sql.DB, q *sqlQuery, o Options) (*sqlQuery, error) {
	q.query = strings.TrimRight(strings.TrimSpace(q.query), "; \t\r\n")
	if strings.Contains(q.query, ";") {
		return nil, fmt.Errorf("%s: the query must be one SELECT statement, but it contains a semicolon; within a text write %s instead", q.shown, q.dialect.Semicolon)
	}
	q.held, q.counted = o.held(), -1
	var err error
	if err = db.PingContext(ctx); err == nil {
		q.tx, err = db.BeginTx(ctx, &q.dialect.Begin)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: the database cannot be reached: %w", q.shown, q.url.Scrub(err))
	}
	if q.dialect.Set != "" {
		if _, err := q.tx.ExecContext(ctx, q.dialect.Set); err != nil {
			q.close()
			return nil, q.refused(ctx, err)
		}
	}
	if err := q.unshadowed(ctx); err != nil {
		q.close()
		return nil, err
	}
	if err := q.prepare(ctx, o); err != nil {
		q.close()
		return nil, err
	}
	return q, nil
}

// unshadowed returns an error if the database defines a function with the name of a built-in function. The generated
// statements would call this function instead of the built-in one.
func (q *sqlQuery) unshadowed(ctx context.Context) error {
	if q.dialect.Shadow == "" {
		return nil
	}
	name := ""
	err := q.scan(ctx, q.dialect.Shadow, 1, func(values []any) error {
		name, _ = values[0].(string)
		return nil
	})
	if err == nil && name != "" {
		err = fmt.Errorf("%s: the database's own macro %s replaces a function of %s, which would change the counts; drop the macro, or copy the tables into another database", q.shown, quote.Word(name), q.dialect.Name)
	}
	return err
}

// prepare prepares the query and finds the columns of its result, for which it runs the query with a condition that no
// row satisfies. It also checks that the query is a SELECT, because only a SELECT can be prepared both as a subquery
// and alone. The subquery is prepared first, because preparing another statement alone might execute it: in DuckDB, for
// example, EXPORT DATABASE would write files.
func (q *sqlQuery) prepare(ctx context.Context, o Options) error {
	statement, err := q.tx.PrepareContext(ctx, "SELECT * FROM ("+q.query+"\n) AS t WHERE "+q.dialect.False)
	if err != nil {
		return q.refused(ctx, err)
	}
	defer statement.Close()
	alone, err := q.tx.PrepareContext(ctx, q.query)
	if err != nil {
		return q.refused(ctx, err)
	}
	alone.Close()
	rows, err := statement.QueryContext(ctx)
	if err != nil {
		return q.broken(ctx, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return q.broken(ctx, err)
	}
	label := q.schema.Label
	labelled := label != nil && (!o.LabelOptional || slices.Contains(names, label.Column))
	q.codes = newCoding(q.schema, labelled, o.Keep, nil)
	q.codes.all = names
	q.rows, q.width = q.query, len(names)
	for _, column := range q.codes.columns {
		i := slices.Index(names, column)
		if i < 0 && almost(names, column) {
			return fmt.Errorf("%s: the query's result lacks column %s, but has this name with other capital letters, blanks or Unicode forms; write it as in the result", q.shown, quote.Word(column))
		}
		if i < 0 {
			return fmt.Errorf("%s: the query's result lacks column %s; select that column, or give a column that name with AS", q.shown, quote.Word(column))
		}
		if slices.Contains(names[i+1:], column) {
			return fmt.Errorf("%s: the query's result has column %s twice; select it once", q.shown, quote.Word(column))
		}
		q.at = append(q.at, i)
	}
	if err := rows.Err(); err != nil {
		return q.broken(ctx, err)
	}
	kinds, err := kindsOf(rows)
	if err != nil {
		return q.broken(ctx, err)
	}
	rows.Close() // a connection processes one statement at a time
	types := make(map[string]database.Type)
	for k, column := range q.codes.columns {
		kind := kinds[q.at[k]]
		if types[column], err = q.typeOf(ctx, column, kind); err != nil {
			return err
		}
		q.kinds = append(q.kinds, kind)
	}
	if err := refuseSpelling(q.schema, func(column string) bool { return holdsText(types[column]) }); err != nil {
		return fmt.Errorf("%s: %w", q.shown, err)
	}
	q.relation = pushdown.New(q.dialect, q.query, q.schema, types)
	if err := q.convert(ctx, types); err != nil {
		return err
	}
	return q.stable(ctx)
}

// convert changes q.rows, the statement that returns the rows one by one, if the values of a column must be converted
// in SQL before they can be read (see Type.Read). The order of the rows stays the same.
func (q *sqlQuery) convert(ctx context.Context, types map[string]database.Type) error {
	var all []string
	converted := "" // one of the columns
	for _, column := range q.codes.columns {
		read := types[column].Read
		if read != "" {
			converted = column
		}
		all = append(all, database.In(cmp.Or(read, "%s"), q.dialect.Identifier(column)))
	}
	if converted == "" {
		return nil
	}
	for k := range q.at {
		q.at[k] = k
	}
	q.width = len(all)
	// MariaDB accepts the first form only for queries without WITH. No database accepts the second form for a query with a
	// LIMIT of its own.
	for _, fenced := range []string{"(" + q.query + "\n) ", q.query + "\n"} {
		q.rows = "SELECT " + strings.Join(all, ", ") + " FROM (" + fenced + q.dialect.Fence + ") AS t"
		if prepared, err := q.tx.PrepareContext(ctx, q.rows); err == nil {
			return prepared.Close()
		}
	}
	read := database.In(types[converted].Read, q.dialect.Identifier(converted))
	return fmt.Errorf("%s: column %s has a type that this query cannot return; select %s as the column", q.shown, quote.Word(converted), quote.Word(read))
}

// stable returns an error if the query may return different rows each time it runs. A release runs the query in several
// statements, which must all count the same rows.
func (q *sqlQuery) stable(ctx context.Context) error {
	why := q.dialect.Volatile(q.query)
	var err error
	if why == "" && q.dialect.Plan != "" {
		err = q.scan(ctx, database.In(q.dialect.Plan, q.query), 1, func(values []any) error {
			plan, err := appendValue(nil, values[0], "", q.dialect)
			why = q.dialect.Unstable(string(plan))
			return err
		})
	}
	if err == nil && why != "" {
		err = fmt.Errorf("%s: the query may return other rows when it runs again, because %s; remove that part, or store the rows in a table and select them from it", q.shown, why)
	}
	return err
}

// typeOf returns the type of a column, given the name of the type in the database (kind). It returns an error if the
// type is not supported.
func (q *sqlQuery) typeOf(ctx context.Context, column, kind string) (database.Type, error) {
	t, ok := q.dialect.Type(kind)
	if ok {
		return t, nil
	}
	shown := kind
	if _, err := strconv.ParseUint(kind, 10, 32); err == nil && q.dialect.TypeNames != "" {
		err := q.scan(ctx, database.In(q.dialect.TypeNames, kind), 2, func(values []any) error {
			known, _ := values[0].(string)
			t, ok = q.dialect.Type(known)
			if name, is := values[1].(string); is {
				shown = name
			}
			return nil
		})
		if err != nil || ok {
			return t, err
		}
	}
	return t, fmt.Errorf("%s: column %s has the type %s, whose values Sibyl cannot compare; cast the column to another type in the query, such as text", q.shown, quote.Word(column), quote.Word(strings.ToLower(shown)))
}

// holdsText reports whether values of the type t may be texts, in which numbers can have any format.
func holdsText(t database.Type) bool {
	for _, of := range t.Cases {
		if holdsText(of.Type) {
			return true
		}
	}
	return t.Kind == database.Text || t.Kind == database.Binary
}

// try prepares the statements that a release will send to the database, without running them, and returns the error of
// the first one that the database rejects.
func (q *sqlQuery) try(ctx context.Context) error {
	if q.schema.Person != nil && !q.relation.Bounds() {
		return nil // the query itself, which is known to be a SELECT
	}
	c := q.relation.Collapsed()
	statements := []string{c.Statement}
	if c.Ungrouped != "" {
		statements = append(statements, q.relation.Rows(), c.Ungrouped)
	}
	if q.countable() {
		statements = append(statements, q.relation.Rows(), q.relation.Sizes())
	}
	for _, statement := range statements {
		prepared, err := q.tx.PrepareContext(ctx, statement)
		if err != nil {
			return q.refused(ctx, err)
		}
		prepared.Close()
	}
	return nil
}

func (q *sqlQuery) coding() *coding { return q.codes }

func (q *sqlQuery) close() {
	q.tx.Rollback()
	if q.owned != nil {
		q.owned.Close()
	}
}

// refused returns the error for a statement that the database rejected before running it. The parameter err is the
// database's error.
func (q *sqlQuery) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: the query is refused: %w", q.shown, q.url.Scrub(err))
}

// broken returns the error for a statement that failed while it ran. The parameter err is the database's error.
func (q *sqlQuery) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code, advice := database.Code(err), "run it in the database's own shell to see why"
	if code == "SQLSTATE 25006" {
		advice = "it must only read, so remove what changes or locks rows, such as FOR UPDATE"
	}
	if code != "" {
		code = " with " + code
	}
	return fmt.Errorf("%s: the query failed while it ran%s; %s", q.shown, code, advice)
}

func (q *sqlQuery) collapse(ctx context.Context) (*table.Table, error) {
	return q.collapseUpTo(ctx, math.MaxInt)
}

// collapseUpTo returns the table of distinct records. It returns errManyRecords if there are more than the parameter
// most. The database computes the codes and counts the records, except in two cases, in which rows are read one by one:
//   - If the database cannot limit the number of rows of each person, collapseHere reads the values of all rows.
//   - If the database engine runs in this process and the query has at most q.held rows, the engine returns the codes
//     of each row, because it might need too much memory to group the rows.
func (q *sqlQuery) collapseUpTo(ctx context.Context, most int) (*table.Table, error) {
	if q.schema.Person != nil && !q.relation.Bounds() {
		return q.collapseHere(ctx)
	}
	c := q.relation.Collapsed()
	at := make([]int, len(q.codes.columns)) // by column of the coding, its index in the statement's result, or -1
	for k, column := range q.codes.columns {
		if at[k] = slices.Index(c.Columns, column); at[k] >= 0 {
			at[k] += len(c.Keys)
		}
	}
	b := q.schema.Builder()
	width := len(c.Keys) + len(c.Columns) + 1
	statement := c.Statement
	grouped := true
	if c.Ungrouped != "" {
		rows, err := q.number(ctx)
		if err != nil {
			return nil, err
		}
		if grouped = rows > int64(q.held); !grouped {
			statement, width = c.Ungrouped, len(c.Keys)
		}
	}
	if grouped && most < math.MaxInt { // a driver would receive all records of a statement that is not limited
		statement += fmt.Sprintf(" LIMIT %d", most+1)
	}
	records := 0
	err := q.run(ctx, statement, width, at, func(codes []uint16, values []any) error {
		if records++; records > most {
			return errManyRecords
		}
		for i, key := range c.Keys {
			if values[i] == nil {
				codes[key.Attributes[0]] = outside
				continue
			}
			n, err := q.whole(values[i])
			if err != nil {
				return err
			}
			key.Codes(n, codes)
		}
		n := int64(1)
		if grouped {
			var err error
			if n, err = q.whole(values[width-1]); err != nil {
				return err
			}
		}
		return count(b, codes, n)
	})
	if err != nil {
		return nil, err
	}
	return b.Table(), nil
}

// number returns the number of rows in the result of the query.
func (q *sqlQuery) number(ctx context.Context) (int64, error) {
	if q.counted >= 0 {
		return q.counted, nil
	}
	err := q.scan(ctx, q.relation.Rows(), 1, func(values []any) (err error) {
		q.counted, err = q.whole(values[0])
		return err
	})
	return q.counted, err
}

// collapseHere returns the table of distinct records. Unlike collapseUpTo, it reads the values of all rows and counts
// the records in this process. It limits the number of rows of each person in the same way as for a file.
func (q *sqlQuery) collapseHere(ctx context.Context) (*table.Table, error) {
	workers := newWorkers(1, q.schema, q.codes)
	defer closeAll(workers)
	q.codes = workers[0].codes
	if err := q.each(ctx, workers[0].visit); err != nil {
		return nil, err
	}
	return merged(ctx, q.schema, workers)
}

// whole converts an integer that the database driver returned, in one of several Go types, to an int64.
func (q *sqlQuery) whole(value any) (int64, error) {
	if n, ok := value.(int64); ok {
		return n, nil
	}
	return 0, fmt.Errorf("%s: the database returned a count that is not a whole number; report this with the database's version", q.shown)
}

func (q *sqlQuery) each(ctx context.Context, visit func(codes []uint16, place int64) error) error {
	row := int64(0)
	return q.run(ctx, q.rows, q.width, q.at, func(codes []uint16, _ []any) error {
		row++
		return visit(codes, row)
	})
}

// run calls the function visit for each row of a statement's result, with the codes and the values of the row. The
// parameter width is the number of values of a row. For each column of the coding, the parameter at holds the index of
// its value, or -1 if the column is not read.
func (q *sqlQuery) run(ctx context.Context, statement string, width int, at []int, visit func(codes []uint16, values []any) error) error {
	codes := make([]uint16, q.codes.width)
	var text []byte
	return q.scan(ctx, statement, width, func(values []any) error {
		for k, i := range at {
			if i < 0 {
				continue
			}
			var err error
			text, err = appendValue(text[:0], values[i], q.kinds[k], q.dialect)
			if err != nil {
				return fmt.Errorf("%s: column %s %w", q.shown, quote.Word(q.codes.columns[k]), err)
			}
			if len(text) > maxField {
				return fmt.Errorf("%s: column %s contains a value longer than 1 MiB; shorten it in the query", q.shown, quote.Word(q.codes.columns[k]))
			}
			q.codes.field(k, text, codes)
		}
		return visit(codes, values)
	})
}

// scan calls the function visit for each row of a statement's result, with the values of the row. The parameter width
// is the number of values of a row.
func (q *sqlQuery) scan(ctx context.Context, statement string, width int, visit func(values []any) error) error {
	prepared, err := q.tx.PrepareContext(ctx, statement)
	if err != nil {
		return q.refused(ctx, err)
	}
	defer prepared.Close()
	rows, err := prepared.QueryContext(ctx)
	if err != nil {
		return q.broken(ctx, err)
	}
	defer rows.Close()
	values, targets := make([]any, width), make([]any, width)
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return q.broken(ctx, err)
		}
		if err := visit(values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return q.broken(ctx, err)
	}
	return nil
}
