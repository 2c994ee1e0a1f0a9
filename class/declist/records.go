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
	sorted := make([]record, len(points))
	for i, pt := range points {
		x := make([]uint16, len(l.columns))
		for j, c := range pt.X {
			x[j] = l.columns[j].code[c]
		}
		sorted[i] = record{x, pt.Cost}
	}
	slices.SortFunc(sorted, func(p, q record) int { return slices.Compare(p.x, q.x) })
	for _, r := range sorted {
		if n := len(records); n > 0 && slices.Equal(records[n-1].x, r.x) {
			records[n-1].excess[0] += r.excess[0]
			records[n-1].excess[1] += r.excess[1]
		} else {
			records = append(records, r)
		}
	}
	for i := range records {
		e := &records[i].excess
		least := min(e[0], e[1])
		base += least
		e[0] -= least
		e[1] -= least
	}
	return slices.DeleteFunc(records, func(r record) bool { return r.excess == sum{} }), base
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
