// Package shareddata finds the public data sets that tests compare with.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file below the data directory: the environment's
// SIBYL_DATA or, where that is unset, ../shared/data beside the repository.
// Where the file is missing it skips the test; with CI=true it fails it.
func Path(t testing.TB, elements ...string) string {
	t.Helper()
	directory := os.Getenv("SIBYL_DATA")
	if directory == "" {
		directory = filepath.Join(filepath.Dir(checkout(t)), "shared", "data")
	}
	path := filepath.Join(append([]string{directory}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		Missing(t, "the data set "+filepath.Join(elements...)+" is missing; set SIBYL_DATA to the directory of the data sets")
	}
	return path
}

// Missing skips the test, or fails it with CI=true.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// checkout returns the nearest directory upwards that has the script .ci/run: the
// root of the repository, also from a nested module.
func checkout(t testing.TB) string {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, ".ci", "run")); err == nil {
			return directory
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			t.Fatal("no .ci/run above the working directory")
		}
		directory = parent
	}
}
