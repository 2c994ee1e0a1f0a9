// Package census reads the data set UCI Adult for tests and benchmarks of several packages.
package census

import (
	"context"
	"os"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// Schema reads the schema in a file of the test data, whose path has the given elements (see shareddata.Path). It
// skips the test if the file is missing.
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

// Balanced returns a table of 15,682 records of the data set Adult, in which half of the labels are positive. The
// parameter schema is "adult-7.toml" or "adult-12.toml". Balanced skips the test if the files are missing.
func Balanced(t testing.TB, schema string) *table.Table {
	t.Helper()
	s := Schema(t, "adult", schema)
	data, err := source.Read(context.Background(), shareddata.Path(t, "adult", "adult-balanced.data"), s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
