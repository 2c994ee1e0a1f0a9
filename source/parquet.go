package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/table"
)

const (
	parquetMagic = "PAR1"
	parquetBatch = 4096 // rows coded at a time
)

func hasParquetName(location string) bool {
	return strings.EqualFold(filepath.Ext(location), ".parquet")
}

// A parquetFile is an opened Parquet file that has the columns of a schema.
type parquetFile struct {
	name   string
	file   *os.File
	schema *table.Schema
	codes  *coding
	groups []parquet.RowGroup
	leaves []parquetLeaf // of the coding's columns

	mutex sync.Mutex
	meter *meter // in rows, scaled to bytes
	rows  int64
	size  int64
}

// A parquetLeaf is a column of single values.
type parquetLeaf struct {
	index  int
	append appender
}

func openParquet(name string, file *os.File, size int64, s *table.Schema, o Options) (in input, err error) {
	defer recoverDamage(name, &err)
	opened, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: this is no sound Parquet file; write it again", name)
	}
	root := opened.Root()
	labelled := s.Label != nil && (!o.LabelOptional || root.Column(s.Label.Column) != nil)
	p := &parquetFile{name: name, file: file, schema: s, codes: newCoding(s, labelled), groups: opened.RowGroups(), size: size}
	p.meter = newMeter(o.Progress, size)
	for _, column := range p.codes.columns {
		leaf, err := findLeaf(name, root, column)
		if err != nil {
			return nil, err
		}
		p.leaves = append(p.leaves, leaf)
	}
	for _, g := range p.groups {
		p.rows += g.NumRows()
	}
	return p, nil
}

func findLeaf(name string, root *parquet.Column, column string) (parquetLeaf, error) {
	c := root.Column(column)
	switch {
	case c == nil:
		return parquetLeaf{}, fmt.Errorf("%s: the file lacks column %q; name it there or change the schema", name, column)
	case !c.Leaf() || c.Repeated():
		return parquetLeaf{}, fmt.Errorf("%s: column %q is nested; write a file where it holds single values", name, column)
	}
	text := appenderOf(c.Type())
	if text == nil {
		return parquetLeaf{}, fmt.Errorf("%s: column %q is of type %s, which has no plain text; write it as a string or a number", name, column, c.Type())
	}
	return parquetLeaf{c.Index(), text}, nil
}

// recoverDamage turns a panic of the Parquet library over damaged data into
// the error that it should be.
func recoverDamage(name string, err *error) {
	if recover() != nil {
		*err = damaged(name)
	}
}

func damaged(name string) error {
	return fmt.Errorf("%s: the Parquet data is damaged; write the file again", name)
}

func (p *parquetFile) coding() *coding { return p.codes }

func (p *parquetFile) close() { p.file.Close() }

func (p *parquetFile) each(ctx context.Context, visit func(codes []uint16, place int64) error) error {
	row := int64(1)
	for _, g := range p.groups {
		if err := p.group(ctx, g, row, visit); err != nil {
			return err
		}
		row += g.NumRows()
	}
	return nil
}

// collapse shares the row groups among the processors.
func (p *parquetFile) collapse(ctx context.Context) (*table.Table, error) {
	workers := make([]worker, max(1, min(runtime.GOMAXPROCS(0), len(p.groups))))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan parquet.RowGroup)
	var wait sync.WaitGroup
	for i := range workers {
		w := &workers[i]
		w.builder = table.NewBuilder(p.schema.Sizes())
		wait.Go(func() {
			for g := range next {
				if err := p.group(ctx, g, 1, w.visit); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, g := range p.groups {
		if ctx.Err() != nil {
			break
		}
		next <- g
	}
	close(next)
	wait.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return merged(workers)
}

// group visits the codes of a row group whose first row has the number row.
func (p *parquetFile) group(ctx context.Context, g parquet.RowGroup, row int64, visit func(codes []uint16, place int64) error) error {
	columns, err := p.columns(g)
	if err != nil {
		return err
	}
	defer func() {
		for i := range columns {
			columns[i].pages.Close()
		}
	}()
	batch := make([][]uint16, p.codes.width)
	for i := range batch {
		batch[i] = make([]uint16, parquetBatch)
	}
	codes := make([]uint16, p.codes.width)
	for left := g.NumRows(); left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, parquetBatch))
		for i := range columns {
			if err := p.fill(&columns[i], batch, n); err != nil {
				return err
			}
		}
		for i := range n {
			for j := range batch {
				codes[j] = batch[j][i]
			}
			if err := visit(codes, row); err != nil {
				return err
			}
			row++
		}
		left -= int64(n)
		p.progress(n)
	}
	return nil
}

func (p *parquetFile) columns(g parquet.RowGroup) (columns []parquetColumn, err error) {
	defer recoverDamage(p.name, &err)
	chunks := g.ColumnChunks()
	columns = make([]parquetColumn, len(p.leaves))
	for k, leaf := range p.leaves {
		columns[k] = parquetColumn{pages: chunks[leaf.index].Pages(), append: leaf.append, readers: p.codes.readers[k]}
	}
	return columns, nil
}

func (p *parquetFile) fill(c *parquetColumn, batch [][]uint16, n int) (err error) {
	defer recoverDamage(p.name, &err)
	if err := c.fill(batch, n); err != nil {
		return damaged(p.name)
	}
	return nil
}

func (p *parquetFile) progress(rows int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.meter.add(int64(float64(rows) / float64(p.rows) * float64(p.size)))
}

// A parquetColumn codes the column of a row group page by page. In pages that
// refer to a dictionary every entry is coded only once.
type parquetColumn struct {
	pages   parquet.Pages
	append  appender
	readers []reader

	page       parquet.Page // nil before the first and after each
	values     parquet.ValueReader
	levels     []byte // 0 where a value of the page is null; empty where none is
	indexes    []int32
	dictionary parquet.Dictionary
	entries    [][]uint16 // codes of the dictionary's entries, for each reader

	buffer [256]parquet.Value
	text   []byte
}

var errColumnEnds = errors.New("a column ends before its row group")

// fill codes the next n rows into the batch.
func (c *parquetColumn) fill(batch [][]uint16, n int) error {
	for done := 0; done < n; {
		if c.page == nil {
			if err := c.nextPage(); err != nil {
				return err
			}
		}
		var got int
		var err error
		if c.dictionary != nil {
			got = c.lookUp(batch, done, n)
		} else {
			got, err = c.code(batch, done, n)
		}
		if err != nil {
			return err
		}
		if got == 0 {
			parquet.Release(c.page)
			c.page = nil
		}
		done += got
	}
	return nil
}

func (c *parquetColumn) nextPage() error {
	page, err := c.pages.ReadPage()
	if err == io.EOF {
		return errColumnEnds
	}
	if err != nil {
		return err
	}
	c.page = page
	dictionary := page.Dictionary()
	if dictionary == nil {
		c.dictionary = nil
		c.values = page.Values()
		return nil
	}
	if dictionary != c.dictionary {
		c.dictionary = dictionary
		c.codeEntries()
	}
	c.levels = nil
	if page.NumNulls() > 0 {
		c.levels = page.DefinitionLevels()
	}
	data := page.Data()
	c.indexes = data.Int32()
	return nil
}

func (c *parquetColumn) codeEntries() {
	n := c.dictionary.Len()
	c.entries = c.entries[:0]
	for _, r := range c.readers {
		codes := make([]uint16, n+1)
		for i := range n {
			c.text = c.append(c.text[:0], c.dictionary.Index(int32(i)))
			codes[i] = r.code(c.text)
		}
		codes[n] = r.code(nil)
		c.entries = append(c.entries, codes)
	}
}

// lookUp codes rows of the page from from to, at most, to.
func (c *parquetColumn) lookUp(batch [][]uint16, from, to int) int {
	if len(c.levels) == 0 {
		n := min(to-from, len(c.indexes))
		for k, r := range c.readers {
			codes, out := c.entries[k], batch[r.at][from:from+n]
			for i, index := range c.indexes[:n] {
				out[i] = codes[index]
			}
		}
		c.indexes = c.indexes[n:]
		return n
	}
	n := min(to-from, len(c.levels))
	missing := int32(c.dictionary.Len())
	for i := range n {
		index := missing
		if c.levels[i] != 0 {
			index = c.indexes[0]
			c.indexes = c.indexes[1:]
		}
		for k, r := range c.readers {
			batch[r.at][from+i] = c.entries[k][index]
		}
	}
	c.levels = c.levels[n:]
	return n
}

// code codes rows of a page without a dictionary.
func (c *parquetColumn) code(batch [][]uint16, from, to int) (int, error) {
	n, err := c.values.ReadValues(c.buffer[:min(to-from, len(c.buffer))])
	if err != nil && err != io.EOF {
		return 0, err
	}
	for i, v := range c.buffer[:n] {
		c.text = c.text[:0]
		if !v.IsNull() {
			c.text = c.append(c.text, v)
		}
		for _, r := range c.readers {
			batch[r.at][from+i] = r.code(c.text)
		}
	}
	return n, nil
}
