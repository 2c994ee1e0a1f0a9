package source

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFiles(t *testing.T) {
	directory := t.TempDir()
	real, link := filepath.Join(directory, "real.db"), filepath.Join(directory, "link.db")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string][]string{
		"-":                                  nil,
		"people.csv":                         {"people.csv"},
		"sqlite:a%20b.db":                    {"a b.db", "a b.db-wal", "a b.db-shm", "a b.db-journal"},
		"sqlite://" + link:                   {link, real + "-wal", real + "-shm", real + "-journal"},
		"duckdb:a%20b.db?threads=2":          {"a b.db", "a b.db.wal", "a b.db.tmp"},
		"duckdb:":                            nil,
		"postgres://h/d":                     nil,
		"postgres:u:X@h":                     nil,
		"postgres://h/d?sslkey=k&passfile=p": {"k", "p"},
	} {
		got := Files(location)
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", location, got, want)
		}
	}
}
