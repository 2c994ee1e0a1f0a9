package dectree

import (
	"math"
	"runtime"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/decay"
)

// mostThreads is the maximum number of threads that compute the options for the tests at a node.
// Each thread has its own tables.
const mostThreads = 4

func threads() int { return min(runtime.GOMAXPROCS(0), mostThreads) }

// Layout bounds the memory of computing a Mass with the maximum number of threads, for the given
// number of distinct records.
func (c *Class) Layout(records int64) class.Layout {
	p := newPlan(c)
	tests, cols, size := int64(len(c.tests)), int64(p.otherOutcomes*p.tableSize), int64(p.matrixSide*p.width())
	tables, options := mostThreads*(3*cols+4*size), tests
	if c.depth >= 4 {
		tables = class.Sum(tables, tests*size, mostThreads*(int64(2*p.mostInnerCategories()+2)*cols+4*size))
		options = 2 * tests * tests
	}
	// A record takes its row, its differences, its index among all records and its index among the
	// records of a node, the number of its node, and an entry in each buffer. There is one
	// additional record, whose costs are 0.
	row, rooms := int64(newLayout(p).stride), int64(c.recordBuffers())
	records = class.Sum(records, 1)
	return class.Layout{
		Cells: class.Sum(class.Product(records, row+int64(p.otherOutcomes)+3+rooms), tables, options),
		Bytes: class.Sum(class.Product(records, row+8*int64(p.otherOutcomes)+4+4+1+4*rooms), 8*tables, 32*options, decay.MostBytes),
	}
}

// recordBuffers returns the maximum number of buffers that exist at the same time while options are
// computed. A buffer has an int32 for each record.
func (c *Class) recordBuffers() int {
	switch {
	case c.depth == 3:
		return mostThreads
	case c.depth >= 4:
		return 2*mostThreads + c.depth - 4
	}
	return 0
}

// Work estimates the time to compute a Mass on one thread, with the fastest kernel, for the given
// number of distinct records. The unit is 10 ns. The portable kernel takes two or three times as
// long.
func (c *Class) Work(records int64) int64 {
	tests, groups := float64(len(c.tests)), float64(len(newPlan(c).groups))
	// A row of a matrix takes a constant time plus a time for each test. A record takes a time for
	// each pair of its columns. It is counted once for each attribute, or each pair of attributes,
	// that the levels above may test.
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
