package sparse

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/decay"
)

// keptBytes limits the memory for the cached search trees of sets of attributes. The memory of a
// tree is estimated by its Layout, which is several times the actual size.
const keptBytes = 1 << 28

// Layout bounds the memory of a tree and of Sum. It consists of the columns of the records, one
// table for each thread, the data of each set of attributes, the cached trees of sets, and one tree
// that is not cached. Cells is the maximum number of cells in the tree of one set.
func (c *Class) Layout(records int64) class.Layout {
	var part class.Layout
	cells := int64(0)
	seen := map[any]bool{}
	for i, s := range c.sets {
		if seen[c.parts[i]] {
			continue
		}
		seen[c.parts[i]] = true
		n := int64(1)
		for _, j := range s {
			n *= int64(c.groups[j])
		}
		if c.options.Draws > 1 {
			n *= int64(4*c.options.Most*c.options.Points + 2)
		}
		cells = max(cells, n)
		own := c.parts[i].Layout(min(records, n))
		part.Cells, part.Bytes = max(part.Cells, own.Cells), max(part.Bytes, own.Bytes)
	}
	return class.Layout{
		Cells: part.Cells,
		Bytes: class.Sum(class.Product(records, int64(len(c.groups)+9)), 8*mostThreads*cells, 200*int64(len(c.sets)), keptBytes, part.Bytes, decay.MostBytes,
			8*mostThreads*int64(2*c.options.Most*c.options.Points+2)*cells),
	}
}
