package dectree

import (
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
	tables, options := 3*cols+4*size, tests
	if c.depth >= 4 {
		tables = class.Sum(tables, tests*size, mostThreads*(int64(2*p.inner()+2)*cols+4*size))
		options = 2 * tests * tests
	}
	// A record has its columns, its differences, and its number in the parts of each level.
	each := int64(len(c.attributes) + 2*p.more + 4*c.depth)
	return class.Layout{
		Cells: class.Sum(class.Product(records, each), tables, options),
		Bytes: class.Sum(class.Product(records, 4*each+8), 8*tables, 32*options, 1<<20),
	}
}

// Work returns about how many pairs of tests are looked at for a mass, by the number
// of tests and the depth alone: some 10 ns each on one thread.
func (c *Class) Work() int64 {
	tests := int64(len(c.tests))
	work := class.Product(tests, tests) / 2
	switch {
	case c.depth == 3:
		work = class.Product(work, 2*tests)
	case c.depth >= 4:
		work = class.Product(work, 2*tests, tests+1)
	}
	for range c.depth - 4 {
		work = class.Product(work, 2*tests)
	}
	return work
}
