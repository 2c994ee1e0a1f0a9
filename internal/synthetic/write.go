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

// Write writes the rows to w. The file name determines the format, Parquet or text (source.NewWriter).
//
// For each category of a row, Write samples a value of the category. The public rules of the schema and the densities
// of numbers determine its distribution, and the seed determines all random choices. If the schema has a person
// column, each row is a person, and persons are numbered from 1. If void is not empty, the rows have no privacy
// guarantee, and an additional last column states the reason. Write returns the error of the writer, or the context's
// error if the context ends.
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

// All iterates over the rows. It yields the fields of each row as Write writes them to a file with the given name.
// The slice of fields is valid until the next row. If an error occurs, All yields it and ends.
func (r Rows) All(ctx context.Context, name string, void model.Void, progress func(done, of int64)) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		l := r.layout
		d, err := table.NewDrawer(source.WrittenBy(name, l.Flat), r.seed, r.densities)
		if err != nil {
			yield(nil, err)
			return
		}
		if r.condition != nil {
			r.condition.keep(d)
		}
		var record []uint16
		var fields []string
		var quantiles [][2]float64
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
			at := r.index(i)
			record = r.layout.complete(r.records, at, record)
			quantiles = r.quantiles(at, record, quantiles)
			fields = d.Draw(fields[:0], record, quantiles)
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

// Columns returns the names of the fields that All yields.
func (l *Layout) Columns(name string, void model.Void) ([]string, error) {
	flat, err := l.written(name, void)
	if err != nil {
		return nil, err
	}
	return flat.Columns(), nil
}

const batch = 1 << 12 // rows between two checks of the context

// Writable returns an error if rows of the layout cannot be written to a file with the given name.
func (l *Layout) Writable(name string, void model.Void) error {
	flat, err := l.written(name, void)
	if err != nil {
		return err
	}
	_, err = source.NewWriter(io.Discard, name, flat)
	return err
}

// written returns the schema of the written rows: the flat schema, with the person column if the schema has one, and
// with the column model.NotPrivate if the rows have no guarantee.
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
		return nil, fmt.Errorf("the schema must not have a column %s, because rows without a guarantee are marked by an additional column of this name; rename the column in the schema", model.NotPrivate)
	case flat.File.Headerless && !source.IsParquet(name):
		return nil, errors.New("these rows have no guarantee, and a file without a header cannot state this; write a .parquet file, or remove header = false from the schema's [file]")
	case len(columns) > 0:
		flat.File.Columns = append(slices.Clone(columns), model.NotPrivate)
	}
	add(model.NotPrivate, string(void))
	return &flat, nil
}
