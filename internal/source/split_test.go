package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// splitAll returns all records of the text, read in blocks of the given size.
func splitAll(text string, width int, f table.File, size int) (records [][]string, lines []int64, err error) {
	s := newSplitter("data.csv", f)
	names, fieldOf := make([]string, width), make([]int, width)
	for i := range fieldOf {
		fieldOf[i] = i
	}
	s.aim(width, names, fieldOf)
	r := &blockReader{r: iotest.HalfReader(strings.NewReader(text)), size: size, comment: []byte(f.Comment), line: 1}
	for {
		b, err := r.next(nil)
		if err == io.EOF {
			return records, lines, nil
		}
		if err != nil {
			return nil, nil, err
		}
		err = s.split(b, func(line int64) error {
			record := make([]string, width)
			for i, field := range s.fields {
				record[i] = string(field)
			}
			records, lines = append(records, record), append(lines, line)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
}

// checkSplit compares the splitter with encoding/csv: equal records and lines, or both an error. The only difference
// is that encoding/csv replaces CR LF within quotes by LF.
func checkSplit(t interface{ Fatalf(string, ...any) }, text, comment string, size int) {
	r := csv.NewReader(strings.NewReader(text))
	if comment != "" {
		r.Comment = rune(comment[0])
	}
	var want [][]string
	var wantLines []int64
	var wantErr error
	width := 1
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			wantErr = err
			break
		}
		line, _ := r.FieldPos(0)
		width = len(record)
		want, wantLines = append(want, record), append(wantLines, int64(line))
	}
	got, lines, err := splitAll(text, width, table.File{Delimiter: ',', Comment: comment}, size)
	if wantErr != nil {
		if err == nil {
			t.Fatalf("%q: no error, want %v", text, wantErr)
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, record := range got {
		for i, field := range record {
			record[i] = strings.ReplaceAll(field, "\r\n", "\n")
		}
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(lines, wantLines) {
		t.Fatalf("%q:\n got  %q %v\n want %q %v", text, got, lines, want, wantLines)
	}
}

var snippets = []string{"a", "bc", ",", ",", "\n", "\n", "\r\n", "\r", `"`, `""`, `"x,y"`, "\"x\ny\"", "\"x\r\ny\"", "|", " ", "é", "a,b\n", "\"\",b\n"}

func TestSplitEqualsStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(snippets), 0, 20).Draw(t, "text"), "")
		comment := rapid.SampledFrom([]string{"", "|"}).Draw(t, "comment")
		checkSplit(t, text, comment, rapid.SampledFrom([]int{4, 16, 1024}).Draw(t, "size"))
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("a,b\n\"c\nd\",e\r\n", 8)
	f.Add("|\"\na,\"b\"\"c\"\n\n,\n", 4)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 2 || size > 100 || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Skip()
		}
		checkSplit(t, text, "", size)
		checkSplit(t, text, "|", size)
	})
}

func TestLineBreaksOfValuesAreKept(t *testing.T) {
	got, _, err := splitAll("\"p\r\nq\",1\r\n\"p\nq\",2\r\n\"p\rq\",3\r\n", 2, table.File{Delimiter: ','}, 16)
	want := [][]string{{"p\r\nq", "1"}, {"p\nq", "2"}, {"p\rq", "3"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestTrim(t *testing.T) {
	got, _, err := splitAll(" a ,\t\"b, \" ,c\n \t\n,\" d\"\t,\"\"\r\n", 3, table.File{Delimiter: ',', Trim: true}, 16)
	want := [][]string{{"a", "b, ", "c"}, {"", " d", ""}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestLongRecords(t *testing.T) {
	field := strings.Repeat("x", maxField)
	if got, _, err := splitAll("a,"+field+"\n", 2, table.File{Delimiter: ','}, blockSize); err != nil || len(got) != 1 || got[0][1] != field {
		t.Errorf("a field of 1 MiB: %d records, %v", len(got), err)
	}
	many := strings.Repeat(strings.Repeat("x", 31)+",", maxRecord/32)
	for text, want := range map[string]string{
		"a,b\nc," + field + "x\n":                      `data.csv:2: column "" is longer than 1 MiB; check for a quote that is never closed`,
		"a,\"" + field + field:                         `data.csv:1: column "" is longer than 1 MiB; check for a quote that is never closed`,
		"\n" + strings.Repeat(",", maxFields) + "\"\"": `data.csv:2: the record has more than 1048576 fields; check the delimiter in the schema's [file]`,
		"\n" + many + many:                             `data.csv:2: the record is longer than 16 MiB; check its quotes and line ends`,
	} {
		if _, _, err := splitAll(text, 2, table.File{Delimiter: ','}, blockSize); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	r := &blockReader{r: io.MultiReader(bytes.NewReader([]byte("a\n")), iotest.ErrReader(broken)), size: 16, line: 1}
	if _, err := r.next(nil); err != broken {
		t.Errorf("got %v", err)
	}
}

func TestAlmost(t *testing.T) {
	for name, want := range map[string]bool{"age": true, " AGE": true, "\u00e4": true, "a\u0308": true, "A\u0308\t": true, "a": false, "": false} {
		if got := almost([]string{"Age ", "\u00c4"}, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
