package synth

import (
	"fmt"
	"slices"
)

// A Domain describes the columns of a table. It is public: it does not depend on the private rows. The columns are
// the table's attributes and, if Outcome is true, the label as the last column.
type Domain struct {
	Columns []Column
	Outcome bool // whether the last column is the label

	// Bins has, for a column whose values are divided into bins, the value of each bin, in increasing order. The private
	// data then has codes of bins in this column. The entry of any other column is nil, and Bins may be shorter than
	// Columns.
	Bins [][]uint16
}

// bins returns, for each bin of column j, the value to which the bin belongs. It returns nil if the column has no
// bins.
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

// A Column describes the values of a column, which are coded as 0..Size-1.
type Column struct {
	Size    int
	Ordered bool // whether the values have an order, as intervals have
}

// MostColumns and MostSize are the maximum numbers of columns, and of values of a column.
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

// MostRecords is the maximum number of sampled records that a model file contains.
const MostRecords = 1 << 20

// mostCodes is the maximum size in bytes of the coded values of all sampled records in a model file.
const mostCodes = 1 << 24

// Records returns the number of sampled records that the model file for a table with n rows contains. It is n, but at
// least 1, and at most the number that the limits MostRecords and mostCodes allow.
func (d Domain) Records(n int64) int {
	bytes := int64(0)
	for _, c := range d.Columns {
		bytes += int64(c.Bytes())
	}
	return int(max(1, min(n, MostRecords, mostCodes/bytes)))
}

// Bytes returns the number of bytes in which a model file stores a coded value of the column.
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
