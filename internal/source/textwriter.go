package source

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A textWriter is a Writer of rows as delimited text.
type textWriter struct {
	w         io.Writer
	closer    io.Closer // the encoder, which must be closed; nil if there is none
	delimiter byte
	comment   string
	line      []byte
}

func newTextWriter(w io.Writer, flat *table.Schema, columns []string) (Writer, error) {
	t := &textWriter{w: w, delimiter: flat.File.Delimiter, comment: flat.File.Comment}
	if err := t.encode(flat); err != nil {
		return nil, err
	}
	if flat.File.Headerless {
		return t, nil
	}
	return t, t.Write(columns)
}

// encode makes the writer convert its text to the encoding that the schema's File specifies. It returns an error if
// a value that the schema defines cannot be written in this encoding.
func (t *textWriter) encode(flat *table.Schema) error {
	if flat.File.Encoding == "" {
		return nil
	}
	e, err := htmlindex.Get(flat.File.Encoding)
	if err != nil {
		return fmt.Errorf("encoding %s is unknown; remove it from the schema's [file] to write UTF-8", quote.Word(flat.File.Encoding))
	}
	if e == encoding.Replacement {
		return fmt.Errorf("text cannot be written in the encoding %s; remove it from the schema's [file] to write UTF-8", quote.Word(flat.File.Encoding))
	}
	for j := range flat.Attributes {
		a := &flat.Attributes[j]
		texts := slices.Concat([]string{a.Column}, a.Missing, a.Values)
		for _, g := range a.Groups {
			texts = append(texts, g.Values...)
		}
		for _, text := range texts {
			if _, err := e.NewEncoder().String(text); err != nil {
				return fmt.Errorf("a value of attribute %s cannot be written in the encoding %s of the schema's [file]; remove the encoding to write UTF-8", quote.Word(a.Name), quote.Word(flat.File.Encoding))
			}
		}
	}
	encoder := transform.NewWriter(t.w, e.NewEncoder())
	t.w, t.closer = encoder, encoder
	return nil
}

func (t *textWriter) Write(row []string) error {
	t.line = t.line[:0]
	for k, field := range row {
		if k > 0 {
			t.line = append(t.line, t.delimiter)
		}
		if !t.quotes(field, k == 0, len(row) == 1) {
			t.line = append(t.line, field...)
			continue
		}
		t.line = append(t.line, '"')
		t.line = append(t.line, strings.ReplaceAll(field, `"`, `""`)...)
		t.line = append(t.line, '"')
	}
	_, err := t.w.Write(append(t.line, '\n'))
	return err
}

// quotes reports whether a field must be quoted. The parameters first and only state whether it is the first field,
// or the only field, of its line. An unquoted first field must not look like the beginning of a comment, and an
// unquoted only field must not look like a blank line.
func (t *textWriter) quotes(field string, first, only bool) bool {
	switch {
	case strings.ContainsAny(field, "\"\r\n") || strings.IndexByte(field, t.delimiter) >= 0:
		return true
	case first && (t.comment != "" && strings.HasPrefix(field, t.comment) || strings.HasPrefix(field, "\ufeff")):
		return true
	case only && strings.Trim(field, " \t") == "":
		return true
	}
	return strings.Trim(field, " \t") != field
}

func (t *textWriter) Close() error {
	if t.closer == nil {
		return nil
	}
	return t.closer.Close()
}
