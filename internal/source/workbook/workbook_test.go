package workbook_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/source/workbook"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// read returns the cells of a sheet of a file as lines such as "B2 typed 1".
func read(file []byte, sheet int) (lines []string, err error) {
	w, err := workbook.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if sheet >= len(w.Sheets) {
		return nil, io.ErrUnexpectedEOF
	}
	rows, err := w.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		number, cells, err := rows.Next()
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		for _, c := range cells {
			kind := []string{"text", "typed", "error", "no value", "unreadable"}[c.Kind]
			lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s %s %s", workbook.Name(c.Column, number), kind, c.Text), " "))
		}
	}
}

// written returns the file of a workbook that excelize made.
func written(t interface{ Fatal(...any) }, f *excelize.File) []byte {
	b, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The cells of a workbook that excelize wrote are read as the values given to excelize. Excelize reads as many cells.
func TestCellsOfExcelize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := excelize.NewFile()
		defer f.Close()
		code := "dd/mm/yyyy"
		date, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		rows, columns := rapid.IntRange(0, 5).Draw(t, "rows"), rapid.IntRange(1, 30).Draw(t, "columns")
		for row := 1; row <= rows; row++ {
			for column := 1; column <= columns; column++ {
				cell, _ := excelize.CoordinatesToCellName(column, row)
				var value any
				says, style := "", 0
				switch rapid.IntRange(0, 5).Draw(t, "kind") {
				case 0:
					continue
				case 1:
					text := rapid.SampledFrom([]string{"a", " b ", "<&>", "ä\n", "_x_", "1", "TRUE", "#N/A", "=1"}).Draw(t, "text")
					value, says = text, "text "+text
				case 2:
					n := rapid.Int32().Draw(t, "whole")
					value, says = n, fmt.Sprint("typed ", n)
				case 3:
					x := float64(rapid.Int32().Draw(t, "thousandths")) / 1000 // excelize writes 15 digits
					value, says = x, "typed "+strconv.FormatFloat(x, 'f', -1, 64)
				case 4:
					on := rapid.Bool().Draw(t, "boolean")
					value, says = on, "typed "+strings.ToUpper(fmt.Sprint(on))
				case 5:
					day := rapid.IntRange(1, 2958465).Filter(func(day int) bool { return day != 60 }).Draw(t, "day")
					at, err := excelize.ExcelDateToTime(float64(day), false)
					if err != nil {
						t.Fatal(err)
					}
					value, says, style = day, "typed "+at.Format(time.DateOnly), date
				}
				if err := f.SetCellValue("Sheet1", cell, value); err != nil {
					t.Fatal(err)
				}
				if style != 0 {
					if err := f.SetCellStyle("Sheet1", cell, cell, style); err != nil {
						t.Fatal(err)
					}
				}
				want = append(want, cell+" "+says)
			}
		}
		file := written(t, f)
		got, err := read(file, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range want { // as excelize stores it
			want[i] = strings.TrimSuffix(line, " ")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		again, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		table, err := again.GetRows("Sheet1")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, row := range table {
			for _, text := range row {
				if text != "" {
					n++
				}
			}
		}
		if n != len(got) {
			t.Fatalf("excelize reads %d cells, this package %d", n, len(got))
		}
	})
}

// Rows that excelize writes as a stream, with the texts inside the cells, are read unchanged.
func TestStreamOfExcelize(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	w.SetRow("B2", []any{"x", 1.5, true, nil, excelize.Cell{Formula: "1+1"}, excelize.Cell{Formula: "1+1", Value: 2}})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := read(written(t, f), 0)
	want := []string{"B2 text x", "C2 typed 1.5", "D2 typed TRUE", "F2 no value", "G2 typed 2"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// sheetOf returns a file with one sheet of the given data. If change is not nil, sheetOf calls it with the workbook first.
func sheetOf(data string, change func(*made.Workbook)) []byte {
	w := made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Data", Data: data}}}
	if change != nil {
		change(&w)
	}
	return w.Bytes()
}

func TestCells(t *testing.T) {
	texts := []string{"<t>plain</t>", "<r><t>two </t></r><r><rPr><b/></rPr><t>runs</t></r>", "<t>kanji</t><rPh sb=\"0\" eb=\"1\"><t>hint</t></rPh>", "<t>a_x000D_b_x005F_</t>", "<t/>"}
	for _, c := range [][2]string{
		{`<c r="A1" t="s"><v>0</v></c>`, "A1 text plain"},
		{`<c r="A1" t="s"><v>1</v></c>`, "A1 text two runs"},
		{`<c r="A1" t="s"><v>2</v></c>`, "A1 text kanji"},
		{`<c r="A1" t="s"><v>3</v></c>`, "A1 text a\rb_"},
		{`<c r="A1" t="s"><v>4</v></c>`, ""},
		{`<c r="A1" t="s"><v>5</v></c>`, "A1 unreadable"},
		{`<c r="A1" t="s"><v>-1</v></c>`, "A1 unreadable"},
		{`<c r="A1" t="s"><v>x</v></c>`, "A1 unreadable"},
		{`<c r="A1"><v>1E+2</v></c>`, "A1 typed 100"},
		{`<c r="A1"><v>0.29999999999999999</v></c>`, "A1 typed 0.3"},
		{`<c r="A1"><v>0.30000000000000004</v></c>`, "A1 typed 0.30000000000000004"},
		{`<c r="A1"><v>-0</v></c>`, "A1 typed 0"},
		{`<c r="A1"><v>1e-300</v></c>`, "A1 typed 0." + strings.Repeat("0", 299) + "1"},
		{`<c r="A1"><v>1e999</v></c>`, "A1 unreadable"},
		{`<c r="A1"><v>inf</v></c>`, "A1 unreadable"},
		{`<c r="A1"><v>0x10</v></c>`, "A1 unreadable"},
		{`<c r="A1"><v>1_000</v></c>`, "A1 unreadable"},
		{`<c r="A1"><v> 7 </v></c>`, "A1 typed 7"},
		{`<c r="A1" t="b"><v>1</v></c>`, "A1 typed TRUE"},
		{`<c r="A1" t="b"><v>0</v></c>`, "A1 typed FALSE"},
		{`<c r="A1" t="b"><v>2</v></c>`, "A1 unreadable"},
		{`<c r="A1" t="e"><v>#DIV/0!</v></c>`, "A1 error"},
		{`<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c>`, "A1 error"},
		{`<c r="A1"><f>1+1</f></c>`, "A1 no value"},
		{`<c r="A1"><f>1+1</f><v></v></c>`, "A1 no value"},
		{`<c r="A1"><f>1+1</f><v>2</v></c>`, "A1 typed 2"},
		{`<c r="A1"><v>2</v><f>1+1</f></c>`, "A1 typed 2"},
		{`<c r="A1" t="str"><f>""</f><v></v></c>`, ""},
		{`<c r="A1" t="str"><f>""</f></c>`, "A1 no value"},
		{`<c r="A1" t="str"><f>"a"</f><v>a</v></c>`, "A1 text a"},
		{`<c r="A1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>`, "A1 text inline"},
		{`<c r="A1" t="inlineStr"/>`, ""},
		{`<c r="A1" t="d"><v>2024-02-29</v></c>`, "A1 typed 2024-02-29"},
		{`<c r="A1" t="new"><v>1</v></c>`, "A1 unreadable"},
		{`<c r="A1" s="1"/>`, ""},
		{`<c r="A1" s="99"><v>1</v></c>`, "A1 typed 1"},
		{`<c><v>1</v></c><c r="C1"><v>2</v></c><c><v>3</v></c>`, "A1 typed 1|C1 typed 2|D1 typed 3"},
		{`<c r="XFD1"><v>1</v></c>`, "XFD1 typed 1"},
		{`<c r="AB1"><v>1</v></c>`, "AB1 typed 1"},
	} {
		got, err := read(sheetOf(`<row r="1">`+c[0]+`</row>`, func(w *made.Workbook) { w.Texts = texts }), 0)
		if err != nil || strings.Join(got, "|") != c[1] {
			t.Errorf("%s: %q, %v; want %q", c[0], got, err, c[1])
		}
	}
}

func TestRows(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{`<row/><row><c><v>1</v></c></row><row r="7"><c><v>2</v></c></row><row><c><v>3</v></c></row>`, "A2 typed 1|A7 typed 2|A8 typed 3"},
		{`<row r="1" hidden="1"><c r="B1"><v>1</v></c></row>`, "B1 typed 1"},
		{`<row r="1048576"><c><v>1</v></c></row>`, "A1048576 typed 1"},
		{`<row r="1048577"><c><v>1</v></c></row>`, "damaged"},
		{`<row r="2"/><row r="1"/>`, "damaged"},
		{`<row r="2"/><row r="2"/>`, "damaged"},
		{`<row r="0"/>`, "damaged"},
		{`<row r="x"/>`, "damaged"},
		{`<row r="1"><c r="A2"/></row>`, "damaged"},
		{`<row r="1"><c r="B1"/><c r="A1"/></row>`, "damaged"},
		{`<row r="1"><c r="A1"/><c r="A1"/></row>`, "damaged"},
		{`<row r="1"><c r="XFE1"/></row>`, "damaged"},
		{`<row r="1"><c r="a1"/></row>`, "damaged"},
		{`<row r="1"><c r="A"/></row>`, "damaged"},
		{`<row r="1"><c r="AAAAA1"/></row>`, "damaged"},
		{`<row r="1"><c r="A1"><v>1</c></row>`, "damaged"},
		{`<row r="1"><c r="A1"><v>&x;</v></c></row>`, "damaged"},
		{`<row r="1"><c r="A1"><v>1</v></c>`, "damaged"},
		{"<row r=\"1\"><c r=\"A1\"><v>\xff</v></c></row>", "damaged"},
		{"<row r=\"1\"><c r=\"A1\"><v>\x00</v></c></row>", "damaged"},
		{strings.Repeat("<x>", 100) + strings.Repeat("</x>", 100), "damaged"},
	} {
		got, err := read(sheetOf(c[0], nil), 0)
		if c[1] == "damaged" && (err == nil || !strings.Contains(err.Error(), "damaged")) || c[1] != "damaged" && (err != nil || strings.Join(got, "|") != c[1]) {
			t.Errorf("%s: %q, %v; want %q", c[0], got, err, c[1])
		}
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		format, number, want string
		since1904            bool
	}{
		{"14", "1", "1900-01-01", false},
		{"14", "59", "1900-02-28", false},
		{"14", "60", "1900-02-29", false}, // counted, though it did not exist
		{"14", "61", "1900-03-01", false},
		{"14", "45351", "2024-02-29", false},
		{"14", "2958465", "9999-12-31", false},
		{"14", "2958466", "2958466", false},
		{"14", "0", "0", false},
		{"14", "-1", "-1", false},
		{"14", "0", "1904-01-01", true},
		{"14", "43889", "2024-02-29", true},
		{"14", "2957003", "9999-12-31", true},
		{"14", "2957004", "2957004", true},
		{"22", "45351.5", "2024-02-29T12:00:00", false},
		{"22", "45351.000011574", "2024-02-29T00:00:01", false},
		{"22", "45350.9999999999", "2024-02-29", false},
		{"20", "0.75", "18:00:00", false},
		{"20", "0", "00:00:00", false},
		{"20", "1.5", "1.5", false},
		{"46", "1.5", "1.5", false}, // [h]:mm:ss
		{"0", "45351", "45351", false},
		{"yyyy-mm-dd", "45351", "2024-02-29", false},
		{`dd\.mm\.yy`, "45351", "2024-02-29", false},
		{`[$-407]d/ mmmm yyyy;@`, "45351", "2024-02-29", false},
		{`mmm`, "45351", "2024-02-29", false},
		{`h:mm AM/PM`, "0.25", "06:00:00", false},
		{`[hh]:mm`, "0.25", "0.25", false},
		{`mm:ss.0`, "0.5", "12:00:00", false},
		{`0.00`, "45351", "45351", false},
		{`#,##0.00 "days"`, "45351", "45351", false},
		{`0 \d`, "45351", "45351", false},
		{`_(* #,##0_d_)`, "45351", "45351", false},
		{`[Red]0;"yyyy"`, "45351", "45351", false},
		{`General`, "45351", "45351", false},
		{`0.00E+00`, "45351", "45351", false},
		{`0;yyyy`, "45351", "45351", false},
		{`"open`, "45351", "45351", false},
		{`[open`, "45351", "45351", false},
	} {
		file := sheetOf(`<row><c s="1"><v>`+c.number+`</v></c></row>`, func(w *made.Workbook) { w.Formats, w.Date1904 = []string{c.format}, c.since1904 })
		got, err := read(file, 0)
		if err != nil || !slices.Equal(got, []string{"A1 typed " + c.want}) {
			t.Errorf("%s of %s: %q, %v; want %s", c.format, c.number, got, err, c.want)
		}
	}
}

// Whole days are read as the same dates that excelize computes with a different algorithm.
func TestDaysOfExcelize(t *testing.T) {
	var rows strings.Builder
	var want []string
	for day := 1; day <= 2958465; day += 997 {
		if day == 60 {
			continue
		}
		at, err := excelize.ExcelDateToTime(float64(day), false)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&rows, `<row><c s="1"><v>%d</v></c></row>`, day)
		want = append(want, fmt.Sprintf("A%d typed %s", len(want)+1, at.Format(time.DateOnly)))
	}
	got, err := read(sheetOf(rows.String(), func(w *made.Workbook) { w.Formats = []string{"14"} }), 0)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// Reading a damaged file returns an error or the cells of the undamaged file.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows strings.Builder
	for i := range 40 {
		fmt.Fprintf(&rows, `<row r="%d"><c t="s"><v>%d</v></c><c s="1"><v>%d</v></c></row>`, i+1, i%7, r.IntN(50000))
	}
	sound := sheetOf(rows.String(), func(w *made.Workbook) {
		w.Formats = []string{"14"}
		for i := range 20 {
			w.Texts = append(w.Texts, fmt.Sprintf("<t>text %d</t>", i))
		}
	})
	want, err := read(sound, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The directory of a ZIP file states the checksum of a part 30 bytes before the name of the part.
	file := bytes.Clone(sound)
	file[bytes.LastIndex(file, []byte("xl/sharedStrings.xml"))-30] ^= 1
	if _, err := read(file, 0); err == nil {
		t.Error("shared texts with another checksum are read")
	}
	refused := 0
	step := heavy.Pick(25, 5)
	for i := 0; i < 8*len(sound); i += step {
		file := bytes.Clone(sound)
		if file[i/8] ^= 1 << (i % 8); i%16 == 3 {
			file = sound[:i/8]
		}
		if got, err := read(file, 0); err != nil {
			refused++
		} else if !slices.Equal(got, want) {
			t.Errorf("with bit %d changed, the cells are others", i)
		}
	}
	t.Logf("%d of %d damaged files are refused", refused, 8*len(sound)/step)
}

// repeating returns a workbook with one sheet, in whose rows a text is repeated 17 times. It holds the text only once.
func repeating(t *testing.T, before, repeated, after string) []byte {
	t.Helper()
	const gap = "the text"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, part := range (made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Data", Data: before + gap + after}}}).Parts() {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		before, after, found := strings.Cut(part, gap)
		io.WriteString(w, before)
		if found {
			for range 17 {
				io.WriteString(w, repeated)
			}
		}
		io.WriteString(w, after)
	}
	z.Close()
	return b.Bytes()
}

// The sizes that a file states are checked against the limits before its parts are read. A part whose size differs from the
// stated size is damaged.
func TestLimits(t *testing.T) {
	parts := made.Workbook{Sheets: []made.WorkbookSheet{{Name: "Data", Data: `<row><c t="s"><v>0</v></c></row>`}}, Texts: []string{"<t>x</t>"}}.Parts()
	for _, c := range []struct {
		part string
		size uint64
		says string
	}{
		{"xl/worksheets/sheet1.xml", workbook.MostSheet + 1, "too large"},
		{"xl/sharedStrings.xml", workbook.MostTexts + 1, "too large"},
		{"xl/workbook.xml", 1 << 27, "too large"},
		{"xl/styles.xml", 1 << 27, "too large"},
		{"_rels/.rels", 1 << 27, "too large"},
		{"xl/worksheets/sheet1.xml", 10, "damaged"},
		{"xl/sharedStrings.xml", 10, "damaged"},
		{"xl/worksheets/sheet1.xml", math.MaxUint32, "damaged"},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range parts {
			h := &zip.FileHeader{Name: name, CompressedSize64: uint64(len(text)), UncompressedSize64: uint64(len(text))}
			if name == c.part {
				h.UncompressedSize64 = c.size
			}
			w, err := z.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, text)
		}
		z.Close()
		if _, err := read(b.Bytes(), 0); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %d bytes: %v", c.part, c.size, err)
		}
	}
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct{ before, repeated, after string }{
		"text":      {`<row><c t="inlineStr"><is><t>`, long, `</t></is></c></row>`},
		"runs":      {`<row><c t="inlineStr"><is>`, "<t>" + long + "</t>", `</is></c></row>`},
		"attribute": {`<row r="1" x="`, long, `"/>`},
		"comment":   {`<!--`, long, `-->`},
	} {
		if _, err := read(repeating(t, c.before, c.repeated, c.after), 0); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a long %s: %v", name, err)
		}
	}
	got, err := read(sheetOf(`<row><c t="inlineStr"><is><t>`+long+`x</t></is></c></row>`, nil), 0)
	if err != nil || !slices.Equal(got, []string{"A1 unreadable"}) {
		t.Errorf("%q, %v", got, err)
	}
}
