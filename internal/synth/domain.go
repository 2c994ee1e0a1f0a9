package synth

import "fmt"

// A Domain is the public columns of a table: those of its attributes, and where the rows have
// an outcome, that as the last.
type Domain struct {
	Columns []Column
	Outcome bool // the last column is the outcome of the table's rows
}

// A Column has so many values, numbered from 0.
type Column struct {
	Size    int
	Ordered bool // the values stand in an order, as those of cuts do
}

// MostColumns is the greatest number of columns, and MostSize the greatest number of values
// of one.
const (
	MostColumns = 1000
	MostSize    = 1 << 16
)

func (d Domain) check() error {
	n := len(d.Columns)
	if n < 1 || n > MostColumns {
		return fmt.Errorf("synth: %d columns, outside 1..%d", n, MostColumns)
	}
	for j, c := range d.Columns {
		if c.Size < 1 || c.Size > MostSize {
			return fmt.Errorf("synth: column %d has %d values, outside 1..%d", j+1, c.Size, MostSize)
		}
	}
	return nil
}

// MostRecords is the greatest number of records of a model.
const MostRecords = 1 << 20

// mostCodes is the greatest number of bytes that the codes of a model's records have.
const mostCodes = 1 << 24

// Records returns how many records are fitted to a table of n rows: one for each row, but at
// least one, and as many as fit the limits.
func (d Domain) Records(n int64) int {
	bytes := int64(0)
	for _, c := range d.Columns {
		bytes += int64(c.Bytes())
	}
	return int(max(1, min(n, MostRecords, mostCodes/bytes)))
}

// Bytes is how many bytes a code of the column takes.
func (c Column) Bytes() int {
	if c.Size > 1<<8 {
		return 2
	}
	return 1
}

// pairs lists all pairs of columns, in order.
func (d Domain) pairs() [][2]int {
	var all [][2]int
	for b := range d.Columns {
		for a := range b {
			all = append(all, [2]int{a, b})
		}
	}
	return all
}
