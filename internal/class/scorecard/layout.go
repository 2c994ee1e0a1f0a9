package scorecard

import "github.com/sibyl-dp/sibyl/class"

// Layout returns an upper bound on the memory of a search tree for a problem with the given number of distinct
// records.
//
// Initially there is one cost table for each distinct record, with an entry for each total that the
// record may get. Each later decision about an attribute makes at most one new table for each
// record. In practice, a tree has at most about half as many tables as this bound allows. There are also tables of zeros (one for each number of entries), a scratch table,
// and unused cells at both ends of the arena, because merges may read past the ends of a table.
func (c *Class) Layout(records int64) class.Layout {
	k, categories, entries := int64(len(c.attributes)), int64(0), 1
	for _, a := range c.attributes {
		categories += int64(a.categories)
		lo, hi := a.extremes()
		entries += hi - lo
	}
	tables := class.Product(records, k+1)
	cells := class.Product(class.Sum(tables, int64(entries), 1), int64(paddedSize(entries)))
	cells = class.Sum(cells, 2*int64(paddedSize(max(lanes+mostContribution, entries))))
	patterns := class.Product(tables, k)
	return class.Layout{
		Cells: cells,
		// While an order of steps is tried, there are two copies of the cells, of eight bytes each,
		// and each walker has one more. A cost table also has a merge and metadata, and the
		// patterns have an index.
		Bytes: class.Sum(class.Product(32, cells), class.Product(100, tables), class.Product(6*k+30, patterns), class.Product(600, categories)),
	}
}

// extremes returns the least and the greatest number of points of any category of the attribute,
// extended to include 0.
func (a Attribute) extremes() (lo, hi int) {
	for c := range a.categories {
		l, h := a.bounds(c)
		lo, hi = min(lo, l), max(hi, h)
		if a.oneHot() { // all categories have the same bounds
			break
		}
	}
	return lo, hi
}
