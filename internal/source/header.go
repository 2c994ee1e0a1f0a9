package source

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The header of delimited text is checked before a budget is charged, so it is read apart from
// the rows. Neither how the check ends nor how much it reads depends on a row: it reads up to the end of
// the header, and it takes nothing from standard input, whose buffer the rows are read from later.

// HeaderRoom is the size of the buffer in which Ready looks for the header of standard input.
const HeaderRoom = 1 << 20

// Stdin returns a buffered reader of r for Options.Stdin, which lets Ready check the header.
func Stdin(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, HeaderRoom) }

// processStdin is the standard input of the process, for all that read it.
var processStdin = sync.OnceValue(func() *bufio.Reader { return Stdin(os.Stdin) })

// stdin returns what "-" reads.
func (o Options) stdin() io.Reader {
	if o.Stdin == nil {
		return processStdin()
	}
	return o.Stdin
}

// readyStdin refuses standard input whose header openText would refuse. It accepts a header that
// does not fit the buffer, and one in a reader without a buffer of its own: these are judged when
// the rows are read.
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

// readyText refuses delimited text whose header openText would refuse. It reads up to the end of
// the header, or of its first bytes where the text has none.
func readyText(name string, r io.Reader, s *table.Schema, o Options) error {
	plain, err := decompressed(name, s.File, bufio.NewReader(r))
	if err != nil || s.File.Headerless {
		return err
	}
	if s.File.Encoding != "" {
		plain = bytewise{plain} // or an error over a row may come before the header's text
	}
	t, err := newText(name, plain, s)
	if err != nil {
		return err
	}
	t.blocks.r = &header{r: t.blocks.r, splitter: t.splitter}
	return t.readFirst(o)
}

// A lookahead reads what a buffered reader has to read next, and leaves it there.
type lookahead struct {
	r    *bufio.Reader
	at   int
	full bool // the buffer has no room for more
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

// bytewise reads one byte at a time.
type bytewise struct{ r io.Reader }

func (b bytewise) Read(p []byte) (int, error) { return b.r.Read(p[:min(len(p), 1)]) }

// A header reads text up to its first record, and the rest of what it read with that.
type header struct {
	r        io.Reader
	splitter *splitter
	line     []byte // the beginning of a line
	begun    bool   // the first record began in an earlier line
	quotes   int    // of the first record, in earlier lines
	ended    bool
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

// next goes on to the next line. As in blockReader, a record ends with a line after which the number of
// its quotes is even.
func (h *header) next() {
	if h.begun || !h.splitter.skips(trimBreak(h.line)) {
		h.begun = true
		h.quotes += bytes.Count(h.line, []byte{'"'})
		h.ended = h.ended || h.quotes%2 == 0
	}
	h.line = h.line[:0]
}
