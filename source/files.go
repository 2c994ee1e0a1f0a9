package source

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sibyl-dp/sibyl/quote"
)

// Who writes files beside reading a source must know which ones it reads, to leave them
// alone; and messages that name files must not tell a password that was mistaken for one.

// Files returns the paths of all files that reading the location opens, or that its
// database may open or make beside them, whether they are there or not; none for standard
// input. Files that a database's environment names are not among them.
func Files(location string) []string {
	if location == "-" {
		return nil
	}
	if !isURL(location) {
		return []string{location}
	}
	d, err := parseURL(location)
	if err != nil {
		return nil // which reading it reports
	}
	if d.dialect != SQLite {
		return d.files
	}
	path := d.files[0]
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole // SQLite keeps its own files beside that
	}
	return append(d.files, path+"-wal", path+"-shm", path+"-journal")
}

// FileName returns what messages call the file at a path: its quote.Name, unless no such file is
// there and it looks like a way to write a database with its password.
func FileName(path string) string {
	if !mayBeDatabase(path) {
		return quote.Name(path)
	}
	return "(a name that may hold a password)"
}

// mayBeDatabase tells whether a path that leads to no file has what parameters of a
// database and URLs have.
func mayBeDatabase(path string) bool {
	if !strings.ContainsAny(path, "@=") && !isURL(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}
