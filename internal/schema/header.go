package schema

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// mostHeader is the maximum length of the first line of a file, in bytes.
const mostHeader = 4 << 20

// Header reads the names of the columns from the first line of a delimited text. If delimiter is 0, it also determines
// the delimiter. The parameter encoding is the encoding of the text, as in table.File.
//
// The rows are private, so Header reads single bytes and stops at the end of the line. Its errors do not quote the
// line, which may be a row if the text has no header.
func Header(r io.Reader, delimiter byte, encoding string) (names []string, found byte, err error) {
	line, err := firstLine(r, encoding)
	if err != nil {
		return nil, 0, err
	}
	if delimiter == 0 {
		delimiter = likelyDelimiter(line)
	}
	names, err = fields(line, delimiter)
	if err != nil {
		return nil, 0, err
	}
	if err := source.CheckLine(names); err != nil {
		return nil, 0, err
	}
	for i, name := range names {
		if looksLikeData(name) {
			return nil, 0, parameter.Errorf("the first line seems to be a record, because its field %d is a number; name the columns with {columns}", i+1)
		}
	}
	return names, delimiter, nil
}

// HeaderOfFile reads the names of the columns from the file at a path: from the first line of a text, or from the first
// row of a workbook's sheet. The parameter sheet is the name of this sheet, or "" for the first visible one. Errors do
// not contain the path.
func HeaderOfFile(path string, delimiter byte, encoding, sheet string) (names []string, found byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("the file cannot be read: %w", quote.Cause(err))
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err == nil && info.IsDir():
		return nil, 0, errors.New("this is a directory; name a file in it")
	case err == nil && info.Mode().IsRegular() && IsWorkbook(file):
		if delimiter != 0 {
			return nil, 0, parameter.Errorf("{delimiter} is for delimited text, but the file is a workbook; leave {delimiter} out")
		}
		if encoding != "" {
			return nil, 0, parameter.Errorf("{encoding} is for delimited text, but the file is a workbook; leave {encoding} out")
		}
		names, err := SheetHeader(file, info.Size(), sheet)
		return names, 0, err
	case sheet != "":
		return nil, 0, parameter.Errorf("{sheet} is for workbooks, but the file is not an .xlsx workbook; leave {sheet} out")
	}
	return Header(Unnamed(file), delimiter, encoding)
}

// Unnamed returns a reader that reads from r, and whose errors do not contain the path of the file.
func Unnamed(r io.Reader) io.Reader { return unnamed{r} }

type unnamed struct{ io.Reader }

func (r unnamed) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the file cannot be read: %w", quote.Cause(err))
	}
	return n, err
}

// SheetHeader reads the names of the columns from the first row of the workbook's sheet with the given name or, if the
// name is "", of the first visible sheet. It does not read the rows below. Errors do not quote the row, which may be a
// record if the sheet has no header.
func SheetHeader(file io.ReaderAt, size int64, sheet string) (names []string, err error) {
	cells, err := source.SheetHeader(file, size, sheet)
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if c.Name == "" {
			return nil, parameter.Errorf("cell %s, in the first row, has no text; write the name of the column there, or name the columns with {columns}", c.Cell)
		}
		if looksLikeData(c.Name) {
			return nil, parameter.Errorf("the first row seems to be a record, because its cell %s is a number; name the columns with {columns}", c.Cell)
		}
		names = append(names, c.Name)
	}
	return names, nil
}

// IsWorkbook reports whether the first bytes of a file are those of a workbook.
func IsWorkbook(file io.ReaderAt) bool {
	start := make([]byte, len("PK\x03\x04"))
	n, _ := file.ReadAt(start, 0)
	return string(start[:n]) == "PK\x03\x04"
}

// firstLine reads a line in the given encoding, and returns it in UTF-8 without its line break.
func firstLine(r io.Reader, encoding string) ([]byte, error) {
	decode, feed, err := source.LineDecoder(encoding)
	if err != nil {
		return nil, err
	}
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		line = append(line, one[:n]...)
		if end, found := bytes.CutSuffix(line, feed); found && len(line)%len(feed) == 0 {
			line = end
			break
		}
		if err := checkStart(line, feed); err != nil {
			return nil, err
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(line) > mostHeader {
			return nil, parameter.Errorf("the first line is longer than %d MiB, so it does not name columns; name the columns with {columns}", mostHeader>>20)
		}
	}
	if line, err = decode(line); err != nil {
		return nil, err
	}
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("\ufeff")), []byte("\r"))
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return nil, errors.New("the first line is empty, but it must name the columns")
	case !utf8.Valid(line):
		return nil, parameter.Errorf("the first line is not UTF-8 text; state its encoding, such as {encoding} windows-1252, or save the file as UTF-8")
	case bytes.IndexByte(line, 0) >= 0:
		return nil, errors.New("the first line contains a zero byte, so the file is not delimited text; save the table as CSV or .xlsx")
	}
	return line, nil
}

// starts lists the first bytes of files that are not delimited text in the given encoding, each with a message that
// states what the file is instead.
var starts = []struct {
	bytes string
	feed  string // a line feed in the encoding whose texts may start with these bytes; "" if there is none
	says  string
}{
	{"PAR1", "", "this is a Parquet file, whose columns sibyl schema import reads"},
	{"\x1f\x8b", "", "the file is compressed, and its first line cannot be read without reading rows; name the columns with {columns}"},
	{"PK\x03\x04", "", "this is a workbook or another archive, which cannot be read from a stream; save it to a file and name that file"},
	{"\xd0\xcf\x11\xe0", "", "this is a spreadsheet with a password or in an old format; save it as .xlsx without a password, or as CSV, and name that file"},
	{"SQLite format 3", "", "this is a SQLite database, whose tables sibyl schema import reads"},
	{"\xff\xfe", "\n\x00", "the file is UTF-16 text; give {encoding} utf-16le, or save it as UTF-8"},
	{"\xfe\xff", "\x00\n", "the file is UTF-16 text; give {encoding} utf-16be, or save it as UTF-8"},
}

// checkStart returns an error if the given bytes are the first bytes of a file that is not delimited text. The
// parameter feed is a line feed in the encoding of the file.
func checkStart(line, feed []byte) error {
	for _, s := range starts {
		if string(line) == s.bytes && string(feed) != s.feed {
			return parameter.Errorf(s.says)
		}
	}
	return nil
}

// likelyDelimiter returns the delimiter that divides a line into the most fields. If several do, it prefers the comma.
func likelyDelimiter(line []byte) byte {
	best, most := byte(','), 0
	for _, d := range []byte(",;\t|") {
		if names, err := fields(line, d); err == nil && len(names) > most {
			best, most = d, len(names)
		}
	}
	return best
}

// fields divides a line into fields at the delimiter. Fields may be quoted.
func fields(line []byte, delimiter byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma = rune(delimiter)
	names, err := r.Read()
	if err != nil {
		return nil, parameter.Errorf("the first line has a quote that is not closed, or one inside a field; correct the line, or name the columns with {columns}")
	}
	return names, nil
}

// looksLikeData reports whether a field is a plain number, which is unlikely to be the name of a column.
func looksLikeData(field string) bool {
	field = strings.TrimSpace(field)
	return field != "" && strings.Trim(field, "0123456789.,+-/:") == "" && strings.ContainsAny(field, "0123456789")
}
