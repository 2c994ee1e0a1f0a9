package declist

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A record stands for all points that no antecedent tells apart, by its codes.
type record struct {
	x      []uint16
	excess sum // what either label costs beyond the cheaper one, which has 0
}

// collapse sums up equivalent points. base is what they cost at the least: no
// hypothesis tells them apart. Records that cost the same either way go.
func (l *layout) collapse(points []class.Point[[]uint16]) (records []record, base int64) {
	coded := make([]class.Point[[]uint16], len(points))
	for i, pt := range points {
		x := make([]uint16, len(l.columns))
		for j, c := range pt.X {
			x[j] = l.columns[j].code[c]
		}
		coded[i] = class.Point[[]uint16]{X: x, Cost: pt.Cost}
	}
	for _, pt := range class.Distinct(coded, slices.Compare) {
		least := min(pt.Cost[0], pt.Cost[1])
		base += least
		if pt.Cost[0] != pt.Cost[1] {
			records = append(records, record{pt.X, sum{pt.Cost[0] - least, pt.Cost[1] - least}})
		}
	}
	return records, base
}

// masks returns for every literal of the class the set of records that satisfy
// it.
func (l *layout) masks(records []record) []bitset {
	var out []bitset
	for j, col := range l.columns[:len(l.columns)-1] {
		sets := make([]bitset, len(col.literals))
		for i := range sets {
			sets[i] = newBitset(len(records))
		}
		for i, r := range records {
			for _, holds := range col.holding[r.x[j]] {
				sets[holds].add(i)
			}
		}
		out = append(out, sets...)
	}
	return out
}

// A bitset is a set of records, by number.
type bitset []uint64

// newBitset returns an empty set of n numbers.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
