package source_test

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/table"
)

func mustParse(t testing.TB, schema string) *table.Schema {
	t.Helper()
	s, err := table.ParseSchema("schema.toml", strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
