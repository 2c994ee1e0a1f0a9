package source_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/people"
	"github.com/sibyl-dp/sibyl/internal/visits"
	"github.com/sibyl-dp/sibyl/source"
	_ "github.com/sibyl-dp/sibyl/source/parquet"
)

func TestParquetEqualsText(t *testing.T) {
	for _, options := range [][]parquet.WriterOption{
		{parquet.MaxRowsPerRowGroup(700)},
		{parquet.PageBufferSize(500), parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)},
	} {
		path := filepath.Join(t.TempDir(), "visits.parquet")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := parquet.NewGenericWriter[visits.Visit](file, options...)
		if _, err := w.Write(visits.All()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		visits.Check(t, path, source.Options{})
		for schema, want := range map[string]string{
			"[[attribute]]\ncolumn = \"nested\"\nvalues = [\"x\"]": `: column "nested" is nested; write a file where it holds single values`,
			"[[attribute]]\ncolumn = \"absent\"\nvalues = [\"x\"]": `: the file lacks column "absent"; name it there or change the schema`,
		} {
			_, err := source.Read(context.Background(), path, mustParse(t, schema), source.Options{})
			if err == nil || err.Error() != path+want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// TestDamagedParquet flips bytes: a table or one sentence, never a panic.
func TestDamagedParquet(t *testing.T) {
	inDirectory(t)
	if err := people.WriteParquet("people.parquet", 500); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile("people.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s := mustParse(t, people.Schema)
	for i := 4; i < len(sound); i += 1 + len(sound)/300 {
		torn := append([]byte(nil), sound...)
		torn[i] ^= 0x5a
		write(t, "torn.parquet", string(torn))
		got, err := source.Read(context.Background(), "torn.parquet", s, source.Options{})
		if (got == nil) == (err == nil) {
			t.Fatalf("byte %d: table %v and error %v", i, got, err)
		}
	}
}
