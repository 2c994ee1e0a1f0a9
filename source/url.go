package source

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

	"github.com/sibyl-dp/sibyl/quote"
)

// Databases are named by URLs, which may hold passwords in many places, some of them by
// mistake. So nothing of a URL is shown but what was parsed and is known to be none.

// A Dialect is a database's way to write SQL.
type Dialect string

// The dialects that OpenDB knows.
const (
	SQLite     Dialect = "SQLite"
	PostgreSQL Dialect = "PostgreSQL"
)

// quote writes an identifier.
func (d Dialect) quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// group writes a column in GROUP BY, where SQLite must be kept from putting
// texts that a column's collation calls equal into one group.
func (d Dialect) group(column string) string {
	if d == SQLite {
		return column + " COLLATE BINARY"
	}
	return column
}

// semicolon writes the text of a semicolon without one.
func (d Dialect) semicolon() string {
	if d == SQLite {
		return "char(59)"
	}
	return "chr(59)"
}

var urlStart = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://|(?i:sqlite|postgres|postgresql):)`)

// isURL tells what is meant as a database's URL from the path of a file.
func isURL(location string) bool { return urlStart.MatchString(location) }

// A database is what a URL says.
type database struct {
	dialect Dialect
	shown   string   // the URL without password and parameters
	secrets []string // what no message may hold
	driver  string
	dsn     string   // the driver's name for it
	files   []string // that the URL names
}

// parseURL takes a URL apart. It opens nothing, and its errors quote nothing.
func parseURL(location string) (*database, error) {
	scheme, rest, _ := strings.Cut(location, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		return parseSQLite(rest)
	case "postgres", "postgresql":
		return parsePostgres(location)
	}
	return nil, errors.New("only sqlite and postgres URLs can be read; export other databases to CSV or Parquet")
}

func parseSQLite(rest string) (*database, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(rest, "//"))
	if err != nil || strings.ContainsAny(rest, "?#") {
		return nil, errors.New("the URL of a SQLite database holds a path and nothing else; in the path write %25 for a percent sign, %3F for a question mark and %23 for a number sign")
	}
	return &database{
		dialect: SQLite,
		shown:   quote.Name("sqlite:" + rest),
		driver:  "sqlite",
		dsn:     "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?mode=ro&_pragma=query_only(1)",
		files:   []string{path},
	}, nil
}

// errPostgresURL reports a URL that does not say one thing only. What looks like its
// host or its path may then be a part of the password.
var errPostgresURL = errors.New("the database's URL cannot be read; write postgres://user:password@host:port/name?parameters, and in user and password %40 for @, %3A for :, %2F for /, %3F for ?, %23 for # and %25 for %")

// postgresFiles are the parameters that name files.
var postgresFiles = []string{"sslcert", "sslkey", "sslrootcert", "passfile", "servicefile"}

func parsePostgres(location string) (*database, error) {
	u, err := url.Parse(location)
	if err != nil || u.Opaque != "" || !strings.Contains(location, "://") || strings.Contains(location, "#") ||
		strings.Contains(u.EscapedPath()+u.RawQuery, "@") {
		return nil, errPostgresURL
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errPostgresURL
	}
	if slices.Contains(parameters["default_query_exec_mode"], "simple_protocol") {
		return nil, errors.New("the URL's default_query_exec_mode=simple_protocol would let a query be several statements; leave it out")
	}
	d := &database{dialect: PostgreSQL, driver: "pgx", dsn: location}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if name := u.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	d.shown = quote.Name(shown.String())
	if password, ok := u.User.Password(); ok {
		d.hide(password)
	}
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

// hide notes a secret in all ways to write it.
func (d *database) hide(secret string) {
	for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), url.UserPassword("", secret).String()[1:]} {
		if form != "" && !slices.Contains(d.secrets, form) {
			d.secrets = append(d.secrets, form)
		}
	}
}

// quotedURL is a URL in a driver's message.
var quotedURL = regexp.MustCompile("(?i)postgres(ql)?:[^`'\"\\s]*")

// scrub returns the error with nothing of a URL in its text, and no secret.
func (d *database) scrub(err error) error {
	text := quotedURL.ReplaceAllLiteralString(err.Error(), "the URL")
	for _, secret := range d.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return &scrubbed{strings.Join(strings.Fields(text), " "), err}
}

// A scrubbed error is known by what it wraps but shows only its own text.
type scrubbed struct {
	text string
	err  error
}

func (e *scrubbed) Error() string        { return e.text }
func (e *scrubbed) Is(target error) bool { return errors.Is(e.err, target) }

// OpenDB opens the database at the URL: sqlite:///absolute/path or
// sqlite:relative/path, which are opened for reading only, and
// postgres://user:password@host:port/name?parameters. The program must import
// a database/sql driver that registers itself as "sqlite" or "pgx". No message
// holds a password, nor any part of a URL that cannot be parsed.
func OpenDB(location string) (*sql.DB, Dialect, error) {
	d, err := parseURL(location)
	if err != nil {
		return nil, "", err
	}
	db, err := d.open()
	return db, d.dialect, err
}

func (d *database) open() (*sql.DB, error) {
	if d.dialect == SQLite {
		if err := checkDatabaseFile(d.files[0]); err != nil {
			return nil, fmt.Errorf("%s: %w", d.shown, err)
		}
	}
	if !slices.Contains(sql.Drivers(), d.driver) {
		return nil, fmt.Errorf("%s: this program was built without the driver %s", d.shown, quote.Word(d.driver))
	}
	db, err := sql.Open(d.driver, d.dsn)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.shown, d.scrub(err))
	}
	return db, nil
}

func checkDatabaseFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("there is no such database file")
	case err != nil:
		return errors.New("the database file cannot be read")
	case info.IsDir():
		return errors.New("this is a directory; name a database file in it")
	}
	return nil
}
