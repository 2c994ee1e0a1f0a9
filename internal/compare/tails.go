package compare

import "slices"

// tails number what records have from each of some columns on. They serve checkers.
type tails struct {
	number [][]uint32 // number[k][i] is that of record i from column k on; equal tails have equal numbers, others not
	total  []int64    // of each number, all 0 between uses
}

// newTails numbers the tails of so many records, given by the codes of their columns.
func newTails(records int, columns [][]uint16) *tails {
	t := &tails{total: make([]int64, records)}
	tail := make([]uint32, records)
	t.number = append(t.number, tail)
	known := map[uint64]uint32{}
	for _, codes := range slices.Backward(columns) {
		longer := make([]uint32, records)
		clear(known)
		for i, code := range codes {
			key := uint64(tail[i])<<16 | uint64(code)
			n, ok := known[key]
			if !ok {
				n = uint32(len(known))
				known[key] = n
			}
			longer[i] = n
		}
		tail = longer
		t.number = append(t.number, tail)
	}
	slices.Reverse(t.number)
	return t
}

// gather leaves one record for each tail from column k on, with the weight of all of them
// together, unless that is 0.
func (t *tails) gather(records []uint32, weights []int64, k int) (some []uint32, theirs []int64) {
	number := t.number[k]
	for n, i := range records {
		t.total[number[i]] += weights[n]
	}
	for _, i := range records {
		if sum := &t.total[number[i]]; *sum != 0 {
			some, theirs = append(some, i), append(theirs, *sum)
			*sum = 0
		}
	}
	return some, theirs
}
