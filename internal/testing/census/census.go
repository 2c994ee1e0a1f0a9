// Package census reads the UCI Adult records that tests and benchmarks of several packages share.
package census

import (
	"context"
	"os"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// Schema reads a schema of the shared data; it skips the test if the file is missing.
func Schema(t testing.TB, elements ...string) *table.Schema {
	t.Helper()
	path := shareddata.Path(t, elements...)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := table.ParseSchema(path, file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Balanced returns the 15,682 balanced records under a schema of the shared data: "adult-7.toml"
// or "adult-12.toml". It skips the test if they are missing.
func Balanced(t testing.TB, schema string) *table.Table {
	t.Helper()
	s := Schema(t, "adult", schema)
	data, err := source.Read(context.Background(), shareddata.Path(t, "adult", "adult-balanced.data"), s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
