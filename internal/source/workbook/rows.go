package workbook

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Kind states what a cell contains, or why its value cannot be read.
type Kind int

const (
	Text       Kind = iota
	Typed           // a number, a date, a time or a boolean
	ErrorValue      // such as #N/A
	NoValue         // a formula without a stored value
	Unreadable      // a malformed number, a reference to a shared text that does not exist, or more than 1 MiB of text
)

// A Cell is a non-empty cell of a row, with the plain text of its value.
type Cell struct {
	Column int // the index of the column, from 0
	Kind   Kind
	Text   []byte // for the kinds Text and Typed, which have a non-empty text; valid until the next row
}

// MostRows and MostColumns are the maximum numbers of rows and columns of a sheet.
const (
	MostRows    = 1 << 20
	MostColumns = 1 << 14
)

// A Rows reads the non-empty rows of a sheet, one after another.
type Rows struct {
	workbook *Workbook
	part     *part
	last     int64  // the number of the previous row, 0 before the first one
	inside   bool   // whether the reader is within <sheetData>
	cells    []Cell // the cells of the current row
	text     []byte // the memory of the texts of cells
}

// Rows returns a reader of the rows of the sheet with the given index in Sheets.
func (w *Workbook) Rows(sheet int) (*Rows, error) {
	p, err := openPart(w.Sheets[sheet].part, MostSheet)
	if err != nil {
		return nil, err
	}
	return &Rows{workbook: w, part: p}, nil
}

// Close closes the sheet.
func (r *Rows) Close() { r.part.close() }

// Next returns the number of the next non-empty row, from 1, and its non-empty cells in the order of their columns.
// The cells are valid until the next call. After the last row, Next verifies the checksums of the sheet and of the
// shared texts, and returns io.EOF.
func (r *Rows) Next() (number int64, cells []Cell, err error) {
	number, cells, err = r.next()
	if err == errDamaged && r.last > 0 {
		err = fmt.Errorf("the workbook is damaged in or below row %d of the sheet; save it again as .xlsx in the spreadsheet program", r.last)
	}
	return number, cells, err
}

func (r *Rows) next() (number int64, cells []Cell, err error) {
	for {
		token, err := r.part.next()
		if err == io.EOF && r.workbook.texts != nil {
			if err := r.workbook.texts.finish(); err != nil {
				return 0, nil, err
			}
		}
		if err != nil {
			return 0, nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local == "sheetData" {
				r.inside = true
			}
			if !r.inside || t.Name.Local != "row" {
				continue
			}
			if err := r.row(t); err != nil {
				return 0, nil, err
			}
			if len(r.cells) > 0 {
				return r.last, r.cells, nil
			}
		case xml.EndElement:
			if t.Name.Local == "sheetData" {
				r.inside = false
			}
		}
	}
}

// row reads the cells of a row, given the start tag of the row.
func (r *Rows) row(e xml.StartElement) error {
	number := r.last + 1
	if stated := value(e, "r"); stated != "" {
		n, err := strconv.ParseInt(stated, 10, 64)
		if err != nil {
			return errDamaged
		}
		number = n
	}
	if number <= r.last || number > MostRows {
		return errDamaged
	}
	r.last = number
	r.cells, r.text = r.cells[:0], r.text[:0]
	outer, column := r.part.depth, -1
	for r.part.depth >= outer {
		token, err := r.part.next()
		if err != nil {
			return damagedAtEnd(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "c" {
			continue
		}
		at := column + 1
		if stated := value(start, "r"); stated != "" {
			var row int64
			if at, row = parseName(stated); row != number {
				return errDamaged
			}
		}
		if at <= column || at >= MostColumns {
			return errDamaged
		}
		column = at
		if err := r.cell(start, column); err != nil {
			return err
		}
	}
	return nil
}

// cell reads the cell with the given start tag in the given column. It adds the cell to r.cells unless the cell is
// empty.
func (r *Rows) cell(e xml.StartElement, column int) error {
	kind, style := value(e, "t"), cmp.Or(value(e, "s"), "0")
	outer, begin := r.part.depth, len(r.text)
	formula, stored := false, false
	for r.part.depth >= outer {
		token, err := r.part.next()
		if err != nil {
			return damagedAtEnd(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "f":
			formula = true
			if _, err := r.part.text(nil); err != nil {
				return err
			}
		case "v":
			stored = true
			if r.text, err = r.part.text(r.text[:begin]); err != nil {
				return err
			}
		case "is":
			stored = true
			if r.text, err = richText(r.part, r.text[:begin]); err != nil {
				return err
			}
		}
	}
	c := Cell{Column: column}
	raw := r.text[begin:]
	switch {
	case !stored && formula, formula && len(raw) == 0 && kind != "str" && kind != "inlineStr":
		c.Kind = NoValue
	case kind == "e":
		c.Kind = ErrorValue
	case len(raw) == 0:
		return nil
	default:
		var err error
		if c.Kind, err = r.convert(kind, style, begin); err != nil {
			return err
		}
	}
	if c.Kind <= Typed {
		if c.Text = r.text[begin:len(r.text):len(r.text)]; len(c.Text) == 0 {
			return nil
		}
		if len(c.Text) > mostText {
			c.Kind, c.Text = Unreadable, nil
		}
	}
	r.cells = append(r.cells, c)
	return nil
}

// convert replaces the stored value of a cell by its plain text, and returns the kind of the cell. The value is the
// part of r.text that starts at the index begin. The parameters kind and style are the attributes t and s of the
// cell's XML element.
func (r *Rows) convert(kind, style string, begin int) (Kind, error) {
	switch raw := string(r.text[begin:]); kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(raw))
		if err != nil || r.workbook.texts == nil {
			return Unreadable, nil
		}
		text, found, err := r.workbook.texts.at(i)
		if err != nil {
			return 0, err
		}
		if !found {
			return Unreadable, nil
		}
		r.text = append(r.text[:begin], text...)
		return Text, nil
	case "str":
		r.text = append(r.text[:begin], unescaped(r.text[begin:])...)
		return Text, nil
	case "inlineStr":
		return Text, nil
	case "d": // a date in ISO 8601
		return Typed, nil
	case "b":
		switch strings.TrimSpace(raw) {
		case "1", "true":
			r.text = append(r.text[:begin], "TRUE"...)
		case "0", "false":
			r.text = append(r.text[:begin], "FALSE"...)
		default:
			return Unreadable, nil
		}
		return Typed, nil
	case "", "n":
		raw = strings.TrimSpace(raw)
		x, err := strconv.ParseFloat(raw, 64)
		if err != nil || strings.Trim(raw, "0123456789.+-eE") != "" {
			return Unreadable, nil
		}
		f := plainNumber
		if i, err := strconv.Atoi(style); err == nil && 0 <= i && i < len(r.workbook.formats) {
			f = r.workbook.formats[i]
		}
		r.text = appendNumber(r.text[:begin], x, f, r.workbook.date1904)
		return Typed, nil
	}
	return Unreadable, nil
}

// parseName parses the name of a cell, such as C17. It returns the column, from 0, and the row, from 1. The row is
// 0 if the name is malformed.
func parseName(name string) (column int, row int64) {
	i := 0
	for ; i < len(name) && i < 4 && 'A' <= name[i] && name[i] <= 'Z'; i++ {
		column = 26*column + int(name[i]-'A') + 1
	}
	row, err := strconv.ParseInt(name[i:], 10, 64)
	if i == 0 || err != nil || row < 1 {
		return 0, 0
	}
	return column - 1, row
}

// Name returns the name of a cell, such as C17, for a column, from 0, and a row, from 1.
func Name(column int, row int64) string { return Letters(column) + strconv.FormatInt(row, 10) }

// Letters returns the letters that name a column, such as C, for the column's number, from 0.
func Letters(column int) string {
	text := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		text = string(rune('A'+(n-1)%26)) + text
	}
	return text
}
