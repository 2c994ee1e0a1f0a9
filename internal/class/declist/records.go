package declist

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A record represents all points of the problem that have the same code in every column (see
// layout), so that no antecedent distinguishes them.
type record struct {
	x      []uint16 // [column]: the code
	excess sum      // the cost of each label minus the cost of the cheaper one
}

// collapse merges points into one record if no antecedent distinguishes them. It leaves out records
// for which both labels cost the same. The result base is the cost that every list incurs: the cost
// of the cheaper label, summed over the merged points.
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

// masks returns, for each literal of the class, the set of records that satisfy the literal.
func (l *layout) masks(records []record) []bitset {
	var out []bitset
	for j, col := range l.columns[:len(l.columns)-1] {
		sets := make([]bitset, len(col.literals))
		for i := range sets {
			sets[i] = newBitset(len(records))
		}
		for i, r := range records {
			for _, holds := range col.accepting[r.x[j]] {
				sets[holds].add(i)
			}
		}
		out = append(out, sets...)
	}
	return out
}

// A bitset is a set of record indices.
type bitset []uint64

// newBitset returns an empty set for indices below n.
func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
