package schema_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// text writes a draft and reads it.
func text(t interface {
	Fatal(...any)
	Helper()
}, d *schema.Draft) (string, *table.Schema) {
	t.Helper()
	out, err := d.TOML()
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.ParseOpenSchema("out.toml", bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return string(out), s
}

func TestNew(t *testing.T) {
	d, err := schema.New([]string{"patient_id", "name", "age", "pdays", "job", "admitted", "isSmoker", "", "visitID", "y"}, &table.File{}, schema.Known{
		Name: "People", Public: "the registry", Label: "y", Outcomes: []string{"yes", "no"}, Number: []string{"age", "pdays"}, Category: []string{"job"},
		Date: []string{"admitted"}, Person: "patient_id", MostRows: 3, Drop: []string{"name"},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, s := text(t, d)
	const want = `# This schema was drafted from public facts alone: no row of the table was read.
# Open columns: 6. Complete each from public knowledge, never from the table, or delete it.
# Left out: column 8, which has no name.
# Left out: "name", as requested.
# Missing numbers and dates are the category that the key "other" names. Without this key, rows with a missing value are left out.

name = "People"
public = "names and kinds of the columns: the registry"

[file]
header = true

[person]
column = "patient_id"
most = 3
public = "identifier of persons: the registry"

[label]
column = "y"
kind = "category"
public = "outcomes: the registry"
positive = ["yes"]
negative = ["no"]

[[attribute]]
column = "age"
kind = "number"           # missing: cuts
other = "missing"

[[attribute]]
column = "pdays"
kind = "number"           # missing: cuts
other = "missing"

[[attribute]]
column = "job"
kind = "category"         # missing: values or groups

[[attribute]]
column = "admitted"
kind = "date"             # missing: format with cuts, values or groups, or for a profile draw, least and most
other = "missing"

[[attribute]]
column = "isSmoker"
kind = "?"                # missing: values, groups or cuts
# Guess from the name: yes or no. If so, write the two values, such as values = ["no", "yes"].

[[attribute]]
column = "visitID"
kind = "?"                # missing: values, groups or cuts
# Guess from the name: an identifier. Delete this attribute, or name the column in [person].
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if s.Person.Most != 3 || s.Label.Positive[0] != "yes" {
		t.Errorf("%+v", s)
	}
}

// TestRanges checks that a range determines the kind, the bounds and the digits of a column, and that the schema states
// who asserts it. A range replaces what metadata says.
// No row is left out because a number or a date is missing, however the draft came to know its kind.
func TestMissingValuesHaveACategory(t *testing.T) {
	for name, k := range map[string]schema.Known{
		"number":         {Number: []string{"a"}},
		"range":          {Range: []string{"a=0..9"}},
		"decimal range":  {Range: []string{"a=0.00..9.5"}},
		"other numbers":  {Others: table.NumberKind},
		"other dates":    {Others: table.DateKind},
		"date":           {Date: []string{"a"}},
		"with the label": {Number: []string{"a"}, Label: "y", Outcomes: []string{"1", "0"}},
	} {
		d, err := schema.New([]string{"a", "y"}, nil, k)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := text(t, d)
		cuts := "cuts = [3, 5]"
		if d.Columns[0].Kind == table.DateKind {
			cuts = "format = \"iso\"\ncuts = [2020-01-01]"
		}
		out = strings.Replace(out, "\nother", "\n"+cuts+"\nother", 1)
		if at := strings.Index(out, "[[attribute]]\ncolumn = \"y\""); at >= 0 {
			out = out[:at]
		}
		s, err := table.ParseSchema("out.toml", strings.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if a := &s.Attributes[0]; a.Other == "" {
			t.Errorf("%s: missing values have no category", name)
		}
	}
}

func TestRanges(t *testing.T) {
	d, err := schema.New([]string{"age", "weight", "a=b", "y"}, nil, schema.Known{
		Label: "y", Outcomes: []string{"yes", "no"}, Range: []string{"age=-1..120", "weight=0.0..9.75", "a=b=0..1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, s := text(t, d)
	for i, want := range []table.Writing{
		{Draw: "integer", Least: "-1", Most: "120"}, {Draw: "uniform", Least: "0", Most: "9.75", Places: 2}, {Draw: "integer", Least: "0", Most: "1"},
	} {
		a := s.Attributes[i]
		if got := (table.Writing{Draw: a.Draw, Least: a.Least, Most: a.Most, Places: a.Places}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %+v, want %+v", a.Name, got, want)
		}
		if a.Public != "range: the person who drafted this schema" {
			t.Errorf("%s is public according to %q", a.Name, a.Public)
		}
	}
}

func TestGuesses(t *testing.T) {
	for name, want := range map[string]string{
		"id": "identifier", "patientId": "identifier", "PatientID": "identifier", "record id": "identifier", "Email": "identifier",
		"birth_date": "date", "DateOfBirth": "", "dob": "date", "created_at": "date", "at": "", "Zeit": "",
		"is_member": "identifier", "hasChildren": "yes", "smoker_yn": "yes", "island": "", "is": "", "": "", "__": "", "42": "",
	} {
		d, err := schema.New([]string{name, "x"}, nil, schema.Known{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if notes := d.Columns[0].Notes; len(notes) > 0 {
			got = notes[0]
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// hostile draws names of columns, many of them with characters that TOML, terminals or CSV treat specially.
func hostile() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "a", "A", `"`, `""`, `'`, `'''`, `"""`, "\\", "a\tb", "a\nb", "a\r\n", "\x00", "\x1b[31m", "\u202ecba", "\u200b", "\ufeff", "\u2028",
			"#", "]", "[[attribute]]", "a = 1", "é", "e\u0301", "\U0010ffff", "\U0001f600", "\xff", "a\xc3", strings.Repeat("x", 5000), "?", "true", "\ufffd"}),
		rapid.String(),
	)
}

// Whatever the names of the columns are, the schema has exactly these columns, or the draft is refused with
// an error that does not quote a name.
func TestHostileNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(hostile(), 0, 12).Draw(t, "names")
		k := schema.Known{Name: rapid.SampledFrom([]string{"", "x", "\"\n]", "\u202e"}).Draw(t, "title")}
		var want []string
		for _, name := range names {
			if name != "" {
				want = append(want, name)
			}
		}
		if len(want) > 1 && rapid.Bool().Draw(t, "known") {
			k.Drop = want[:1:1]
			want = slices.DeleteFunc(slices.Clone(want), func(name string) bool { return name == k.Drop[0] })
		}
		d, err := schema.New(names, nil, k)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b\u202e") {
				t.Fatalf("%q", err)
			}
			return
		}
		out, s := text(t, d)
		var got []string
		for _, a := range s.Attributes {
			got = append(got, a.Column)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("columns %q, want %q\n%s", got, want, out)
		}
		if strings.ContainsAny(out, "\x1b\u202e\u2028\x00") {
			t.Fatalf("the text has control characters: %q", out)
		}
	})
}

// noMore fails when it is read after the first line.
type noMore struct {
	t    interface{ Errorf(string, ...any) }
	line io.Reader
}

func (r noMore) Read(p []byte) (int, error) {
	n, err := r.line.Read(p)
	if err == io.EOF {
		r.t.Errorf("a byte after the first line was read")
		return 0, errors.New("the end of the public part")
	}
	return n, err
}

// The names of a header are those that CSV gives to them, and nothing after the line is read.
func TestHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(hostile(), 1, 12).Draw(t, "names")
		comma := rapid.SampledFrom([]rune(",;\t|")).Draw(t, "comma")
		var line bytes.Buffer
		w := csv.NewWriter(&line)
		w.Comma = comma
		if err := w.Write(names); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		line0 := line.String()
		got, _, err := schema.Header(noMore{t, &line}, byte(comma), "")
		if err != nil {
			for _, name := range names {
				if len(name) > 40 && strings.Contains(err.Error(), name) {
					t.Fatalf("%q quotes the line", err)
				}
			}
			return
		}
		if !strings.HasPrefix(line0, `"`) {
			names[0] = strings.TrimPrefix(names[0], "\ufeff") // a byte order mark
		}
		if !reflect.DeepEqual(got, names) {
			t.Fatalf("%q, want %q", got, names)
		}
	})
}

// A first line of more than 4 MiB is refused.
func TestHeaderIsTooLong(t *testing.T) {
	_, _, err := schema.Header(strings.NewReader(strings.Repeat("x,", 2_200_000)), ',', "")
	if err == nil || !strings.Contains(err.Error(), "the first line is longer than 4 MiB") {
		t.Errorf("error %v", err)
	}
}

func TestTenThousandColumns(t *testing.T) {
	var names []string
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("column %d \" \u202e", i))
	}
	d, err := schema.New(names, &table.File{Headerless: true, Columns: names}, schema.Known{Label: names[9_999], Outcomes: []string{"1", "0"}, Number: names[1:5_000], Drop: names[:1]})
	if err != nil {
		t.Fatal(err)
	}
	if _, s := text(t, d); len(s.Attributes) != 9_998 || len(d.Open()) != 9_998 {
		t.Errorf("%d attributes, %d open", len(s.Attributes), len(d.Open()))
	}
}

// The first line is read in the encoding of the file, up to its line feed, which has two bytes in UTF-16. Unknown
// encodings, and bytes that the encoding lacks, are refused.
func TestHeaderEncoding(t *testing.T) {
	for _, test := range []struct{ line, rows, encoding, want string }{
		{"gr\xf6\xdfe;RR\n", "1;2\n", "windows-1252", "größe|RR"},
		{"größe;RR\n", "1", "utf-8", "größe|RR"},
		{"gr\xf6\xdfe;RR\n", "", "", "state its encoding, such as --encoding windows-1252"},
		{"gr\xf6\xdfe;RR\n", "", "utf-8", `the first line is not "utf-8" text`},
		{"a;b\n", "", "cp9999", `--encoding "cp9999" is unknown`},
		{"\xff\xfea\x00;\x00\x0a\x01\r\x00\n\x00", "1\x00", "utf-16le", "a|Ċ"},
		{"a\x00;\x00b\x00", "", "utf-16le", "a|b"},
		{"\xfe\xff\x00a\x00;\x0a\x0a\x00\n", "\x001", "utf-16be", "a|ਊ"},
		{"\xff\xfea\x00;\x00b\x00\n\x00", "", "", "the file is UTF-16 text; give --encoding utf-16le"},
		{"\xfe\xff\x00a\x00;\x00b\x00\n", "", "utf-16le", "the file is UTF-16 text; give --encoding utf-16be"},
		{"a\x00;\x00b", "", "utf-16le", `the first line is not "utf-16le" text`},
	} {
		file := strings.NewReader(test.line + test.rows)
		names, _, err := schema.Header(file, 0, test.encoding)
		got := strings.Join(names, "|")
		if err != nil {
			got = err.Error()
		} else if file.Len() != len(test.rows) {
			t.Errorf("%q in %q: Header read %d bytes after the line", test.line, test.encoding, len(test.rows)-file.Len())
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q in %q: %s; want %s", test.line, test.encoding, got, test.want)
		}
	}
}
