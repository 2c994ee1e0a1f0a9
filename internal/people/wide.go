package people

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// wideSizes are the numbers of values of columns, in turn. With ten of them or more, nearly all
// rows of many are distinct.
var wideSizes = []int{2, 3, 5, 8, 12, 20, 50, 100, 7, 4}

func wideName(column int) string { return fmt.Sprintf("c%03d", column) }

func wideSize(column int) int { return wideSizes[column%len(wideSizes)] }

// WideSchema is the domain of wide files of so many columns, and an outcome.
func WideSchema(columns int) string {
	var b strings.Builder
	b.WriteString("[label]\ncolumn = \"outcome\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n")
	for j := range columns {
		fmt.Fprintf(&b, "[[attribute]]\ncolumn = %q\nvalues = [", wideName(j))
		for v := range wideSize(j) {
			fmt.Fprintf(&b, "%q, ", wideValue(v))
		}
		b.WriteString("]\n")
	}
	return b.String()
}

func wideValue(v int) string { return "value " + strconv.Itoa(v) }

// wide visits n rows of the numbers of values, the outcome's last; always the same ones.
func wide(columns, n int, visit func([]int) error) error {
	r := rand.New(rand.NewPCG(3, 4))
	row := make([]int, columns+1)
	for range n {
		for j := range columns {
			row[j] = r.IntN(wideSize(j))
		}
		row[columns] = r.IntN(2)
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// WriteWideCSV writes n rows of so many columns, and the outcome, to a new file of
// comma-separated text with a header.
func WriteWideCSV(path string, columns, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	for j := range columns {
		fmt.Fprint(w, wideName(j), ",")
	}
	fmt.Fprintln(w, "outcome")
	var line []byte
	err = wide(columns, n, func(row []int) error {
		line = line[:0]
		for _, v := range row[:columns] {
			line = append(append(line, wideValue(v)...), ',')
		}
		line = append(append(line, outcomes[row[columns]]...), '\n')
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// WriteWideParquet writes the same rows to a new Parquet file, a quarter of a million to a row
// group.
func WriteWideParquet(path string, columns, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	root := parquet.Group{"outcome": parquet.Encoded(parquet.String(), &parquet.RLEDictionary)}
	values := make([][]parquet.Value, columns+1)
	for j := range columns {
		root[wideName(j)] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		for v := range wideSize(j) {
			values[j] = append(values[j], parquet.ByteArrayValue([]byte(wideValue(v))).Level(0, 0, j))
		}
	}
	for _, v := range outcomes {
		values[columns] = append(values[columns], parquet.ByteArrayValue([]byte(v)).Level(0, 0, columns))
	}
	w := parquet.NewGenericWriter[any](file, parquet.NewSchema("wide", root), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(250_000))
	batch := make([]parquet.Row, 0, 1000)
	flush := func() error {
		_, err := w.WriteRows(batch)
		batch = batch[:0]
		return err
	}
	err = wide(columns, n, func(codes []int) error {
		row := make(parquet.Row, 0, len(codes))
		for j, v := range codes {
			row = append(row, values[j][v])
		}
		if batch = append(batch, row); len(batch) < cap(batch) {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}
