package account

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// patience is the maximum time to wait for an account that another program has locked.
const patience = 30 * time.Second

// A store is the database of an account. It has these tables:
//
//	sibyl_account        one row: the format, and the number and hash of the last event
//	sibyl_account_event  the events
//
// In PostgreSQL, session.find chooses the schema in which the tables are.
type store struct {
	url *database.URL
	db  *sql.DB
}

// locate parses the location of an account, which is the path of a SQLite file or a database URL.
func locate(location string) (*database.URL, error) {
	if database.IsURL(location) {
		u, err := database.Parse(location)
		if err == nil && u.Dialect() != database.SQLite && u.Dialect() != database.PostgreSQL {
			return nil, fmt.Errorf("%s: an account must be in SQLite or PostgreSQL; give the path of a file or a postgres URL", u)
		}
		return u, err
	}
	if location == "" {
		return nil, errors.New("the location of the account is empty; give the path of a file or the URL of a database")
	}
	if database.MayBeURL(location) {
		return nil, errors.New("the location of the account is not an existing file; for a new file, choose a name without @ and =; for a database, give a URL such as postgres://user:password@host/name")
	}
	return database.File(location), nil
}

func openStore(u *database.URL) (*store, error) {
	db, err := u.Open(url.Values{"_pragma": {
		// EXTRA also synchronises the directory after the journal is deleted. Otherwise the
		// journal may reappear after a power failure, which would undo the commit.
		"synchronous(EXTRA)",
		"busy_timeout(1000)",
		"trusted_schema(0)",
	}})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &store{u, db}, nil
}

func (s *store) close() error { return s.db.Close() }

// A session is one transaction on the account's database, with its connection.
type session struct {
	*store
	conn      *sql.Conn
	namespace string // the schema of the tables
	schema    string // the namespace as a quoted SQL identifier
}

// transact runs the function f in a serializable transaction. If transact returns nil, everything that f wrote is
// durable. If write is true, a SQLite transaction excludes other writers from its beginning. While another program
// keeps the account locked, transact retries, for at most the time patience.
func (s *store) transact(ctx context.Context, write bool, f func(ctx context.Context, t session) error) error {
	start := time.Now()
	for {
		err := s.once(ctx, write, f)
		if err == nil || !busy(err) {
			return s.explain(ctx, err)
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return s.explain(context.Background(), err)
			}
			return ctx.Err()
		case <-time.After(time.Duration(1+rand.IntN(20)) * time.Millisecond):
		}
		if time.Since(start) > patience {
			return s.explain(ctx, err)
		}
	}
}

// once runs the function f in one transaction of the database, and does not repeat a transaction that fails.
func (s *store) once(ctx context.Context, write bool, f func(ctx context.Context, t session) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// A transaction is short, so it ignores a cancellation. If a cancellation interrupted the commit, its
	// outcome would be unknown.
	steady := context.WithoutCancel(ctx)
	t := session{store: s, conn: conn}
	err = t.find(steady)
	if err == nil {
		err = t.begin(steady, write)
	}
	if err != nil {
		t.rollback(steady)
		return err
	}
	if err := f(steady, t); err != nil {
		t.rollback(steady)
		return err
	}
	if ctx.Err() != nil {
		t.rollback(steady)
		return ctx.Err()
	}
	if _, err := conn.ExecContext(steady, "COMMIT"); err != nil {
		t.rollback(steady)
		if write {
			return commitError{err}
		}
		return err
	}
	return nil
}

// A commitError wraps an error of COMMIT in a transaction with writes. After such an error, it is unknown whether the
// writes were committed.
type commitError struct{ error }

func (c commitError) Unwrap() error { return c.error }

// find sets the namespace and the schema of the session. In PostgreSQL, it uses the first schema of the search path
// that contains an account or, if none does, the first schema of the search path.
//
// find must run before the transaction begins: inside the transaction, its query would take the snapshot before lock
// has blocked other writers.
func (t *session) find(ctx context.Context) error {
	if t.url.Dialect() == database.SQLite {
		t.namespace = "main"
	} else {
		var namespace sql.NullString
		err := t.conn.QueryRowContext(ctx, `SELECT coalesce((
			SELECT n.nspname FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n
			WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('sibyl_account') AND n.oid OPERATOR(pg_catalog.=) c.relnamespace
		), pg_catalog.current_schema())`).Scan(&namespace)
		if err != nil {
			return err
		}
		if !namespace.Valid {
			return t.say("no schema of the search path exists; create one, or set another with ?search_path=")
		}
		t.namespace = namespace.String
	}
	t.schema = t.url.Dialect().Identifier(t.namespace)
	return nil
}

func (t session) begin(ctx context.Context, write bool) error {
	var statements []string
	switch {
	case t.url.Dialect() == database.SQLite && write:
		statements = []string{"BEGIN IMMEDIATE"}
	case t.url.Dialect() == database.SQLite:
		statements = []string{"BEGIN"}
	default:
		statements = []string{"BEGIN ISOLATION LEVEL SERIALIZABLE", "SET LOCAL search_path = pg_catalog, pg_temp", "SET LOCAL lock_timeout = '1s'", "SET LOCAL synchronous_commit = on"}
	}
	for _, statement := range statements {
		if _, err := t.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// lock blocks other writers until the transaction ends. It also blocks changes to the definitions of the tables. It
// must be called before any read. In SQLite it does nothing, because BEGIN IMMEDIATE already has this effect.
func (t session) lock(ctx context.Context) error {
	if t.url.Dialect() == database.SQLite {
		return nil
	}
	if _, err := t.conn.ExecContext(ctx, "LOCK TABLE "+t.schema+".sibyl_account IN EXCLUSIVE MODE"); err != nil {
		return err
	}
	_, err := t.conn.ExecContext(ctx, "LOCK TABLE "+t.schema+".sibyl_account_event IN ROW EXCLUSIVE MODE")
	return err
}

// rollback rolls back the transaction. If that fails, it discards the connection.
func (t session) rollback(ctx context.Context) {
	if _, err := t.conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		t.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// holds reports whether the database of the session contains an account.
func (t session) holds(ctx context.Context) (bool, error) {
	query, arguments := "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = 'sibyl_account')", []any(nil)
	if t.url.Dialect() == database.PostgreSQL {
		query = "SELECT EXISTS (SELECT 1 FROM pg_class c, pg_namespace n WHERE n.oid = relnamespace AND nspname = $1 AND relname = 'sibyl_account')"
		arguments = []any{t.namespace}
	}
	found := false
	err := t.conn.QueryRowContext(ctx, query, arguments...).Scan(&found)
	return found, err
}

// append inserts the next event, updates the stored number and hash of the last event, and reads both back to verify
// them.
func (t session) append(ctx context.Context, next line) error {
	if err := t.insert(ctx, next); err != nil {
		return err
	}
	if _, err := t.conn.ExecContext(ctx, "UPDATE "+t.schema+".sibyl_account SET sequence = $1, hash = $2", next.sequence, next.hash); err != nil {
		return err
	}
	return t.readBack(ctx, next)
}

func (t session) insert(ctx context.Context, next line) error {
	_, err := t.conn.ExecContext(ctx, "INSERT INTO "+t.schema+".sibyl_account_event VALUES ($1, $2, $3)", next.sequence, next.body, next.hash)
	return err
}

// readBack reads the last event from the database, and returns an error if it differs from last.
func (t session) readBack(ctx context.Context, last line) error {
	return t.catchUp(ctx, &ledger{head: last})
}

// catchUp reads the events that are newer than the last event of the ledger, and applies them to the ledger.
func (t session) catchUp(ctx context.Context, l *ledger) error {
	if found, err := t.holds(ctx); err != nil {
		return err
	} else if !found {
		return t.say("the database contains no account; create one first")
	}
	if err := t.asMade(ctx); err != nil {
		return err
	}
	var written string
	var head line
	err := t.conn.QueryRowContext(ctx, "SELECT format, sequence, hash FROM "+t.schema+".sibyl_account").Scan(&written, &head.sequence, &head.hash)
	if err != nil {
		return t.tampered(err, "its head cannot be read")
	}
	if written != format {
		return t.say("%w: %s instead of %s; use the version of the program that wrote it", ErrFormat, quote.Word(written), format)
	}
	rows, err := t.conn.QueryContext(ctx, "SELECT sequence, body, hash FROM "+t.schema+".sibyl_account_event WHERE sequence >= $1 ORDER BY sequence", l.head.sequence)
	if err != nil {
		return t.tampered(err, "its events cannot be read")
	}
	defer rows.Close()
	again := l.head.sequence >= 0 // the first row is the ledger's last event
	for rows.Next() {
		var next line
		if err := rows.Scan(&next.sequence, &next.body, &next.hash); err != nil {
			return t.tampered(err, fmt.Sprintf("the event after event %d cannot be read", l.head.sequence))
		}
		if again {
			again = false
			if next != l.head {
				return t.tampered(nil, fmt.Sprintf("event %d has changed since it was last read", l.head.sequence))
			}
			continue
		}
		if err := l.follow(next); err != nil {
			return t.tampered(nil, err.Error())
		}
	}
	if err := rows.Err(); err != nil {
		return t.tampered(err, "its events cannot be read")
	}
	if again || l.head.sequence != head.sequence || l.head.hash != head.hash {
		return t.tampered(nil, "its last events are missing or were replaced")
	}
	return nil
}

// tampered returns an error that wraps ErrTampered and states what is wrong with the account. If err shows that the
// database failed, tampered returns err instead.
func (t session) tampered(err error, what string) error {
	if code, known := failureOf(err); known && code != failureDamaged {
		return err
	}
	return t.say("%w: %s", ErrTampered, what)
}

// A said error has a complete message for the user, which begins with the location of the account. The function
// explain returns it unchanged.
type said struct{ error }

func (e said) Unwrap() error { return e.error }

// say returns an error of type said, whose message is the account's location followed by the formatted text.
func (s *store) say(format string, args ...any) error {
	return said{fmt.Errorf("%s: "+format, append([]any{s.url}, args...)...)}
}

// A failure is a kind of error that the account's database reported.
type failure int

const (
	failureBusy failure = iota
	failureReadOnly
	failureFull
	failureUnopened
	failureDisk
	failureDamaged
	failureServer // another error of the server, which aborts the transaction
	failureDenied
)

// failureOf returns the kind of an error that a database driver reported. The second result is false if the error
// contains no error code of SQLite or PostgreSQL.
func failureOf(err error) (failure, bool) {
	var sqlite interface{ Code() int }
	if errors.As(err, &sqlite) {
		switch sqlite.Code() & 0xff { // the primary result code
		case 5, 6:
			return failureBusy, true
		case 8:
			return failureReadOnly, true
		case 10:
			return failureDisk, true
		case 13:
			return failureFull, true
		case 14:
			return failureUnopened, true
		case 3, 23:
			return failureDenied, true
		}
		return failureDamaged, true
	}
	var postgres interface{ SQLState() string }
	if errors.As(err, &postgres) {
		switch state := postgres.SQLState(); {
		case state == "40001" || state == "40P01" || state == "55P03":
			return failureBusy, true
		case state == "42P07" || state == "42710" || state == "23505":
			return failureBusy, true // another program creates an account at the same time
		case state == "25006":
			return failureReadOnly, true
		case state == "42501":
			return failureDenied, true
		case state == "53100":
			return failureFull, true
		case strings.HasPrefix(state, "42") || strings.HasPrefix(state, "22"):
			return failureDamaged, true
		}
		return failureServer, true
	}
	return 0, false
}

func busy(err error) bool {
	f, known := failureOf(err)
	return known && f == failureBusy
}

// explain converts an error of the database to a message for the user, which begins with the location of the account
// and, where possible, ends with a remedy.
func (s *store) explain(ctx context.Context, err error) error {
	f, known := failureOf(err)
	switch {
	case err == nil || errors.As(err, new(said)):
		return err
	case !known && ctx.Err() != nil:
		return ctx.Err()
	case known && f == failureBusy:
		return fmt.Errorf("%s: %w; try again when the other program has ended", s.url, ErrLocked)
	case known && f == failureReadOnly:
		return fmt.Errorf("%s: the account is read-only; check the write permissions of its file and directory, or of the database", s.url)
	case known && f == failureDenied:
		return fmt.Errorf("%s: this user has no permission to use the account; ask its owner", s.url)
	case known && f == failureFull:
		return fmt.Errorf("%s: no space is left for the account, and nothing was recorded; free some space", s.url)
	case known && f == failureUnopened:
		return fmt.Errorf("%s: the account's file cannot be opened, or its journal cannot be created; check the permissions of its directory", s.url)
	case known && f == failureDamaged:
		return fmt.Errorf("%s: this is not an account, or it is damaged; no release can be charged to it", s.url)
	case errors.As(err, new(commitError)) && (!known || f == failureDisk || f == failureServer):
		return fmt.Errorf("%s: the database failed while the entry was recorded; check whether the account contains the entry: %w", s.url, s.url.Scrub(err))
	case known && f == failureDisk:
		return fmt.Errorf("%s: the account cannot be read or written, because the disk is full or failed", s.url)
	case known:
		return fmt.Errorf("%s: the database returned an error: %w", s.url, s.url.Scrub(err))
	}
	return fmt.Errorf("%s: the database cannot be reached: %w", s.url, s.url.Scrub(err))
}

// createFile creates an empty file with mode 0600. It fails if the file exists.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
