package source

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A splitter divides delimited text into records and fields as in RFC 4180, with these differences:
//
//   - Lines end in LF or CR LF.
//   - The delimiter may be another character than a comma.
//   - Blank lines and comments are skipped.
//   - If trim is true, spaces and tabs around a field or around its quotes are removed.
type splitter struct {
	name      string // the name of the file, for messages
	delimiter byte
	trim      bool
	comment   []byte

	width int   // the number of fields of a record
	want  []int // by field, the index of its column, or -1 if it is not read
	last  int   // the index of the last field that is read
	names []string

	fields  [][]byte // by column, the field of the current record
	all     [][]byte // all fields of the current record, if careful split it
	scratch []byte
}

func newSplitter(name string, f table.File) *splitter {
	return &splitter{name: name, delimiter: f.Delimiter, trim: f.Trim, comment: []byte(f.Comment)}
}

// aim selects the fields that the splitter reads. Records must have the given number of fields (width). The
// parameter fieldOf holds, for each of the columns, the index of the field that contains its values.
func (s *splitter) aim(width int, columns []string, fieldOf []int) {
	s.width, s.names, s.last = width, columns, 0
	s.want = make([]int, width)
	for i := range s.want {
		s.want[i] = -1
	}
	for k, i := range fieldOf {
		s.want[i] = k
		s.last = max(s.last, i)
	}
	s.fields = make([][]byte, len(columns))
}

// clone returns a splitter with the same settings, for use in another goroutine.
func (s *splitter) clone() *splitter {
	c := *s
	c.fields = make([][]byte, len(s.fields))
	c.all, c.scratch = nil, nil
	return &c
}

// split calls the function visit for each record of the block, in order, with the number of the line on which the
// record starts. During the call, s.fields holds the fields of the record.
func (s *splitter) split(b block, visit func(line int64) error) error {
	text, line := b.text, b.line
	sound := bytes.IndexByte(text, 0) < 0 && utf8.Valid(text)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		row := trimBreak(text[:n])
		if s.skips(row) {
			text = text[n:]
			line++
			continue
		}
		start := line
		if sound && len(row) <= maxField && (!b.quotes || bytes.IndexByte(row, '"') < 0) {
			if got := s.plain(row); got != s.width {
				return s.ragged(line, got)
			}
			text = text[n:]
			line++
		} else {
			n, breaks, err := s.careful(text, line)
			if err != nil {
				return err
			}
			if b.cut {
				return fmt.Errorf("%s:%d: the record is longer than 16 MiB; check its quotes and line ends", s.name, line)
			}
			if len(s.all) != s.width {
				return s.ragged(line, len(s.all))
			}
			for i, k := range s.want {
				if k >= 0 {
					s.fields[k] = s.all[i]
				}
			}
			text = text[n:]
			line += int64(breaks)
		}
		if err := visit(start); err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) ragged(line int64, got int) error {
	mend := "add the missing fields"
	if got > s.width {
		mend = "remove the surplus fields, or quote the fields that contain the delimiter"
	}
	return fmt.Errorf("%s:%d: the record has %s instead of %d; %s", s.name, line, plural(got, "field"), s.width, mend)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// skips reports whether the line, given without its line break, is blank or a comment.
func (s *splitter) skips(row []byte) bool {
	if len(row) == 0 || s.trim && len(trimSpace(row)) == 0 {
		return true
	}
	return len(s.comment) > 0 && bytes.HasPrefix(row, s.comment)
}

// plain splits a line without quotes into s.fields, and returns the number of fields of the line.
func (s *splitter) plain(row []byte) int {
	count := 0
	for {
		n := bytes.IndexByte(row, s.delimiter)
		field := row
		if n >= 0 {
			field = row[:n]
		}
		if count < s.width {
			if k := s.want[count]; k >= 0 {
				if s.trim {
					field = trimSpace(field)
				}
				s.fields[k] = field
			}
		}
		count++
		if n < 0 {
			return count
		}
		row = row[n+1:]
		if count > s.last {
			return count + 1 + bytes.Count(row, []byte{s.delimiter})
		}
	}
}

// careful splits the first record of the text into s.all. Unlike plain, it supports quoted fields, which may
// contain line breaks. It returns the length of the record in bytes (n) and its number of line breaks, both
// including the line break at its end.
func (s *splitter) careful(text []byte, line int64) (n, breaks int, err error) {
	s.all, s.scratch = s.all[:0], s.scratch[:0]
	i := 0
	for {
		start := i
		if s.trim {
			for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
				i++
			}
		}
		at := line + int64(breaks)
		var field []byte
		if i < len(text) && text[i] == '"' {
			var length int
			field, length = s.quoted(text[i:])
			if len(field) > maxField {
				return 0, 0, s.long(at)
			}
			if length == 0 {
				return 0, 0, s.refuse(at, "starts with a quote that is never closed; close it, or double each quote inside the value")
			}
			breaks += bytes.Count(text[i:i+length], []byte{'\n'})
			i += length
			for s.trim && i < len(text) && (text[i] == ' ' || text[i] == '\t') {
				i++
			}
			if rest := trimBreak(text[i:min(i+2, len(text))]); len(rest) > 0 && rest[0] != s.delimiter && text[i] != '\n' {
				return 0, 0, s.refuse(at, "continues after its closing quote; double each quote inside the value")
			}
			if i < len(text) && text[i] == '\r' {
				i++
			}
		} else {
			i = start
			for i < len(text) && text[i] != s.delimiter && text[i] != '\n' {
				i++
			}
			field = text[start:i]
			if i == len(text) || text[i] == '\n' {
				field = trimCR(field)
			}
			if s.trim {
				field = trimSpace(field)
			}
			if len(field) > maxField {
				return 0, 0, s.long(at)
			}
			if bytes.IndexByte(field, '"') >= 0 {
				return 0, 0, s.refuse(at, "contains a quote but does not start with one; put the value in quotes and double each quote inside it")
			}
		}
		if bytes.IndexByte(field, 0) >= 0 {
			return 0, 0, s.refuse(at, "contains a NUL byte; save the file as UTF-8 text")
		}
		if !utf8.Valid(field) {
			return 0, 0, s.refuse(at, "is not UTF-8 text; set the encoding in the schema's [file], such as encoding = \"windows-1252\", or save the file as UTF-8")
		}
		if len(s.all) == maxFields {
			return 0, 0, fmt.Errorf("%s:%d: the record has more than %d fields; check the delimiter in the schema's [file]", s.name, line, maxFields)
		}
		s.all = append(s.all, field)
		if i == len(text) {
			return i, breaks, nil
		}
		i++
		if text[i-1] == '\n' {
			return i, breaks + 1, nil
		}
	}
}

// quoted reads the quoted field at the beginning of the text. It returns the value of the field and its length in
// the text, including both quotes. If there is no closing quote, the returned length is 0.
func (s *splitter) quoted(text []byte) (value []byte, length int) {
	from := len(s.scratch)
	i := 1
	for {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return text[1:], 0
		}
		s.scratch = append(s.scratch, text[i:i+n]...)
		i += n + 1
		if i == len(text) || text[i] != '"' {
			return s.scratch[from:], i
		}
		s.scratch = append(s.scratch, '"')
		i++
	}
}

// refuse returns an error about the field that the method careful is reading. The parameter text describes what is
// wrong with the field.
func (s *splitter) refuse(line int64, text string) error {
	return fmt.Errorf("%s:%d: %s %s", s.name, line, s.fieldName(len(s.all)), text)
}

func (s *splitter) long(line int64) error {
	return s.refuse(line, "is longer than 1 MiB; check for a quote that is never closed")
}

// fieldName returns the name of the field with the given index for messages: the name of its column if the schema
// has one. It never returns the value of the field, which is private.
func (s *splitter) fieldName(i int) string {
	if i < len(s.want) && s.want[i] >= 0 {
		return fmt.Sprintf("column %s", quote.Word(s.names[s.want[i]]))
	}
	return fmt.Sprintf("field %d", i+1)
}

func trimBreak(row []byte) []byte {
	if n := len(row); n > 0 && row[n-1] == '\n' {
		row = row[:n-1]
	}
	return trimCR(row)
}

func trimCR(row []byte) []byte {
	if n := len(row); n > 0 && row[n-1] == '\r' {
		return row[:n-1]
	}
	return row
}

func trimSpace(field []byte) []byte {
	for len(field) > 0 && (field[0] == ' ' || field[0] == '\t') {
		field = field[1:]
	}
	for n := len(field); n > 0 && (field[n-1] == ' ' || field[n-1] == '\t'); n = len(field) {
		field = field[:n-1]
	}
	return field
}
