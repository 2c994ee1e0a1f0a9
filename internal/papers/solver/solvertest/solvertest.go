// Package solvertest replaces external solvers by shell scripts in tests.
package solvertest

import (
	"os"
	"path/filepath"
	"testing"
)

// Programs lists the names of all external solvers.
var Programs = []string{"toulbar2", "clasp", "cbc", "highs"}

// Pretend replaces all external solvers during the test t: it creates executables with the names in
// Programs that run the given shell script, and puts them first on PATH.
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
