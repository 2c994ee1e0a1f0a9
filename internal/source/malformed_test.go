package source_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const smallSchema = `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "age"
cuts = [18]
[[attribute]]
column = "city"
values = ["Rome", "Bern"]
`

const headerlessSchema = "[file]\nheader = false\ncolumns = [\"age\", \"city\", \"y\"]\ncomment = \"#\"\n" + smallSchema

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// malformed pairs texts with the expected error. No error may quote a field.
var malformed = []struct{ text, want string }{
	{"", `data.csv: the file is empty; its first line must name the columns`},
	{"\n\r\n", `data.csv: the file is empty; its first line must name the columns`},
	{"age,city\n", `data.csv:1: the header lacks column "y"; write its name in the schema as in the header, or set header = false in the schema's [file] if the file has no header`},
	{"Age,city,y\n", `data.csv:1: the header lacks column "age", but has this name with other capital letters, blanks or Unicode forms; write it as in the header`},
	{"age,city, y\n", `data.csv:1: the header lacks column "y", but has this name with other capital letters, blanks or Unicode forms; write it as in the header`},
	{"sep=,\nage,city,y\n1,Rome,1\n", `data.csv:1: the first line is sep=, for spreadsheet programs, and does not name the columns; remove it from the file`},
	{"age,city,y\r1,Rome,1\r", `data.csv:1: the lines end with carriage returns alone; save the file with lines that end with LF or CRLF`},
	{"35,Rome,1\n", `data.csv:1: the header lacks column "age"; write its name in the schema as in the header, or set header = false in the schema's [file] if the file has no header`},
	{"age,city,y,city\n", `data.csv:1: the header names column "city" twice; rename or remove one of the two`},
	{"age,secret,city,secret,y\n", `data.csv:1: the header gives fields 2 and 4 the same name; rename or remove one of the two`},
	{"age,city,y\n1,Rome\n", `data.csv:2: the record has 2 fields instead of 3; add the missing fields`},
	{"age,city,y\n\nsecret\n", `data.csv:3: the record has 1 field instead of 3; add the missing fields`},
	{"age,city,y\n1,Rome,1,secret\n", `data.csv:2: the record has 4 fields instead of 3; remove the surplus fields, or quote the fields that contain the delimiter`},
	{"age,city,y\n\"1\",\"Rome\",\"1\",\"secret\"\n", `data.csv:2: the record has 4 fields instead of 3; remove the surplus fields, or quote the fields that contain the delimiter`},
	{"age,city,y\n1,\"sec\nret,1\n2,Bern,0\n", `data.csv:2: column "city" starts with a quote that is never closed; close it, or double each quote inside the value`},
	{"age,city,y\n\"1\n\",\"secret\"x,1\n", `data.csv:3: column "city" continues after its closing quote; double each quote inside the value`},
	{"age,city,y\n1,sec\"ret,1\n", `data.csv:2: column "city" contains a quote but does not start with one; put the value in quotes and double each quote inside it`},
	{"age,x,city,y\n1,sec\"ret,Rome,1\n", `data.csv:2: field 2 contains a quote but does not start with one; put the value in quotes and double each quote inside it`},
	{"age,city,y\n1,Rome,1\n1,R\xf6m,1\n", `data.csv:3: column "city" is not UTF-8 text; set the encoding in the schema's [file], such as encoding = "windows-1252", or save the file as UTF-8`},
	{"age,city,y\n1,Ro\x00me,1\n", `data.csv:2: column "city" contains a NUL byte; save the file as UTF-8 text`},
	{"\xff\xfea\x00g\x00e\x00", `data.csv:1: the file is UTF-16 text; set encoding = "utf-16le" in the schema's [file], or save it as UTF-8`},
	{"\xfe\xff\x00a\x00g\x00e", `data.csv:1: the file is UTF-16 text; set encoding = "utf-16be" in the schema's [file], or save it as UTF-8`},
	{"PK\x03\x04secret", `data.csv: the file begins like an .xlsx workbook or another archive, but is damaged or incomplete; save it again as .xlsx or CSV`},
	{"SQLite format 3\x00secret", `data.csv: this is a SQLite database; name it as sqlite:PATH, and give a query`},
	{"\xd0\xcf\x11\xe0secret", `data.csv: the file is a workbook with a password, or in the old format .xls; save it without a password as .xlsx`},
	{"age;city;y\n1;Rome;1\n", `data.csv:1: the file seems to be divided by ";", not by ","; set delimiter = ";" in the schema's [file], or save the file with ","`},
	{"\"age\"\t\"city\"\ty\n1\tRome\t1\n", `data.csv:1: the file seems to be divided by "\t", not by ","; set delimiter = "\t" in the schema's [file], or save the file with ","`},
	{"age;city, town;y\n", `data.csv:1: the header lacks column "age"; write its name in the schema as in the header, or set header = false in the schema's [file] if the file has no header`},
	{"id;age;city, or town;y;city\n", `data.csv:1: the file seems to be divided by ";", not by ","; set delimiter = ";" in the schema's [file], or save the file with ","`},
	{"alter|ort\n", `data.csv:1: the file seems to be divided by "|", not by ","; set delimiter = "|" in the schema's [file], or save the file with ","`},
	{"age,city,y\n1," + strings.Repeat("s", 1<<20) + "s,1\n", `data.csv:2: column "city" is longer than 1 MiB; check for a quote that is never closed`},
	{zipped("age,city,y\n1,Rome,1\n")[:20], `data.csv: the gzip data is damaged; compress the file again`},
	{"\x1f\x8bsecret", `data.csv: the gzip data is damaged; compress the file again`},
	{"PAR1secret", `data.csv: the file is not a valid Parquet file; write it again`},
}

// inDirectory runs the test in a directory of its own, so that messages name
// files without their path.
func inDirectory(t testing.TB) { t.Chdir(t.TempDir()) }

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// If there is no header and the first record is a single field, the error suggests another
// delimiter.
func TestHeaderlessDelimiter(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, headerlessSchema)
	for text, want := range map[string]string{
		"1;Rome;1\n": `data.csv:1: the file seems to be divided by ";", not by ","; set delimiter = ";" in the schema's [file], or save the file with ","`,
		"1\n":        `data.csv:1: the record has 1 field instead of 3; add the missing fields`,
	} {
		write(t, "data.csv", text)
		if _, err := source.Read(context.Background(), "data.csv", s, source.Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMalformedText(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, smallSchema)
	for _, m := range malformed {
		write(t, "data.csv", m.text)
		got, err := source.Read(context.Background(), "data.csv", s, source.Options{})
		if err == nil || err.Error() != m.want || got != nil {
			t.Errorf("%.80q\n got  %v\n want %s", m.text, err, m.want)
		}
		report, err := source.Check(context.Background(), "data.csv", s, source.Options{})
		if err == nil || err.Error() != m.want || report != nil {
			t.Errorf("Check: %.80q\n got  %v\n want %s", m.text, err, m.want)
		}
	}
}

// TestFirstError checks that the error is the first in the text, although blocks are read
// concurrently.
func TestFirstError(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, smallSchema)
	good := strings.Repeat("20,Rome,1\n", 300_000)
	write(t, "data.csv", "age,city,y\n"+good+"1\n"+good+"1,2\n"+good+"1,2,3,4\n")
	want := "data.csv:300002: the record has 1 field instead of 3; add the missing fields"
	for range 3 {
		if _, err := source.Read(context.Background(), "data.csv", s, source.Options{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, smallSchema)
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, "short.parquet", "no")
	write(t, "torn.parquet", "PAR1 and more, but no footer PAR1")
	for location, want := range map[string]string{
		"absent.csv":    "absent.csv: the file cannot be read: no such file or directory",
		"folder":        "folder: this is a directory; name a file in it",
		"short.parquet": "short.parquet: the file is not a valid Parquet file; write it again",
		"torn.parquet":  "torn.parquet: the file is not a valid Parquet file; write it again",
		"-":             "standard input: Parquet cannot be read from a stream; save the data to a file and name that file",
	} {
		_, err := source.Read(context.Background(), location, s, source.Options{Stdin: strings.NewReader("PAR1")})
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got  %v\n want %s", location, err, want)
		}
	}
	_, err := source.Read(context.Background(), filepath.Join("x", "data.csv"), s, source.Options{Query: "SELECT 1"})
	if want := filepath.Join("x", "data.csv") + ": a query needs the URL of a database, such as sqlite:///path or postgres://host/name"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A footer that claims to be longer than its file is refused before memory is allocated for it.
func TestClaimedFooter(t *testing.T) {
	inDirectory(t)
	write(t, "torn.parquet", "PAR1 and a footer of 512 MiB\x00\x00\x00\x20PAR1")
	s := tabletest.Schema(t, smallSchema)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := source.Read(context.Background(), "torn.parquet", s, source.Options{})
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%d bytes are allocated for a file of 36", after.TotalAlloc-before.TotalAlloc)
	}
	if want := "torn.parquet: the file is not a valid Parquet file; write it again"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func FuzzCSV(f *testing.F) {
	for _, m := range malformed {
		if len(m.text) < 1000 {
			f.Add(m.text)
		}
	}
	f.Add("age,city,y\n17,Rome,1\n,\"Bern\",0\n")
	f.Add(zipped("age,city,y\n17,Rome,1\n"))
	schemas := []string{smallSchema, headerlessSchema, "[file]\ntrim = true\n" + smallSchema}
	f.Fuzz(func(t *testing.T, text string) {
		for _, schema := range schemas {
			s := tabletest.Schema(t, schema)
			got, err := source.Read(context.Background(), "-", s, source.Options{Stdin: strings.NewReader(text)})
			if (got == nil) == (err == nil) {
				t.Fatalf("table %v and error %v", got, err)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("not one line: %q", err)
			}
			rows := int64(0)
			err2 := source.Records(context.Background(), "-", s, source.Options{Stdin: strings.NewReader(text)}, func(source.Row) error {
				rows++
				return nil
			})
			if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
				t.Fatalf("Read: %v\nRecords: %v", err, err2)
			}
			if err == nil && got.Rows() != rows {
				t.Fatalf("%d rows read, %d visited", got.Rows(), rows)
			}
		}
	})
}
