package source_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	_ "github.com/sibyl-dp/sibyl/parquet"
)

// writtenSchema has values that need quoting or escaping: quotes, line breaks, comments, missing
// values.
const writtenSchema = `
[label]
column = "y"
positive = ["true"]
negative = ["false"]
[[attribute]]
column = "z"
values = ["#a", "b\"c", "d,e;f", "g\nh", " i ", "ö"]
[[attribute]]
column = "a"
cuts = [2.5, 7]
draw = "uniform"
places = 1
least = -3
most = 12
other = "none"
[[attribute]]
column = "m"
values = ["1", "2", "-30"]
other = "none"
missing = "?"
[[attribute]]
column = "k"
cuts = [10]
draw = "integer"
least = 0
most = 20
`

// Written records are read back unchanged, from each kind of file.
func TestWriter(t *testing.T) {
	files := map[string]string{
		"plain.csv":      "",
		"tabs.csv":       "[file]\ndelimiter = \"\\t\"\ndecimal = \",\"\ncomment = \"#\"\n",
		"trimmed.csv":    "[file]\ndelimiter = \";\"\ndecimal = \",\"\ntrim = true\nencoding = \"windows-1252\"\n",
		"listed.parquet": "[file]\ncolumns = [\"k\", \"other\", \"y\", \"a\", \"z\", \"m\"]\n",
		"wide.csv":       "[file]\nencoding = \"utf-16le\"\n",
		"headerless.csv": "[file]\nheader = false\ncolumns = [\"k\", \"other\", \"y\", \"a\", \"z\", \"m\"]\n",
		"rows.parquet":   "[file]\ndecimal = \",\"\n",
	}
	for name, file := range files {
		s := tabletest.Schema(t, file+writtenSchema)
		flat, err := s.Flat()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		records := writeRandom(t, path, flat, 3000)
		var got [][]uint16
		err = source.Records(context.Background(), path, s, source.Options{}, func(r source.Row) error {
			if r.Null {
				t.Fatalf("%s: row %d is null", name, r.Place)
			}
			got = append(got, append(append([]uint16(nil), r.Record...), uint16(r.Outcome)))
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, records) {
			t.Errorf("%s: %d records are read otherwise", name, len(got))
		}
	}
}

// writeRandom writes random records to a file.
func writeRandom(t *testing.T, path string, flat *table.Schema, n int) (records [][]uint16) {
	t.Helper()
	var b bytes.Buffer
	w, err := source.NewWriter(&b, path, flat)
	if err != nil {
		t.Fatal(err)
	}
	d, err := table.NewDrawer(source.WrittenBy(path, flat), 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range n {
		var r []uint16
		for _, size := range flat.Sizes() {
			r = append(r, uint16(random.IntN(size)))
		}
		if err := w.Write(d.Draw(nil, r, nil)); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return records
}

// Columns of a Parquet file have the types of their values. Their order is that of the schema or of
// the given columns.
func TestParquetTypes(t *testing.T) {
	for file, want := range map[string]string{
		"": "z:STRING a:DOUBLE? m:STRING k:INT(64,true) y:BOOLEAN",
		"[file]\ncolumns = [\"k\", \"name\", \"y\", \"a\", \"z\", \"m\"]\n": "k:INT(64,true) name:STRING? y:BOOLEAN a:DOUBLE? z:STRING m:STRING",
	} {
		s := tabletest.Schema(t, file+writtenSchema)
		flat, err := s.Flat()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "rows.parquet")
		writeRandom(t, path, flat, 10)
		if got := parquetColumns(t, path); got != want {
			t.Errorf("the columns are %s, not %s", got, want)
		}
	}
}

// Numbers whose text a typed column would change are stored as texts.
func TestParquetKeepsTexts(t *testing.T) {
	for values, want := range map[string]string{
		`"0", "-1"`: "a:INT(64,true)", `"-0", "0"`: "a:STRING", `"007", "1"`: "a:STRING", `"+1", "1"`: "a:STRING",
		`"0.5", "NaN"`: "a:DOUBLE", `"1.50", "1"`: "a:STRING", `"1e5", "1"`: "a:STRING", `"-0", "0.5"`: "a:STRING",
	} {
		flat, err := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = ["+values+"]").Flat()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "rows.parquet")
		writeRandom(t, path, flat, 10)
		if got := parquetColumns(t, path); got != want {
			t.Errorf("%s: the columns are %s, not %s", values, got, want)
		}
	}
}

// A single empty field is not written as a blank line, and a value that starts like a comment is
// quoted.
func TestWriterQuotes(t *testing.T) {
	s, err := table.NewSchema(table.Schema{
		File:       table.File{Comment: "#"},
		Attributes: []table.Attribute{{Column: "a", Values: []string{"#x"}, Other: "none"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := source.NewWriter(&b, "x.csv", s)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"", "#x", " "} {
		if err := w.Write([]string{field}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.String(), "a\n\"\"\n\"#x\"\n\" \"\n"; got != want {
		t.Errorf("written is %q, not %q", got, want)
	}
}

// A value that the encoding cannot represent is refused before a row is written.
func TestWriterEncoding(t *testing.T) {
	s, err := table.NewSchema(table.Schema{
		File:       table.File{Encoding: "windows-1252"},
		Attributes: []table.Attribute{{Column: "a", Values: []string{"ж"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := source.NewWriter(&b, "x.csv", s); err == nil || !strings.Contains(err.Error(), `a value of attribute "a" cannot be written in the encoding "windows-1252"`) || b.Len() > 0 {
		t.Errorf("%v, and %q is written", err, &b)
	}
}

// A row group is held in memory until it is written, so many rows become several groups.
func TestParquetGroups(t *testing.T) {
	var file bytes.Buffer
	w, err := source.NewWriter(&file, "rows.parquet", tabletest.Schema(t, "[[attribute]]\ncolumn = \"x\"\nvalues = [\"1\", \"2\"]"))
	if err != nil {
		t.Fatal(err)
	}
	const rows = 600_000
	for i := range rows {
		if err := w.Write([]string{[]string{"1", "2"}[i%2]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	opened, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(opened.RowGroups()); n != 3 || opened.NumRows() != rows {
		t.Errorf("%d groups of %d rows", n, opened.NumRows())
	}
}

// parquetColumns lists the columns of a file with their types, and marks optional columns.
func parquetColumns(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range opened.Root().Columns() {
		mark := ""
		if c.Optional() {
			mark = "?"
		}
		all = append(all, c.Name()+":"+c.Type().String()+mark)
	}
	return strings.Join(all, " ")
}
