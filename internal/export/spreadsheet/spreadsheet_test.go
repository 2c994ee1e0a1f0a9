package spreadsheet_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/sibyl-dp/sibyl/internal/export/spreadsheet"
)

// Another library reads the cells that Write wrote. A text is read as a text, whatever its characters are.
func TestCells(t *testing.T) {
	texts := []string{"=1+1", "+1", "-1", "@SUM(A1)", "'quoted", " blank ", "<b>&\"", "a\tb\nc", "a\rb\x00\x1f", "_x0041_", "😀\u2028", strings.Repeat("x", spreadsheet.MostText), "12", "TRUE", "#N/A"}
	s := &spreadsheet.Sheet{Name: "One", Widths: []float64{20}}
	for i, text := range texts {
		s.Text(1, i+2, spreadsheet.Plain, text)
	}
	s.Text(1, 1, spreadsheet.Title, "first") // rows may come in any order
	s.Number(28, 1, spreadsheet.Share, "-0.25")
	s.Formula(2, 1, spreadsheet.Result, `IF(A2="<",1,2)`)
	s.Input(3, 1, spreadsheet.TextInput)
	s.Validate(3, 1, spreadsheet.Validation{Kind: "list", Least: s.Range(1, 2, 1, 5), Title: strings.Repeat("é", 40), Hint: `"&`, Wrong: "wrong"})
	s.Warn(2, 1)
	s.Merge(1, 3, 2)
	if s.Rows() != len(texts)+1 {
		t.Errorf("%d rows", s.Rows())
	}
	file, err := spreadsheet.Write("<title>", s, &spreadsheet.Sheet{Name: "Two"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, text := range texts {
		name, _ := excelize.CoordinatesToCellName(1, i+2)
		got, err := f.GetCellValue("One", name)
		kind, _ := f.GetCellType("One", name)
		formula, _ := f.GetCellFormula("One", name)
		if err != nil || got != text || kind != excelize.CellTypeInlineString || formula != "" {
			t.Errorf("%.40q: %.40q, type %v, formula %q, %v", text, got, kind, formula, err)
		}
	}
	if got, _ := f.GetCellValue("One", "AB1"); got != "-0.2500" {
		t.Errorf("AB1: %q", got)
	}
	if got, err := f.CalcCellValue("One", "B1"); got != "2" || err != nil {
		t.Errorf("B1: %q, %v", got, err)
	}
	all, err := f.GetDataValidations("One")
	if err != nil || len(all) != 1 || all[0].Formula1 != "One!$A$2:$A$5" || all[0].Sqref != "C1" || len([]rune(*all[0].PromptTitle)) != 32 || *all[0].Prompt != `"&` {
		t.Errorf("%+v, %v", all, err)
	}
	// Only inputs can be changed.
	for cell, locked := range map[string]bool{"A1": true, "B1": true, "C1": false} {
		at, _ := f.GetCellStyle("One", cell)
		style, err := f.GetStyle(at)
		if err != nil || (style.Protection == nil || style.Protection.Locked) != locked {
			t.Errorf("%s: %+v, %v", cell, style, err)
		}
	}
	if xml, ok := f.Pkg.Load("xl/worksheets/sheet2.xml"); !ok || !bytes.Contains(xml.([]byte), []byte(`<sheetProtection sheet="1"`)) {
		t.Error("the sheet is not protected")
	}
}
