package source_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// german is a table in the format of a German spreadsheet: umlauts, semicolons, decimal commas.
const german = "größe;stadt;y\n1,5;Köln;ja\n2,5;Köln;nein\n1.5;Köln;ja\n;Bern;ja\n"

func germanSchema(encoding string) string {
	return fmt.Sprintf(`
[file]
delimiter = ";"
decimal = ","
encoding = %q
[label]
column = "y"
positive = ["ja"]
negative = ["nein"]
[[attribute]]
column = "größe"
cuts = [2]
[[attribute]]
column = "stadt"
values = ["Köln", "Bern"]
`, encoding)
}

// The table does not depend on the encoding. If the decimal mark is a comma, a point is not read as
// one.
func TestEncodings(t *testing.T) {
	latin, err := charmap.Windows1252.NewEncoder().String(german)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(german)
	if err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(latin, "\n")
	for _, c := range []struct {
		encoding, text string
		times          int64
	}{
		{"utf-8", german, 1}, {"UTF-8", "\ufeff" + german, 1}, {"windows-1252", latin, 1}, {"latin1", zipped(latin), 1}, {"utf-16le", wide, 1},
		{"windows-1252", header + "\n" + strings.Repeat(rows, 50_000), 50_000}, // long enough for many boundaries of blocks and decoders
	} {
		got, err := source.Read(context.Background(), "-", tabletest.Schema(t, germanSchema(c.encoding)), stdin(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.encoding, err)
			continue
		}
		if n := c.times; got.Rows() != 4*n || got.Nulls() != 2*n || got.Len() != 2 || got.Count(0) != n {
			t.Errorf("%s: %d rows, %d null, %d distinct", c.encoding, got.Rows(), got.Nulls(), got.Len())
		}
	}
}

// A byte sequence that is invalid in the encoding is an error with its line.
func TestUndecodable(t *testing.T) {
	inDirectory(t)
	for _, m := range []struct{ encoding, text, want string }{
		{"koi8-r", "gr\xf6\xdfe;stadt;y\n", `data.csv:1: the header lacks column "größe"; write its name in the schema as in the header, or set header = false in the schema's [file] if the file has no header`},
		{"shift_jis", "gr\xf6\xdfe;stadt;y\nsecret\n", `data.csv:1: the file is not shift_jis text; name its true encoding in the schema's [file], or save it as UTF-8`},
		{"utf-8", "größe;stadt;y\n1,5;K\xf6ln;ja\n", `data.csv:2: column "stadt" is not UTF-8 text; set the encoding in the schema's [file], such as encoding = "windows-1252", or save the file as UTF-8`},
		{"euc-kr", "x;y\n\nz;\xff\n", `data.csv:3: the file is not euc-kr text; name its true encoding in the schema's [file], or save it as UTF-8`},
	} {
		write(t, "data.csv", m.text)
		_, err := source.Read(context.Background(), "data.csv", tabletest.Schema(t, germanSchema(m.encoding)), source.Options{})
		if got := fmt.Sprint(err); got != m.want {
			t.Errorf("%s: got  %s\nwant %s", m.encoding, got, m.want)
		}
	}
}
