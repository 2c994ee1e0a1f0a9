package table

import (
	"context"
	"slices"
)

// mostDense is the maximum length of an array in which units (see Counts) are counted by total of points. If more
// totals are possible, a map is used instead.
const mostDense = 1 << 17

// Totals implements Counts: it returns, for each total of points that some record has (see Card), the number of units
// (see Counts) of the records with each outcome. The only possible error is that of the context.
func (t *Table) Totals(ctx context.Context, c Card) (map[int64][]int64, error) {
	return totals(ctx, t.visit, c, t.outcomes)
}

// totals makes a pass over all records and returns, for each total of points that some record has, the number of
// units (see Counts) of the records with each outcome. The parameter outcomes is the number of outcomes.
func totals(ctx context.Context, visit pass, c Card, outcomes int) (map[int64][]int64, error) {
	all, err := gather(ctx, visit, func() *totaller { return newTotaller(c, outcomes) })
	totals := make(map[int64][]int64)
	for _, t := range all {
		t.each(func(total int64, units []int64) {
			into := totals[total]
			if into == nil {
				into = make([]int64, outcomes)
				totals[total] = into
			}
			for y, n := range units {
				into[y] += n
			}
		})
	}
	return totals, err
}

// A totaller counts the units (see Counts) of records by their total of points and their outcome.
type totaller struct {
	card     Card
	outcomes int
	least    int64             // the least total that is possible
	dense    []int64           // the units by total, from least on, and outcome; nil if the totals are too many for a list
	sparse   map[int64][]int64 // the units by total, if dense is nil

	codes         []uint16
	totals, units []int64
}

func newTotaller(c Card, outcomes int) *totaller {
	t := &totaller{card: c, outcomes: outcomes, codes: make([]uint16, blockRecords), totals: make([]int64, blockRecords), units: make([]int64, blockRecords)}
	least, most := c.span()
	if t.least = least; uint64(most)-uint64(least) < mostDense {
		t.dense = make([]int64, int(most-least+1)*outcomes)
	} else {
		t.sparse = make(map[int64][]int64)
	}
	return t
}

// span returns the least and the greatest total of points that a record can have.
func (c Card) span() (least, most int64) {
	for _, points := range c.Points {
		least, most = least+slices.Min(points), most+slices.Max(points)
	}
	return least, most
}

func (t *totaller) add(r records, from, to int) {
	for ; from < to; from += blockRecords {
		n := min(blockRecords, to-from)
		codes, totals, units := t.codes[:n], t.totals[:n], t.units[:n]
		score(r, t.card, from, codes, totals)
		r.units(from, units)
		r.Codes(len(t.card.Points), from, codes)
		if t.dense != nil {
			for i, total := range totals {
				t.dense[int(total-t.least)*t.outcomes+int(codes[i])] += units[i]
			}
			continue
		}
		for i, total := range totals {
			of := t.sparse[total]
			if of == nil {
				of = make([]int64, t.outcomes)
				t.sparse[total] = of
			}
			of[codes[i]] += units[i]
		}
	}
}

// each calls the function visit for each total of points that some record has, with the number of units (see Counts)
// of the records with each outcome.
func (t *totaller) each(visit func(total int64, units []int64)) {
	for total, units := range t.sparse {
		visit(total, units)
	}
	for at := 0; at < len(t.dense); at += t.outcomes {
		if units := t.dense[at:][:t.outcomes]; slices.Max(units) > 0 {
			visit(t.least+int64(at/t.outcomes), units)
		}
	}
}
