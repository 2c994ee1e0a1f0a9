package compare

import "slices"

// tails numbers the distinct tails of the records. A tail of a record is the list of its codes from some column to the
// last. Checkers use the numbers to find and merge records with equal tails.
type tails struct {
	number [][]uint32 // number[k][i] is the number of record i's tail from column k on; tails have the same number if and only if they are equal
	total  []int64    // by number of a tail, a sum of weights; all 0 between uses
}

// newTails numbers the tails of the records, which are their codes from some column on. The parameter columns holds
// the codes of all records, by column.
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

// gather merges the records that have the same tail, which consists of their codes from column k on. It returns one
// record of each merged group, with the sum of the weights of the group. Groups whose weights sum to 0 are dropped.
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
