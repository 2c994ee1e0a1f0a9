package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/table"
)

const (
	mostLists  = 100_000 // the maximum number of lists in a file of counts
	mostCells  = 1 << 24 // the maximum number of cells of a list
	batchCells = 1 << 20 // the approximate number of cells that one query counts
)

// Lists returns the lists of attributes that define the marginals of a file of counts: all lists of k attributes,
// where k is the parameter order, or the list of all attributes if the schema has at most k. All marginals of at most
// k attributes and the label can then be computed by summation. Lists returns an error if there would be too many
// lists, or too many cells in one marginal.
func Lists(s *table.Schema, order int) ([][]int, error) {
	n := len(s.Attributes)
	switch {
	case order < 1:
		return nil, fmt.Errorf("--order %d must be at least 1, the number of attributes to count together", order)
	case order >= n:
		return [][]int{everyPlace(n)}, nil
	}
	var lists [][]int
	err := choose(n, order, func(list []int) error {
		switch {
		case len(lists) == mostLists:
			return fmt.Errorf("--order %d is too high: %d attributes have more than %d combinations of this size; use a lower --order", order, n, mostLists)
		case cellsOf(s, list) > mostCells:
			return fmt.Errorf("--order %d: %s have more than %d cells in total; group values, or use a lower --order", order, namesOf(s, list), mostCells)
		}
		lists = append(lists, slices.Clone(list))
		return nil
	})
	return lists, err
}

// cellsOf returns the number of cells of the marginal on a list of attributes and the outcome. If there are more than
// mostCells, it returns some number above mostCells.
func cellsOf(s *table.Schema, list []int) int {
	cells := s.Outcomes()
	for _, j := range list {
		cells = min(cells, mostCells) * s.Attributes[j].Len()
	}
	return cells
}

// Cells queries the marginal on each list of attributes and the outcome, and calls the function visit for each
// non-empty cell. The marginals are in the order of the lists, and the cells of a marginal are in increasing order of
// their codes and then of the outcome. The slice of codes is valid only during the call. Cells returns the errors of
// the queries and of visit.
func Cells(ctx context.Context, c table.Counts, lists [][]int, visit func(list int, codes []uint16, outcome int, units int64) error) error {
	sizes := c.Sizes()
	var batch [][]table.Axis
	cells, first := 0, 0
	flush := func(next int) error {
		counts, err := c.Marginals(ctx, batch)
		if err != nil {
			return err
		}
		for i, axes := range batch {
			if err := visitCells(axes, counts[i], func(codes []uint16, outcome int, units int64) error {
				return visit(first+i, codes, outcome, units)
			}); err != nil {
				return err
			}
		}
		batch, cells, first = batch[:0], 0, next
		return nil
	}
	for i, list := range lists {
		if t, ok := c.(*table.Table); ok && len(list) == len(sizes) {
			if err := flush(i + 1); err != nil {
				return err
			}
			var record table.Record
			for k := range t.Len() {
				record = t.Record(k, record)
				if err := visit(i, record, t.Outcome(k), t.Count(k)); err != nil {
					return err
				}
			}
			continue
		}
		axes, of := []table.Axis(nil), c.Outcomes()
		for _, j := range list {
			axes = append(axes, table.Axis{Column: j, Size: sizes[j]})
			of *= sizes[j]
		}
		batch = append(batch, append(axes, table.Axis{Column: len(sizes), Size: c.Outcomes()}))
		if cells += of; cells >= batchCells {
			if err := flush(i + 1); err != nil {
				return err
			}
		}
	}
	return flush(len(lists))
}

// visitCells calls the function visit for each non-empty cell of one marginal. The last of its axes is the outcome.
// The parameter counts holds the counts of all cells.
func visitCells(axes []table.Axis, counts []int64, visit func(codes []uint16, outcome int, units int64) error) error {
	last := len(axes) - 1
	codes := make([]uint16, last)
	for cell, units := range counts {
		if units == 0 {
			continue
		}
		rest := cell / axes[last].Size
		for k := last - 1; k >= 0; k-- {
			codes[k] = uint16(rest % axes[k].Size)
			rest /= axes[k].Size
		}
		if err := visit(codes, cell%axes[last].Size, units); err != nil {
			return err
		}
	}
	return nil
}

// columns describes the columns of the Parquet file in which the counts are stored.
func (h *countedHeader) columns() []Written {
	columns := []Written{{Name: listColumn, Kind: Whole, Dictionary: true}}
	for k := range h.width() {
		columns = append(columns, Written{Name: codeColumn(k), Kind: Whole, Optional: true, Dictionary: true})
	}
	return append(columns, Written{Name: outcomeColumn, Kind: Whole, Dictionary: true}, Written{Name: countColumn, Kind: Whole})
}

// A CountsWriter writes a file of counts, cell by cell.
type CountsWriter struct {
	header *countedHeader
	out    Writer
	sums   []int64 // by list, the sum of the units of the cells so far
	fields []string

	list    int // the list of the last cell
	codes   []uint16
	outcome int
}

// NewCountsWriter writes the header of a file of counts, and returns a writer for its cells. Each list of attributes
// defines one marginal. The parameter rows is the number of rows or persons, and nulls is the number of units (see
// table.Counts) of null records.
func NewCountsWriter(w io.Writer, s *table.Schema, lists [][]int, rows, nulls int64) (*CountsWriter, error) {
	if parquetWriter == nil {
		return nil, errors.New("this program cannot write Parquet files; import github.com/sibyl-dp/sibyl/parquet in it")
	}
	if err := checkLists(lists, len(s.Attributes)); err != nil {
		return nil, err
	}
	h := &countedHeader{Format: countedFormat, Schema: s.Digest(), Rows: rows, Nulls: nulls, Weight: s.Weight(), Lists: lists}
	columns := h.columns()
	out, err := parquetWriter(w, columns, map[string]string{countedKey: h.text()})
	return &CountsWriter{header: h, out: out, sums: make([]int64, len(lists)), fields: make([]string, len(columns)), list: -1}, err
}

// errCells is the error for counts that cannot all be counts of one table. The message does not identify a cell,
// because cells are private.
var errCells = errors.New("the counts contradict each other, so they are not written; please report how they were made")

// Add writes a non-empty cell of the marginal that a list of attributes defines. The parameter list is the index of
// the list, codes holds a code for each of its attributes, and units is the count of the cell, in units (see
// table.Counts). Cells must be added in the order in which the function Cells visits them.
func (c *CountsWriter) Add(list int, codes []uint16, outcome int, units int64) error {
	if list < 0 || list >= len(c.sums) || len(codes) != len(c.header.Lists[list]) || units < 1 || units > math.MaxInt64-c.sums[list] {
		return errCells
	}
	if cmp.Or(cmp.Compare(list, c.list), slices.Compare(codes, c.codes), cmp.Compare(outcome, c.outcome)) <= 0 {
		return errCells
	}
	c.list, c.codes, c.outcome = list, append(c.codes[:0], codes...), outcome
	c.sums[list] += units
	clear(c.fields)
	c.fields[0] = strconv.Itoa(list)
	for k, code := range codes {
		c.fields[1+k] = strconv.Itoa(int(code))
	}
	last := len(c.fields) - 1
	c.fields[last-1], c.fields[last] = strconv.Itoa(outcome), strconv.FormatInt(units, 10)
	return c.out.Write(c.fields)
}

// Close completes the file. It returns an error if the counts of a marginal do not sum to the total number of units
// (see table.Counts) of the records, without null records, that the header states.
func (c *CountsWriter) Close() error {
	for _, sum := range c.sums {
		if sum != c.header.Rows*c.header.Weight-c.header.Nulls {
			return errCells
		}
	}
	return c.out.Close()
}

// WriteCounts writes a file of counts with the marginals on each list of attributes and the outcome, which it queries
// from c.
func WriteCounts(ctx context.Context, w io.Writer, s *table.Schema, c table.Counts, lists [][]int) error {
	out, err := NewCountsWriter(w, s, lists, c.Rows(), c.Nulls())
	if err != nil {
		return err
	}
	if err := Cells(ctx, c, lists, out.Add); err != nil {
		return err
	}
	return out.Close()
}
