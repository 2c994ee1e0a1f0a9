package source_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	"github.com/sibyl-dp/sibyl/internal/testing/visits"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

// openStreamed opens a Parquet file as streamed counts.
func openStreamed(t *testing.T, path string, s *table.Schema, o source.Options) table.Counts {
	t.Helper()
	o.Held = -1
	c, done, err := source.Counts(context.Background(), path, s, table.Queries{}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	if _, ok := c.(*table.Streamed); !ok {
		t.Fatalf("the counts are a %T", c)
	}
	return c
}

// writeVisits writes the rows of package visits to a Parquet file.
func writeVisits(t *testing.T, path string, options ...parquet.WriterOption) {
	t.Helper()
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
}

// A file that is read again for each query gives the answers of its table. Some rows are null records.
func TestStreamed(t *testing.T) {
	inDirectory(t)
	for i, options := range [][]parquet.WriterOption{
		{parquet.MaxRowsPerRowGroup(700)},
		{parquet.PageBufferSize(500), parquet.DataPageVersion(1)},
	} {
		writeVisits(t, "visits.parquet", options...)
		for _, text := range []string{visits.Schema, visits.Schema[strings.Index(visits.Schema, "[[attribute]]"):]} { // without the label
			s := tabletest.Schema(t, text)
			want, err := source.Read(context.Background(), "visits.parquet", s, source.Options{})
			if err != nil || want.Nulls() == 0 || want.Rows() == want.Nulls() {
				t.Fatal(err)
			}
			for _, o := range []source.Options{{}, {FS: os.DirFS(".")}} {
				tabletest.Agree(t, openStreamed(t, "visits.parquet", s, o), want, 8, uint64(i))
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 3))
	for seed := range uint64(20) {
		var rows [][]string
		for range r.IntN(9000) {
			rows = append(rows, []string{fmt.Sprint(r.IntN(3)), fmt.Sprint(r.IntN(9)), fmt.Sprint(r.IntN(2))})
		}
		if err := made.WriteTexts("random.parquet", []string{"a", "b", "y"}, rows); err != nil {
			t.Fatal(err)
		}
		s := tabletest.Schema(t, "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"0\", \"1\"]\n[[attribute]]\ncolumn = \"b\"\ncuts = [1, 4, 7]\n")
		want, err := source.Read(context.Background(), "random.parquet", s, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tabletest.Agree(t, openStreamed(t, "random.parquet", s, source.Options{}), want, 5, seed)
	}
}

// Rows of persons are not streamed, and neither are rows with few distinct records.
func TestNotStreamed(t *testing.T) {
	inDirectory(t)
	writeVisits(t, "visits.parquet")
	read := func(schema string, held int) {
		t.Helper()
		c, done, err := source.Counts(context.Background(), "visits.parquet", tabletest.Schema(t, schema), table.Queries{}, source.Options{Held: held})
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if _, ok := c.(*table.Table); !ok {
			t.Errorf("the counts are a %T", c)
		}
	}
	read(visits.Schema, 0)
	read("[[attribute]]\ncolumn = \"small\"\nvalues = [\"0\", \"1\"]\n[person]\ncolumn = \"order\"\nmost = 2\n", -1)
}

// A query fails if the open file changed, and reads the old file if another one replaced it under its name.
func TestStreamedChanges(t *testing.T) {
	inDirectory(t)
	writeVisits(t, "visits.parquet")
	s, ctx := tabletest.Schema(t, visits.Schema), context.Background()
	want, err := source.Read(ctx, "visits.parquet", s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := openStreamed(t, "visits.parquet", s, source.Options{})
	if err := made.WriteTexts("other.parquet", []string{"x"}, [][]string{{"1"}}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("other.parquet", "visits.parquet"); err != nil {
		t.Fatal(err)
	}
	tabletest.Agree(t, c, want, 3, 1)

	writeVisits(t, "visits.parquet")
	axis := [][]table.Axis{{{Column: 1, Size: s.Sizes()[1]}}}
	for change, want := range map[string]string{
		"touched":   "visits.parquet: the file changed while it was read; start again when no program writes to it",
		"truncated": "visits.parquet: the Parquet data is damaged; write the file again",
	} {
		c = openStreamed(t, "visits.parquet", s, source.Options{})
		if _, err := c.Marginals(ctx, axis); err != nil {
			t.Fatal(err)
		}
		if change == "touched" {
			err = os.Chtimes("visits.parquet", time.Time{}, time.Unix(1, 0))
		} else {
			err = os.Truncate("visits.parquet", 100)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Marginals(ctx, axis); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", change, err, want)
		}
		writeVisits(t, "visits.parquet")
	}
}
