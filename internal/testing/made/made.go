// Package made generates tables for tests and benchmarks, with their schemas, and writes them to files. The rows are
// the same in every run.
package made

import (
	"bufio"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// A Table describes a table with random rows for tests, which can be written in several file formats.
type Table struct {
	columns []column // the columns; the last one is the label
	coins   rand.PCG // the random source of the rows
	kinds   int      // the number of kinds of rows, which are equally likely
	group   int      // the number of rows of a Parquet row group
}

type column struct {
	name   string
	texts  []string // the texts of the values 0, 1, …; if there are none, the values are integers
	domain string   // the lines of its attribute in the schema; "" if the schema omits the column
	plain  bool     // whether the column has no dictionary in Parquet files
	draw   func(r *rand.Rand, row, kind int) int
}

func (c column) text(value int) string {
	if c.texts == nil {
		return strconv.Itoa(value)
	}
	return c.texts[value]
}

// Schema returns the text of the table's schema, in TOML.
func (t Table) Schema() string {
	var b strings.Builder
	for j, c := range t.columns {
		of := "[[attribute]]"
		if j == len(t.columns)-1 {
			of = "[label]"
		}
		if c.domain != "" {
			fmt.Fprintf(&b, "%s\ncolumn = %q\n%s\n", of, c.name, c.domain)
		}
	}
	return b.String()
}

// Rows yields the first n rows as texts. The yielded slice is reused for the next row.
func (t Table) Rows(n int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		texts := make([]string, len(t.columns))
		for row := range t.values(n) {
			for j, v := range row {
				texts[j] = t.columns[j].text(v)
			}
			if !yield(texts) {
				return
			}
		}
	}
}

// values yields the first n rows as codes of values. The yielded slice is reused for the next row.
func (t Table) values(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		coins, kind := t.coins, 0
		r, values := rand.New(&coins), make([]int, len(t.columns))
		for row := range n {
			if t.kinds > 1 {
				kind = r.IntN(t.kinds)
			}
			for j, c := range t.columns {
				values[j] = c.draw(r, row, kind)
			}
			if !yield(values) {
				return
			}
		}
	}
}

// WriteCSV writes the first n rows to a new file, as comma-separated text with a header.
func (t Table) WriteCSV(path string, n int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	line := func(fields []string) {
		for j, field := range fields {
			if j > 0 {
				w.WriteByte(',')
			}
			w.WriteString(field)
		}
		w.WriteByte('\n')
	}
	var names []string
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	line(names)
	for row := range t.Rows(n) {
		line(row)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
