package source

import (
	"context"
	"os"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
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
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\"]")
	want := "people.parquet: this program cannot read Parquet files; import github.com/sibyl-dp/sibyl/parquet in it, or write the data as CSV"
	if _, err := Read(context.Background(), "people.parquet", s, Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A column holds texts if one of its possible types does.
func TestHoldsText(t *testing.T) {
	number := database.Type{Kind: database.Float}
	for _, c := range []struct {
		of   database.Type
		want bool
	}{
		{database.Type{Kind: database.Text}, true},
		{database.Type{Kind: database.Binary}, true},
		{number, false},
		{database.Type{Cases: []database.Case{{Type: number}, {Type: database.Type{Kind: database.Text}}}}, true},
		{database.Type{Cases: []database.Case{{Type: number}}}, false},
	} {
		if holdsText(c.of) != c.want {
			t.Errorf("%+v: %v", c.of, !c.want)
		}
	}
}
