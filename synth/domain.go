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
