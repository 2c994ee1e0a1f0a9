package table

import (
	"context"
	"runtime"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Totals implements Counts. Its only error is the context's.
func (t *Table) Totals(ctx context.Context, c Card) (map[int64][]int64, error) {
	totals := make(map[int64][]int64)
	var lock sync.Mutex
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), t.parts(), func() func(int) {
		return func(part int) {
			own := t.totals(c, part*partRecords, min((part+1)*partRecords, t.Len()))
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

// totals is Totals for the records from..to-1.
func (t *Table) totals(c Card, from, to int) map[int64][]int64 {
	sums, codes := make([]int64, to-from), make([]uint16, to-from)
	for j, points := range c.Points {
		t.Codes(j, from, codes)
		for i, code := range codes {
			sums[i] += points[code]
		}
	}
	t.Codes(len(t.sizes), from, codes)
	totals := make(map[int64][]int64)
	for i, total := range sums {
		units := totals[total]
		if units == nil {
			units = make([]int64, t.outcomes)
			totals[total] = units
		}
		units[codes[i]] += t.Count(from + i)
	}
	return totals
}
