// Package database names databases by URLs, opens them, keeps their passwords out of messages, and describes the SQL
// dialect of each.
//
// A URL may contain a password in many places, sometimes by mistake. So messages show only those parts of a URL that
// were parsed and that are known not to be passwords.
package database

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

var urlStart = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://|(?i:sqlite|postgres|postgresql|mysql|mariadb|duckdb):)`)

// IsURL reports whether a location is the URL of a database, in contrast to the path of a file.
func IsURL(location string) bool { return urlStart.MatchString(location) }

// A URL identifies a database, and contains what a driver needs to open it. [Parse] and [File] return URLs.
type URL struct {
	dialect *Dialect
	shown   string   // the URL without password and parameters
	secrets []string // texts that no message may contain
	driver  string
	dsn     string   // the data source name for the driver; for SQLite, without parameters
	files   []string // the files that the URL names
}

// Dialect returns the SQL dialect of the database.
func (u *URL) Dialect() *Dialect { return u.dialect }

// String returns the URL for use in messages, without its password and its parameters.
func (u *URL) String() string { return u.shown }

// Files returns the paths of the files that belong to the database: the database file, if the URL names one, and the
// files that the database engine may create next to it.
func (u *URL) Files() []string {
	files := slices.Clone(u.files)
	var beside []string
	switch {
	case u.dialect == SQLite:
		beside = []string{"-wal", "-shm", "-journal"}
	case u.dialect == DuckDB && len(files) > 0:
		beside = []string{".wal", ".tmp"} // the second a directory
	default:
		return files
	}
	path := files[0]
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole // the engine names its auxiliary files after that
	}
	for _, end := range beside {
		files = append(files, path+end)
	}
	return files
}

// Parse parses the URL of a database. It opens nothing, and its errors do not quote the URL. The forms are:
//
//	sqlite:///absolute/path
//	sqlite:relative/path
//	duckdb:///absolute/path?parameters
//	duckdb:relative/path?parameters
//	postgres://user:password@host:port/name?parameters
//	mysql://user:password@host:port/name?parameters
//	mariadb://user:password@host:port/name?parameters
//
// The parameters are optional.
func Parse(location string) (*URL, error) {
	scheme, rest, _ := strings.Cut(location, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		return parseSQLite(rest)
	case "postgres", "postgresql":
		return parsePostgres(location)
	case "mysql", "mariadb":
		return parseMySQL(location)
	case "duckdb":
		return parseDuckDB(rest)
	}
	return nil, errors.New("only sqlite, postgres, mysql and duckdb URLs can be read; export other databases to CSV or Parquet")
}

// File returns the URL of an SQLite database, given the path of its file.
func File(path string) *URL {
	return &URL{
		dialect: SQLite,
		shown:   FileName(path),
		driver:  "sqlite",
		dsn:     "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(),
		files:   []string{path},
	}
}

func parseSQLite(rest string) (*URL, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(rest, "//"))
	if err != nil || strings.ContainsAny(rest, "?#") {
		return nil, errors.New("the URL of a SQLite database must be a path without parameters; in the path, write %25 for %, %3F for ? and %23 for #")
	}
	u := File(path)
	u.shown = quote.Name("sqlite:" + rest)
	return u, nil
}

// errPostgresURL is the error for a PostgreSQL URL that is invalid or ambiguous. In an ambiguous URL, a part that
// looks like the host or the path may belong to the password.
var errPostgresURL = errors.New("the database's URL is invalid; write postgres://user:password@host:port/name?parameters, and encode characters in user and password: @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25")

// postgresFiles lists the parameters of a PostgreSQL URL whose values are paths of files.
var postgresFiles = []string{"sslcert", "sslkey", "sslrootcert", "passfile", "servicefile"}

func parsePostgres(location string) (*URL, error) {
	u, err := url.Parse(location)
	if err != nil || u.Opaque != "" || !strings.Contains(location, "://") || strings.Contains(location, "#") ||
		strings.Contains(u.EscapedPath()+u.RawQuery, "@") {
		return nil, errPostgresURL
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errPostgresURL
	}
	for _, values := range parameters {
		if len(values) > 1 {
			return nil, errTwice
		}
	}
	if slices.Contains(parameters["default_query_exec_mode"], "simple_protocol") {
		return nil, errors.New("the database's URL must not have default_query_exec_mode=simple_protocol, which allows a query of several statements; remove this parameter")
	}
	d := &URL{dialect: PostgreSQL, driver: "pgx", dsn: location}
	if !parameters.Has("connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		// A server may accept a connection and then never answer. If it fails later, TCP keep-alive, which the driver
		// enables, detects this within minutes.
		between := "?"
		if strings.Contains(location, "?") {
			between = "&"
		}
		d.dsn += between + "connect_timeout=30"
	}
	d.show(u)
	for key, values := range parameters {
		if slices.Contains(postgresFiles, key) {
			d.files = append(d.files, values...)
		}
		if strings.Contains(strings.ToLower(key), "pass") {
			for _, value := range values {
				d.hide(value)
			}
		}
	}
	return d, nil
}

// show stores the form of a server's URL that messages may contain. It also records the password as a secret, so that
// messages omit it.
func (u *URL) show(of *url.URL) {
	shown := url.URL{Scheme: of.Scheme, Host: of.Host, Path: of.Path, RawPath: of.RawPath}
	if name := of.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	u.shown = quote.Name(shown.String())
	if password, ok := of.User.Password(); ok {
		u.hide(password)
	}
}

// hide records a secret, such as a password, and its encoded forms, so that messages omit them.
func (u *URL) hide(secret string) {
	for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), url.UserPassword("", secret).String()[1:]} {
		if form != "" && !slices.Contains(u.secrets, form) {
			u.secrets = append(u.secrets, form)
		}
	}
}

// quotedURL is a pattern of database URLs, which drivers quote in error messages.
var quotedURL = regexp.MustCompile("(?i)(postgres(ql)?|mysql|mariadb):[^`'\"\\s]*")

// Scrub returns an error that describes the cause of err on one line, without URLs and without the secrets of u, such
// as its password.
func (u *URL) Scrub(err error) error {
	text := quotedURL.ReplaceAllLiteralString(cause(err), "the URL")
	for _, secret := range u.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return &scrubbed{strings.Join(strings.Fields(text), " "), err}
}

// A scrubbed is an error whose text contains no URL and no secret. The functions errors.Is and errors.As see the
// original error.
type scrubbed struct {
	text string
	err  error
}

func (e *scrubbed) Error() string        { return e.text }
func (e *scrubbed) Is(target error) bool { return errors.Is(e.err, target) }
func (e *scrubbed) As(target any) bool   { return errors.As(e.err, target) }

// OpenReadOnly opens the database for reading. A database file is opened read-only. The program must import a
// database/sql driver that registers itself as "sqlite", "pgx", "mysql" or "duckdb". No error message contains a
// password.
func (u *URL) OpenReadOnly() (*sql.DB, error) {
	if u.dialect == SQLite {
		return u.open("?mode=ro&_pragma=query_only(1)")
	}
	return u.open("")
}

// Open opens the database for reading and writing. It does not create a missing database file. For SQLite, the
// parameters are passed to the driver.
func (u *URL) Open(parameters url.Values) (*sql.DB, error) {
	if u.dialect == SQLite {
		return u.open("?mode=rw&" + parameters.Encode())
	}
	return u.open("")
}

// Linked returns an error if the program does not contain a driver for the database.
func (u *URL) Linked() error {
	if !slices.Contains(sql.Drivers(), u.driver) {
		if u.dialect == DuckDB {
			return fmt.Errorf("%s: this program was built without DuckDB; build it in the directory duckdb of its source code", u.shown)
		}
		return fmt.Errorf("%s: this program was built without the driver %s; build it without tags such as nosqlite, or import %s in it", u.shown, quote.Word(u.driver), packages[u.driver])
	}
	return nil
}

// packages maps the names of drivers to the import paths of the driver packages that the command contains.
var packages = map[string]string{"sqlite": "modernc.org/sqlite", "pgx": "github.com/jackc/pgx/v5/stdlib", "mysql": "github.com/go-sql-driver/mysql"}

// open opens the database. The parameters are appended to the data source name for the driver.
func (u *URL) open(parameters string) (*sql.DB, error) {
	if (u.dialect == SQLite || u.dialect == DuckDB) && len(u.files) > 0 {
		if err := checkFile(u.files[0]); err != nil {
			return nil, fmt.Errorf("%s: %w", u.shown, err)
		}
	}
	if err := u.Linked(); err != nil {
		return nil, err
	}
	db, err := sql.Open(u.driver, u.dsn+parameters)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.shown, u.Scrub(err))
	}
	return db, nil
}

// ErrNoFile is the error for a database whose file does not exist.
var ErrNoFile = errors.New("the database file does not exist; check its path")

func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return ErrNoFile
	case err != nil:
		return errors.New("the database file cannot be read; check the permissions of its directories")
	case info.IsDir():
		return errors.New("this is a directory; name a database file in it")
	}
	return nil
}
