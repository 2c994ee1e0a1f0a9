package count

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/sibyl-dp/sibyl/beam/cells"
	"github.com/sibyl-dp/sibyl/beam/rows"
	"github.com/sibyl-dp/sibyl/internal/source"
	_ "github.com/sibyl-dp/sibyl/parquet" // files of counts, and of rows
)

// A writer writes the file of counts. If the runner executes the writer again, it replaces the file.
type writer struct {
	Task
	Out string
}

// ProcessElement decodes all groups of cells, and writes the cells to the output file in order.
func (w *writer) ProcessElement(ctx context.Context, _ int, groups func(*Group) bool) error {
	all := make([][]cell, len(w.Lists))
	nulls := int64(0)
	var g Group
	for groups(&g) {
		for c := cells.NewCursor(g.Cells); c.Key != nil; c.Next() {
			if g.Number == cells.Nulls {
				nulls += c.Units
				continue
			}
			list := listOf(g.Number)
			all[list] = append(all[list], cell{c.Key, c.Units})
		}
		g = Group{}
	}
	for _, of := range all {
		slices.SortFunc(of, func(a, b cell) int { return bytes.Compare(a.key, b.key) })
	}
	return rows.Mark(rows.Put(ctx, w.Out, func(to io.Writer) error { return w.write(to, all, nulls) }))
}

// A cell is a cell of a marginal: its key, encoded by the Packing of the marginal, and its count.
type cell struct {
	key   []byte
	units int64
}

// write writes a file of counts, given the cells of each marginal (all) and the count of null records (nulls).
func (w *writer) write(to io.Writer, all [][]cell, nulls int64) error {
	s, err := w.schema()
	if err != nil {
		return err
	}
	units := nulls
	for _, c := range all[0] {
		units += c.units
	}
	out, err := source.NewCountsWriter(to, s, w.Lists, units/s.Weight(), nulls)
	if err != nil {
		return err
	}
	for list, of := range all {
		packing, codes := cells.NewPacking(s, w.Lists[list]), make([]uint16, len(w.Lists[list]))
		for _, c := range of {
			outcome := packing.Unpack(c.key, codes)
			if err := out.Add(list, codes, outcome, c.units); err != nil {
				return err
			}
		}
	}
	return out.Close()
}
