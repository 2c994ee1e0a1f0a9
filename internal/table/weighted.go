package table

import (
	"context"
	"runtime"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Weights are weights of records. The weight of a record with outcome y is Of[y] at the record's total of the Card.
// The sum of the absolute weights of all units must fit into int64.
type Weights struct {
	Card
	Of []Steps
}

// Weighted implements Counts. Its only error is the context's.
func (t *Table) Weighted(ctx context.Context, attributes []int, w Weights) ([][]int64, error) {
	sums := make([][]int64, len(attributes))
	for i, j := range attributes {
		sums[i] = make([]int64, t.sizes[j])
	}
	var lock sync.Mutex
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), t.parts(), func() func(int) {
		codes, weights := make([]uint16, blockRecords), make([]int64, blockRecords)
		units, totals := make([]int64, blockRecords), make([]int64, blockRecords)
		own := make([][]int64, len(sums))
		for i := range sums {
			own[i] = make([]int64, len(sums[i]))
		}
		return func(part int) {
			for _, sum := range own {
				clear(sum)
			}
			for from, end := part*partRecords, min((part+1)*partRecords, t.Len()); from < end; from += blockRecords {
				n := min(blockRecords, end-from)
				codes, weights, units, totals := codes[:n], weights[:n], units[:n], totals[:n]
				t.score(w.Card, from, codes, totals)
				t.units(from, units)
				t.Codes(len(t.sizes), from, codes)
				for i, code := range codes {
					weights[i] = units[i] * w.Of[code].At(totals[i])
				}
				for i, j := range attributes {
					t.Codes(j, from, codes)
					for k, code := range codes {
						own[i][code] += weights[k]
					}
				}
			}
			lock.Lock()
			defer lock.Unlock()
			for i, sum := range own {
				for code, v := range sum {
					sums[i][code] += v
				}
			}
		}
	})
	return sums, err
}
