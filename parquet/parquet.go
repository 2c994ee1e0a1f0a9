// Package parquet enables a program to read and write Parquet files. It exports nothing. A program imports
// it only for its effect:
//
//	import _ "github.com/sibyl-dp/sibyl/parquet"
//
// It is a separate package so that programs which read only text or databases do not link the
// Parquet library and its dependencies.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
)

func init() { source.RegisterParquet(open) }

// A file is an open Parquet file.
type file struct {
	opened *parquet.File
	root   *parquet.Column
	groups []parquet.RowGroup
	leaves []leaf // the columns that were requested
}

// A leaf is a column that is not nested, so that it has one value in each row.
type leaf struct {
	index  int
	kind   parquet.Kind
	append appender
}

func open(r io.ReaderAt, size int64) (source.Columnar, error) {
	if !footerFits(r, size) {
		return nil, errors.New("no footer")
	}
	opened, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	return &file{opened: opened, root: opened.Root(), groups: opened.RowGroups()}, nil
}

// footerFits reports whether the file is long enough for its footer, whose length is stated in the last bytes of
// the file. Without this check, the library would allocate memory of the stated length, up to 4 GiB, before it
// reads the footer.
func footerFits(r io.ReaderAt, size int64) bool {
	var end [8]byte // the footer's length, and the magic number, which also opens the file
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return false
	}
	return int64(binary.LittleEndian.Uint32(end[:4])) <= size-int64(len(end))-4
}

func (f *file) Metadata(key string) (string, bool) { return f.opened.Lookup(key) }

func (f *file) Rows() []int64 {
	rows := make([]int64, len(f.groups))
	for i, g := range f.groups {
		rows[i] = g.NumRows()
	}
	return rows
}

func (f *file) Columns() (all []source.ColumnType) {
	for _, c := range f.root.Columns() {
		t := source.ColumnType{Name: c.Name(), Type: "nested", Required: c.Required()}
		if c.Leaf() && !c.Repeated() {
			t.Type = sqlType(c.Type())
		}
		all = append(all, t)
	}
	return all
}

func (f *file) Find(name string) (int, error) {
	c := f.root.Column(name)
	switch {
	case c == nil:
		return 0, source.ErrNoColumn
	case !c.Leaf() || c.Repeated():
		return 0, errors.New("is nested; write a file in which it contains single values")
	}
	text := appenderOf(c.Type())
	if text == nil {
		return 0, fmt.Errorf("is of type %s, which cannot be read as text; write it as a string or a number", c.Type())
	}
	f.leaves = append(f.leaves, leaf{c.Index(), c.Type().Kind(), text})
	return len(f.leaves) - 1, nil
}

func (f *file) Column(group, found int, coders []source.Coder) source.ColumnReader {
	leaf := f.leaves[found]
	return &column{
		pages:  f.groups[group].ColumnChunks()[leaf.index].Pages(),
		append: leaf.append,
		coders: coders,
		kind:   leaf.kind,
	}
}
