package workbook

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
)

// MostSheet and the following limits ensure that a small file cannot require unbounded memory or time. Sizes are in
// bytes, without compression. The directory of the archive states the size of each part, which is a file in the
// archive; if a part is larger than stated, the workbook is damaged.
const (
	MostSheet = 16 << 30 // of one sheet, which is read as a stream
	MostTexts = 1 << 30  // of the table of shared texts, which is kept in memory
	mostPart  = 64 << 20 // of any other part
	mostToken = 16 << 20 // of a tag or a text in XML
	mostDepth = 64       // of nested elements in XML

	mostText = 1 << 20 // the length of the text of a cell; a cell with a longer one is Unreadable
)

var (
	errDamaged  = errors.New("the workbook is damaged; save it again as .xlsx in the spreadsheet program")
	errTooLarge = errors.New("the workbook is too large: uncompressed, a sheet may have 16 GiB, the table of texts 1 GiB, and any other part 64 MiB; save the sheet as CSV")
)

// A part reads the XML of one file in the workbook's archive, called a part of the workbook.
type part struct {
	file    io.ReadCloser
	guard   *guard
	decoder *xml.Decoder
	depth   int
}

// openPart opens a file of the archive. It returns an error if the uncompressed size of the file, in bytes, exceeds
// the parameter most.
func openPart(f *zip.File, most uint64) (*part, error) {
	if f.UncompressedSize64 > most {
		return nil, errTooLarge
	}
	file, err := f.Open()
	if err != nil {
		return nil, errDamaged
	}
	g := &guard{r: file, left: most}
	return &part{file: file, guard: g, decoder: xml.NewDecoder(g)}, nil
}

// next returns the next XML token, which is valid until the next call. At the end of the part, it verifies the
// part's checksum and returns io.EOF.
func (p *part) next() (xml.Token, error) {
	p.guard.token = 0
	t, err := p.decoder.Token()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, errDamaged
	}
	switch t.(type) {
	case xml.StartElement:
		if p.depth++; p.depth > mostDepth {
			return nil, errDamaged
		}
	case xml.EndElement:
		p.depth--
	}
	return t, nil
}

// text appends to dst all characters from the current position to the end of the current XML element.
func (p *part) text(dst []byte) ([]byte, error) {
	outer := p.depth
	for p.depth >= outer {
		t, err := p.next()
		if err != nil {
			return dst, damagedAtEnd(err)
		}
		if characters, ok := t.(xml.CharData); ok {
			dst = append(dst, characters...)
		}
		if len(dst) > mostToken {
			return dst, errDamaged
		}
	}
	return dst, nil
}

// damagedAtEnd replaces io.EOF, which means an unexpected end, by errDamaged. It returns other errors unchanged.
func damagedAtEnd(err error) error {
	if err == io.EOF {
		return errDamaged
	}
	return err
}

func (p *part) close() { p.file.Close() }

// each reads a file of the archive and calls the function visit for the start tag of each element.
func each(f *zip.File, visit func(xml.StartElement) error) error {
	p, err := openPart(f, mostPart)
	if err != nil {
		return err
	}
	defer p.close()
	for {
		t, err := p.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := t.(xml.StartElement); ok {
			if err := visit(start); err != nil {
				return err
			}
		}
	}
}

// value returns the value of the XML attribute with this name in a start tag, or "" if the tag has no such
// attribute.
func value(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A guard is a reader that returns an error if more bytes are read than are allowed in total, or for one XML token.
type guard struct {
	r     io.Reader
	left  uint64
	token int
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.token += n
	if uint64(n) > g.left || g.token > mostToken {
		return 0, errDamaged
	}
	g.left -= uint64(n)
	return n, err
}
