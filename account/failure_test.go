package account

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// A server is a fake database that holds an account in memory, and accepts one connection at a time. Before
// each statement and each row it calls functions that can make it fail.
type server struct {
	url       *database.URL
	namespace driver.Value
	objects   [][]driver.Value
	format    string
	lines     []line // including those of the open transaction
	head      line
	saved     []line // at the start of the transaction
	savedHead line
	begun     bool

	wrong  func(statement string, row int) bool // reports which rows lack a column
	column int

	statements []string // and "closed" when a connection is closed
	points     []string // the statements and rows at which a failure is possible
	fails      func(point string) error
}

// namespace is the name of a schema as the server returns it. quotedNamespace is the same name as it must be
// written in statements.
const namespace, quotedNamespace = `of "us`, `"of ""us"`

// newServer returns a server whose account has the given lines.
func newServer(t testing.TB, sqlite bool, lines ...line) *server {
	t.Helper()
	s := &server{namespace: namespace, format: format, fails: func(string) error { return nil }, head: line{sequence: -1}}
	for _, l := range lines {
		s.lines, s.head = append(s.lines, l), line{sequence: l.sequence, hash: l.hash}
	}
	if sqlite {
		s.url = database.File("budget.account")
		s.objects = [][]driver.Value{
			{"table", "sibyl_account", "CREATE TABLE sibyl_account (only_row BIGINT PRIMARY KEY CHECK (only_row = 1), format TEXT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL)"},
			{"table", "sibyl_account_event", "CREATE TABLE sibyl_account_event (sequence BIGINT PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL)"},
			{"index", "sqlite_autoindex_sibyl_account_1", nil}, {"index", "sqlite_autoindex_sibyl_account_event_1", nil},
		}
		return s
	}
	var err error
	if s.url, err = database.Parse("postgres://user:secret@host/name"); err != nil {
		t.Fatal(err)
	}
	for _, o := range []string{
		"table sibyl_account", "column only_row bigint", "column format text", "column sequence bigint", "column hash text",
		"constraint PRIMARY KEY (only_row)", "constraint CHECK ((only_row = 1))",
	} {
		kind, name, _ := strings.Cut(o, " ")
		s.objects = append(s.objects, []driver.Value{"sibyl_account", kind, name})
	}
	for _, o := range []string{"table sibyl_account_event", "column sequence bigint", "column body text", "column hash text", "constraint PRIMARY KEY (sequence)"} {
		kind, name, _ := strings.Cut(o, " ")
		s.objects = append(s.objects, []driver.Value{"sibyl_account_event", kind, name})
	}
	return s
}

// account opens the server's account.
func (s *server) account(t testing.TB) (*Account, error) {
	t.Helper()
	db := sql.OpenDB(s)
	db.SetMaxOpenConns(1)
	a := &Account{store: &store{s.url, db}, ledger: newLedger()}
	t.Cleanup(func() { a.Close() })
	return a, a.reread(t.Context())
}

func (s *server) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s *server) Driver() driver.Driver                        { return nil }
func (s *server) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("prepared") }
func (s *server) Begin() (driver.Tx, error)                    { return nil, errors.New("begun") }

func (s *server) Close() error {
	s.statements = append(s.statements, "closed")
	return nil
}

// undo rolls back, as the end of a transaction or connection does.
func (s *server) undo() {
	if s.begun {
		s.lines, s.head, s.begun = s.saved, s.savedHead, false
	}
}

// at is called at each point at which the server may fail.
func (s *server) at(point string) error {
	s.points = append(s.points, point)
	return s.fails(point)
}

// failed converts a panic to the error err. A panic occurs if a statement has wrong arguments, and package sql would
// wait forever after it.
func failed(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}

func (s *server) ExecContext(ctx context.Context, statement string, of []driver.NamedValue) (_ driver.Result, err error) {
	defer failed(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.statements = append(s.statements, statement)
	if err := s.at(statement); err != nil {
		return nil, err
	}
	switch word, _, _ := strings.Cut(statement, " "); word {
	case "BEGIN":
		s.saved, s.savedHead, s.begun = slices.Clone(s.lines), s.head, true
	case "COMMIT":
		s.begun = false
	case "ROLLBACK":
		s.undo()
	case "INSERT":
		if strings.Contains(statement, "_event ") {
			s.lines = append(s.lines, line{of[0].Value.(int64), of[1].Value.(string), of[2].Value.(string)})
		} else {
			s.format, s.head = of[0].Value.(string), line{sequence: of[1].Value.(int64), hash: of[2].Value.(string)}
		}
	case "UPDATE":
		s.head = line{sequence: of[0].Value.(int64), hash: of[1].Value.(string)}
	}
	return driver.RowsAffected(1), nil
}

func (s *server) QueryContext(ctx context.Context, statement string, of []driver.NamedValue) (_ driver.Rows, err error) {
	defer failed(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.statements = append(s.statements, statement)
	if err := s.at(statement); err != nil {
		return nil, err
	}
	var all [][]driver.Value
	if sqlite, catalog := s.url.Dialect() == database.SQLite, strings.Contains(statement, "pg_class"); strings.Contains(statement, "sqlite_schema") && !sqlite || catalog && sqlite {
		return nil, errors.New("a catalog of another engine")
	} else if catalog && len(of) > 0 && of[0].Value != namespace {
		return nil, errors.New("tables of another schema")
	} else if catalog && len(of) == 0 && strings.Contains(statement, "$1") {
		return nil, errors.New("an argument is missing")
	}
	switch {
	case strings.Contains(statement, "current_schema"):
		all = [][]driver.Value{{s.namespace}}
	case strings.Contains(statement, "SELECT EXISTS"):
		all = [][]driver.Value{{s.head.sequence >= 0}}
	case strings.Contains(statement, "SELECT type, name, sql"), strings.Contains(statement, "WITH tables"):
		all = s.objects
	case strings.Contains(statement, "SELECT format"):
		all = [][]driver.Value{{s.format, s.head.sequence, s.head.hash}}
	default:
		for _, l := range s.lines {
			if l.sequence >= of[0].Value.(int64) {
				all = append(all, []driver.Value{l.sequence, l.body, l.hash})
			}
		}
	}
	a := &answer{s: s, of: statement, rows: all, columns: 1}
	if len(all) > 0 {
		a.columns = len(all[0])
	}
	return a, nil
}

type answer struct {
	s    *server
	of   string
	rows [][]driver.Value
	row  int // the index of the next row

	columns int
}

func (a *answer) Columns() []string { return []string{"a", "b", "c"}[:a.columns] }
func (a *answer) Close() error      { return nil }

func (a *answer) Next(to []driver.Value) (err error) {
	defer failed(&err)
	if err := a.s.at("row of " + a.of); err != nil {
		return err
	}
	if len(a.rows) == 0 {
		return io.EOF
	}
	copy(to, a.rows[0])
	if a.s.wrong != nil && a.s.wrong(a.of, a.row) {
		to[a.s.column] = nil
	}
	a.rows, a.row = a.rows[1:], a.row+1
	return nil
}

// A coded error has the methods of SQLite's errors, and a stated error those of PostgreSQL's.
type coded int

func (c coded) Error() string { return fmt.Sprint("code ", int(c)) }
func (c coded) Code() int     { return int(c) }

type stated string

func (s stated) Error() string    { return "state " + string(s) }
func (s stated) SQLState() string { return string(s) }

var errUnknown = errors.New("the line is cut")

// failures lists errors of databases and the messages that they cause. Most messages do not depend on the
// point of failure.
var failures = []struct {
	sqlite bool
	err    error
	says   string // "busy" if the operation is retried, "damaged" if the tables are wrong
}{
	{true, coded(5), "busy"}, {true, coded(6), "busy"}, {true, coded(5 | 2<<8), "busy"},
	{true, coded(8), "the account is read-only"}, {true, coded(8 | 1<<8), "the account is read-only"},
	{true, coded(10), "the disk is full or failed"}, {true, coded(10 | 12<<8), "the disk is full or failed"},
	{true, coded(13), "no space is left"},
	{true, coded(14), "file cannot be opened"}, {true, coded(14 | 1<<8), "file cannot be opened"},
	{true, coded(3), "this user has no permission to use the account"}, {true, coded(23), "this user has no permission to use the account"},
	{true, coded(1), "damaged"}, {true, coded(11), "damaged"}, {true, coded(26), "damaged"},
	{false, stated("40001"), "busy"}, {false, stated("40P01"), "busy"}, {false, stated("55P03"), "busy"},
	{false, stated("42P07"), "busy"}, {false, stated("42710"), "busy"}, {false, stated("23505"), "busy"},
	{false, stated("25006"), "the account is read-only"},
	{false, stated("42501"), "this user has no permission to use the account"},
	{false, stated("53100"), "no space is left"},
	{false, stated("42601"), "damaged"}, {false, stated("42P01"), "damaged"}, {false, stated("22003"), "damaged"},
	{false, stated("57P01"), "the database returned an error"}, {false, stated("25P03"), "the database returned an error"}, {false, stated("4"), "the database returned an error"},
	{true, errUnknown, "cannot be reached"}, {false, errUnknown, "cannot be reached"},
}

// reads reports whether the tables or rows of an account are read at a point.
func reads(point string) bool {
	return !strings.Contains(point, "EXISTS") && (strings.Contains(point, "WITH tables") || strings.Contains(point, "SELECT type, name, sql") ||
		strings.Contains(point, "SELECT format") || strings.Contains(point, "SELECT sequence"))
}

// works are the operations on an account.
var works = map[string]struct {
	writes bool
	do     func(ctx context.Context, a *Account, again line) error
}{
	"settle": {true, func(ctx context.Context, a *Account, _ line) error { return a.Settle(ctx, 1, [32]byte{7}) }},
	"reread": {false, func(ctx context.Context, a *Account, _ line) error { return a.reread(ctx) }},
	"create": {true, func(ctx context.Context, a *Account, first line) error {
		return a.store.transact(ctx, true, func(ctx context.Context, t session) error { return t.create(ctx, first) })
	}},
}

// begin returns a server in the state before the operation work, an account on it that can perform the operation,
// the line that work writes if it is create, and the number of events after the operation.
func begin(t testing.TB, sqlite bool, work string) (*server, *Account, line, int) {
	t.Helper()
	lines := written(opensPure, takesPure)
	s, want := newServer(t, sqlite, lines...), len(lines)
	a, err := s.account(t)
	if err != nil {
		t.Fatal(err)
	}
	switch work {
	case "settle":
		want++
	case "create":
		s.lines, s.head, want = nil, line{sequence: -1}, 1
	}
	s.statements, s.points = nil, nil
	return s, a, lines[0], want
}

// If any statement fails, the transaction is rolled back, the error describes the failure, and the
// account remains usable. If the database was busy, the operation is retried. If the rollback fails
// too, the connection is closed.
func TestEveryFailure(t *testing.T) {
	for work, w := range works {
		for _, sqlite := range []bool{true, false} {
			s, a, first, want := begin(t, sqlite, work)
			if err := w.do(t.Context(), a, first); err != nil || len(s.lines) != want {
				t.Fatalf("%s: %v, with %d events", work, err, len(s.lines))
			}
			checkStatements(t, s, sqlite, work)
			points := slices.Clone(s.points)
			for i, point := range points {
				for k, f := range failures {
					if f.sqlite != sqlite || !heavy.On() && (i+k)%4 != 0 && point != "COMMIT" {
						continue
					}
					for _, rolls := range []bool{true, false} {
						synctest.Test(t, func(t *testing.T) {
							s, a, first, want := begin(t, sqlite, work)
							before, failed := len(s.lines), false
							s.fails = func(point string) error {
								switch {
								case !failed && len(s.points) == i+1:
									failed = true
									return f.err
								case failed && !rolls && point == "ROLLBACK":
									s.undo()
									return errUnknown
								}
								return nil
							}
							err := w.do(t.Context(), a, first)
							checkFailure(t, point, f.says, w.writes, err)
							if err == nil {
								before = want
							}
							if len(s.lines) != before {
								t.Errorf("%s, %v at %.60q: %d events are there, not %d", work, f.err, point, len(s.lines), before)
							}
							// Only the rollback follows the failed statement.
							at := slices.Index(s.statements, "ROLLBACK")
							if at < 0 || !strings.HasSuffix(point, s.statements[at-1]) {
								t.Errorf("%s, %v at %.60q: no rollback follows in %.60q", work, f.err, point, s.statements)
							} else if closed := at+1 < len(s.statements) && s.statements[at+1] == "closed"; closed == rolls {
								t.Errorf("%s, %v at %.60q: the connection is closed: %v, where the rollback succeeds: %v", work, f.err, point, closed, rolls)
							}
							if err := w.do(t.Context(), a, first); err != nil && f.says != "busy" || f.says != "busy" && len(s.lines) != want {
								t.Errorf("%s, %v at %.60q: afterwards %v, and %d events", work, f.err, point, err, len(s.lines))
							}
							a.Close()
						})
					}
				}
			}
		}
	}
}

// checkFailure checks the error for a failure at a point.
func checkFailure(t *testing.T, point, says string, writes bool, err error) {
	t.Helper()
	commit := writes && point == "COMMIT"
	switch {
	case says == "busy":
		if err != nil {
			t.Errorf("at %.60q: %v, and it is not tried again", point, err)
		}
		return
	case err == nil:
		t.Errorf("%s at %.60q: no error", says, point)
		return
	case commit && slices.Contains([]string{"cannot be reached", "the disk is full or failed", "the database returned an error"}, says):
		says = "check whether the account contains the entry"
	case reads(point) && (says == "damaged" || says == "cannot be reached"):
		if !errors.Is(err, ErrTampered) {
			t.Errorf("at %.60q: %v", point, err)
		}
		return
	case says == "damaged":
		says = "this is not an account, or it is damaged"
	}
	if !strings.Contains(err.Error(), says) || errors.Is(err, ErrTampered) || strings.Contains(err.Error(), "secret") {
		t.Errorf("at %.60q: %v, where it should say that %s", point, err, says)
	}
}

// checkStatements checks the statements that a server received: the transaction must exclude
// other writers, and the names of tables must be quoted.
func checkStatements(t *testing.T, s *server, sqlite bool, work string) {
	t.Helper()
	var begun []string
	for _, statement := range s.statements {
		if strings.HasPrefix(statement, "BEGIN") || strings.HasPrefix(statement, "SET") || strings.HasPrefix(statement, "LOCK") {
			begun = append(begun, statement)
		}
		if _, name, named := strings.Cut(statement, ".sibyl_account"); named {
			schema := map[bool]string{true: `"main"`, false: quotedNamespace}[sqlite]
			if at := strings.Index(statement, schema+".sibyl_account"); at < 0 || strings.Contains(name, namespace) {
				t.Errorf("%s: the table is not that of %s in %s", work, schema, statement)
			}
		}
	}
	var want []string
	switch {
	case sqlite && works[work].writes:
		want = []string{"BEGIN IMMEDIATE"}
	case sqlite:
		want = []string{"BEGIN"}
	default:
		want = []string{"BEGIN ISOLATION LEVEL SERIALIZABLE", "SET LOCAL search_path = pg_catalog, pg_temp", "SET LOCAL lock_timeout = '1s'", "SET LOCAL synchronous_commit = on"}
		if work == "settle" {
			want = append(want, "LOCK TABLE "+quotedNamespace+".sibyl_account IN EXCLUSIVE MODE", "LOCK TABLE "+quotedNamespace+".sibyl_account_event IN ROW EXCLUSIVE MODE")
		}
	}
	if !slices.Equal(begun, want) {
		t.Errorf("%s: begun by %q, not by %q", work, begun, want)
	}
	if last := s.statements[len(s.statements)-1]; last != "COMMIT" {
		t.Errorf("%s: it ends with %s", work, last)
	}
}

// If another program has locked the account, an operation waits half a minute, or until the context
// ends.
func TestHeldAccount(t *testing.T) {
	for _, sqlite := range []bool{true, false} {
		for _, limit := range []time.Duration{0, time.Second + time.Microsecond, 10*time.Second + time.Microsecond} { // which end between two attempts
			for _, cancelled := range []bool{true, false} {
				synctest.Test(t, func(t *testing.T) {
					s, a, _, _ := begin(t, sqlite, "settle")
					busy := map[bool]error{true: coded(5), false: stated("55P03")}[sqlite]
					s.fails = func(point string) error {
						if strings.HasPrefix(point, "BEGIN") {
							return busy
						}
						return nil
					}
					ctx, cancel := context.WithCancel(t.Context())
					if limit > 0 && cancelled {
						time.AfterFunc(limit, cancel)
					} else if limit > 0 {
						ctx, cancel = context.WithTimeout(ctx, limit)
					}
					defer cancel()
					start := time.Now()
					err := a.Settle(ctx, 1, [32]byte{})
					took := time.Since(start)
					want := limit
					if limit == 0 {
						want = 30 * time.Second
					}
					if took < want || took > want+20*time.Millisecond {
						t.Errorf("it waits for %v, not %v", took, want)
					}
					if limit > 0 && cancelled {
						if !errors.Is(err, context.Canceled) {
							t.Errorf("cancelled: %v", err)
						}
					} else if !errors.Is(err, ErrLocked) {
						t.Errorf("held for %v: %v", took, err)
					}
					a.Close()
				})
			}
		}
	}
}

// A transaction that is cancelled before its commit has no effect.
func TestCancelledUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sqlite := range []bool{true, false} {
			for work := range works {
				s, a, first, _ := begin(t, sqlite, work)
				before := len(s.lines)
				ctx, cancel := context.WithCancel(t.Context())
				s.fails = func(point string) error {
					if strings.HasPrefix(point, "BEGIN") {
						cancel()
					}
					return nil
				}
				if err := works[work].do(ctx, a, first); err != context.Canceled || len(s.lines) != before {
					t.Errorf("%s: %v, and %d events after %d", work, err, len(s.lines), before)
				}
				if last := s.statements[len(s.statements)-1]; last != "ROLLBACK" {
					t.Errorf("%s ends with %s", work, last)
				}
			}
		}
	})
}

// Settling an entry twice is refused, and no transaction remains open.
func TestRefusedEntryIsRolledBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sqlite := range []bool{true, false} {
			s, a, _, _ := begin(t, sqlite, "settle")
			if err := a.Settle(t.Context(), 2, [32]byte{}); err == nil || s.statements[len(s.statements)-1] != "ROLLBACK" || len(s.lines) != 2 {
				t.Errorf("%v after %.60q", err, s.statements)
			}
		}
	})
}

// If the search path has no schema, no account is created, and the error names the remedy.
func TestNoNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, false, written(opensPure)...)
		s.namespace = nil
		if _, err := s.account(t); err == nil || !strings.Contains(err.Error(), "search_path=") || len(s.lines) != 1 {
			t.Errorf("%v", err)
		}
	})
}

// The error states that there is no account, or that its format is unknown. It quotes the format, because another program
// may have written it.
func TestNoAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sqlite := range []bool{true, false} {
			if _, err := newServer(t, sqlite).account(t); err == nil || !strings.Contains(err.Error(), "the database contains no account; create one first") {
				t.Errorf("without tables: %v", err)
			}
			s := newServer(t, sqlite, written(opensPure)...)
			s.format = "sibyl-account/\x1b"
			if _, err := s.account(t); !errors.Is(err, ErrFormat) || !strings.HasSuffix(err.Error(), `: the account has an unsupported format: "sibyl-account/\x1b" instead of sibyl-account/1; use the version of the program that wrote it`) {
				t.Errorf("of another format: %v", err)
			}
		}
	})
}

// Rows with values of wrong types are reported as damage.
func TestRowsOfOtherTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sqlite := range []bool{true, false} {
			n := len(written(opensPure, takesPure))
			for of, column := range map[string]int{"head": 2, "event": 1, "object": 1} {
				s := newServer(t, sqlite, written(opensPure, takesPure)...)
				s.wrong = func(statement string, row int) bool {
					switch of {
					case "head":
						return strings.Contains(statement, "SELECT format")
					case "event":
						return strings.Contains(statement, "SELECT sequence") && row == n-1
					}
					return strings.Contains(statement, "SELECT type, name, sql") && row == 3 || strings.Contains(statement, "WITH tables") && row == 3
				}
				s.column = column
				if _, err := s.account(t); !errors.Is(err, ErrTampered) {
					t.Errorf("%s: %v", of, err)
				}
			}
		}
	})
}

// Opening fails if one of the account's objects is missing, changed or listed twice, or if there is
// an additional one.
func TestObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, sqlite := range []bool{true, false} {
			all := newServer(t, sqlite).objects
			for i, o := range all {
				name, kind, of := o[1].(string), o[0].(string), "the file"
				if !sqlite {
					of, kind, name = o[0].(string), o[1].(string), o[2].(string)
				}
				for says, objects := range map[string][][]driver.Value{
					"missing": slices.Delete(slices.Clone(all), i, i+1),
					"twice":   append(slices.Clone(all), o),
					"another": append(slices.Delete(slices.Clone(all), i, i+1), []driver.Value{o[0], o[1], "other"}),
					"more":    append(slices.Clone(all), map[bool][]driver.Value{true: {"trigger", "thief", "CREATE TRIGGER thief"}, false: {o[0], "trigger", "thief"}}[sqlite]),
				} {
					s := newServer(t, sqlite, written(opensPure)...)
					s.objects = objects
					_, err := s.account(t)
					want := ""
					switch {
					case says == "twice" && !sqlite:
						if err != nil { // a catalog lists each object once
							t.Errorf("twice %s: %v", name, err)
						}
						continue
					case says == "twice":
						want = fmt.Sprintf("%s has the %s %q, which does not belong to an account", of, kind, name)
					case says == "missing" && sqlite:
						want = fmt.Sprintf("the %s %s is missing", kind, name)
					case says == "missing":
						want = fmt.Sprintf("%s lacks the %s %s", of, kind, name)
					case says == "another" && sqlite && kind == "table":
						want = fmt.Sprintf("the definition of the table %s is not that of an account", name)
					case says == "another" && sqlite:
						want = fmt.Sprintf("the file has the index %q, which does not belong to an account", name)
					case says == "another":
						want = fmt.Sprintf("%s has the %s %q, which does not belong to an account", of, kind, "other")
					default:
						want = fmt.Sprintf("%s has the trigger %q, which does not belong to an account", of, "thief")
					}
					if !errors.Is(err, ErrTampered) || !strings.Contains(err.Error(), want) {
						t.Errorf("%s %s: %v, where it should say %s", says, name, err, want)
					}
				}
			}
		}
	})
}
