package database

import (
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// FileName returns the name of a file for messages. It returns quote.Name(path), or a fixed text if the file does not
// exist and its path may be the address of a database with a password.
func FileName(path string) string {
	if !MayBeURL(path) {
		return quote.Name(path)
	}
	return "(a name that may hold a password)"
}

// MayBeURL reports whether no file exists at the path and the path may be the address of a database: it contains @ or =, or
// IsURL is true.
func MayBeURL(path string) bool {
	if !strings.ContainsAny(path, "@=") && !IsURL(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}
