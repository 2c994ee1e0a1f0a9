package source_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// headerSchemas holds schemas of the columns a and y for several formats of text.
var headerSchemas = map[string]string{
	"plain":    "",
	"comments": "[file]\ncomment = \"#\"\ntrim = true\n",
	"divided":  "[file]\ndelimiter = \";\"\n",
	"western":  "[file]\nencoding = \"windows-1252\"\n",
	"wide":     "[file]\nencoding = \"utf-16le\"\n",
	"person":   "[person]\ncolumn = \"who\"\nmost = 1\n",
}

const headerLabel = "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\", \"ä\"]\n"

// A headed is a text with a valid or invalid header, followed by rows that match it.
type headed struct {
	kind         string
	header, rows string
	zipped       bool
}

func drawHeaded(t *rapid.T) headed {
	h := headed{kind: rapid.SampledFrom([]string{"plain", "comments", "divided", "western", "wide", "person"}).Draw(t, "kind")}
	h.zipped = rapid.Bool().Draw(t, "zipped")
	mark := rapid.SampledFrom([]string{",", ",", ",", ";", "\t"}).Draw(t, "mark")
	if h.kind == "divided" && mark == "," {
		mark = ";"
	}
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "y", "who", "a", "y", "who", "z", "", `"a"`, `"y` + "\n" + `"`, "ä", "\x00", " a", `q"`}), 0, 5).Draw(t, "names")
	if rapid.Bool().Draw(t, "right") {
		names = rapid.Permutation([]string{"a", `"y"`, "who", "ä"}).Draw(t, "columns")
		mark = map[bool]string{true: ";", false: ","}[h.kind == "divided"]
	}
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break")
	h.header = rapid.SampledFrom([]string{"", "", "\ufeff", "\n", "# \"\n", "  \n#\n"}).Draw(t, "before") + strings.Join(names, mark) + end
	if len(names) > 0 {
		h.rows = strings.Repeat(strings.Repeat("1"+mark, len(names)-1)+"1"+end, rapid.IntRange(0, 3).Draw(t, "rows"))
	}
	return h
}

func (h headed) schema(t testing.TB) *table.Schema {
	return tabletest.Schema(t, headerSchemas[h.kind]+headerLabel)
}

// text returns the header and the rows, encoded and compressed.
func (h headed) text(t testing.TB, rows string) string {
	text, err := h.header+rows, error(nil)
	switch h.kind {
	case "western":
		text, err = charmap.Windows1252.NewEncoder().String(strings.ReplaceAll(text, "\ufeff", ""))
	case "wide":
		text, err = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if h.zipped {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	return text
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "standard input", "t.csv")
}

// Ready returns the same errors about the header as Read, for files and for standard input read in
// pieces of any size. After Ready, Read still reads the whole text.
func TestHeaderIsChecked(t *testing.T) {
	t.Chdir(t.TempDir())
	refused, read := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		h := drawHeaded(r)
		s, text, ctx := h.schema(t), h.text(t, h.rows), context.Background()
		want, wrong := source.Read(ctx, "-", s, stdin(text))
		if err := os.WriteFile("t.csv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := source.Ready(ctx, "t.csv", s, table.Queries{}, source.Options{}); said(err) != said(wrong) {
			r.Fatalf("%q: the check of the file says %v, and its reader %v", text, err, wrong)
		}
		pieces := rapid.SampledFrom([]func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader}).Draw(r, "pieces")
		o := source.Options{Stdin: source.Stdin(pieces(strings.NewReader(text)))}
		if err := source.Ready(ctx, "-", s, table.Queries{}, o); said(err) != said(wrong) {
			r.Fatalf("%q: the check of standard input says %v, and its reader %v", text, err, wrong)
		}
		if wrong != nil {
			refused++
			return
		}
		read++
		if got, err := source.Read(ctx, "-", s, o); err != nil || !got.Equal(want) {
			r.Fatalf("%q: after the check: %v", text, err)
		}
	})
	if all := refused + read; refused < all/5 || read < all/20 {
		t.Errorf("%d of %d headers are refused", refused, all)
	}
}

// The result of Ready does not depend on the rows, which are malformed here.
func TestHeaderCheckIgnoresRows(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		h := drawHeaded(r)
		if strings.Count(h.header, `"`)%2 != 0 || !strings.ContainsAny(h.header, "aywhozäq\x00") {
			r.Skip("rows may close the quote, or a row be the header")
		}
		s := h.schema(t)
		says := func(rows, more string) string {
			text := h.text(t, rows) + more
			if err := os.WriteFile("t.csv", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			err := source.Ready(ctx, "t.csv", s, table.Queries{}, source.Options{})
			other := source.Ready(ctx, "-", s, table.Queries{}, source.Options{Stdin: source.Stdin(strings.NewReader(text))})
			if said(err) != said(other) {
				r.Fatalf("%q: %v of the file, %v of standard input", text, err, other)
			}
			return said(err)
		}
		want := says(h.rows, "")
		rows := rapid.SampledFrom([]string{"", "1", "\n\n", "\"", "\"\"\"", "\x00\x00", "x,y,z,1,2,3,4,5,6\n", strings.Repeat("1,", 500), strings.Repeat("1", 70_000)}).Draw(r, "other rows")
		ends := []string{"", "\xff\xfe", "\x81", "\x00\xd8\x00\xd8"}
		if !heavy.On() {
			ends = []string{rapid.SampledFrom(ends).Draw(r, "end")}
		}
		for _, more := range ends {
			if h.zipped && more != "" {
				continue
			}
			if got := says(rows, more); got != want {
				r.Fatalf("%+v: %q, and before other rows %q", h, want, got)
			}
		}
	})
}

// A linewise reader returns one line per read, and an error after the last.
type linewise struct {
	t    testing.TB
	left []string
}

func (l *linewise) Read(p []byte) (int, error) {
	if len(l.left) == 0 {
		l.t.Error("a row is waited for")
		return 0, io.EOF
	}
	n := copy(p, l.left[0])
	if l.left[0] = l.left[0][n:]; l.left[0] == "" {
		l.left = l.left[1:]
	}
	return n, nil
}

// On standard input, Ready does not wait for a row, and refuses a header that is longer than its
// buffer.
func TestHeaderCheckIsBounded(t *testing.T) {
	for kind := range headerSchemas {
		h := headed{kind: kind, header: "a,who,\"y\"\n"}
		if kind == "divided" {
			h.header = strings.ReplaceAll(h.header, ",", ";")
		}
		s := h.schema(t)
		if err := source.Ready(context.Background(), "-", s, table.Queries{}, source.Options{Stdin: source.Stdin(&linewise{t, []string{h.text(t, "")}})}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	s := headed{kind: "plain"}.schema(t)
	for _, header := range []string{strings.Repeat("z,", source.HeaderRoom), "\"" + strings.Repeat("\n", source.HeaderRoom)} {
		endless := io.MultiReader(strings.NewReader(header), &linewise{t: t})
		if err := source.Ready(context.Background(), "-", s, table.Queries{}, source.Options{Stdin: source.Stdin(endless)}); err != nil {
			t.Errorf("a long header: %v", err)
		}
	}
}

// A column that [file] declares must be in a Parquet file, as in a text with a header. If the schema has header =
// false, [file] describes text only.
func TestDeclaredColumns(t *testing.T) {
	type row struct {
		A string `parquet:"a"`
		Y string `parquet:"y"`
	}
	directory, ctx := t.TempDir(), context.Background()
	typed, text := filepath.Join(directory, "d.parquet"), filepath.Join(directory, "d.csv")
	if err := parquet.WriteFile(typed, []row{{"1", "1"}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte("a,y\n1,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const domain = "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n"
	declares := func(header bool, columns string) *table.Schema {
		return tabletest.Schema(t, fmt.Sprintf("[file]\nheader = %v\ncolumns = [%s]\n", header, columns)+domain)
	}
	for _, path := range []string{typed, text} {
		if err := source.Ready(ctx, path, declares(true, `"a", "y"`), table.Queries{}, source.Options{}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := source.Ready(ctx, path, declares(true, `"a", "y", "b"`), table.Queries{}, source.Options{}); err == nil || !strings.Contains(err.Error(), `lacks column "b"`) {
			t.Errorf("%s without a declared column: %v", path, err)
		}
	}
	if err := source.Ready(ctx, typed, declares(false, `"a", "y", "b"`), table.Queries{}, source.Options{}); err != nil {
		t.Errorf("columns of text without a header: %v", err)
	}
	optional := source.Options{LabelOptional: true}
	type unlabelled struct {
		A string `parquet:"a"`
	}
	if err := parquet.WriteFile(typed, []unlabelled{{"1"}}); err != nil {
		t.Fatal(err)
	}
	if err := source.Ready(ctx, typed, declares(true, `"a", "y"`), table.Queries{}, optional); err != nil {
		t.Errorf("without the label: %v", err)
	}
}

// A Parquet file and rows in memory must have all columns of the schema.
func TestColumnsAreChecked(t *testing.T) {
	type right struct {
		A string `parquet:"a"`
		Y string `parquet:"y"`
	}
	type wrong struct {
		A string `parquet:"a"`
		Z string `parquet:"z"`
	}
	directory, s, ctx := t.TempDir(), headed{kind: "plain"}.schema(t), context.Background()
	for name, write := range map[string]func(path string) error{
		"right": func(path string) error { return parquet.WriteFile(path, []right{{"1", "1"}}) },
		"wrong": func(path string) error { return parquet.WriteFile(path, []wrong{{"1", "1"}}) },
	} {
		path := filepath.Join(directory, name+".parquet")
		if err := write(path); err != nil {
			t.Fatal(err)
		}
		_, want := source.Read(ctx, path, s, source.Options{})
		if err := source.Ready(ctx, path, s, table.Queries{}, source.Options{}); (err != nil) != (name == "wrong") || said(err) != said(want) {
			t.Errorf("%s: %v, and the reader says %v", name, err, want)
		}
	}
	for header, ok := range map[string]bool{"a y": true, "y z a": true, "a z": false, "a y a": false} {
		if err := (source.Memory{Header: strings.Fields(header), Rows: source.Sure(slices.Values([][]string(nil)))}).Ready(ctx, s, table.Queries{}); (err == nil) != ok {
			t.Errorf("%s: %v", header, err)
		}
	}
}
