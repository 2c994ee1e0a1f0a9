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
	t.score(c, from, codes, sums)
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

// score sets totals[k] to the total of record i+k. It overwrites codes, which has the same length.
func (t *Table) score(c Card, i int, codes []uint16, totals []int64) {
	clear(totals)
	for j, points := range c.Points {
		t.Codes(j, i, codes)
		for k, code := range codes {
			totals[k] += points[code]
		}
	}
}
