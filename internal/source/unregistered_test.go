package source

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// TestParquetUnregistered reads a Parquet file in a program that does not import package parquet.
func TestParquetUnregistered(t *testing.T) {
	opener := parquetOpener
	parquetOpener = nil
	defer func() { parquetOpener = opener }()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("people.parquet", []byte("PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := table.ParseSchema("s.toml", strings.NewReader("[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\"]"))
	if err != nil {
		t.Fatal(err)
	}
	want := "people.parquet: this program cannot read Parquet files; import github.com/sibyl-dp/sibyl/parquet in it, or write the data as CSV"
	if _, err := Read(context.Background(), "people.parquet", s, Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
