package source_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// workbookOf returns a workbook with one sheet of these rows.
func workbookOf(rows ...[]string) string {
	return string(made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Patients", Data: made.SheetRows(rows...)}}}.Bytes())
}

const sheetSchema = `
[label]
column = "y"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "age"
cuts = [18.5, 40]
missing = ["-9"]
[[attribute]]
column = "city"
values = ["Rome", "1", "TRUE"]
other = "else"
`

// A sheet is read as the same table and the same records as delimited text with the texts of the cells. The text of a cell
// with an error or with a formula without a value is empty.
func TestSheetEqualsText(t *testing.T) {
	inDirectory(t)
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.Permutation([]string{"age", "city", "y", "who", "note"}).Draw(t, "columns")
		text := sheetSchema
		headerless := rapid.Bool().Draw(t, "headerless")
		if headerless {
			text = fmt.Sprintf("[file]\nheader = false\ncolumns = [%q]\n", strings.Join(columns, `", "`)) + text
			text = strings.ReplaceAll(text, `\"`, `"`)
		}
		if rapid.Bool().Draw(t, "persons") {
			text = "[person]\ncolumn = \"who\"\nmost = 2\n" + text
		}
		s, err := table.ParseSchema("s", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		cell := rapid.SampledFrom([]string{"", "0", "1", "17", "18.5", "4e1", "1E-3", "-9", "-9.0", "Rome", " Rome", "TRUE", "FALSE", "#N/A", "=A1", "x", "17a"})
		var cells, plain [][]string
		if !headerless {
			cells, plain = append(cells, columns), append(plain, columns)
		}
		for range rapid.IntRange(0, 30).Draw(t, "rows") {
			row := rapid.SliceOfN(cell, len(columns), len(columns)).Draw(t, "row")
			texts := make([]string, len(row))
			empty := true
			for i, c := range row {
				empty = empty && c == ""
				switch texts[i] = c; {
				case c != "" && (c[0] == '#' || c[0] == '='):
					texts[i] = ""
				case c == "4e1":
					texts[i] = "40"
				case c == "1E-3":
					texts[i] = "0.001"
				case c == "-9.0":
					texts[i] = "-9"
				}
			}
			if cells = append(cells, row); !empty {
				plain = append(plain, texts)
			}
		}
		var b bytes.Buffer
		if w := csv.NewWriter(&b); w.WriteAll(plain) != nil {
			t.Fatal("not written")
		}
		for name, content := range map[string]string{"rows.csv": b.String(), "rows.xlsx": workbookOf(cells...)} {
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ctx := context.Background()
		want, err1 := source.Read(ctx, "rows.csv", s, source.Options{})
		got, err2 := source.Read(ctx, "rows.xlsx", s, source.Options{})
		if err1 != nil || err2 != nil || !got.Equal(want) {
			t.Fatalf("%v, %v: tables differ", err1, err2)
		}
		rows := func(name string) (all []string) {
			err := source.Records(ctx, name, s, source.Options{Keep: "note"}, func(r source.Row) error {
				if r.Null {
					r.Record = nil
				}
				all = append(all, fmt.Sprint(r.Record, r.Outcome, r.Labelled, r.Null, string(r.Kept)))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		if got, want := rows("rows.xlsx"), rows("rows.csv"); !slices.Equal(got, want) {
			t.Fatalf("records\n%v\nnot\n%v", got, want)
		}
		if err := source.Ready(ctx, "rows.xlsx", s, table.Queries{}, source.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

// Numbers in cells of text are read in the format that the schema states. Numbers in cells of numbers are read as they are
// stored.
func TestSheetSpelling(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, "[file]\ndecimal = \",\"\ntrim = true\n[[attribute]]\ncolumn = \"a\"\ncuts = [1, 2]\nunit = \"€\"\n")
	write(t, "d.xlsx", workbookOf([]string{" a "}, []string{"1.5"}, []string{" 1,5 € "}, []string{"1,5"}, []string{"x1.5"}, []string{"1500e-3"}))
	b, err := source.Read(context.Background(), "d.xlsx", s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if b.Rows() != 5 || b.Nulls() != 1 {
		t.Errorf("%d rows, %d nulls", b.Rows(), b.Nulls())
	}
	r, err := source.Check(context.Background(), "d.xlsx", s, source.Options{})
	if err != nil || r.Attributes[0].Outside != 1 || r.Attributes[0].FirstOutside != 5 || r.Sheet != "Patients" || !maps.Equal(r.Letters, map[string]string{"a": "A"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if u := r.Attributes[0].Unreadable; len(u) != 1 || u[0] != (source.UnreadableNumbers{Why: table.HasSymbol, Count: 1, First: 5}) {
		t.Errorf("%+v", u)
	}
}

func TestCheckSheet(t *testing.T) {
	inDirectory(t)
	write(t, "d.xlsx", workbookOf([]string{"note", "age", "city", "y"}, nil, []string{"#N/A", "#DIV/0!", "Rome", "1"}, []string{"", "=A1", "#REF!", "=B1"}, []string{"", "#N/A", "Rome", "1"}))
	r, err := source.Check(context.Background(), "d.xlsx", tabletest.Schema(t, sheetSchema), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []source.UnreadableCells{{"age", source.HasErrorValue, 2, 3}, {"age", source.HasNoValue, 1, 4}, {"city", source.HasErrorValue, 1, 4}, {"y", source.HasNoValue, 1, 4}}
	if !slices.Equal(r.Cells, want) || r.Rows != 3 || r.Nulls != 3 || r.Lines || r.Letters["y"] != "D" {
		t.Errorf("%+v", r)
	}
}

// Read reads the sheet that the schema names, or else the first visible sheet. Each row below the header is a record.
func TestSheets(t *testing.T) {
	inDirectory(t)
	row := func(n int) string {
		rows := [][]string{{"a"}}
		for range n {
			rows = append(rows, []string{"1"})
		}
		return made.SheetRows(rows...)
	}
	book := made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Old", State: "hidden", Data: row(1)}, {Name: "Data & more", Data: row(2)}, {Name: "Last", State: "veryHidden", Data: row(3)}}}
	files := fstest.MapFS{"d.xlsx": {Data: book.Bytes()}, "text.csv": {Data: book.Bytes()}}
	for _, c := range []struct {
		sheet string
		rows  int64
		says  string
	}{
		{"", 2, ""}, {"Old", 1, ""}, {"data & MORE", 2, ""}, {"last", 3, ""},
		{"secret", 0, `the workbook has no sheet "secret"; set "sheet" in the schema's [file] to the name of a sheet with cells, or remove this key to read the first sheet`},
	} {
		text := "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n"
		if c.sheet != "" {
			text = fmt.Sprintf("[file]\nsheet = %q\n", c.sheet) + text
		}
		s := tabletest.Schema(t, text)
		for name := range files {
			for _, streamed := range []bool{false, true} {
				o := source.Options{FS: files}
				if streamed {
					o.FS = streams{files}
				}
				if streamed && name == "text.csv" {
					_, err := source.Read(context.Background(), name, s, o)
					if want := "text.csv: this is a spreadsheet or another archive, which cannot be read from a stream; save it to a file and name that file"; err == nil || err.Error() != want {
						t.Error(err)
					}
					continue
				}
				got, err := source.Read(context.Background(), name, s, o)
				if c.says != "" {
					if err == nil || name == "d.xlsx" && err.Error() != name+": "+c.says {
						t.Errorf("%q: %v", c.sheet, err)
					}
				} else if err != nil || got.Rows() != c.rows {
					t.Errorf("%q of %s: %v", c.sheet, name, err)
				}
				if ready := source.Ready(context.Background(), name, s, table.Queries{}, o); fmt.Sprint(ready) != fmt.Sprint(err) {
					t.Errorf("Ready: %v, not %v", ready, err)
				}
			}
		}
	}
}

// streams is a file system of files without random access.
type streams struct{ fs.FS }

func (s streams) Open(name string) (fs.File, error) {
	file, err := s.FS.Open(name)
	return struct{ fs.File }{file}, err
}

// Ready reads no record: it accepts a sheet whose rows below the header are malformed, which Read refuses.
func TestReadySheet(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n")
	headerless := tabletest.Schema(t, "[file]\nheader = false\ncolumns = [\"a\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n")
	write(t, "d.xlsx", string(made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Data", Data: `<row r="x">`}}}.Bytes()))
	if err := source.Ready(context.Background(), "d.xlsx", headerless, table.Queries{}, source.Options{}); err != nil {
		t.Error(err)
	}
	book := made.Workbook{Texts: []string{"<t>a</t>", "<t>secret</u>"}}
	for data, row := range map[string]string{
		`<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="1"/>`:                                  "1",
		`<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row>`: "2",
	} {
		book.Sheets = []made.WorkbookSheet{{Name: "Data", Data: data}}
		write(t, "d.xlsx", string(book.Bytes()))
		if err := source.Ready(context.Background(), "d.xlsx", s, table.Queries{}, source.Options{}); err != nil {
			t.Error(err)
		}
		_, err := source.Read(context.Background(), "d.xlsx", s, source.Options{})
		if want := "d.xlsx: the workbook is damaged in or below row " + row + " of the sheet; save it again as .xlsx in the spreadsheet program"; err == nil || err.Error() != want {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// Dates are the same in a column of dates of a workbook or a Parquet file, and as texts in the format of the schema.
func TestDatesOfSources(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"day\"\nformat = \"m/d/y\"\ncuts = [\"2024-02-29\", \"2024-03-01\"]\nother = \"none\"\n"+
		"[[attribute]]\ncolumn = \"day\"\nformat = \"m/d/y\"\npart = \"weekday\"\ncuts = [6]\nother = \"none\"\n")
	write(t, "d.csv", "day\n2/28/2024\n02/29/2024 12:30\n3/1/2024\n3/2/2024\n2/30/2024\n\"\"\n")
	data := `<row r="1"><c r="A1" t="inlineStr"><is><t>day</t></is></c><c r="B1" t="inlineStr"><is><t>n</t></is></c></row>`
	for i, cell := range []string{
		`<c s="1"><v>45350</v></c>`, `<c s="1"><v>45351.520833333</v></c>`, `<c t="inlineStr"><is><t>3/1/2024</t></is></c>`, `<c t="d"><v>2024-03-02T00:00:00</v></c>`, `<c><v>45350</v></c>`, `<c r="B7"><v>1</v></c>`,
	} {
		data += fmt.Sprintf(`<row r="%d">%s</row>`, i+2, cell)
	}
	write(t, "d.xlsx", string(made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Data", Data: data}}, Formats: []string{"m/d/yyyy"}}.Bytes()))
	type row struct {
		Day *int32 `parquet:"day,optional,date"`
	}
	var rows []row
	for _, day := range []int32{19781, 19782, 19783, 19784} {
		rows = append(rows, row{&day})
	}
	if err := parquet.WriteFile("d.parquet", append(rows, row{}, row{})); err != nil {
		t.Fatal(err)
	}
	want, err := source.Read(context.Background(), "d.csv", s, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d.xlsx", "d.parquet"} {
		if got, err := source.Read(context.Background(), name, s, source.Options{}); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, another table", name, err)
		}
	}
	if want.Rows() != 6 || want.Len() != 5 {
		t.Errorf("%d distinct records of %d rows", want.Len(), want.Rows())
	}
}

// A row whose cells in columns with a header contain only blanks is not a record if the schema trims texts. A row with texts
// only in columns without a header is not a record either.
func TestSheetTrimmedRow(t *testing.T) {
	inDirectory(t)
	s := tabletest.Schema(t, "[file]\ntrim = true\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n")
	write(t, "d.xlsx", workbookOf([]string{"a", "b"}, []string{"1"}, []string{" ", "  "}, []string{"", "", "a note"}, []string{"", "x"}, []string{"#N/A"}))
	got, err := source.Read(context.Background(), "d.xlsx", s, source.Options{})
	if err != nil || got.Rows() != 3 || got.Nulls() != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// A column that is kept from a sheet without a header must be in the schema's list of columns.
func TestKeepOfHeaderlessSheet(t *testing.T) {
	inDirectory(t)
	write(t, "d.xlsx", workbookOf([]string{"Ann", "1"}))
	s := tabletest.Schema(t, "[file]\nheader = false\ncolumns = [\"name\", \"a\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n")
	for column, want := range map[string]string{"name": "", "b": `d.xlsx: the sheet has no header, and the key "columns" in the schema's [file] does not list column "b"; add it there`} {
		err := source.Records(context.Background(), "d.xlsx", s, source.Options{Keep: column}, func(r source.Row) error {
			if string(r.Kept) != "Ann" {
				t.Errorf("%q", r.Kept)
			}
			return nil
		})
		if fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v", column, err)
		}
	}
}

// An error about a file of a file system quotes a name with a line break.
func TestStrangeNameOfAFile(t *testing.T) {
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\"]\n")
	_, err := source.Read(context.Background(), "a\nb.csv", s, source.Options{FS: fstest.MapFS{}})
	if want := "\"a\\nb.csv\": the file cannot be read: file does not exist"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
