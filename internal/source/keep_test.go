package source_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// A guest is a row with an optional name, stored with or without a dictionary.
type guest struct {
	Plain  *string `parquet:"plain,optional"`
	Listed *string `parquet:"listed,optional,dict"`
	Always string  `parquet:"always,dict"`
	A      string  `parquet:"a,dict"`
}

const numberSchema = "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]"

// TestKeepParquet keeps columns over several batches and row groups.
func TestKeepParquet(t *testing.T) {
	inDirectory(t)
	file, err := os.Create("guests.parquet")
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[guest](file, parquet.MaxRowsPerRowGroup(6000))
	want := map[string][]string{}
	for i := range 15000 {
		g := guest{Always: fmt.Sprint("always ", i%11), A: fmt.Sprint(i % 2)}
		plain, listed := fmt.Sprint("plain ", i), fmt.Sprint("listed ", i%7)
		if i%3 > 0 {
			g.Plain, g.Listed = &plain, &listed
		} else {
			plain, listed = "", ""
		}
		if _, err := w.Write([]guest{g}); err != nil {
			t.Fatal(err)
		}
		for column, text := range map[string]string{"plain": plain, "listed": listed, "always": g.Always, "a": g.A} {
			want[column] = append(want[column], text)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for column, texts := range want {
		if got := kept(t, "guests.parquet", column); !slices.Equal(got, texts) {
			t.Errorf("%s: %d texts, want %d", column, len(got), len(texts))
		}
	}
}

// kept returns the texts of the column that Options.Keep names, by row.
func kept(t *testing.T, path, column string) []string {
	t.Helper()
	var texts []string
	err := source.Records(context.Background(), path, tabletest.Schema(t, numberSchema), source.Options{Keep: column}, func(r source.Row) error {
		if (len(r.Record) != 1 || r.Record[0] != 0) != r.Null {
			t.Errorf("record %v, null %v", r.Record, r.Null)
		}
		texts = append(texts, string(r.Kept))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestKeepText(t *testing.T) {
	inDirectory(t)
	write(t, "guests.csv", "x,name,a\n,\"Ann, the\nfirst\",1\n,,1\n, Bob,2\n")
	if got, want := kept(t, "guests.csv", "name"), []string{"Ann, the\nfirst", "", " Bob"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	headerless := tabletest.Schema(t, "[file]\nheader = false\ncolumns = [\"name\", \"a\"]\n"+numberSchema)
	write(t, "bare.csv", "Ann,1\n")
	for column, want := range map[string]string{"name": "", "b": `bare.csv: the key "columns" in the schema's [file] does not list column "b"; add it there`} {
		err := source.Records(context.Background(), "bare.csv", headerless, source.Options{Keep: column}, func(r source.Row) error {
			if string(r.Kept) != "Ann" {
				t.Errorf("%q", r.Kept)
			}
			return nil
		})
		if fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v", column, err)
		}
	}
	// Read ignores Keep.
	if _, err := source.Read(context.Background(), "guests.csv", tabletest.Schema(t, numberSchema), source.Options{Keep: "none"}); err != nil {
		t.Error(err)
	}
	if _, err := source.Check(context.Background(), "guests.csv", tabletest.Schema(t, strings.ReplaceAll(numberSchema, "1", "2")), source.Options{Keep: "none"}); err != nil {
		t.Error(err)
	}
}
