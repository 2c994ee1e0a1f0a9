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
)

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

var urlStart = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://|(?i:sqlite):)`)

// isURL tells a database's URL from the path of a file.
func isURL(location string) bool { return urlStart.MatchString(location) }

// OpenDB opens the database at the URL: sqlite:///absolute/path or
// sqlite:relative/path, which are opened for reading only, and
// postgres://user:password@host:port/name?parameters. The program must import
// a database/sql driver that registers itself as "sqlite" or "pgx". No message
// holds a password.
func OpenDB(location string) (*sql.DB, Dialect, error) {
	s := secretsOf(location)
	scheme, rest, _ := strings.Cut(location, ":")
	var driver, name string
	var dialect Dialect
	switch strings.ToLower(scheme) {
	case "sqlite":
		path := strings.TrimPrefix(rest, "//")
		if unescaped, err := url.PathUnescape(path); err == nil {
			path = unescaped
		}
		if err := checkDatabaseFile(path); err != nil {
			return nil, "", fmt.Errorf("%s: %w", s.location, err)
		}
		dialect, driver = SQLite, "sqlite"
		name = "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?mode=ro"
	case "postgres", "postgresql":
		dialect, driver, name = PostgreSQL, "pgx", location
	default:
		return nil, "", fmt.Errorf("%s: only sqlite and postgres URLs can be read; export other databases to CSV or Parquet", s.location)
	}
	if !slices.Contains(sql.Drivers(), driver) {
		return nil, "", fmt.Errorf("%s: this program was built without the driver %q", s.location, driver)
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", s.location, s.scrub(err))
	}
	return db, dialect, nil
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

// secrets are the passwords of a URL.
type secrets struct {
	location string // the URL without them
	words    []string
}

var (
	userPassword  = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://[^:/?#]*):(.*)@`)
	queryPassword = regexp.MustCompile(`(?i)([?&](?:password|sslpassword|passwd|pwd)=)([^&#]*)`)
)

// secretsOf finds passwords by their place, also in URLs that are ill-formed.
// The last @ ends the password, as it may hold one itself.
func secretsOf(location string) secrets {
	s := secrets{location: location}
	if m := userPassword.FindStringSubmatch(location); m != nil {
		s.note(m[2])
		s.location = m[1] + ":***@" + location[len(m[0]):]
	}
	for _, m := range queryPassword.FindAllStringSubmatch(s.location, -1) {
		s.note(m[2])
	}
	s.location = queryPassword.ReplaceAllString(s.location, "${1}***")
	return s
}

func (s *secrets) note(word string) {
	if word == "" {
		return
	}
	s.words = append(s.words, word)
	if plain, err := url.QueryUnescape(word); err == nil && plain != word {
		s.words = append(s.words, plain)
	}
	if plain, err := url.PathUnescape(word); err == nil && plain != word {
		s.words = append(s.words, plain)
	}
}

// scrub returns the error with every password in its text replaced.
func (s *secrets) scrub(err error) error {
	text := err.Error()
	for _, word := range s.words {
		text = strings.ReplaceAll(text, word, "***")
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
