package table

import (
	"context"
	"runtime"
	"sync"

	"github.com/sibyl-dp/sibyl/parallel"
)

// Totals returns the units of each total that some record has, by outcome. It fails only with
// the context's error.
func (t *Table) Totals(ctx context.Context, c Card) (map[int64][]int64, error) {
	totals := make(map[int64][]int64)
	var lock sync.Mutex
	blocks := (t.Len() + totalRecords - 1) / totalRecords
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), blocks, func() func(int) {
		return func(block int) {
			own := t.totals(c, block*totalRecords, min((block+1)*totalRecords, t.Len()))
			lock.Lock()
			defer lock.Unlock()
			for total, units := range own {
				into := totals[total]
				if into == nil {
					totals[total] = units
					continue
				}
				for y, n := range units {
					into[y] += n
				}
			}
		}
	})
	return totals, err
}

const totalRecords = 1 << 16 // that a thread takes at a time

// totals returns the units of the records from..to-1.
func (t *Table) totals(c Card, from, to int) map[int64][]int64 {
	totals := make(map[int64][]int64)
	for i := from; i < to; i++ {
		total := int64(0)
		for j, code := range t.Record(i) {
			total += c.Points[j][code]
		}
		units := totals[total]
		if units == nil {
			units = make([]int64, t.outcomes)
			totals[total] = units
		}
		units[t.labels[i]] += t.counts[i]
	}
	return totals
}
