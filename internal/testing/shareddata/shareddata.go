// Package shareddata locates the public data sets that tests read.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file below the directory of test data. This directory is the value of the environment
// variable SIBYL_DATA or, if that is not set, the directory shared/data beside the repository. If the file is missing,
// Path skips the test, or fails it if the environment contains CI=true.
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

// Missing skips the test, for the given reason. If the environment contains CI=true, it fails the test instead.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// checkout returns the root directory of the repository: the nearest directory, from the working directory upward,
// that contains the script .ci/run. This also works in tests of a nested module.
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
