package made

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Workbook describes the content of an .xlsx workbook for tests.
type Workbook struct {
	Sheets   []WorkbookSheet
	Texts    []string // the shared texts, to which cells refer by <c t="s"><v>NUMBER</v></c>
	Formats  []string // the number formats of the styles 1, 2, …; style 0 has no number format
	Date1904 bool
}

// A WorkbookSheet is a sheet of a workbook. Data is the XML of its rows.
type WorkbookSheet struct {
	Name, State string // State is empty or "hidden"
	Data        string
}

// SheetRows returns the XML of a sheet's rows, beginning with row 1 and column A. The text of a cell determines its
// type: "" is an empty cell; numbers, TRUE, FALSE and errors such as #N/A are cells of these types; a text that begins
// with "=" is a formula without a stored value; and any other text is a string.
func SheetRows(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, cell := range row {
			name := string(rune('A'+j)) + strconv.Itoa(i+1)
			_, err := strconv.ParseFloat(cell, 64)
			switch {
			case cell == "":
			case cell == "TRUE", cell == "FALSE":
				fmt.Fprintf(&b, `<c r="%s" t="b"><v>%d</v></c>`, name, map[string]int{"TRUE": 1}[cell])
			case cell[0] == '#':
				fmt.Fprintf(&b, `<c r="%s" t="e"><v>%s</v></c>`, name, cell)
			case cell[0] == '=':
				fmt.Fprintf(&b, `<c r="%s"><f>%s</f></c>`, name, escaped(cell[1:]))
			case err == nil:
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, name, cell)
			default:
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`, name, escaped(cell))
			}
		}
		b.WriteString("</row>")
	}
	return b.String()
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}

const (
	packageRelations = "http://schemas.openxmlformats.org/package/2006/relationships"
	officeRelations  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	spreadsheet      = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
)

// Parts returns the files in the workbook's archive, as a map from their paths to their contents.
func (w Workbook) Parts() map[string]string {
	parts := map[string]string{
		"_rels/.rels": `<Relationships xmlns="` + packageRelations + `"><Relationship Id="r1" Type="` + officeRelations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
	}
	var book, relations, texts, own, styles strings.Builder
	for i, s := range w.Sheets {
		state := ""
		if s.State != "" {
			state = ` state="` + s.State + `"`
		}
		fmt.Fprintf(&book, `<sheet name="%s" sheetId="%d"%s r:id="s%[2]d"/>`, escaped(s.Name), i+1, state)
		fmt.Fprintf(&relations, `<Relationship Id="s%d" Type="`+officeRelations+`/worksheet" Target="worksheets/sheet%[1]d.xml"/>`, i+1)
		parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="` + spreadsheet + `"><sheetData>` + s.Data + `</sheetData></worksheet>`
	}
	for _, text := range w.Texts {
		texts.WriteString("<si>" + text + "</si>")
	}
	styles.WriteString(`<xf numFmtId="0"/>`)
	for i, code := range w.Formats {
		if id, err := strconv.Atoi(code); err == nil {
			fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, id)
			continue
		}
		fmt.Fprintf(&own, `<numFmt numFmtId="%d" formatCode="%s"/>`, 200+i, escaped(code))
		fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, 200+i)
	}
	parts["xl/workbook.xml"] = fmt.Sprintf(`<workbook xmlns="`+spreadsheet+`" xmlns:r="`+officeRelations+`"><workbookPr date1904="%v"/><sheets>%s</sheets></workbook>`, w.Date1904, book.String())
	relations.WriteString(`<Relationship Id="t" Type="` + officeRelations + `/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="f" Type="` + officeRelations + `/styles" Target="/xl/styles.xml"/>`)
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="` + packageRelations + `">` + relations.String() + `</Relationships>`
	parts["xl/sharedStrings.xml"] = `<sst xmlns="` + spreadsheet + `">` + texts.String() + `</sst>`
	parts["xl/styles.xml"] = `<styleSheet xmlns="` + spreadsheet + `"><numFmts>` + own.String() + `</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>` + styles.String() + `</cellXfs></styleSheet>`
	return parts
}

// Bytes returns the contents of the workbook's .xlsx file.
func (w Workbook) Bytes() []byte { return Zip(w.Parts()) }

// Zip returns a ZIP archive with the given files, which are a map from paths to contents.
func Zip(files map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, files[name])
		}
		if err != nil {
			panic(err) // a buffer does not fail
		}
	}
	z.Close()
	return b.Bytes()
}
