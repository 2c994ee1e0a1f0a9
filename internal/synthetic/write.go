package synthetic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Write writes the rows one after the other to a file of that name: Parquet or text, as source.NewWriter
// has it. What a category leaves open is drawn by the schema's public rules; that follows from the seed.
// Rows that promise nothing have a last column that says why, so that a file of them is not
// taken for another. Where the schema tells persons apart each row is one of its own, numbered
// from 1. It fails with the context's error, or that of the writer.
func (r Rows) Write(ctx context.Context, w io.Writer, name string, void model.Void, progress func(done, of int64)) error {
	l := r.layout
	flat, err := l.written(name, void)
	if err != nil {
		return err
	}
	out, err := source.NewWriter(w, name, flat)
	if err != nil {
		return err
	}
	for fields, err := range r.All(ctx, name, void, progress) {
		if err == nil {
			err = out.Write(fields)
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// All gives the fields of each row, as Write writes them to a file of that name, valid until the
// next row. It ends with an error.
func (r Rows) All(ctx context.Context, name string, void model.Void, progress func(done, of int64)) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		l := r.layout
		d, err := table.NewDrawer(source.WrittenBy(name, l.Flat), r.seed)
		if err != nil {
			yield(nil, err)
			return
		}
		var record []uint16
		var fields []string
		for i := range r.Len() {
			if i%batch == 0 {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				if progress != nil {
					progress(int64(i), int64(r.n))
				}
			}
			record = r.Record(i, record)
			fields = d.Draw(fields[:0], record)
			if l.Schema.Person != nil {
				fields = append(fields, strconv.Itoa(i+1))
			}
			if void != "" {
				fields = append(fields, string(void))
			}
			if !yield(fields, nil) {
				return
			}
		}
	}
}

// Columns names the fields of rows that All gives.
func (l *Layout) Columns(name string, void model.Void) ([]string, error) {
	flat, err := l.written(name, void)
	if err != nil {
		return nil, err
	}
	return flat.Columns(), nil
}

const batch = 1 << 12 // rows between two looks at the context

// Writable refuses a file of that name that rows could not be written to.
func (l *Layout) Writable(name string, void model.Void) error {
	flat, err := l.written(name, void)
	if err != nil {
		return err
	}
	_, err = source.NewWriter(io.Discard, name, flat)
	return err
}

// written returns the flat schema with the columns that are written beside the attributes': that
// of persons, and model.NotPrivate of rows that promise nothing.
func (l *Layout) written(name string, void model.Void) (*table.Schema, error) {
	flat := *l.Flat
	flat.Attributes = slices.Clone(flat.Attributes)
	add := func(column, value string) {
		flat.Attributes = append(flat.Attributes, table.Attribute{Name: column, Column: column, Values: []string{value}})
	}
	if p := l.Schema.Person; p != nil {
		add(p.Column, "1")
	}
	if void == "" {
		return &flat, nil
	}
	columns := flat.File.Columns
	switch {
	case slices.Contains(columns, model.NotPrivate) || slices.Contains(flat.Columns(), model.NotPrivate):
		return nil, fmt.Errorf("the schema has a column %s, by which files tell that their rows promise nothing, as these do; give it another name", model.NotPrivate)
	case flat.File.Headerless && !source.IsParquet(name):
		return nil, errors.New("a file without a header cannot tell that its rows promise nothing, as these do; name a .parquet file, or leave header = false out of the schema's [file]")
	case len(columns) > 0:
		flat.File.Columns = append(slices.Clone(columns), model.NotPrivate)
	}
	add(model.NotPrivate, string(void))
	return &flat, nil
}
