package scorecard

import "github.com/sibyl-dp/sibyl/class"

// Layout bounds the tables of a tree. There is one for each distinct record at
// the start, of one entry for each total that its undecided contributions may
// come to; and one more for each attribute of a record that is decided, as every
// merge takes the place of a table that has one more undecided. (A tree has at
// most half of these where records merge, which depends on the records.) Beside
// them there are tables of zeros, one for each number of entries, one for trials,
// and room at both ends as far as a shift goes.
func (c *Class) Layout(records int64) class.Layout {
	k, categories, entries := int64(len(c.attributes)), int64(0), 1
	for _, a := range c.attributes {
		categories += int64(a.categories)
		lo, hi := a.extremes()
		entries += hi - lo
	}
	slots := class.Product(records, k+1)
	cells := class.Product(class.Sum(slots, int64(entries), 1), int64(room(entries)))
	cells = class.Sum(cells, 2*int64(room(max(lanes+mostContribution, entries))))
	patterns := class.Product(slots, k)
	return class.Layout{
		Cells: cells,
		// Cells of eight bytes, twice while an order is tried, and once more in a
		// walker; a merge and what is known of a slot; patterns and their index.
		Bytes: class.Sum(class.Product(32, cells), class.Product(100, slots), class.Product(6*k+30, patterns), class.Product(600, categories)),
	}
}

// extremes returns the least and the greatest contribution of any category.
func (a Attribute) extremes() (lo, hi int) {
	for c := range a.categories {
		l, h := a.bounds(c)
		lo, hi = min(lo, l), max(hi, h)
		if a.oneHot() {
			break // all alike
		}
	}
	return lo, hi
}
