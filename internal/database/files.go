package database

import (
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// FileName returns what messages call the file at a path: its quote.Name, unless no such file is
// there and it looks like a way to write a database with its password.
func FileName(path string) string {
	if !MayBeURL(path) {
		return quote.Name(path)
	}
	return "(a name that may hold a password)"
}

// MayBeURL tells whether a path that leads to no file has what parameters of a
// database and URLs have.
func MayBeURL(path string) bool {
	if !strings.ContainsAny(path, "@=") && !IsURL(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}
