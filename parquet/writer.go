package parquet

import (
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/sibyl-dp/sibyl/internal/source"
)

func init() { source.RegisterParquetWriter(newWriter) }

const (
	batch     = 1024    // number of rows that are written at a time
	groupRows = 1 << 18 // number of rows of a row group, which is kept in memory until it is complete
)

// A writer is a source.Writer for a Parquet file.
type writer struct {
	out     *parquet.GenericWriter[any]
	columns []source.Written
	rows    []parquet.Row
}

func newWriter(w io.Writer, columns []source.Written, metadata map[string]string) (source.Writer, error) {
	root := group{Group: parquet.Group{}}
	for _, c := range columns {
		root.Group[c.Name] = node(c)
		root.names = append(root.names, c.Name)
	}
	out := parquet.NewGenericWriter[any](w, parquet.NewSchema("rows", root), parquet.MaxRowsPerRowGroup(groupRows))
	for key, value := range metadata {
		out.SetKeyValueMetadata(key, value)
	}
	return &writer{out: out, columns: columns}, nil
}

// A group is a parquet.Group whose fields have the order of the list names. The fields of a parquet.Group are sorted
// by name instead.
type group struct {
	parquet.Group
	names []string
}

func (g group) Fields() []parquet.Field {
	sorted := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		sorted[f.Name()] = f
	}
	var fields []parquet.Field
	for _, name := range g.names {
		fields = append(fields, sorted[name])
	}
	return fields
}

func node(c source.Written) parquet.Node {
	var n parquet.Node
	switch c.Kind {
	case source.Whole:
		n = parquet.Leaf(parquet.Int64Type)
	case source.Real:
		n = parquet.Leaf(parquet.DoubleType)
	case source.Truth:
		n = parquet.Leaf(parquet.BooleanType)
	default:
		n = parquet.String()
	}
	if c.Dictionary {
		n = parquet.Encoded(n, &parquet.RLEDictionary)
	}
	n = parquet.Compressed(n, &parquet.Snappy)
	if c.Optional {
		n = parquet.Optional(n)
	}
	return n
}

func (w *writer) Write(fields []string) error {
	row := make(parquet.Row, len(w.columns))
	for j, c := range w.columns {
		level := 0
		if c.Optional && fields[j] != "" {
			level = 1
		}
		v := parquet.NullValue()
		if !c.Optional || level == 1 {
			var err error
			if v, err = value(c.Kind, fields[j]); err != nil {
				return fmt.Errorf("a value in column %q cannot be converted to the type of the column", c.Name)
			}
		}
		row[j] = v.Level(0, level, j)
	}
	w.rows = append(w.rows, row)
	if len(w.rows) < batch {
		return nil
	}
	return w.flush()
}

func value(k source.Kind, text string) (v parquet.Value, err error) {
	switch k {
	case source.Whole:
		n, err := strconv.ParseInt(text, 10, 64)
		return parquet.Int64Value(n), err
	case source.Real:
		x, err := strconv.ParseFloat(text, 64)
		return parquet.DoubleValue(x), err
	case source.Truth:
		on, err := strconv.ParseBool(text)
		return parquet.BooleanValue(on), err
	}
	return parquet.ByteArrayValue([]byte(text)), nil
}

func (w *writer) flush() error {
	_, err := w.out.WriteRows(w.rows)
	w.rows = w.rows[:0]
	return err
}

func (w *writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.out.Close()
}
