package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

const (
	parquetMagic = "PAR1"
	parquetBatch = 4096 // the number of rows that are coded at a time
)

// IsParquet reports whether a file at this location is written as Parquet. This depends on the end of the file's
// name.
func IsParquet(location string) bool {
	return strings.EqualFold(filepath.Ext(location), ".parquet")
}

// A Columnar is an open file that stores its rows column by column, in groups of rows. Its methods, except Close, may
// panic if the data is damaged. They must not recover from a panic of a Coder, which they call.
type Columnar interface {
	// Metadata returns the value of a key in the file's metadata. The result found is false if
	// there is none.
	Metadata(key string) (value string, found bool)

	// Rows returns the number of rows of each group.
	Rows() []int64

	// Columns describes the columns from the file's schema only.
	Columns() []ColumnType

	// Find returns the number of the column with this name. It returns ErrNoColumn if there is none, or an error
	// whose text completes the sentence "the column …".
	Find(column string) (int, error)

	// Column starts to read a column of a group of rows, given the number that Find returned. Each coder receives the
	// plain text of every value. Several goroutines may call Column.
	Column(group, found int, coders []Coder) ColumnReader
}

// A ColumnType describes a column of a Parquet file: its name and its type.
type ColumnType struct {
	Name string
	// Type is the SQL name of the type: boolean, integer, double, decimal(p,s), date, time, timestamp, text, enum,
	// uuid or json; and nested for lists, maps and structures, or the name of another type of Parquet.
	Type     string
	Required bool // whether the column has no missing values
}

// typed reports whether the values of the column are numbers, truth values, dates or times, in contrast to texts or
// bytes.
func (c ColumnType) typed() bool {
	name, _, _ := strings.Cut(c.Type, "(")
	return slices.Contains([]string{"boolean", "integer", "double", "decimal", "date", "time", "timestamp"}, name)
}

// ParquetColumns describes the columns of a Parquet file. It reads only the schema in the file's footer, not the
// statistics, which are private, nor the metadata of the program that wrote the file.
func ParquetColumns(name string, file interface {
	io.ReaderAt
	io.Closer
}, size int64) (all []ColumnType, err error) {
	defer recoverDamage(name, &err)
	columns, err := openColumns(name, file, size)
	if err != nil {
		return nil, err
	}
	if _, found := columns.Metadata(countedKey); found {
		return nil, fmt.Errorf("%s: the file holds counts and not the table; import the metadata of the table", name)
	}
	return columns.Columns(), nil
}

// A Coder computes the code of a value from its plain text, which is empty for a missing value. It must not retain
// the text.
type Coder func(text []byte) uint16

// A ColumnReader reads the values of a column in order. It returns the codes of the values, and their texts on
// request.
type ColumnReader interface {
	// Fill reads the next n values. The parameter into has one slice per coder, which Fill sets to the codes of
	// the values. If texts is not nil, Fill also sets it to the plain texts of the values, and reuses the memory
	// of its elements.
	Fill(n int, into [][]uint16, texts [][]byte) error
	Close() error
}

// ErrNoColumn is the error of Columnar.Find for a column that the file does not contain.
var ErrNoColumn = errors.New("is not in the file")

// parquetOpener opens a Parquet file. It is nil if the program does not import package parquet.
var parquetOpener func(file io.ReaderAt, size int64) (Columnar, error)

// RegisterParquet sets the function that opens Parquet files. Package parquet calls it when a program starts.
func RegisterParquet(open func(file io.ReaderAt, size int64) (Columnar, error)) { parquetOpener = open }

// A randomAccess is a file that can be read at any offset.
type randomAccess interface {
	io.ReaderAt
	io.Closer
}

// A parquetFile is an open Parquet file that has all columns of the schema.
type parquetFile struct {
	name    string
	file    randomAccess
	columns Columnar
	schema  *table.Schema
	codes   *coding
	groups  []parquetGroup
	found   []int // the numbers in the file of the coding's columns

	mutex sync.Mutex
	meter *meter // counts rows, which it converts to bytes of the file
	rows  int64
	size  int64
}

// A parquetGroup is a group of consecutive rows that a Parquet file stores together.
type parquetGroup struct {
	index int
	first int64 // the number of its first row, from 1
	rows  int64
}

// declared returns an error if the file lacks a column that the section [file] of the schema lists. This includes
// columns that no attribute uses, as for delimited text with a header. If the schema states that there is no header,
// declared checks nothing, because the list then applies only to delimited text.
func declared(name string, columns Columnar, s *table.Schema, labelled bool) error {
	if s.File.Headerless {
		return nil
	}
	for _, column := range s.File.Columns {
		if s.Label != nil && column == s.Label.Column && !labelled {
			continue
		}
		if _, err := columns.Find(column); errors.Is(err, ErrNoColumn) {
			return lacks(name, column)
		}
	}
	return nil
}

func lacks(name, column string) error {
	return fmt.Errorf("%s: the file lacks column %s; add this column to the file, or remove it from the schema", name, quote.Word(column))
}

func openParquet(name string, file randomAccess, size int64, s *table.Schema, o Options) (in input, err error) {
	defer recoverDamage(name, &err)
	columns, err := openColumns(name, file, size)
	if err != nil {
		return nil, err
	}
	if header, found := columns.Metadata(countedKey); found {
		return openCounted(name, file, columns, header, s)
	}
	labelled := s.Label != nil
	if labelled && o.LabelOptional {
		_, err := columns.Find(s.Label.Column)
		labelled = !errors.Is(err, ErrNoColumn)
	}
	p := &parquetFile{name: name, file: file, columns: columns, schema: s, codes: newCoding(s, labelled, o.Keep, nil), size: size}
	p.meter = newMeter(o.Progress, size)
	for _, column := range p.codes.columns {
		found, err := columns.Find(column)
		if errors.Is(err, ErrNoColumn) {
			return nil, lacks(name, column)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: column %s %w", name, quote.Word(column), err)
		}
		p.found = append(p.found, found)
	}
	if err := declared(name, columns, s, labelled); err != nil {
		return nil, err
	}
	types := columns.Columns()
	for _, c := range types {
		p.codes.all = append(p.codes.all, c.Name)
	}
	if err := refuseSpelling(s, func(column string) bool {
		return slices.ContainsFunc(types, func(c ColumnType) bool { return c.Name == column && !c.typed() })
	}); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, rows := range columns.Rows() {
		p.groups = append(p.groups, parquetGroup{i, p.rows + 1, rows})
		p.rows += rows
	}
	return p, nil
}

// openColumns opens a Parquet file, without checking that it has the columns of a schema.
func openColumns(name string, file randomAccess, size int64) (Columnar, error) {
	if parquetOpener == nil {
		return nil, fmt.Errorf("%s: this program cannot read Parquet files; import github.com/sibyl-dp/sibyl/parquet in it, or write the data as CSV", name)
	}
	columns, err := openGuarded(file, size)
	if err != nil {
		return nil, fmt.Errorf("%s: the file is not a valid Parquet file; write it again", name)
	}
	return columns, nil
}

func damaged(name string) error {
	return fmt.Errorf("%s: the Parquet data is damaged; write the file again", name)
}

func (p *parquetFile) coding() *coding { return p.codes }

func (p *parquetFile) close() { p.file.Close() }

func (p *parquetFile) each(ctx context.Context, visit func(codes []uint16, place int64) error) error {
	for _, g := range p.groups {
		if err := p.group(ctx, g, p.codes, visit); err != nil {
			return err
		}
	}
	return nil
}

func (p *parquetFile) collapse(ctx context.Context) (*table.Table, error) {
	return p.collapseUpTo(ctx, math.MaxInt)
}

// errManyRecords is the error for a table with more distinct records than allowed.
var errManyRecords = errors.New("too many distinct records")

// collapseUpTo counts equal records of the file in a table. If the table would have more distinct records than the
// parameter most, collapseUpTo may return errManyRecords instead.
func (p *parquetFile) collapseUpTo(ctx context.Context, most int) (*table.Table, error) {
	workers := newWorkers(p.workers(), p.schema, p.codes)
	defer closeAll(workers)
	var started atomic.Int64
	err := p.eachGroup(ctx, len(workers), func() func(context.Context, parquetGroup) error {
		w := &workers[started.Add(1)-1]
		return func(ctx context.Context, g parquetGroup) error { return p.count(ctx, g, w, most/len(workers)) }
	})
	if err != nil {
		return nil, err
	}
	return merged(ctx, p.schema, workers)
}

// workers returns the number of goroutines that read the file.
func (p *parquetFile) workers() int { return max(1, min(runtime.GOMAXPROCS(0), len(p.groups))) }

// eachGroup distributes the row groups among goroutines. Each goroutine calls the function start once, and then calls
// the returned function for each of its row groups. After an error, no further row group is read.
func (p *parquetFile) eachGroup(ctx context.Context, workers int, start func() func(context.Context, parquetGroup) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := parallel.Do(ctx, workers, len(p.groups), func() func(int) {
		read := start()
		return func(i int) {
			if err := read(ctx, p.groups[i]); err != nil {
				cancel(err)
			}
		}
	})
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// count adds the rows of a row group to the worker's table. It returns errManyRecords if the worker already has as
// many distinct records as the parameter most, and rows remain.
func (p *parquetFile) count(ctx context.Context, g parquetGroup, w *worker, most int) error {
	if w.persons != nil {
		return p.group(ctx, g, w.codes, w.visit)
	}
	return p.batches(ctx, g, func(batch [][]uint16, _ [][]byte) error {
		if w.builder.Records() >= most {
			return errManyRecords
		}
		return w.builder.AddColumns(batch)
	})
}

// group calls the function visit for each row of a row group, with the codes of the row and its number in the file.
// If the coding keeps the text of a column (see newCoding), this text is in into.text during the call.
func (p *parquetFile) group(ctx context.Context, g parquetGroup, into *coding, visit func(codes []uint16, place int64) error) error {
	codes, row := make([]uint16, p.codes.width), g.first
	return p.batches(ctx, g, func(batch [][]uint16, texts [][]byte) error {
		for i := range batch[0] {
			for j := range batch {
				codes[j] = batch[j][i]
			}
			if into.kept >= 0 {
				into.text = texts[i]
			}
			if err := visit(codes, row); err != nil {
				return err
			}
			row++
		}
		return nil
	})
}

// batches calls the function visit for each batch of rows in a row group, with the codes of the rows, column by
// column. If the coding keeps the text of a column (see newCoding), visit also receives these texts. If the label is
// not read, its codes are 0.
func (p *parquetFile) batches(ctx context.Context, g parquetGroup, visit func(batch [][]uint16, texts [][]byte) error) error {
	batch, part := make([][]uint16, p.codes.width), make([][]uint16, p.codes.width)
	for i := range batch {
		batch[i] = make([]uint16, parquetBatch)
	}
	columns, err := p.open(g, batch)
	if err != nil {
		return err
	}
	defer func() {
		for _, c := range columns {
			c.reader.Close()
		}
	}()
	for left := g.rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, parquetBatch))
		for i := range columns {
			if err := p.fill(&columns[i], n); err != nil {
				return err
			}
		}
		for j := range batch {
			part[j] = batch[j][:n]
		}
		var texts [][]byte
		if k := p.codes.kept; k >= 0 {
			texts = columns[k].texts[:n]
		}
		if err := visit(part, texts); err != nil {
			return err
		}
		left -= int64(n)
		p.progress(n)
	}
	return nil
}

// A parquetColumn reads one column of a row group, batch by batch, into memory that it reuses.
type parquetColumn struct {
	reader ColumnReader
	batch  [][]uint16 // by coder, the batch's memory for its codes
	into   [][]uint16 // by coder, the part of batch that is filled
	texts  [][]byte   // the texts of the batch, if they are kept
}

// open begins to read the needed columns of a row group. The codes will be written to batch, which has a slice for
// each code of a record.
func (p *parquetFile) open(g parquetGroup, batch [][]uint16) (columns []parquetColumn, err error) {
	defer recoverDamage(p.name, &err)
	for k, readers := range p.codes.readers {
		c := parquetColumn{into: make([][]uint16, len(readers))}
		var coders []Coder
		for _, r := range readers {
			coders = append(coders, r.code)
			c.batch = append(c.batch, batch[r.at])
		}
		if k == p.codes.kept {
			c.texts = make([][]byte, parquetBatch)
		}
		c.reader = p.columns.Column(g.index, p.found[k], coders)
		columns = append(columns, c)
	}
	return columns, nil
}

// fill reads the column's next n rows into the memory of the batch.
func (p *parquetFile) fill(c *parquetColumn, n int) (err error) {
	defer recoverDamage(p.name, &err)
	for k := range c.batch {
		c.into[k] = c.batch[k][:n]
	}
	texts := c.texts
	if texts != nil {
		texts = texts[:n]
	}
	if err := c.reader.Fill(n, c.into, texts); err != nil {
		return damaged(p.name)
	}
	return nil
}

func (p *parquetFile) progress(rows int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.meter.add(int64(float64(rows) / float64(p.rows) * float64(p.size)))
}
