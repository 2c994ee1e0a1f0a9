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
	"sync"

	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A text is delimited text whose header has been read.
type text struct {
	name     string
	schema   *table.Schema
	codes    *coding
	splitter *splitter
	blocks   *blockReader
	first    block // what follows the header in the first block
	closer   io.Closer
}

func openText(name string, r io.Reader, closer io.Closer, size int64, s *table.Schema, o Options) (input, error) {
	plain, err := decompressed(name, bufio.NewReaderSize(meteredReader{r, newMeter(o.Progress, size)}, 64<<10))
	if err != nil {
		return nil, err
	}
	t := &text{name: name, schema: s, closer: closer, splitter: newSplitter(name, s.File)}
	t.blocks = &blockReader{r: plain, size: blockSize, comment: []byte(s.File.Comment), line: 1}
	t.first, err = t.next(nil)
	if err != nil && err != io.EOF {
		return nil, err
	}
	t.first.text = bytes.TrimPrefix(t.first.text, []byte("\ufeff"))
	if err := t.readHeader(o); err != nil {
		return nil, err
	}
	return t, nil
}

// decompressed looks at the first bytes for gzip, and for what is no text.
func decompressed(name string, r *bufio.Reader) (io.Reader, error) {
	start, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return nil, unreadable(name, err)
	}
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		plain, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: the gzip data is damaged", name)
		}
		return plain, nil
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, fmt.Errorf("%s:1: the file is UTF-16 text; save it as UTF-8", name)
	case string(start) == parquetMagic:
		return nil, fmt.Errorf("%s: Parquet cannot be read from a stream; save it to a file and name that", name)
	}
	return r, nil
}

func (t *text) next(buffer []byte) (block, error) {
	b, err := t.blocks.next(buffer)
	switch {
	case err == nil || err == io.EOF:
		return b, err
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF):
		return b, fmt.Errorf("%s: the gzip data is damaged", t.name)
	}
	return b, unreadable(t.name, err)
}

// readHeader finds the schema's columns among the fields of the first record,
// or in the columns of the schema where there is no header.
func (t *text) readHeader(o Options) error {
	first, line, rest, err := t.firstRecord()
	if err != nil {
		return err
	}
	file := t.schema.File
	if file.Headerless {
		columns := file.Columns
		if o.LabelOptional && t.schema.Label != nil && len(first) == len(columns)-1 {
			columns = slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == t.schema.Label.Column })
		}
		if o.Keep != "" && !slices.Contains(columns, o.Keep) {
			return fmt.Errorf("%s: the file has no header, and the columns of the schema's [file] lack column %s", t.name, quote.Word(o.Keep))
		}
		t.aim(columns, o.Keep)
		return nil
	}
	if first == nil {
		return fmt.Errorf("%s: the file is empty, but its first line should name the columns", t.name)
	}
	names := make([]string, len(first))
	for i, field := range first {
		names[i] = string(field)
	}
	if err := t.checkHeader(names, line, o); err != nil {
		return err
	}
	t.aim(names, o.Keep)
	t.first.line += int64(bytes.Count(t.first.text[:len(t.first.text)-len(rest)], []byte{'\n'}))
	t.first.text = rest
	return nil
}

// firstRecord returns the fields of the first record, nil where there is none,
// its line, and the text after it.
func (t *text) firstRecord() (fields [][]byte, line int64, rest []byte, err error) {
	rest, line = t.first.text, t.first.line
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		if !t.splitter.skips(trimBreak(rest[:n])) {
			n, _, err := t.splitter.careful(rest, line)
			if err != nil {
				return nil, 0, nil, err
			}
			return t.splitter.all, line, rest[n:], nil
		}
		rest = rest[n:]
		line++
	}
	return nil, line, nil, nil
}

// checkHeader quotes only names that the schema or the caller knows: a file without a header
// has private values in its first line.
func (t *text) checkHeader(names []string, line int64, o Options) error {
	needed := append(t.schema.Columns(), t.schema.File.Columns...)
	if o.Keep != "" {
		needed = append(needed, o.Keep)
	}
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
	for _, name := range needed {
		if _, found := place[name]; found || o.LabelOptional && t.schema.Label != nil && name == t.schema.Label.Column && name != o.Keep {
			continue
		}
		return fmt.Errorf("%s:%d: the header lacks column %s; name it there, or, where the file has no header, set header = false in the schema's [file]", t.name, line, quote.Word(name))
	}
	return nil
}

// aim tells the splitter and the coding which field is which column.
func (t *text) aim(names []string, keep string) {
	labelled := t.schema.Label != nil && slices.Contains(names, t.schema.Label.Column)
	t.codes = newCoding(t.schema, labelled, keep)
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

// split visits the codes of the records of the block.
func (c *coding) split(s *splitter, b block, visit func(codes []uint16, line int64) error) error {
	codes := make([]uint16, c.width)
	return s.split(b, func(line int64) error {
		for k, field := range s.fields {
			c.field(k, field, codes)
		}
		return visit(codes, line)
	})
}

// collapse shares the blocks among the processors. Where several blocks are
// ill-formed, the error is that of the first: blocks are given out in order,
// and none after an error, so all blocks before the first error are split.
func (t *text) collapse(ctx context.Context) (*table.Table, error) {
	workers := make([]worker, runtime.GOMAXPROCS(0))
	// free has room for all buffers, that of the first block among them: to
	// give one back never waits.
	full, free := make(chan block), make(chan []byte, len(workers)+2)
	for range len(workers) + 1 {
		free <- nil
	}
	failed := make(chan struct{})
	var once sync.Once
	var wait sync.WaitGroup
	for i := range workers {
		w := &workers[i]
		w.builder = table.NewBuilder(t.schema.Sizes())
		wait.Go(func() {
			splitter := t.splitter.clone()
			for b := range full {
				w.block = b.number
				if w.err = t.codes.split(splitter, b, w.visit); w.err != nil {
					once.Do(func() { close(failed) })
					return
				}
				free <- b.text
			}
		})
	}
	err := t.share(ctx, full, free, failed)
	close(full)
	wait.Wait()
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
	return merged(workers)
}

// A worker collapses its share of a source.
type worker struct {
	builder *table.Builder
	block   int // the number of the last one
	err     error
}

func (w *worker) visit(codes []uint16, _ int64) error { return count(w.builder, codes, 1) }

func merged(workers []worker) (*table.Table, error) {
	all := workers[0].builder
	for i := 1; i < len(workers); i++ {
		if err := all.Merge(workers[i].builder); err != nil {
			return nil, err
		}
		workers[i].builder = nil
	}
	return all.Table(), nil
}

// share reads blocks into free buffers and gives them out.
func (t *text) share(ctx context.Context, full chan<- block, free <-chan []byte, failed <-chan struct{}) error {
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
		case <-failed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case buffer := <-free:
			b, err = t.next(buffer)
		case <-failed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
