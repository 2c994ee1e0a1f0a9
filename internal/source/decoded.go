package source

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// decoded returns a reader that converts the text of r to UTF-8 from the encoding that the schema's File states.
// Bytes that are invalid in this encoding cause an error instead of a replacement character (U+FFFD).
func decoded(name string, f table.File, r io.Reader) (io.Reader, error) {
	if f.Encoding == "" {
		return r, nil
	}
	e, err := htmlindex.Get(f.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%s: encoding %s is unknown; set the schema's [file] encoding to a known one, such as windows-1252", name, quote.Word(f.Encoding))
	}
	if known, _ := htmlindex.Name(e); known == "utf-8" {
		return r, nil // the splitter checks UTF-8
	}
	return transform.NewReader(r, &strictDecoder{Transformer: e.NewDecoder(), name: name, encoding: f.Encoding, line: 1}), nil
}

// A strictDecoder is a text decoder that returns an error for invalid bytes, for which the wrapped decoder would
// write a replacement character.
type strictDecoder struct {
	transform.Transformer
	name, encoding string
	line           int
}

// Transform decodes text from src to dst. It returns an error if the decoded text contains a replacement
// character, which decoders write for invalid bytes. No replacement character is missed, because decoders write
// only whole characters.
func (d *strictDecoder) Transform(dst, src []byte, atEnd bool) (written, read int, err error) {
	written, read, err = d.Transformer.Transform(dst, src, atEnd)
	text := dst[:written]
	if i := bytes.Index(text, []byte("\ufffd")); i >= 0 {
		line := d.line + bytes.Count(text[:i], []byte{'\n'})
		return 0, read, undecodable{fmt.Sprintf("%s:%d: the file is not %s text; name its true encoding in the schema's [file], or save it as UTF-8", d.name, line, d.encoding)}
	}
	d.line += bytes.Count(text, []byte{'\n'})
	return written, read, err
}

// An undecodable is the error for text that is invalid in the expected encoding.
type undecodable struct{ sentence string }

func (u undecodable) Error() string { return u.sentence }

// LineDecoder returns a function that converts the first line of a file from the given encoding to UTF-8, and the
// bytes of a line feed in this encoding.
func LineDecoder(encoding string) (decode func(line []byte) ([]byte, error), feed []byte, err error) {
	feed = []byte("\n")
	if encoding == "" {
		return func(line []byte) ([]byte, error) { return line, nil }, feed, nil
	}
	e, err := htmlindex.Get(encoding)
	if err != nil {
		return nil, nil, parameter.Errorf("{encoding} %s is unknown; usual ones are utf-8, windows-1252, iso-8859-15 and utf-16le", quote.Word(encoding))
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-16le":
		feed = []byte("\n\x00")
	case "utf-16be":
		feed = []byte("\x00\n")
	}
	return func(line []byte) ([]byte, error) {
		text, err := e.NewDecoder().Bytes(line)
		if err != nil || bytes.ContainsRune(text, utf8.RuneError) {
			return nil, parameter.Errorf("the first line is not %s text; give another {encoding}, or name the columns with {columns}", quote.Word(encoding))
		}
		return text, nil
	}, feed, nil
}
