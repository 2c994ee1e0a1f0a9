package made

import (
	"os"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes the first n rows to a new Parquet file.
func (t Table) WriteParquet(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	nodes := parquet.Group{}
	for _, c := range t.columns {
		nodes[c.name] = c.node()
	}
	schema := parquet.NewSchema("rows", nodes)
	texts, place := make([][]parquet.Value, len(t.columns)), make([]int, len(t.columns))
	for j, c := range t.columns {
		leaf, _ := schema.Lookup(c.name)
		place[j] = leaf.ColumnIndex
		for _, text := range c.texts {
			texts[j] = append(texts[j], parquet.ByteArrayValue([]byte(text)).Level(0, 0, place[j]))
		}
	}
	w := parquet.NewGenericWriter[any](file, schema, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(int64(t.group)))
	batch, filled := make([]parquet.Row, 1000), 0
	for i := range batch {
		batch[i] = make(parquet.Row, len(t.columns))
	}
	for row := range t.values(n) {
		for j, v := range row {
			if texts[j] != nil {
				batch[filled][place[j]] = texts[j][v]
			} else {
				batch[filled][place[j]] = parquet.Int64Value(int64(v)).Level(0, 0, place[j])
			}
		}
		if filled++; filled == len(batch) {
			if _, err := w.WriteRows(batch); err != nil {
				return err
			}
			filled = 0
		}
	}
	if _, err := w.WriteRows(batch[:filled]); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}

func (c column) node() parquet.Node {
	node := parquet.Int(64)
	if c.texts != nil {
		node = parquet.String()
	}
	if c.plain {
		return node
	}
	return parquet.Encoded(node, &parquet.RLEDictionary)
}

// WriteTexts writes rows of arbitrary byte strings, with the given column names, to a new
// Parquet file.
func WriteTexts(path string, columns []string, rows [][]string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	nodes := parquet.Group{}
	for _, name := range columns {
		nodes[name] = parquet.Leaf(parquet.ByteArrayType)
	}
	schema := parquet.NewSchema("rows", nodes)
	w := parquet.NewGenericWriter[any](file, schema)
	for _, row := range rows {
		values := make(parquet.Row, len(columns))
		for j, text := range row {
			leaf, _ := schema.Lookup(columns[j])
			values[leaf.ColumnIndex] = parquet.ByteArrayValue([]byte(text)).Level(0, 0, leaf.ColumnIndex)
		}
		if _, err := w.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}
