package table

import (
	"context"
	"runtime"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A records is a list of records with their counts in units (see Counts).
type records interface {
	// Codes sets into[k] to the code of an attribute in record i+k, or to its outcome if attribute is the number of
	// attributes.
	Codes(attribute, i int, into []uint16)
	// units sets into[k] to the units of record i+k.
	units(i int, into []int64)
}

// A visitor is a function that processes the records of r whose indices are at least from and less than to.
type visitor func(r records, from, to int)

// A pass is a function that visits all records of private data once, except null records. It divides the records
// into parts, which several goroutines may process. Each goroutine calls the function start once, and then calls
// the returned visitor for each of its parts.
type pass func(ctx context.Context, start func() visitor) error

// gather makes a pass over all records. Each goroutine obtains an accumulator from the function start and adds its
// records to it. gather returns all accumulators.
func gather[A interface{ add(records, int, int) }](ctx context.Context, visit pass, start func() A) ([]A, error) {
	var lock sync.Mutex
	var all []A
	err := visit(ctx, func() visitor {
		a := start()
		lock.Lock()
		defer lock.Unlock()
		all = append(all, a)
		return a.add
	})
	return all, err
}

// visit makes a pass over all records of the table: each goroutine calls the function start once, and then calls
// the returned visitor for each of its parts of the table.
func (t *Table) visit(ctx context.Context, start func() visitor) error {
	return parallel.Do(ctx, runtime.GOMAXPROCS(0), t.parts(), func() func(int) {
		visit := start()
		return func(part int) { visit(t, part*partRecords, min((part+1)*partRecords, t.Len())) }
	})
}

// cells finds the cell of the axis a for consecutive records, beginning with the record with index i, and stores
// the cells in the slice that the parameter into holds.
func cells(r records, a Axis, i int, into []uint16) {
	r.Codes(a.Column, i, into)
	if a.Cells != nil {
		for k, code := range into {
			into[k] = a.Cells[code]
		}
	}
}

// score computes the totals of points for consecutive records, beginning with the record with index i, and stores
// them in the slice totals. The parameter codes is a buffer of the same length.
func score(r records, c Card, i int, codes []uint16, totals []int64) {
	clear(totals)
	for j, points := range c.Points {
		r.Codes(j, i, codes)
		for k, code := range codes {
			totals[k] += points[code]
		}
	}
}

// addTo adds each number to the element of sums with the same index.
func addTo(sums, numbers []int64) {
	for i, n := range numbers {
		sums[i] += n
	}
}
