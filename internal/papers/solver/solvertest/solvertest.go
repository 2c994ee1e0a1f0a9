// Package solvertest replaces external solvers by shell scripts in tests.
package solvertest

import (
	"os"
	"path/filepath"
	"testing"
)

// Programs lists the names of all external solvers.
var Programs = []string{"toulbar2", "clasp", "cbc", "highs"}

// Pretend creates an executable with the name of each of Programs, and puts these executables first on
// PATH during the test t. Each executable runs the shell script.
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
