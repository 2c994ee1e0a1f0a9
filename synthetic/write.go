package synthetic

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

// Write writes rows to a file of that name: Parquet or text, as source.NewWriter has it. What
// a category leaves open is drawn by the schema's public rules; that follows from the seed.
// Rows that promise nothing have a last column that says why, so that a file of them is not
// taken for another.
func (l *Layout) Write(w io.Writer, name string, rows Rows, void model.Void, seed uint64) error {
	flat, err := l.marked(name, void)
	if err != nil {
		return err
	}
	out, err := source.NewWriter(w, name, flat)
	if err != nil {
		return err
	}
	d, err := table.NewDrawer(source.WrittenBy(name, flat), seed)
	if err != nil {
		return err
	}
	var record []uint16
	var fields []string
	for i := range rows.Len() {
		record = rows.Record(i, record)
		if void != "" {
			record = append(record, 0)
		}
		fields = d.Draw(fields[:0], record)
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	return out.Close()
}

// Writable refuses a file of that name that rows could not be written to.
func (l *Layout) Writable(name string, void model.Void) error {
	flat, err := l.marked(name, void)
	if err != nil {
		return err
	}
	_, err = source.NewWriter(io.Discard, name, flat)
	return err
}

// marked returns the flat schema, of rows that promise nothing with the column model.NotPrivate.
func (l *Layout) marked(name string, void model.Void) (*table.Schema, error) {
	if void == "" {
		return l.Flat, nil
	}
	flat := *l.Flat
	columns := flat.File.Columns
	switch {
	case slices.Contains(columns, model.NotPrivate) || slices.Contains(flat.Columns(), model.NotPrivate):
		return nil, fmt.Errorf("the schema has a column %s, by which files tell that their rows promise nothing, as these do; give it another name", model.NotPrivate)
	case flat.File.Headerless && !source.IsParquet(name):
		return nil, errors.New("a file without a header cannot tell that its rows promise nothing, as these do; name a .parquet file, or leave header = false out of the schema's [file]")
	case len(columns) > 0:
		flat.File.Columns = append(slices.Clone(columns), model.NotPrivate)
	}
	flat.Attributes = append(slices.Clone(flat.Attributes), table.Attribute{Name: model.NotPrivate, Column: model.NotPrivate, Values: []string{string(void)}})
	return &flat, nil
}
