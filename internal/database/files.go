package database

import (
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// FileName returns the name of a file for messages, quoted if necessary. If the path may in fact be the URL of a
// database (see MayBeURL), it returns a fixed text instead, because the URL may contain a password.
func FileName(path string) string {
	if !MayBeURL(path) {
		return quote.Name(path)
	}
	return "(a name that may hold a password)"
}

// MayBeURL reports whether a path may in fact be the URL of a database: no file exists at the path, and the path
// contains @ or = or begins like a URL (IsURL).
func MayBeURL(path string) bool {
	if !strings.ContainsAny(path, "@=") && !IsURL(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}
