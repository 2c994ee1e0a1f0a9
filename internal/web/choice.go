package web

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A selection holds the data, the schema and the ledger that the user has chosen. It is kept only in memory, because
// the address of a database may contain a password.
//
// Forms contain the chosen values as their defaults. So a release uses the values that its form showed, even if the
// user has chosen other values in another tab since then.
type selection struct {
	Location, Query string // the location of the data and, for a database, the SQL query
	Schema, Ledger  string // names of files in the directory
}

// choice returns the data, the schema and the ledger that the user has selected.
func (s *Server) choice() selection {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.now
}

// choose calls the function change to modify the user's selection of data, schema and ledger.
func (s *Server) choose(change func(*selection)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change(&s.now)
}

// shownLocation returns the location of data or of a ledger for display on pages, without a password.
func shownLocation(location string) string {
	if !database.IsURL(location) {
		return location
	}
	u, err := database.Parse(location)
	if err != nil {
		return "a database"
	}
	return u.String()
}

// Shown returns the location of the data for display, without a password.
func (c selection) Shown() string { return shownLocation(c.Location) }

// steps returns the steps of the navigation, from the table to the results, each with the value that the user has
// chosen in it.
func (q *request) steps() []step {
	now := q.choice()
	data := now.Shown()
	if !database.IsURL(data) && data != "" {
		data = filepath.Base(data)
	}
	return []step{
		{"data", "Data", "name the table", data},
		{"schema", "Schema", "what is public", now.Schema},
		{"budget", "Budget", "what may be spent", now.Ledger},
		{"plan", "Plan", "what it can give", ""},
		{"release", "Release", "make it public", ""},
		{"results", "Results", "read and use", ""},
	}
}

// from returns the data at a location. A relative path is relative to the server's directory.
func (s *Server) from(location, query string) release.From {
	if !database.IsURL(location) && !filepath.IsAbs(location) {
		location = filepath.Join(s.directory, location)
	}
	return release.From{Location: location, Options: source.Options{Query: query}}
}

// path returns the path of the named file in the server's directory. It returns an error if the name could refer
// to a file anywhere else, even in a subdirectory.
func (s *Server) path(name string) (string, error) {
	switch {
	case name == "":
		return "", fmt.Errorf("name a file")
	case strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") || len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", fmt.Errorf("the name %s cannot be used for a file in the server's directory: use at most 200 printable characters without slash, backslash or colon, and do not begin with a dot", quote.Word(name))
	}
	return filepath.Join(s.directory, name), nil
}

// These constants are the endings of the names of files that contain schemas, ledgers and models.
const (
	schemaEnding = ".toml"
	ledgerEnding = ".db"
	modelEnding  = ".json"
)

// named returns the name of a file, with the ending appended if the user omitted it.
func named(name, ending string) string {
	name = strings.TrimSpace(name)
	if name == "" || strings.HasSuffix(name, ending) {
		return name
	}
	return name + ending
}

// list returns the sorted names of the files in the directory that have one of the given endings.
func (s *Server) list(endings ...string) (names []string, err error) {
	entries, err := os.ReadDir(s.directory)
	if err != nil {
		return nil, fmt.Errorf("the directory cannot be read: %w", publish.Inner(err))
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(s.directory, e.Name()))
		if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if slices.Contains(endings, strings.ToLower(filepath.Ext(e.Name()))) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// read returns the text of the named file in the directory of the server.
func (s *Server) read(name string) ([]byte, error) {
	path, err := s.path(name)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read: %w", quote.Name(name), publish.Inner(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: this is not a regular file; choose another file", quote.Name(name))
	}
	text, err := table.ReadDocument(file)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read: %w", quote.Name(name), err)
	}
	return text, nil
}

// write writes the text to a public file in the directory, either completely or not at all. It replaces an existing
// file only if replace is set.
func (q *request) write(name string, replace bool, text []byte) error {
	path, err := q.path(name)
	if err != nil {
		return err
	}
	out, err := publish.NewDraft(q.r.Context(), &publish.Claims{}, path, replace, publish.ForAll)
	if err != nil {
		return onPage(err, name)
	}
	defer out.Discard()
	if _, err := out.Write(text); err != nil {
		return err
	}
	return out.Publish(q.r.Context())
}

// onPage adapts an error to a page. If a file already exists, the usual error recommends a flag of the command, which
// a page does not have. onPage replaces this error by one that recommends another file name. It returns other errors
// unchanged.
func onPage(err error, name string) error {
	if isExist(err) {
		return fmt.Errorf("%s exists already; choose another name", quote.Name(name))
	}
	return err
}

func isExist(err error) bool { return err != nil && errors.Is(err, fs.ErrExist) }
