package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"unicode/utf8"
)

// A texts is the workbook's table of shared texts. A cell with a shared text contains only the index of the text in
// this table. Entries of the table are read only when a cell first needs them, so that the header can be read
// without reading the texts of the records.
type texts struct {
	file  *zip.File
	part  *part // nil before the first entry is read
	list  [][]byte
	ended bool
}

// at returns the entry of the table with the given index. found is false if the table has no such entry.
func (t *texts) at(i int) (text []byte, found bool, err error) {
	for i >= len(t.list) && !t.ended {
		if err := t.read(); err != nil {
			return nil, false, err
		}
	}
	if i < 0 || i >= len(t.list) {
		return nil, false, nil
	}
	return t.list[i], true, nil
}

// finish reads the table to its end, which verifies its checksum. It does nothing if no entry was needed.
func (t *texts) finish() error {
	if t.part == nil || t.ended {
		return nil
	}
	t.ended = true
	for {
		if _, err := t.part.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// read reads the next entry of the table and appends it to t.list, or sets t.ended at the end of the table.
func (t *texts) read() error {
	if t.part == nil {
		p, err := openPart(t.file, MostTexts)
		if err != nil {
			return err
		}
		t.part = p
	}
	for {
		token, err := t.part.next()
		if err == io.EOF {
			t.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			return t.entry()
		}
	}
}

func (t *texts) entry() error {
	text, err := richText(t.part, nil)
	if err != nil {
		return err
	}
	t.list = append(t.list, bytes.Clone(text))
	return nil
}

// richText appends the text of an XML element <si> (a shared text) or <is> (the text of one cell), which may consist
// of several formatted parts. It leaves out phonetic hints.
func richText(p *part, dst []byte) ([]byte, error) {
	outer := p.depth
	begin := len(dst)
	for p.depth >= outer {
		token, err := p.next()
		if err != nil {
			return dst, damagedAtEnd(err)
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case start.Name.Local == "rPh":
			if _, err := p.text(nil); err != nil {
				return dst, err
			}
		case start.Name.Local == "t":
			if dst, err = p.text(dst); err != nil {
				return dst, err
			}
		}
		if len(dst) > mostToken {
			return dst, errDamaged
		}
	}
	return append(dst[:begin], unescaped(dst[begin:])...), nil
}

// unescaped replaces each _xHHHH_ by the character with this hexadecimal code. Workbooks use this notation for
// characters that XML cannot contain.
func unescaped(text []byte) []byte {
	if !bytes.Contains(text, []byte("_x")) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if rest := text[i:]; len(rest) >= 7 && rest[0] == '_' && rest[1] == 'x' && rest[6] == '_' {
			if c, err := strconv.ParseUint(string(rest[2:6]), 16, 16); err == nil && utf8.ValidRune(rune(c)) {
				out = utf8.AppendRune(out, rune(c))
				i += 6
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}
