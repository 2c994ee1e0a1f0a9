//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"strings"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// badWorkbooks returns workbooks for the tables of bad input, by their names. Below the header, a sheet has a row with a
// private cell. The workbook sound.xlsx is well-formed.
var badWorkbooks = sync.OnceValue(func() map[string]string {
	head := []string{"age", "home", "job", "repaid", "note"}
	row := []string{"25", "rent", "clerk", "no", canary}
	sheet := func(rows ...[]string) made.WorkbookSheet {
		return made.WorkbookSheet{Name: canary, Data: made.SheetRows(rows...)}
	}
	book := func(sheets ...made.WorkbookSheet) string { return string(made.Workbook{Sheets: sheets}.Bytes()) }
	with := func(i int, cell string) []string {
		changed := append([]string(nil), head...)
		changed[i] = cell
		return changed
	}
	hidden := sheet(head, row)
	hidden.State = "hidden"
	raw := func(data string) string { return book(made.WorkbookSheet{Name: canary, Data: data}) }
	first := made.SheetRows(head)
	parts := made.Workbook{Sheets: []made.WorkbookSheet{sheet(head, row)}}.Parts()
	const data = "xl/worksheets/sheet1.xml"
	changed := func(name, text string) string {
		own := maps.Clone(parts)
		if own[name] = text; text == "" {
			delete(own, name)
		}
		return string(made.Zip(own))
	}
	sized := func(name string, size uint64) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for part, text := range parts {
			h := &zip.FileHeader{Name: part, CompressedSize64: uint64(len(text)), UncompressedSize64: uint64(len(text))}
			if part == name {
				h.UncompressedSize64, h.CRC32 = size, 1
			}
			w, err := z.CreateRaw(h)
			if err != nil {
				panic(err)
			}
			io.WriteString(w, text)
		}
		z.Close()
		return b.String()
	}
	document := func(main string) string {
		return string(made.Zip(map[string]string{"_rels/.rels": strings.Replace(parts["_rels/.rels"], "xl/workbook.xml", main, 1), main: "<x>" + canary + "</x>"}))
	}
	sound := book(sheet(head, row))
	return map[string]string{
		"sound.xlsx":      sound,
		"empty.xlsx":      "",
		"text.xlsx":       strings.Join(head, ",") + "\n" + strings.Join(row, ",") + "\n",
		"page.xlsx":       "<html>" + canary,
		"old.xlsx":        "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + canary,
		"old.xls":         "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + canary,
		"cut.xlsx":        sound[:len(sound)/2],
		"tail.xlsx":       sound[len(sound)/2:],
		"archive.zip":     string(made.Zip(map[string]string{"d.csv": canary})),
		"word.xlsx":       document("word/document.xml"),
		"slides.xlsx":     document("ppt/presentation.xml"),
		"binary.xlsx":     document("xl/workbook.bin"),
		"open.xlsx":       string(made.Zip(map[string]string{"mimetype": canary, "content.xml": canary})),
		"apple.xlsx":      string(made.Zip(map[string]string{"Index/Document.iwa": canary})),
		"norels.xlsx":     changed("xl/_rels/workbook.xml.rels", ""),
		"nobook.xlsx":     changed("xl/workbook.xml", ""),
		"nodata.xlsx":     changed(data, ""),
		"nostyles.xlsx":   changed("xl/styles.xml", ""),
		"brokenbook.xlsx": changed("xl/workbook.xml", "<workbook>"+canary),
		"utf16.xlsx":      changed(data, "\xff\xfe<\x00x\x00>\x00"),
		"laughs.xlsx":     changed(data, `<!DOCTYPE x [<!ENTITY a "`+canary+`"><!ENTITY b "&a;&a;">]><worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>`),
		"deep.xlsx":       changed(data, strings.Repeat("<x>", 1<<16)),
		"chart.xlsx":      changed("xl/_rels/workbook.xml.rels", strings.Replace(parts["xl/_rels/workbook.xml.rels"], "/worksheet\"", "/chartsheet\"", 1)),
		"hidden.xlsx":     book(hidden),
		"bare.xlsx":       book(sheet()),
		"blank.xlsx":      raw(`<row r="1"><c r="A1" s="0"/></row><row r="9"/>`),
		"lacks.xlsx":      book(sheet(with(2, "work"), row)),
		"case.xlsx":       book(sheet([]string{"Age", "Home", "Job", "Repaid"}, row)),
		"padded.xlsx":     book(sheet(with(1, " home "), row)),
		"twice.xlsx":      book(sheet(with(4, "age"), row)),
		"same.xlsx":       book(sheet(append(head, canary, canary), row)),
		"title.xlsx":      book(sheet([]string{canary}, head, row)),
		"headless.xlsx":   book(sheet(row)),
		"errhead.xlsx":    book(sheet(with(1, "#N/A"), row)),
		"formula.xlsx":    book(sheet(with(3, "=A9"), row)),
		"lost.xlsx":       raw(`<row r="1"><c r="A1" t="s"><v>7</v></c></row>`),
		"openrow.xlsx":    raw(`<row r="1"><c r="A1"><v>` + canary),
		"late.xlsx":       raw(first + `<row r="2"><c r="A2"><v>` + canary + `</c></row>`),
		"order.xlsx":      raw(first + `<row r="3"/><row r="2"><c r="A2"><v>1</v></c></row>`),
		"far.xlsx":        raw(first + `<row r="9999999"><c><v>1</v></c></row>`),
		"wide.xlsx":       raw(first + `<row r="2"><c r="ZZZ2"><v>1</v></c></row>`),
		"cells.xlsx":      raw(first + `<row r="2"><c r="A2"/><c r="A2"/></row>`),
		"checksum.xlsx":   sized(data, uint64(len(parts[data]))),
		"large.xlsx":      sized(data, 17<<30),
		"texts.xlsx":      sized("xl/sharedStrings.xml", 2<<30),
		"styles.xlsx":     sized("xl/styles.xml", 65<<20),
		"short.xlsx":      sized(data, 20),
		"book.gz":         zipped(sound),
	}
})
