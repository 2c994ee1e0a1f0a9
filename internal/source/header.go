package source

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The header of delimited text is checked before a budget is charged, so it is read separately from the rows. The
// check reads up to the end of the header; neither its result nor the amount of data that it reads depends on a row.
// It does not consume standard input, so that the rows can be read later.

// HeaderRoom is the size, in bytes, of the buffer for standard input. Ready can check the header of a text on
// standard input only if the header fits into this buffer.
const HeaderRoom = 1 << 20

// Stdin returns a buffered reader of r for Options.Stdin. With it, Ready can check the header without consuming it,
// so that Read can read it later.
func Stdin(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, HeaderRoom) }

// processStdin returns the buffered standard input of the process, which all readers share.
var processStdin = sync.OnceValue(func() *bufio.Reader { return Stdin(os.Stdin) })

// stdin returns the reader for the location "-", which is o.Stdin or, if that is nil, the standard input of the
// process.
func (o Options) stdin() io.Reader {
	if o.Stdin == nil {
		return processStdin()
	}
	return o.Stdin
}

// readyStdin checks the header of delimited text on standard input. It returns the error that opening the text would
// return. If the reader has no buffer or the header does not fit into it, readyStdin checks nothing; the header is
// then checked when the rows are read.
func readyStdin(s *table.Schema, o Options) error {
	r, buffered := o.stdin().(*bufio.Reader)
	if !buffered {
		return nil
	}
	look := lookahead{r: r}
	err := readyText(stdinName, &look, s, o)
	if look.full {
		return nil
	}
	return err
}

// readyText checks the header of delimited text. It returns the error that opening the text would return, and reads
// nothing after the header. If the schema states that there is no header, it reads only the first bytes, which show
// the format of the file.
func readyText(name string, r io.Reader, s *table.Schema, o Options) error {
	plain, err := decompressed(name, s.File, bufio.NewReader(r))
	if err != nil || s.File.Headerless {
		return err
	}
	if s.File.Encoding != "" {
		plain = bytewise{plain} // otherwise an encoding error in a row might be reported before the header is read
	}
	t, err := newText(name, plain, s)
	if err != nil {
		return err
	}
	t.blocks.r = &header{r: t.blocks.r, splitter: t.splitter}
	return t.readFirst(o)
}

// A lookahead reads the next bytes of a buffered reader without consuming them, so that they can be read again.
type lookahead struct {
	r    *bufio.Reader
	at   int
	full bool // whether the buffer is full
}

func (l *lookahead) Read(p []byte) (int, error) {
	if l.at == l.r.Buffered() {
		if _, err := l.r.Peek(l.at + 1); err != nil {
			l.full = err == bufio.ErrBufferFull
			return 0, err
		}
	}
	text, err := l.r.Peek(l.r.Buffered())
	n := copy(p, text[l.at:])
	l.at += n
	return n, err
}

// A bytewise reads at most one byte at a time, so that a decoder cannot read beyond the header.
type bytewise struct{ r io.Reader }

func (b bytewise) Read(p []byte) (int, error) { return b.r.Read(p[:min(len(p), 1)]) }

// A header reads the first record of a text. After this record it reports the end of the text, so that no more is
// read. Its last Read may return data beyond the record.
type header struct {
	r        io.Reader
	splitter *splitter
	line     []byte // the beginning of the current line
	begun    bool   // whether the first record, which may have several lines, began in an earlier line
	quotes   int    // the number of quotes of the first record in earlier lines
	ended    bool   // whether the first record has ended
}

func (h *header) Read(p []byte) (int, error) {
	if h.ended {
		return 0, io.EOF
	}
	n, err := h.r.Read(p)
	for text := range bytes.SplitAfterSeq(p[:n], []byte{'\n'}) {
		if h.line = append(h.line, text...); bytes.HasSuffix(text, []byte{'\n'}) {
			h.next()
		}
	}
	return n, err
}

// next processes the end of a line of the text. The first record ends with this line if it contains an even number
// of quotes so far (see blockReader).
func (h *header) next() {
	if h.begun || !h.splitter.skips(trimBreak(h.line)) {
		h.begun = true
		h.quotes += bytes.Count(h.line, []byte{'"'})
		h.ended = h.ended || h.quotes%2 == 0
	}
	h.line = h.line[:0]
}
