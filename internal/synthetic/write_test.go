package synthetic

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

const towns = `
[[attribute]]
column = "town"
values = ["Bonn", "Kiel"]
[[attribute]]
column = "rooms"
values = ["1", "2"]
`

// Rows without a guarantee state this in an additional column, in each kind of file. The file can still be read by the
// schema. A file that cannot have this column is refused.
func TestVoidIsWritten(t *testing.T) {
	const listed = "[file]\ncolumns = [\"rooms\", \"town\"]\n"
	for _, c := range []struct{ name, file, head, says string }{
		{"x.csv", "", "town,rooms,not_private", ""},
		{"x.csv", listed, "rooms,town,not_private", ""},
		{"x.parquet", listed, "", ""},
		{"x.parquet", listed + "header = false\n", "", ""},
		{"x.csv", listed + "header = false\n", "", "without a header"},
		{"x.csv", "[file]\ncolumns = [\"rooms\", \"not_private\", \"town\"]\n", "", "a column not_private"},
	} {
		l, err := NewLayout(tabletest.Schema(t, c.file+towns))
		if err != nil {
			t.Fatal(err)
		}
		rows := newRows(l, NewRecords(l.Domain, [][]uint16{{0, 1, 1}, {0, 0, 1}}), nil, nil, 3, 1)
		var b bytes.Buffer
		err = rows.Write(t.Context(), &b, c.name, model.InsecureSeed, nil)
		if (err == nil) != (l.Writable(c.name, model.InsecureSeed) == nil) || (err == nil) != (c.says == "") {
			t.Errorf("%+v: %v", c, err)
		}
		if l.Writable(c.name, "") != nil {
			t.Errorf("%+v: rows that promise something are not written", c)
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.says) || b.Len() > 0 {
				t.Errorf("%+v: %v, after %q", c, err, &b)
			}
			continue
		}
		if c.head != "" && (!strings.HasPrefix(b.String(), c.head+"\n") || strings.Count(b.String(), ",insecure-seed\n") != 3) {
			t.Errorf("%+v: written is %q", c, &b)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]string{
			towns: "[[0 0] [1 0] [1 1]]",
			"[[attribute]]\ncolumn = \"not_private\"\nvalues = [\"no\", \"insecure-seed\"]\n": "[[1] [1] [1]]",
		} {
			if got := read(t, path, text); got != want {
				t.Errorf("%+v: read are %v, not %v", c, got, want)
			}
		}
	}
}

// read returns the records of a file by a schema, sorted.
func read(t *testing.T, path, text string) string {
	t.Helper()
	var got [][]uint16
	err := source.Records(context.Background(), path, tabletest.Schema(t, text), source.Options{}, func(r source.Row) error {
		got = append(got, append([]uint16(nil), r.Record...))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, slices.Compare[[]uint16])
	return fmt.Sprint(got)
}
