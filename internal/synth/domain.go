package synth

import (
	"fmt"
	"slices"
)

// A Domain describes the public columns of a table: its attributes, and the label as the last
// column if there is one.
type Domain struct {
	Columns []Column
	Outcome bool // whether the last column is the label

	// Bins has, for a column whose values are divided into bins, the value of each bin, in increasing order. The private
	// data then has codes of bins in this column. The entry of any other column is nil, and Bins may be shorter than
	// Columns.
	Bins [][]uint16
}

// bins returns the value of each bin of column j, or nil if the column has no bins.
func (d Domain) bins(j int) []uint16 {
	if j < len(d.Bins) {
		return d.Bins[j]
	}
	return nil
}

// Binned returns the number of columns that have bins.
func (d Domain) Binned() (n int) {
	for j := range d.Columns {
		if d.bins(j) != nil {
			n++
		}
	}
	return n
}

// A Column describes a column, whose values are 0..Size-1.
type Column struct {
	Size    int
	Ordered bool // whether the values have an order, as intervals have
}

// MostColumns is the maximum number of columns. MostSize is the maximum number of values of a
// column.
const (
	MostColumns = 1000
	MostSize    = 1 << 16
)

func (d Domain) check() error {
	n := len(d.Columns)
	if n < 1 || n > MostColumns {
		return fmt.Errorf("synth: the number of columns, %d, is outside 1..%d", n, MostColumns)
	}
	for j, c := range d.Columns {
		if c.Size < 1 || c.Size > MostSize {
			return fmt.Errorf("synth: column %d has %d values; it must have 1 to %d", j+1, c.Size, MostSize)
		}
	}
	for j, bins := range d.Bins {
		if bins == nil {
			continue
		}
		if j >= n || len(bins) > MostSize || !slices.IsSorted(bins) {
			return fmt.Errorf("synth: the bins of column %d must be at most %d values in increasing order, and the column must exist", j+1, MostSize)
		}
		if values := slices.Compact(slices.Clone(bins)); len(values) != d.Columns[j].Size || int(values[len(values)-1]) != len(values)-1 {
			return fmt.Errorf("synth: column %d has %d values, and each of them must have at least one bin", j+1, d.Columns[j].Size)
		}
	}
	return nil
}

// MostRecords is the maximum number of sampled records in a model file.
const MostRecords = 1 << 20

// mostCodes is the maximum total size of the codes of all sampled records in a model file, in
// bytes.
const mostCodes = 1 << 24

// Records returns the number of sampled records in the model file of a table with n rows. It is n, reduced
// to the limits MostRecords and mostCodes, but at least 1.
func (d Domain) Records(n int64) int {
	bytes := int64(0)
	for _, c := range d.Columns {
		bytes += int64(c.Bytes())
	}
	return int(max(1, min(n, MostRecords, mostCodes/bytes)))
}

// Bytes returns the number of bytes of a code of a value of the column.
func (c Column) Bytes() int {
	if c.Size > 1<<8 {
		return 2
	}
	return 1
}

// pairs lists all pairs (a, b) of columns with a < b, ordered by b and then a.
func (d Domain) pairs() [][2]int {
	var all [][2]int
	for b := range d.Columns {
		for a := range b {
			all = append(all, [2]int{a, b})
		}
	}
	return all
}
