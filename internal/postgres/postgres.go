// Package postgres is a database/sql driver for PostgreSQL, which registers itself as Name. It contains only what this
// module needs.
//
// Package pgconn of github.com/jackc/pgx connects, encrypts, authenticates, and implements the protocol. So URLs and
// environment variables mean the same as for that module's own driver, pgx/v5/stdlib. The latter also converts between
// PostgreSQL's types and Go's, for which it compiles six times as long as all of pgconn.
//
// Every query is prepared, so it cannot contain several statements. Only Exec without arguments sends its text as it is.
package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Name is the name of the driver.
const Name = "sibyl-postgres"

func init() { sql.Register(Name, Driver{}) }

// Driver is the driver. A data source name is a URL or a string of keywords and values, as libpq accepts them.
type Driver struct{}

// Open connects to a database. Package database/sql calls OpenConnector instead.
func (Driver) Open(name string) (driver.Conn, error) {
	return connector(name).Connect(context.Background())
}

// OpenConnector returns a connector, which does not connect yet.
func (Driver) OpenConnector(name string) (driver.Connector, error) { return connector(name), nil }

// A connector is a data source name.
type connector string

func (c connector) Driver() driver.Driver { return Driver{} }

// Connect connects to the database.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	config, err := pgconn.ParseConfig(string(c))
	if err != nil {
		return nil, err
	}
	// pgx/v5/stdlib has these parameters for its caches. The server does not know them.
	for _, parameter := range []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"} {
		delete(config.RuntimeParams, parameter)
	}
	server, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &conn{server: server, used: time.Now()}, nil
}

// A conn is a connection.
type conn struct {
	server   *pgconn.PgConn
	prepared int       // the number of statements that were prepared, by which they are named
	used     time.Time // when the connection was last known to work
}

const closing = 5 * time.Second // the maximum time that closing something may take

func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return c.server.Close(ctx)
}

func (c *conn) Ping(ctx context.Context) error {
	if c.server.IsClosed() {
		return driver.ErrBadConn
	}
	if err := c.server.Ping(ctx); err != nil {
		c.Close()
		return driver.ErrBadConn
	}
	return nil
}

// ResetSession refuses to reuse a connection with an open transaction, or one that the server has closed while it was
// idle.
func (c *conn) ResetSession(ctx context.Context) error {
	if c.server.IsClosed() || c.server.TxStatus() != 'I' {
		return driver.ErrBadConn
	}
	if time.Since(c.used) > time.Second && c.server.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	c.used = time.Now()
	return nil
}

// Begin is not called, since there is BeginTx.
func (c *conn) Begin() (driver.Tx, error) { return nil, driver.ErrSkip }

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	statement := "BEGIN"
	if level := sql.IsolationLevel(o.Isolation); level != sql.LevelDefault {
		statement += " ISOLATION LEVEL " + level.String()
	}
	if o.ReadOnly {
		statement += " READ ONLY"
	}
	if _, err := c.simple(ctx, statement); err != nil {
		return nil, err
	}
	return transaction{ctx, c}, nil
}

// A transaction is the transaction of a connection. Its context is that of BeginTx.
type transaction struct {
	ctx context.Context
	*conn
}

// Commit commits the transaction. If a statement has failed, the server rolls it back instead, and Commit returns an
// error.
func (t transaction) Commit() error {
	tag, err := t.simple(t.ctx, "COMMIT")
	if err != nil && t.server.TxStatus() != 'I' {
		t.Close()
	}
	if err == nil && tag.String() == "ROLLBACK" {
		return errors.New("postgres: the server rolled the transaction back, because a statement in it had failed")
	}
	return err
}

// Rollback rolls the transaction back. If that fails, it closes the connection, so that the server does it.
func (t transaction) Rollback() error {
	_, err := t.simple(t.ctx, "ROLLBACK")
	if err != nil {
		t.Close()
	}
	return err
}

// simple executes statements without arguments.
func (c *conn) simple(ctx context.Context, statements string) (tag pgconn.CommandTag, err error) {
	if c.server.IsClosed() {
		return tag, driver.ErrBadConn
	}
	results, err := c.server.Exec(ctx, statements).ReadAll()
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag
	}
	return tag, unsent(err)
}

// unsent returns driver.ErrBadConn, after which database/sql tries another connection, if the error shows that nothing
// was sent.
func unsent(err error) error {
	if pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

func (c *conn) ExecContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Result, error) {
	if len(arguments) == 0 {
		tag, err := c.simple(ctx, query)
		return driver.RowsAffected(tag.RowsAffected()), err
	}
	s, err := c.prepare(ctx, "", query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, arguments)
}

func (c *conn) QueryContext(ctx context.Context, query string, arguments []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepare(ctx, "", query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, arguments)
}

// Prepare is not called, since there is PrepareContext.
func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.prepared++
	s, err := c.prepare(ctx, "sibyl_"+strconv.Itoa(c.prepared), query)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// prepare prepares a statement. A statement without a name is valid until the next one is prepared.
func (c *conn) prepare(ctx context.Context, name, query string) (*statement, error) {
	if c.server.IsClosed() {
		return nil, driver.ErrBadConn
	}
	described, err := c.server.Prepare(ctx, name, query, nil)
	if err != nil {
		return nil, unsent(err)
	}
	s := &statement{conn: c, described: described}
	for _, f := range described.Fields {
		s.formats = append(s.formats, formatOf(f.DataTypeOID))
	}
	return s, nil
}

// A statement is a prepared statement.
type statement struct {
	conn      *conn
	described *pgconn.StatementDescription
	formats   []int16 // the formats in which the server sends the columns
}

func (s *statement) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return s.conn.server.Deallocate(ctx, s.described.Name)
}

func (s *statement) NumInput() int { return len(s.described.ParamOIDs) }

// Exec and Query are not called, since there are ExecContext and QueryContext.
func (s *statement) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s *statement) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

func (s *statement) ExecContext(ctx context.Context, arguments []driver.NamedValue) (driver.Result, error) {
	r, err := s.run(ctx, arguments)
	if err != nil {
		return nil, err
	}
	tag, err := r.Close()
	return driver.RowsAffected(tag.RowsAffected()), unsent(err)
}

func (s *statement) QueryContext(ctx context.Context, arguments []driver.NamedValue) (driver.Rows, error) {
	r, err := s.run(ctx, arguments)
	if err != nil {
		return nil, err
	}
	// An error of the execution is returned here if no row precedes it.
	more := r.NextRow()
	if !more {
		if _, err := r.Close(); err != nil {
			return nil, unsent(err)
		}
	}
	return &rows{s.described.Fields, r, true, more}, nil
}

func (s *statement) run(ctx context.Context, arguments []driver.NamedValue) (*pgconn.ResultReader, error) {
	if s.conn.server.IsClosed() {
		return nil, driver.ErrBadConn
	}
	values, formats := make([][]byte, len(arguments)), make([]int16, len(arguments))
	for i, a := range arguments {
		values[i], formats[i] = encode(a.Value)
	}
	return s.conn.server.ExecPrepared(ctx, s.described.Name, values, formats, s.formats), nil
}

// rows are the rows of a result.
type rows struct {
	fields []pgconn.FieldDescription
	reader *pgconn.ResultReader
	first  bool // whether the first row was not yet returned
	more   bool // whether there is a first row
}

func (r *rows) Columns() []string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.Name
	}
	return names
}

// ColumnTypeDatabaseTypeName returns the name of the type, or the digits of its OID.
func (r *rows) ColumnTypeDatabaseTypeName(column int) string {
	return typeName(r.fields[column].DataTypeOID)
}

func (r *rows) Next(to []driver.Value) error {
	if r.first {
		r.first = false
	} else {
		r.more = r.reader.NextRow()
	}
	if !r.more {
		if _, err := r.reader.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, value := range r.reader.Values() {
		var err error
		if to[i], err = decode(r.fields[i].DataTypeOID, value); err != nil {
			return fmt.Errorf("postgres: column %d: %w", i+1, err)
		}
	}
	return nil
}

// Close reads what remains of the result.
func (r *rows) Close() error {
	_, err := r.reader.Close()
	return err
}
