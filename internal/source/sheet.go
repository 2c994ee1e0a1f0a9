package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source/workbook"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// IsWorkbook reports whether a file at this location is a workbook. This depends on the end of the file's name.
func IsWorkbook(location string) bool {
	extension := filepath.Ext(location)
	return strings.EqualFold(extension, ".xlsx") || strings.EqualFold(extension, ".xlsm")
}

// A sheet is an open sheet of a workbook whose header has been read. A row below the header is a record if it has a
// value in at least one named column.
type sheet struct {
	name    string
	schema  *table.Schema
	file    io.Closer
	book    *workbook.Workbook
	rows    *workbook.Rows
	title   string // the name of the sheet
	columns []int  // by column of the coding, the number of the sheet's column, from 0
	codes   *coding
	place   map[int]int  // the inverse function of columns
	named   map[int]bool // the numbers of the sheet's columns that have a name

	faults []workbook.Kind // for the current record, by column of the coding, the reason why the cell cannot be read; Text if it can
}

// openSheet opens the sheet of a workbook that the schema names, and reads and checks its header.
func openSheet(name string, file randomAccess, size int64, s *table.Schema, o Options) (input, error) {
	in, err := openSheetOf(name, file, size, s, o)
	if err != nil {
		return nil, err
	}
	return in, nil
}

func openSheetOf(name string, file randomAccess, size int64, s *table.Schema, o Options) (in *sheet, err error) {
	t := &sheet{name: name, schema: s, file: file}
	metered := &meteredReaderAt{file, newMeter(o.Progress, size)}
	if t.book, err = workbook.Open(metered, size); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer func() {
		if in == nil {
			t.closeBook()
		}
	}()
	at, err := t.choose(s.File.Sheet)
	if err != nil {
		return nil, err
	}
	t.title = t.book.Sheets[at].Name
	if t.rows, err = t.book.Rows(at); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := t.readHeader(o); err != nil {
		return nil, err
	}
	return t, nil
}

// A NamedCell is a cell in the header of a sheet: its position, such as C1, and the column name that it contains.
type NamedCell struct{ Cell, Name string }

// SheetHeader returns the column names of a workbook, which are the cells in the first row of a sheet. It reads the
// sheet with the given name or, if the name is empty, the first visible sheet. It does not read the rows below. Errors
// do not contain the name of the file.
func SheetHeader(file io.ReaderAt, size int64, name string) (names []NamedCell, err error) {
	t := &sheet{schema: &table.Schema{File: table.File{Sheet: name}}}
	if t.book, err = workbook.Open(file, size); err != nil {
		return nil, err
	}
	defer t.closeBook()
	at := t.find(name)
	switch {
	case at < 0 && name != "":
		return nil, parameter.Errorf("the workbook has no sheet %s; {sheet} must be the name of a sheet with cells", quote.Word(name))
	case at < 0:
		return nil, errors.New("the workbook has no visible sheet with cells; unhide the sheet that has the header")
	}
	if t.rows, err = t.book.Rows(at); err != nil {
		return nil, err
	}
	row, cells, err := t.rows.Next()
	if err == io.EOF {
		return nil, parameter.Errorf("%s is empty, but its first row must name the columns; name another sheet with {sheet}", t.description())
	}
	for _, c := range cells {
		names = append(names, NamedCell{workbook.Name(c.Column, row), string(c.Text)})
	}
	return names, err
}

// find returns the index of the sheet with the given name or, if the name is empty, of the first visible sheet. As in
// spreadsheet programs, names are compared without regard to case. If there is no such sheet, find returns -1.
func (t *sheet) find(name string) int {
	return slices.IndexFunc(t.book.Sheets, func(s workbook.Sheet) bool {
		return name == "" && !s.Hidden || name != "" && strings.EqualFold(s.Name, name)
	})
}

// choose returns the index of the sheet with the given name or, if the name is empty, of the first visible sheet. It
// returns an error if there is no such sheet.
func (t *sheet) choose(name string) (int, error) {
	at := t.find(name)
	switch {
	case at >= 0:
		return at, nil
	case len(t.book.Sheets) == 0:
		return 0, fmt.Errorf("%s: the workbook has no sheet with cells; name another file", t.name)
	case name == "":
		return 0, fmt.Errorf("%s: all sheets of the workbook are hidden; name one of them in the key \"sheet\" of the schema's [file]", t.name)
	}
	return 0, fmt.Errorf("%s: the workbook has no sheet %s; set \"sheet\" in the schema's [file] to the name of a sheet with cells, or remove this key to read the first sheet", t.name, quote.Word(name))
}

// where returns the beginning of an error message, which names the file and the sheet.
func (t *sheet) where() string { return t.name + ": " + t.description() }

// description returns the name of the sheet for messages, as the schema states it, or "the first sheet" if the schema
// names none.
func (t *sheet) description() string {
	if t.schema.File.Sheet != "" {
		return "sheet " + quote.Word(t.schema.File.Sheet)
	}
	return "the first sheet"
}

// readHeader finds the column of the sheet for each column of the schema. If the sheet has a header, the cells of its
// first row name the columns. Otherwise, the list of columns in the schema's [file] gives their order, and readHeader
// reads no row.
func (t *sheet) readHeader(o Options) error {
	if t.schema.File.Headerless {
		return t.aim(t.schema.File.Columns, nil, o)
	}
	row, cells, err := t.rows.Next()
	if err == io.EOF {
		return fmt.Errorf("%s is empty, but its first row must name the columns", t.where())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	var names []string
	var columns []int
	for _, c := range cells {
		name := workbook.Name(c.Column, row)
		switch c.Kind {
		case workbook.ErrorValue:
			return fmt.Errorf("%s: cell %s, in the header, contains an error value; write the name of the column there", t.where(), name)
		case workbook.NoValue:
			return fmt.Errorf("%s: cell %s, in the header, is a formula without a stored value; write the name of the column there", t.where(), name)
		case workbook.Unreadable:
			return fmt.Errorf("%s: cell %s, in the header, is damaged; write the name of the column there", t.where(), name)
		}
		if text := string(t.trimmed(c.Text)); text != "" {
			names, columns = append(names, text), append(columns, c.Column)
		}
	}
	if err := t.checkHeader(names, columns, row, o); err != nil {
		return err
	}
	return t.aim(names, columns, o)
}

// checkHeader returns an error if the header is not valid for the schema. If the sheet has no header, its first row
// contains private values, so errors quote only names that the schema or the caller knows.
func (t *sheet) checkHeader(names []string, columns []int, row int64, o Options) error {
	needed := neededColumns(t.schema, o)
	at := make(map[string]int)
	for i, name := range names {
		k, doubled := at[name]
		if !doubled {
			at[name] = i
			continue
		}
		first, second := workbook.Name(columns[k], row), workbook.Name(columns[i], row)
		if slices.Contains(needed, name) {
			return fmt.Errorf("%s: cells %s and %s of the header both name column %s; rename or remove one of the two", t.where(), first, second, quote.Word(name))
		}
		return fmt.Errorf("%s: cells %s and %s of the header have the same text; rename or remove one of the two", t.where(), first, second)
	}
	if name := missingColumn(t.schema, names, o); name != "" && almost(names, name) {
		return fmt.Errorf("%s: the header, in row %d, lacks column %s, but has this name with other capital letters, blanks or Unicode forms; write it as in the header", t.where(), row, quote.Word(name))
	} else if name != "" {
		other := ""
		if t.schema.File.Sheet == "" {
			other = "; if they are in another sheet, set sheet in the schema's [file] to its name"
		}
		return fmt.Errorf("%s: the header, in row %d, lacks column %s; the first row that is not empty must name the columns%s; if there is no header, set header = false in the schema's [file]", t.where(), row, quote.Word(name), other)
	}
	return nil
}

// aim determines which column of the sheet to read for each column that the coding needs. The parameter names holds
// the names of the sheet's columns, and columns holds their numbers; if columns is nil, they are numbered 0, 1, 2, and
// so on.
func (t *sheet) aim(names []string, columns []int, o Options) error {
	if columns == nil {
		for i := range names {
			columns = append(columns, i)
		}
		if o.Keep != "" && !slices.Contains(names, o.Keep) {
			return fmt.Errorf("%s: the sheet has no header, and the key \"columns\" in the schema's [file] does not list column %s; add it there", t.name, quote.Word(o.Keep))
		}
	}
	labelled := t.schema.Label != nil && slices.Contains(names, t.schema.Label.Column)
	t.codes = newCoding(t.schema, labelled, o.Keep, &t.schema.File)
	t.codes.all = names
	t.codes.typed = newCoding(t.schema, labelled, o.Keep, nil).readers
	t.place, t.named = make(map[int]int), make(map[int]bool)
	for _, c := range columns {
		t.named[c] = true
	}
	for k, column := range t.codes.columns {
		c := columns[slices.Index(names, column)]
		t.columns = append(t.columns, c)
		t.place[c] = k
	}
	t.faults = make([]workbook.Kind, len(t.columns))
	return nil
}

// trimmed returns the text of a cell, without surrounding spaces and tabs if the schema's File has Trim set.
func (t *sheet) trimmed(text []byte) []byte {
	if t.schema.File.Trim {
		return bytes.Trim(text, " \t")
	}
	return text
}

func (t *sheet) coding() *coding { return t.codes }

func (t *sheet) close() {
	t.closeBook()
	t.file.Close()
}

func (t *sheet) closeBook() {
	if t.rows != nil {
		t.rows.Close()
	}
	t.book.Close()
}

func (t *sheet) each(ctx context.Context, visit func(codes []uint16, place int64) error) error {
	return t.visit(ctx, t.codes, visit)
}

func (t *sheet) collapse(ctx context.Context) (*table.Table, error) {
	workers := newWorkers(1, t.schema, t.codes)
	defer closeAll(workers)
	w := &workers[0]
	if err := t.visit(ctx, w.codes, w.visit); err != nil {
		return nil, err
	}
	return merged(ctx, t.schema, workers)
}

// visit calls the function visit for each record of the sheet, with the codes and the number of the row. If the coding
// keeps the text of a column (see newCoding), this text is in into.text during the call.
func (t *sheet) visit(ctx context.Context, into *coding, visit func(codes []uint16, row int64) error) error {
	codes := make([]uint16, into.width)
	for count := 0; ; count++ {
		if count%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, cells, err := t.rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if t.record(into, cells, codes) {
			if err := visit(codes, row); err != nil {
				return err
			}
		}
	}
}

// record computes the codes of a row from its cells, and stores them in the slice codes. It returns false if the row
// is not a record, because all its cells in named columns are empty.
func (t *sheet) record(into *coding, cells []workbook.Cell, codes []uint16) bool {
	found := false
	for k := range t.columns {
		into.field(k, nil, codes)
		t.faults[k] = workbook.Text
	}
	for _, c := range cells {
		if !t.named[c.Column] {
			continue
		}
		text := c.Text
		if c.Kind == workbook.Text {
			text = t.trimmed(text)
		}
		found = found || len(text) > 0 || c.Kind > workbook.Typed
		k, used := t.place[c.Column]
		switch {
		case !used:
		case c.Kind == workbook.Text:
			into.field(k, text, codes)
		case c.Kind == workbook.Typed:
			into.typedField(k, text, codes)
		default:
			t.faults[k] = c.Kind
		}
	}
	return found
}

// letters returns, for each column of the schema, the letters of its column in the sheet, such as C.
func (t *sheet) letters() map[string]string {
	letters := make(map[string]string)
	for k, column := range t.codes.columns {
		letters[column] = workbook.Letters(t.columns[k])
	}
	return letters
}

// A meteredReaderAt counts the bytes that are read through it in a meter. Only one goroutine may use it at a time.
type meteredReaderAt struct {
	r io.ReaderAt
	m *meter
}

func (r *meteredReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.r.ReadAt(p, offset)
	r.m.add(int64(n))
	return n, err
}
