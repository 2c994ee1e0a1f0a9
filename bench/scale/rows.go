package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Rows are of one of eight kinds of people, each with its own shares of the values of every
// attribute; the outcome depends on the kind. Attributes have 2, 4, 10, 30 and 100 values in
// turn.
var valuesOf = []int{2, 4, 10, 30, 100}

const kinds = 8

func size(attribute int) int { return valuesOf[attribute%len(valuesOf)] }

// schemaOf is the public domain of the rows.
func schemaOf(attributes int) string {
	var text strings.Builder
	text.WriteString("[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n")
	for j := range attributes {
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"x%d\"\nvalues = [", j)
		for v := range size(j) {
			fmt.Fprintf(&text, "\"%d\", ", v)
		}
		text.WriteString("]\n")
	}
	return text.String()
}

// writeRows writes so many rows to a Parquet file, always the same ones, a million to a row
// group.
func writeRows(path string, rows, attributes int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	columns := parquet.Group{"y": parquet.Encoded(parquet.Int(8), &parquet.RLEDictionary)}
	for j := range attributes {
		columns[fmt.Sprintf("x%d", j)] = parquet.Encoded(parquet.Int(8), &parquet.RLEDictionary)
	}
	schema := parquet.NewSchema("rows", columns)
	place := make([]int, attributes+1) // of each column in the file
	for j := range attributes {
		leaf, _ := schema.Lookup(fmt.Sprintf("x%d", j))
		place[j] = leaf.ColumnIndex
	}
	leaf, _ := schema.Lookup("y")
	place[attributes] = leaf.ColumnIndex
	w := parquet.NewGenericWriter[any](file, schema, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(1_000_000))
	r := rand.New(rand.NewPCG(1, uint64(attributes)))
	usual := usualValues(r, attributes)
	batch := make([]parquet.Row, 0, 1000)
	for n := range rows {
		if n < cap(batch) {
			batch = append(batch, make(parquet.Row, attributes+1))
		}
		row := batch[n%cap(batch)]
		kind := r.IntN(kinds)
		for j := range attributes {
			v := usual[kind][j]
			if r.IntN(2) == 0 {
				v = r.IntN(size(j))
			}
			row[place[j]] = parquet.Int32Value(int32(v)).Level(0, 0, place[j])
		}
		y := 0
		if r.IntN(kinds) <= kind {
			y = 1
		}
		row[place[attributes]] = parquet.Int32Value(int32(y)).Level(0, 0, place[attributes])
		if len(batch) == cap(batch) && n%cap(batch) == cap(batch)-1 {
			if _, err := w.WriteRows(batch); err != nil {
				return err
			}
		}
	}
	if rest := rows % cap(batch); rest > 0 {
		if _, err := w.WriteRows(batch[:rest]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}

// usualValues returns the value of each attribute that half of a kind have.
func usualValues(r *rand.Rand, attributes int) [kinds][]int {
	var all [kinds][]int
	for k := range all {
		for j := range attributes {
			all[k] = append(all[k], r.IntN(size(j)))
		}
	}
	return all
}
