// Package solvertest has programs that are not there stand for external solvers.
package solvertest

import (
	"os"
	"path/filepath"
	"testing"
)

// Programs are the oracles that are programs of others.
var Programs = []string{"toulbar2", "clasp", "cbc", "highs"}

// Pretend makes executables of all solvers, which run the script.
func Pretend(t *testing.T, script string) {
	t.Helper()
	directory := t.TempDir()
	for _, name := range Programs {
		if err := os.WriteFile(filepath.Join(directory, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", directory+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("SIBYL_HIGHS", "")
}
