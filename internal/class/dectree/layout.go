package dectree

import (
	"math"
	"runtime"

	"github.com/sibyl-dp/sibyl/class"
)

// mostThreads is the greatest number of threads, each of which has tables of its own.
const mostThreads = 4

func threads() int { return min(runtime.GOMAXPROCS(0), mostThreads) }

// Layout bounds what a mass takes, for as many threads as there may be.
func (c *Class) Layout(records int64) class.Layout {
	p := newPlan(c)
	tests, cols, size := int64(len(c.tests)), int64(p.more*p.cols), int64(p.side*p.width())
	tables, options := mostThreads*(3*cols+4*size), tests
	if c.depth >= 4 {
		tables = class.Sum(tables, tests*size, mostThreads*(int64(2*p.inner()+2)*cols+4*size))
		options = 2 * tests * tests
	}
	// A record has its row, its differences, its number among all and among those of a node, the
	// number of that, and its place in each room. One more costs nothing.
	row, rooms := int64(newLayout(p).stride), int64(c.rooms())
	records = class.Sum(records, 1)
	return class.Layout{
		Cells: class.Sum(class.Product(records, row+int64(p.more)+3+rooms), tables, options),
		Bytes: class.Sum(class.Product(records, row+8*int64(p.more)+4+4+1+4*rooms), 8*tables, 32*options, 8*(mostNear+4<<mostBits)),
	}
}

// rooms returns how many rooms for all records, of 32 bits each, there are at once while options
// are computed.
func (c *Class) rooms() int {
	switch {
	case c.depth == 3:
		return mostThreads
	case c.depth >= 4:
		return 2*mostThreads + c.depth - 4
	}
	return 0
}

// Work returns about how many steps of 10 ns on one thread a mass takes over so many
// distinct records, with the fastest kernel: twice or three times as many with the
// portable one.
func (c *Class) Work(records int64) int64 {
	tests, groups := float64(len(c.tests)), float64(len(newPlan(c).groups))
	// A row takes a time of its own and one for each test, and a record one for each
	// pair of its columns, once for each of the pairs of attributes of the levels above.
	row, count, attributes := 6+0.1*tests, 0.075*groups*groups*float64(records), float64(len(c.attributes))
	if k := float64(c.outcomes); c.outcomes > 2 {
		row, count = (6+1.5*tests)*k, count*(k-1)
	}
	tables := 1.0
	switch {
	case c.depth == 3:
		tables, count = 2*tests, count*attributes
	case c.depth >= 4:
		tables, count = 2*tests*tests, count*attributes*attributes/2
	}
	work := tables*2*tests*row + count
	for range c.depth - 4 {
		work, count = tests*(2*(work-count)+count), tests*count
	}
	return int64(min(work, math.MaxInt64/2))
}
