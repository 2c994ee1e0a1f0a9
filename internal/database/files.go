package database

import (
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// FileName returns the name of a file for messages. This is quote.Name(path), or a fixed text if no file exists at
// the path and the path may be the address of a database, which may contain a password.
func FileName(path string) string {
	if !MayBeURL(path) {
		return quote.Name(path)
	}
	return "(a name that may hold a password)"
}

// MayBeURL reports whether no file exists at the path and the path may be the address of a database, because it
// contains @ or =, or because IsURL returns true.
func MayBeURL(path string) bool {
	if !strings.ContainsAny(path, "@=") && !IsURL(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}
