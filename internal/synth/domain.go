package synth

import "fmt"

// A Domain describes the public columns of a table: its attributes, and the label as the last
// column if there is one.
type Domain struct {
	Columns []Column
	Outcome bool // whether the last column is the label
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

// Bytes returns the size of a code of the column in bytes.
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
