// Package spreadsheet writes .xlsx workbooks (Office Open XML Workbook, ECMA-376 part 1, section 18). It supports
// formulas, and input cells whose values are validated. A text is always stored as a text, so no program reads it
// as a formula. The package uses only the standard library.
package spreadsheet

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MostRows, MostColumns and MostText are limits that spreadsheet programs set for a workbook.
const (
	MostRows    = 1 << 20
	MostColumns = 1 << 14
	MostText    = 32767 // the maximum length of the text of a cell, in UTF-16 code units
)

// A Sheet is a sheet of a workbook under construction. All its cells except the input cells are protected.
type Sheet struct {
	Name   string    // the name, without quotation marks and with at most 31 characters
	Widths []float64 // the widths of the columns, in characters
	Frozen int       // the number of rows at the top that do not scroll
	Height float64   // the height of rows, in points; 0 for the height of one line
	Lines  bool      // whether the lines between cells are shown

	cells   []cell
	heights map[int]float64
	last    int      // the last row with a cell
	lists   []string // validations, as XML
	marks   []string // conditional formats, as XML
	links   []string // merged ranges
}

type cell struct {
	row, column int
	xml         string
}

// A Style is the appearance of a cell. Users can change only cells with an input style.
type Style int

// The styles of cells, in the order in which the file styles.xml of a workbook lists them.
const (
	Plain Style = iota
	Title
	Heading
	paragraph // wrapped text
	Result
	Share // a number with four decimals
	AtLeast
	AtMost
	Quiet // less important
	Fixed // of equal width, for drawings made of text
	TextInput
	NumberInput
	DateInput
)

// styleSheet defines the formats of cells for all styles, as XML. The number format 49 (numFmtId) is the built-in
// format of texts.
const styleSheet = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
	`<numFmts count="4"><numFmt numFmtId="164" formatCode="0.0000"/><numFmt numFmtId="166" formatCode="&quot;at least &quot;0.0000"/><numFmt numFmtId="167" formatCode="&quot;at most &quot;0.0000"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd"/></numFmts>` +
	`<fonts count="7"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="18"/><color rgb="FF1F3A5F"/><name val="Calibri"/></font>` +
	`<font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font><font><b/><sz val="14"/><name val="Calibri"/></font>` +
	`<font><sz val="10"/><color rgb="FF666666"/><name val="Calibri"/></font><font><sz val="10"/><name val="Courier New"/></font><font><sz val="12"/><name val="Calibri"/></font></fonts>` +
	`<fills count="5"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
	`<fill><patternFill patternType="solid"><fgColor rgb="FF1F3A5F"/></patternFill></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFFF8DC"/></patternFill></fill>` +
	`<fill><patternFill patternType="solid"><fgColor rgb="FFEAF0F7"/></patternFill></fill></fills>` +
	`<borders count="2"><border/><border><left style="thin"><color rgb="FF999999"/></left><right style="thin"><color rgb="FF999999"/></right><top style="thin"><color rgb="FF999999"/></top><bottom style="thin"><color rgb="FF999999"/></bottom></border></borders>` +
	`<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="13"><xf applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/></xf><xf fontId="1" applyFont="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/></xf><xf fontId="2" fillId="2" applyFont="1" applyFill="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/></xf>` +
	`<xf applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>` +
	`<xf fontId="3" fillId="4" borderId="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"><alignment horizontal="right" vertical="center" indent="1"/></xf>` +
	`<xf numFmtId="164" fontId="3" fillId="4" borderId="1" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"><alignment horizontal="right" vertical="center" indent="1"/></xf>` +
	`<xf numFmtId="166" fontId="4" applyNumberFormat="1" applyFont="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/></xf><xf numFmtId="167" fontId="4" applyNumberFormat="1" applyFont="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/></xf>` +
	`<xf fontId="4" applyFont="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/></xf><xf fontId="5" applyFont="1"/>` +
	`<xf numFmtId="49" fontId="6" fillId="3" borderId="1" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyProtection="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/><protection locked="0"/></xf>` +
	`<xf fontId="6" fillId="3" borderId="1" applyFont="1" applyFill="1" applyBorder="1" applyProtection="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/><protection locked="0"/></xf>` +
	`<xf numFmtId="165" fontId="6" fillId="3" borderId="1" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyProtection="1" applyAlignment="1"><alignment horizontal="left" vertical="center" indent="1"/><protection locked="0"/></xf></cellXfs>` +
	`<dxfs count="1"><dxf><font><b/><color rgb="FFB00020"/></font></dxf></dxfs></styleSheet>`

// Name returns the absolute name of a cell, such as $B$12. Columns and rows are counted from 1.
func Name(column, row int) string {
	letters := ""
	for ; column > 0; column = (column - 1) / 26 {
		letters = string(rune('A'+(column-1)%26)) + letters
	}
	return "$" + letters + "$" + strconv.Itoa(row)
}

// Cell returns the name of a cell for use in formulas, including the name of the sheet.
func (s *Sheet) Cell(column, row int) string { return s.Name + "!" + Name(column, row) }

// Range returns the name of a rectangle of cells for use in formulas, including the name of the sheet. The first
// cell of the rectangle is at column and row, and its last cell is at lastColumn and lastRow.
func (s *Sheet) Range(column, row, lastColumn, lastRow int) string {
	return s.Cell(column, row) + ":" + Name(lastColumn, lastRow)
}

// Rows returns the number of the last row of the sheet that contains a cell.
func (s *Sheet) Rows() int { return s.last }

func (s *Sheet) add(column, row int, style Style, kind, content string) {
	name := strings.ReplaceAll(Name(column, row), "$", "")
	s.last = max(s.last, row)
	s.cells = append(s.cells, cell{row, column, fmt.Sprintf(`<c r="%s" s="%d"%s>%s</c>`, name, style, kind, content)})
}

// Text writes a text into a cell of the sheet.
func (s *Sheet) Text(column, row int, style Style, text string) {
	if text == "" { // programs read an empty text as an empty cell, which equals 0
		s.Formula(column, row, style, `""`)
		return
	}
	s.add(column, row, style, ` t="inlineStr"`, `<is><t xml:space="preserve">`+escaped(text)+`</t></is>`)
}

// Number writes a number, given as a decimal text, into a cell of the sheet.
func (s *Sheet) Number(column, row int, style Style, decimal string) {
	s.add(column, row, style, "", "<v>"+decimal+"</v>")
}

// Formula writes a formula, given without the leading =, into a cell of the sheet. The formula must not contain
// texts from users, because these could change its meaning.
func (s *Sheet) Formula(column, row int, style Style, formula string) {
	s.add(column, row, style, "", "<f>"+escaped(formula)+"</f>")
}

// Input adds an empty cell to the sheet into which users can enter a value.
func (s *Sheet) Input(column, row int, style Style) { s.add(column, row, style, "", "") }

// Paragraph writes a text, which is wrapped, into the first cell of a row, and estimates the height of the row.
func (s *Sheet) Paragraph(row int, text string) {
	s.Text(1, row, paragraph, text)
	if s.heights == nil {
		s.heights = map[int]float64{}
	}
	s.heights[row] = lineHeight * math.Ceil(float64(1+utf8.RuneCountInString(text))/s.Widths[0])
}

// lineHeight is the height of a line of text in a sheet, in points of 1/72 inch.
const lineHeight = 16

// A Validation restricts what users can enter into an input cell.
type Validation struct {
	Kind        string // list, decimal or date
	Least, Most string // formulas; for a list, Least is the range of cells with its texts
	Title, Hint string // shown when the cell is selected
	Wrong       string // shown when another value was typed
	Warns       bool   // whether another value may be entered after the warning
}

// Validate restricts what users can enter into a cell.
func (s *Sheet) Validate(column, row int, v Validation) {
	formulas := "<formula1>" + escaped(v.Least) + "</formula1>"
	if v.Most != "" {
		formulas += "<formula2>" + escaped(v.Most) + "</formula2>"
	}
	severity := "stop"
	if v.Warns {
		severity = "warning"
	}
	s.lists = append(s.lists, fmt.Sprintf(`<dataValidation type="%s" errorStyle="%s" operator="between" allowBlank="1" showInputMessage="1" showErrorMessage="1" errorTitle="%s" error="%s" promptTitle="%s" prompt="%s" sqref="%s">%s</dataValidation>`,
		v.Kind, severity, attributeText(v.Title, 32), attributeText(v.Wrong, 225), attributeText(v.Title, 32), attributeText(v.Hint, 255), strings.ReplaceAll(Name(column, row), "$", ""), formulas))
}

// Warn makes the text of a cell red as long as it begins with ✗.
func (s *Sheet) Warn(column, row int) {
	s.marks = append(s.marks, fmt.Sprintf(`<conditionalFormatting sqref="%s"><cfRule type="expression" dxfId="0" priority="%d"><formula>LEFT(%s,1)="✗"</formula></cfRule></conditionalFormatting>`,
		strings.ReplaceAll(Name(column, row), "$", ""), len(s.marks)+1, Name(column, row)))
}

// Merge joins adjacent cells of a row into one cell, from the given column to the column last.
func (s *Sheet) Merge(column, row, last int) {
	s.links = append(s.links, strings.ReplaceAll(Name(column, row)+":"+Name(last, row), "$", ""))
}

var escape = regexp.MustCompile(`_(x[0-9A-Fa-f]{4}_)`)

// escaped returns a text for use in XML. A character that XML cannot contain is written as a code such as _x0001_.
// If the text already contains such a code, its underscore is escaped, so that programs show the code unchanged.
func escaped(text string) string {
	text = escape.ReplaceAllString(text, "_x005F_$1")
	var plain strings.Builder
	for _, r := range text {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&plain, "_x%04X_", r)
		} else {
			plain.WriteRune(r)
		}
	}
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(plain.String())) // a buffer has no errors
	return b.String()
}

// attributeText returns a text for use in an XML attribute. The text is escaped, and shortened to at most the
// given number of UTF-16 code units.
func attributeText(text string, most int) string {
	units := utf16.Encode([]rune(text))
	if len(units) > most {
		text = strings.TrimSuffix(string(utf16.Decode(units[:most-1])), "\ufffd") + "…"
	}
	return escaped(text)
}

const main = `http://schemas.openxmlformats.org/spreadsheetml/2006/main`

func (s *Sheet) xml(first bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<worksheet xmlns="%s"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0"`, main)
	if !s.Lines {
		b.WriteString(` showGridLines="0"`)
	}
	if first {
		b.WriteString(` tabSelected="1"`)
	}
	b.WriteString(">")
	if s.Frozen > 0 {
		fmt.Fprintf(&b, `<pane ySplit="%d" topLeftCell="A%d" activePane="bottomLeft" state="frozen"/>`, s.Frozen, s.Frozen+1)
	}
	b.WriteString(`</sheetView></sheetViews>`)
	fmt.Fprintf(&b, `<sheetFormatPr defaultRowHeight="%g" customHeight="1"/><cols>`, cmp.Or(s.Height, lineHeight))
	for i, width := range s.Widths {
		fmt.Fprintf(&b, `<col min="%d" max="%d" width="%g" customWidth="1"/>`, i+1, i+1, width)
	}
	b.WriteString("</cols><sheetData>")
	slices.SortStableFunc(s.cells, func(a, b cell) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column)) })
	for i, c := range s.cells {
		if i == 0 || c.row != s.cells[i-1].row {
			if i > 0 {
				b.WriteString("</row>")
			}
			fmt.Fprintf(&b, `<row r="%d"`, c.row)
			if height := cmp.Or(s.heights[c.row], s.Height); height > 0 {
				fmt.Fprintf(&b, ` ht="%g" customHeight="1"`, height)
			}
			b.WriteString(">")
		}
		b.WriteString(c.xml)
	}
	if len(s.cells) > 0 {
		b.WriteString("</row>")
	}
	b.WriteString(`</sheetData><sheetProtection sheet="1" objects="1" scenarios="1" formatColumns="0" formatRows="0"/>`)
	if len(s.links) > 0 {
		fmt.Fprintf(&b, `<mergeCells count="%d"><mergeCell ref="%s"/></mergeCells>`, len(s.links), strings.Join(s.links, `"/><mergeCell ref="`))
	}
	b.WriteString(strings.Join(s.marks, ""))
	if len(s.lists) > 0 {
		fmt.Fprintf(&b, `<dataValidations count="%d">%s</dataValidations>`, len(s.lists), strings.Join(s.lists, ""))
	}
	b.WriteString(`<pageSetup orientation="portrait" fitToHeight="0"/><ignoredErrors><ignoredError sqref="A1:XFD1048576" numberStoredAsText="1"/></ignoredErrors></worksheet>`)
	return b.String()
}

// Write returns a workbook with the given sheets. A program that opens it shows the first sheet and computes all
// formulas.
func Write(title string, sheets ...*Sheet) ([]byte, error) {
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const content = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	var types, list, links strings.Builder
	parts := [][2]string{{}, {"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + relations + `/officeDocument" Target="xl/workbook.xml"/>` +
		`<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`},
		{"docProps/core.xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>` + escaped(title) + `</dc:title><dc:creator>sibyl</dc:creator></cp:coreProperties>`}}
	for i, s := range sheets {
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, content)
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="r%d"/>`, s.Name, i+1, i+1)
		fmt.Fprintf(&links, `<Relationship Id="r%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relations, i+1)
		parts = append(parts, [2]string{fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), s.xml(i == 0)})
	}
	parts[0] = [2]string{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + content + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + content + `styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>` + types.String() + `</Types>`}
	parts = append(parts,
		[2]string{"xl/workbook.xml", `<workbook xmlns="` + main + `" xmlns:r="` + relations + `"><workbookProtection lockStructure="1"/><bookViews><workbookView/></bookViews><sheets>` + list.String() + `</sheets><calcPr fullCalcOnLoad="1"/></workbook>`},
		[2]string{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + links.String() + `<Relationship Id="s" Type="` + relations + `/styles" Target="styles.xml"/></Relationships>`},
		[2]string{"xl/styles.xml", styleSheet})
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		w, err := z.Create(p[0])
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(head + p[1])); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
