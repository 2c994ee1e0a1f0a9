package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source/workbook"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A text is an open source of delimited text.
type text struct {
	name     string
	schema   *table.Schema
	codes    *coding
	splitter *splitter
	blocks   *blockReader
	first    block // the text after the header in the first block
	closer   io.Closer
}

func openText(name string, r io.Reader, closer io.Closer, size int64, s *table.Schema, o Options) (input, error) {
	plain, err := decompressed(name, s.File, bufio.NewReaderSize(meteredReader{r, newMeter(o.Progress, size)}, 64<<10))
	if err != nil {
		return nil, err
	}
	t, err := newText(name, plain, s)
	if err != nil {
		return nil, err
	}
	t.closer = closer
	if err := t.readFirst(o); err != nil {
		return nil, err
	}
	return t, nil
}

// newText returns a text whose header has not been read yet. It reads only as much from the reader plain as is
// needed to recognize a byte-order mark, which is skipped.
func newText(name string, plain io.Reader, s *table.Schema) (*text, error) {
	plain, err := decoded(name, s.File, plain)
	if err != nil {
		return nil, err
	}
	// A byte-order mark does not belong to the first line, which may be a comment.
	marked := bufio.NewReaderSize(plain, 64<<10)
	if start, _ := marked.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		marked.Discard(len(byteOrderMark))
	}
	t := &text{name: name, schema: s, splitter: newSplitter(name, s.File)}
	t.blocks = &blockReader{r: marked, size: blockSize, comment: []byte(s.File.Comment), line: 1}
	return t, nil
}

// readFirst reads the first block of the text, and checks the header in it.
func (t *text) readFirst(o Options) (err error) {
	if t.first, err = t.next(nil); err != nil && err != io.EOF {
		return err
	}
	return t.readHeader(o)
}

const byteOrderMark = "\ufeff"

// decompressed returns a reader of plain text. It inspects the first bytes of r, decompresses gzip, and returns an
// error for binary data.
func decompressed(name string, f table.File, r *bufio.Reader) (io.Reader, error) {
	start, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return nil, Unreadable(name, err)
	}
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		plain, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: the gzip data is damaged; compress the file again", name)
		}
		return plain, nil
	case string(start) == "\xff\xfe\x00\x00", string(start) == "\x00\x00\xfe\xff":
		return nil, fmt.Errorf("%s:1: the file is UTF-32 text; save it as UTF-8", name)
	case f.Encoding == "" && bytes.HasPrefix(start, []byte("\xff\xfe")):
		return nil, utf16(name, "utf-16le")
	case f.Encoding == "" && bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, utf16(name, "utf-16be")
	case workbook.Begins(start):
		return nil, fmt.Errorf("%s: this is a spreadsheet or another archive, which cannot be read from a stream; save it to a file and name that file", name)
	case string(start) == parquetMagic:
		return nil, fmt.Errorf("%s: Parquet cannot be read from a stream; save the data to a file and name that file", name)
	case string(start) == sqliteMagic[:4]: // only then wait for more bytes
		if long, _ := r.Peek(len(sqliteMagic)); string(long) == sqliteMagic {
			return nil, fmt.Errorf("%s: this is a SQLite database; name it as sqlite:PATH, and give a query", name)
		}
	}
	return r, nil
}

const sqliteMagic = "SQLite format 3\x00"

func utf16(name, encoding string) error {
	return fmt.Errorf("%s:1: the file is UTF-16 text; set encoding = %q in the schema's [file], or save it as UTF-8", name, encoding)
}

func (t *text) next(buffer []byte) (block, error) {
	b, err := t.blocks.next(buffer)
	switch {
	case err == nil || err == io.EOF:
		return b, err
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF):
		return b, fmt.Errorf("%s: the gzip data is damaged; compress the file again", t.name)
	case errors.As(err, new(undecodable)):
		return b, err
	}
	return b, Unreadable(t.name, err)
}

// readHeader finds the fields that contain the columns of the schema. The first record names the fields. If the text
// has no header, the list of columns in the schema's [file] does.
func (t *text) readHeader(o Options) error {
	first, line, rest, err := t.firstRecord(t.splitter)
	if t.schema.File.Headerless {
		return t.readColumns(first, err, o)
	}
	if first == nil && err == nil {
		return fmt.Errorf("%s: the file is empty; its first line must name the columns", t.name)
	}
	names := texts(first)
	if err == nil {
		err = t.checkHeader(names, line, o)
	}
	if err != nil {
		if missingColumn(t.schema, names, o) == "" {
			return err
		}
		if hint := t.otherDelimiter(len(names) == 1, func(fields [][]byte) bool { return missingColumn(t.schema, texts(fields), o) == "" }); hint != nil {
			return hint
		}
		return err
	}
	t.aim(names, o.Keep)
	t.first.line += int64(bytes.Count(t.first.text[:len(t.first.text)-len(rest)], []byte{'\n'}))
	t.first.text = rest
	return nil
}

// readColumns finds the schema's columns in a text without a header, by their positions in the list of columns in
// the schema's [file]. It uses the number of fields of the first record to recognize a missing label or a
// wrong delimiter. If reading this record failed, the parameter wrong is the error, and readColumns returns it unless
// it finds a more specific one.
func (t *text) readColumns(first [][]byte, wrong error, o Options) error {
	columns := t.schema.File.Columns
	if o.LabelOptional && t.schema.Label != nil && len(first) == len(columns)-1 {
		columns = slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == t.schema.Label.Column })
	}
	if o.Keep != "" && !slices.Contains(columns, o.Keep) {
		return fmt.Errorf("%s: the key \"columns\" in the schema's [file] does not list column %s; add it there", t.name, quote.Word(o.Keep))
	}
	t.aim(columns, o.Keep)
	if len(first) == 1 && len(columns) > 1 {
		if hint := t.otherDelimiter(true, func(fields [][]byte) bool { return len(fields) == len(columns) }); hint != nil {
			return hint
		}
	}
	return wrong
}

func texts(fields [][]byte) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = string(field)
	}
	return names
}

// firstRecord splits the first record of the text with the given splitter. It returns the record's fields, the line
// on which it starts, and the rest of the text. If there is no record, fields is nil.
func (t *text) firstRecord(s *splitter) (fields [][]byte, line int64, rest []byte, err error) {
	rest, line = t.first.text, t.first.line
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		if !s.skips(trimBreak(rest[:n])) {
			n, _, err := s.careful(rest, line)
			if err != nil {
				return nil, 0, nil, err
			}
			return s.all, line, rest[n:], nil
		}
		rest = rest[n:]
		line++
	}
	return nil, line, nil, nil
}

// neededColumns returns the columns that the header of a source must contain.
func neededColumns(s *table.Schema, o Options) []string {
	needed := append(s.Columns(), s.File.Columns...)
	if o.Keep != "" {
		needed = append(needed, o.Keep)
	}
	return needed
}

// missingColumn returns the first needed column that is not in the list of names, or "" if none is missing.
func missingColumn(s *table.Schema, names []string, o Options) string {
	for _, name := range neededColumns(s, o) {
		optional := o.LabelOptional && s.Label != nil && name == s.Label.Column && name != o.Keep
		if !optional && !slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// almost reports whether one of the names differs from a given name only in capitalization, surrounding blanks, or
// Unicode form.
func almost(names []string, name string) bool {
	plain := func(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(plain(n), plain(name)) })
}

// CheckLine returns an error if the first line of a text cannot be a header. The parameter names holds the fields of
// this line. It is not a header if it is an instruction for spreadsheet programs, such as sep=;, or if lines end
// with CR alone.
func CheckLine(names []string) error {
	switch {
	case len(names) > 0 && strings.HasPrefix(strings.ToLower(names[0]), "sep="):
		return errors.New("the first line is sep=, for spreadsheet programs, and does not name the columns; remove it from the file")
	case slices.ContainsFunc(names, func(n string) bool { return strings.Count(n, "\r") > strings.Count(n, "\r\n") }):
		return errors.New("the lines end with carriage returns alone; save the file with lines that end with LF or CRLF")
	}
	return nil
}

// checkHeader returns an error if the header is not valid for the schema. If the file has no header, its first line
// contains private values, so errors quote only names that the schema or the caller knows.
func (t *text) checkHeader(names []string, line int64, o Options) error {
	needed := neededColumns(t.schema, o)
	place := make(map[string]int)
	for i, name := range names {
		k, doubled := place[name]
		switch {
		case name == "" || !doubled:
			place[name] = i
		case slices.Contains(needed, name):
			return fmt.Errorf("%s:%d: the header names column %s twice; rename or remove one of the two", t.name, line, quote.Word(name))
		default:
			return fmt.Errorf("%s:%d: the header gives fields %d and %d the same name; rename or remove one of the two", t.name, line, k+1, i+1)
		}
	}
	name := missingColumn(t.schema, names, o)
	if name == "" {
		return nil
	}
	if err := CheckLine(names); err != nil {
		return fmt.Errorf("%s:%d: %w", t.name, line, err)
	}
	if almost(names, name) {
		return fmt.Errorf("%s:%d: the header lacks column %s, but has this name with other capital letters, blanks or Unicode forms; write it as in the header", t.name, line, quote.Word(name))
	}
	return fmt.Errorf("%s:%d: the header lacks column %s; write its name in the schema as in the header, or set header = false in the schema's [file] if the file has no header", t.name, line, quote.Word(name))
}

// aim determines which fields of a record are read, and how they are coded. The parameter names holds the column
// names of the fields. If keep is not empty, it names a column whose texts are kept.
func (t *text) aim(names []string, keep string) {
	labelled := t.schema.Label != nil && slices.Contains(names, t.schema.Label.Column)
	t.codes = newCoding(t.schema, labelled, keep, &t.schema.File)
	t.codes.all = names
	fieldOf := make([]int, len(t.codes.columns))
	for k, column := range t.codes.columns {
		fieldOf[k] = slices.Index(names, column)
	}
	t.splitter.aim(len(names), t.codes.columns, fieldOf)
}

func (t *text) coding() *coding { return t.codes }

func (t *text) close() {
	if t.closer != nil {
		t.closer.Close()
	}
}

func (t *text) each(ctx context.Context, visit func(codes []uint16, place int64) error) error {
	for b, err := t.first, error(nil); err != io.EOF; b, err = t.next(b.text) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.codes.split(t.splitter, b, visit); err != nil {
			return err
		}
	}
	return nil
}

// split divides a block into records, and calls the function visit for each, with its codes and the number of the
// line on which it starts.
func (c *coding) split(s *splitter, b block, visit func(codes []uint16, line int64) error) error {
	codes := make([]uint16, c.width)
	return s.split(b, func(line int64) error {
		for k, field := range s.fields {
			c.field(k, field, codes)
		}
		return visit(codes, line)
	})
}

// collapse counts equal records of the text in a table. It distributes the blocks of the text, in order, to one
// worker per processor, and stops when a worker finds a malformed block. All earlier blocks have been distributed by
// then, so if several blocks are malformed, collapse returns the error of the first of them.
func (t *text) collapse(ctx context.Context) (*table.Table, error) {
	workers := newWorkers(runtime.GOMAXPROCS(0), t.schema, t.codes)
	defer closeAll(workers)
	// free has the capacity for all buffers, including that of the first block, so returning a
	// buffer never blocks.
	full, free := make(chan block), make(chan []byte, len(workers)+2)
	for range len(workers) + 1 {
		free <- nil
	}
	// A worker may end before all blocks are read, after an error or a panic.
	ended := make(chan struct{})
	var once sync.Once
	var group parallel.Group
	for i := range workers {
		w := &workers[i]
		group.Go(func() {
			defer once.Do(func() { close(ended) })
			splitter := t.splitter.clone()
			for b := range full {
				w.block = b.number
				if w.err = w.codes.split(splitter, b, w.visit); w.err != nil {
					return
				}
				free <- b.text
			}
		})
	}
	err := t.share(ctx, full, free, ended)
	close(full)
	group.Wait()
	var first *worker
	for i := range workers {
		if w := &workers[i]; w.err != nil && (first == nil || w.block < first.block) {
			first = w
		}
	}
	if first != nil {
		return nil, first.err
	}
	if err != nil {
		return nil, err
	}
	return merged(ctx, t.schema, workers)
}

// share reads the blocks of the text and sends them to the workers through the channel full. It reuses the buffers
// that the workers return through the channel free, and stops when a worker has ended.
func (t *text) share(ctx context.Context, full chan<- block, free <-chan []byte, ended <-chan struct{}) error {
	b, err := t.first, error(nil)
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case full <- b:
		case <-ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case buffer := <-free:
			b, err = t.next(buffer)
		case <-ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
